/* warpbound simulate: one thread block under one or more warp schedulers, or a grid on a whole GPU. */
#include <stdlib.h>
#include <string.h>

#include "command.h"

static wb_status write_totals(const struct options *options, wb_analysis *analysis,
                              wb_diagnostics *diagnostics, char **text) {
    wb_watch watch = watch_terminal();
    const char *policies = options->policies != NULL ? options->policies : "lrr,gto";
    wb_status status = wb_analysis_simulate(analysis, policies, &watch, diagnostics);
    if (status != WB_OK) return status;
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    wb_report_options report = {.size = sizeof report, .timing = options->timing};
    return wb_report(analysis, format, &report, diagnostics, text);
}

/* What is simulated, each or NULL. */
struct simulated {
    wb_block *block; /* of `analysis`, unless that was written by hand */
    wb_analysis *analysis;
    wb_grid *grid; /* of `gpu` */
    wb_gpu *gpu;
};

static void simulated_free(struct simulated *simulated) {
    wb_gpu_free(simulated->gpu);
    wb_grid_free(simulated->grid);
    wb_analysis_free(simulated->analysis);
    wb_block_free(simulated->block);
}

/* Executes the grid, or the block of it that the options name, on a machine on which it can be simulated. */
static wb_status load_grid(const struct options *options, struct inputs *inputs, wb_diagnostics *diagnostics,
                           struct simulated *simulated) {
    wb_grid_options trace = {.size = sizeof trace,
                             .one_block = options->block_index.given,
                             .memory_limit = options->memory_limit,
                             .watch = watch_terminal()};
    wb_status status = inputs_load(options, GPU_MACHINE, diagnostics, inputs);
    memcpy(trace.block, options->block_index.index, sizeof trace.block);
    if (status == WB_OK)
        status = wb_grid_trace(inputs->kernel, inputs->launch, &trace, diagnostics, &simulated->grid);
    if (status == WB_OK) status = wb_gpu_new(simulated->grid, inputs->machine, diagnostics, &simulated->gpu);
    if (status == WB_OK) set_threads(options, simulated->gpu);
    return status;
}

/* Executes the block: nothing that steers it may be unknown. */
static wb_status load_block(const struct options *options, struct inputs *inputs, wb_diagnostics *diagnostics,
                            struct simulated *simulated) {
    wb_trace_options trace = {
        .size = sizeof trace, .memory_limit = options->memory_limit, .watch = watch_terminal()};
    if (is_block_file(options)) return load_block_file(options, diagnostics, &simulated->analysis);
    wb_status status = inputs_load(options, DEFAULT_MACHINE, diagnostics, inputs);
    memcpy(trace.block, options->block_index.index, sizeof trace.block);
    if (status != WB_OK) return status;
    trace.record_accesses = wb_machine_needs_accesses(inputs->machine);
    trace.warp_width = wb_machine_warp_width(inputs->machine);
    status = wb_block_trace(inputs->kernel, inputs->launch, &trace, diagnostics, &simulated->block);
    return status == WB_OK
               ? wb_analysis_new(simulated->block, inputs->machine, diagnostics, &simulated->analysis)
               : status;
}

/* The schedule of one policy, of a grid of one scheme, instead of the totals. */
static wb_status make_schedule(const struct options *options, const struct simulated *simulated,
                               wb_diagnostics *diagnostics) {
    wb_schedule_options asked;
    wb_schedule *schedule = NULL;
    wb_status status = read_schedule_options(options, diagnostics, &asked);
    if (status == WB_OK && simulated->gpu != NULL)
        status = wb_schedule_of_gpu(simulated->gpu, options->schemes, options->policies, &asked, diagnostics,
                                    &schedule);
    else if (status == WB_OK)
        status =
            wb_schedule_simulate(simulated->analysis, options->policies != NULL ? options->policies : "lrr",
                                 &asked, diagnostics, &schedule);
    if (status == WB_OK) status = write_schedule(options, schedule, diagnostics);
    wb_schedule_free(schedule);
    return status;
}

/* --format and --window. */
static wb_status check_output(const struct options *options, wb_diagnostics *diagnostics) {
    if (options->schedule) return require_schedule_format(options, diagnostics);
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    return status == WB_OK ? refuse_window(options, diagnostics) : status;
}

/* All blocks on a machine with caches, under the schemes that --scheme lists. After an interrupt or at a
 * limit what is done is reported. */
static wb_status simulate_grid(const struct options *options, struct inputs *inputs,
                               struct simulated *simulated, wb_diagnostics *diagnostics, char **text) {
    wb_status status = check_output(options, diagnostics);
    if (status == WB_OK) status = load_grid(options, inputs, diagnostics, simulated);
    if (status != WB_OK) return status;
    if (options->schedule) return make_schedule(options, simulated, diagnostics);
    wb_watch watch = watch_terminal();
    status = wb_gpu_simulate(simulated->gpu, options->schemes, options->policies, &watch, diagnostics);
    size_t done;
    (void)wb_gpu_simulations(simulated->gpu, &done);
    if (status != WB_OK && (status != WB_ERR_LIMIT || done == 0)) return status;
    wb_report_options report = {.size = sizeof report, .timing = options->timing};
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    wb_status written = wb_gpu_report(simulated->gpu, format, &report, diagnostics, text);
    return status != WB_OK ? status : written;
}

static wb_status simulate_block(const struct options *options, struct inputs *inputs,
                                struct simulated *simulated, wb_diagnostics *diagnostics, char **text) {
    if (options->threads.given) return usage_error(diagnostics, "--threads goes with --scheme");
    wb_status status = check_output(options, diagnostics);
    if (status == WB_OK) status = load_block(options, inputs, diagnostics, simulated);
    if (status != WB_OK) return status;
    return options->schedule ? make_schedule(options, simulated, diagnostics)
                             : write_totals(options, simulated->analysis, diagnostics, text);
}

int command_simulate(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    struct simulated simulated = {0};
    char *text = NULL;
    wb_status status = options->schemes != NULL
                           ? simulate_grid(options, &inputs, &simulated, diagnostics, &text)
                           : simulate_block(options, &inputs, &simulated, diagnostics, &text);
    if (text != NULL) {
        wb_status written = write_output(options, text, diagnostics);
        if (status == WB_OK) status = written;
    }
    free(text);
    simulated_free(&simulated);
    inputs_free(&inputs);
    return (int)status;
}

/* warpbound simulate: a kernel on a whole GPU, or one thread block, under one or more warp schedulers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* What is simulated, each or NULL. */
struct simulated {
    const wb_machine *machine; /* not of blocks written by hand */
    wb_block *block;           /* of `analysis`, unless that was written by hand */
    wb_analysis *analysis;
    wb_grid *grid; /* of `gpu` */
    wb_gpu *gpu;
};

/* The schedulers that are simulated. */
static const char *policies_of(const struct options *options, const struct simulated *simulated) {
    if (options->policies != NULL) return options->policies;
    return simulated->machine != NULL ? wb_machine_policies(simulated->machine) : "lrr,gto";
}

static wb_status write_totals(const struct options *options, const struct simulated *simulated,
                              wb_diagnostics *diagnostics, char **text) {
    wb_watch watch = watch_terminal();
    wb_analysis *analysis = simulated->analysis;
    wb_status status = wb_analysis_simulate(analysis, policies_of(options, simulated), &watch, diagnostics);
    if (status != WB_OK) return status;
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    wb_report_options report = {.size = sizeof report, .timing = options->timing, .simulated = true};
    report_look(options, &report);
    return wb_report(analysis, format, &report, diagnostics, text);
}

static void simulated_free(struct simulated *simulated) {
    wb_gpu_free(simulated->gpu);
    wb_grid_free(simulated->grid);
    wb_analysis_free(simulated->analysis);
    wb_block_free(simulated->block);
}

/* Executes the grid, or the block of it that the options name, on a machine on which it can be simulated:
 * with every pass of its loops, as simulations walk them all. */
static wb_status load_grid(const struct options *options, const struct inputs *inputs,
                           wb_diagnostics *diagnostics, struct simulated *simulated) {
    wb_grid_options trace = {.size = sizeof trace,
                             .one_block = options->block_index.given,
                             .warp_width = wb_machine_warp_width(inputs->machine),
                             .memory_limit = options->memory_limit,
                             .instruction_limit = options->instruction_limit.value,
                             .passes_from = UINT64_MAX,
                             .watch = watch_terminal()};
    memcpy(trace.block, options->block_index.index, sizeof trace.block);
    wb_status status = wb_grid_trace(inputs->kernel, inputs->launch, &trace, diagnostics, &simulated->grid);
    if (status == WB_OK) status = wb_gpu_new(simulated->grid, inputs->machine, diagnostics, &simulated->gpu);
    if (status == WB_OK) set_threads(options, simulated->gpu);
    return status;
}

/* Executes the block: nothing that steers it may be unknown. */
static wb_status load_block(const struct options *options, const struct inputs *inputs,
                            wb_diagnostics *diagnostics, struct simulated *simulated) {
    wb_trace_options trace = {.size = sizeof trace,
                              .memory_limit = options->memory_limit,
                              .instruction_limit = options->instruction_limit.value,
                              .passes_from = UINT64_MAX,
                              .watch = watch_terminal()};
    memcpy(trace.block, options->block_index.index, sizeof trace.block);
    trace.record_accesses = wb_machine_needs_accesses(inputs->machine);
    trace.warp_width = wb_machine_warp_width(inputs->machine);
    wb_status status = wb_block_trace(inputs->kernel, inputs->launch, &trace, diagnostics, &simulated->block);
    return status == WB_OK
               ? wb_analysis_new(simulated->block, inputs->machine, diagnostics, &simulated->analysis)
               : status;
}

/* How requests get at the first level; where nothing is said, and on machines without one, as they come. */
static const char *schemes_of(const struct options *options) {
    return options->schemes != NULL ? options->schemes : "default";
}

/* Most schedules in one file. */
#define SCHEDULES_MAX 8

/* The schedule of one policy (NULL: the usual one), of a grid of one scheme. */
static wb_status make_schedule(const struct options *options, const struct simulated *simulated,
                               const char *policy, wb_diagnostics *diagnostics, wb_schedule **schedule) {
    const bool is_sass = simulated->machine != NULL && !wb_machine_takes_ptx(simulated->machine);
    wb_schedule_options asked;
    wb_status status = read_schedule_options(options, diagnostics, &asked);
    if (status != WB_OK) return status;
    if (policy == NULL && is_sass) policy = "cggty";
    if (simulated->gpu != NULL)
        return wb_schedule_of_gpu(simulated->gpu, schemes_of(options), policy, &asked, diagnostics, schedule);
    return wb_schedule_simulate(simulated->analysis, policy != NULL ? policy : "lrr", &asked, diagnostics,
                                schedule);
}

/* Schedules instead of the totals: of one policy, in a trace of each of a list. */
static wb_status make_schedules(const struct options *options, const struct simulated *simulated,
                                wb_diagnostics *diagnostics) {
    wb_schedule *schedules[SCHEDULES_MAX] = {NULL};
    size_t count = 0;
    const bool each = options->policies != NULL && options->format == OUTPUT_TRACE;
    char *list = each ? strdup(options->policies) : NULL, *rest = NULL;
    const char *policy = each ? (list == NULL ? NULL : strtok_r(list, ",", &rest)) : options->policies;
    wb_status status = each && list == NULL ? WB_ERR_LIMIT : WB_OK;
    while (status == WB_OK && count < SCHEDULES_MAX) {
        status = make_schedule(options, simulated, policy, diagnostics, &schedules[count++]);
        policy = each ? strtok_r(NULL, ",", &rest) : NULL;
        if (policy == NULL) break;
    }
    if (status == WB_OK && policy != NULL && count == SCHEDULES_MAX)
        status = usage_error(diagnostics, "--schedule: more than 8 policies");
    if (status == WB_OK)
        status = write_schedules(options, (const wb_schedule *const *)schedules, count, diagnostics);
    for (size_t i = 0; i < count; i++)
        wb_schedule_free(schedules[i]);
    free(list);
    return status;
}

/* --format and --window. */
static wb_status check_output(const struct options *options, wb_diagnostics *diagnostics) {
    if (options->schedule) return require_schedule_format(options, diagnostics);
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    return status == WB_OK ? refuse_window(options, diagnostics) : status;
}

/* The same of a grid: those of a scheme are its own, unless others are asked for. */
static const char *grid_policies_of(const struct options *options, const struct simulated *simulated) {
    const bool own = options->policies == NULL && options->schemes != NULL;
    return own ? NULL : policies_of(options, simulated);
}

/* All blocks. After an interrupt or at a limit what is done is reported. */
static wb_status simulate_grid(const struct options *options, const struct simulated *simulated,
                               wb_diagnostics *diagnostics, char **text) {
    wb_watch watch = watch_terminal();
    wb_status status = wb_gpu_simulate(simulated->gpu, schemes_of(options),
                                       grid_policies_of(options, simulated), &watch, diagnostics);
    size_t done;
    (void)wb_gpu_simulations(simulated->gpu, &done);
    if (status != WB_OK && (status != WB_ERR_LIMIT || done == 0)) return status;
    wb_report_options report = {.size = sizeof report, .timing = options->timing};
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    wb_status written = wb_gpu_report(simulated->gpu, format, &report, diagnostics, text);
    return status != WB_OK ? status : written;
}

/* Warns that one block is simulated, by the first line of the messages that say why. */
static void warn_one_block(const wb_diagnostics *messages, wb_diagnostics *diagnostics) {
    const char *why = wb_diagnostics_text(messages);
    char warning[500];
    (void)snprintf(warning, sizeof warning, "only block 0,0,0 is simulated, not the kernel: %.*s",
                   (int)(strcspn(why, "\n") < 400 ? strcspn(why, "\n") : 400), why);
    wb_diagnostics_warning(diagnostics, "simulate", warning);
}

/* Executes the kernel; where something that is not known steers other blocks, or says where they access
 * memory, one block, with a warning. */
static wb_status load_kernel(const struct options *options, const struct inputs *inputs,
                             wb_diagnostics *diagnostics, struct simulated *simulated) {
    wb_diagnostics *of_grid = wb_diagnostics_new();
    if (of_grid == NULL) return WB_ERR_LIMIT;
    wb_status status = load_grid(options, inputs, of_grid, simulated);
    const bool falls_back = status == WB_ERR_DECLINED && options->schemes == NULL;
    if (falls_back) {
        status = load_block(options, inputs, diagnostics, simulated);
        if (status == WB_OK) warn_one_block(of_grid, diagnostics);
    } else {
        wb_diagnostics_append(diagnostics, of_grid);
    }
    wb_diagnostics_free(of_grid);
    return status;
}

/* Loads what is to be simulated: with --scheme, and without -i where the machine's model has whole grids, all
 * blocks; else one. */
static wb_status load(const struct options *options, struct inputs *inputs, wb_diagnostics *diagnostics,
                      struct simulated *simulated) {
    const bool by_hand = options->schemes == NULL && is_block_file(options);
    wb_status status =
        by_hand ? load_block_file(options, diagnostics, &simulated->analysis)
                : inputs_load(options, options->schemes != NULL ? WB_MACHINE_WITH_CACHES : WB_MACHINE_USUAL,
                              diagnostics, inputs);
    if (status != WB_OK) return status;
    const bool whole = !by_hand && (options->schemes != NULL ||
                                    (!options->block_index.given && wb_machine_takes_grids(inputs->machine)));
    if (options->threads.given && !whole)
        return usage_error(diagnostics, "--threads is for whole grids: one block takes one thread");
    if (by_hand) return WB_OK;
    status = wb_promises_check(inputs->kernel, inputs->launch, inputs->machine, diagnostics);
    if (status != WB_OK) return status;
    simulated->machine = inputs->machine;
    return whole ? load_kernel(options, inputs, diagnostics, simulated)
                 : load_block(options, inputs, diagnostics, simulated);
}

int command_simulate(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    struct simulated simulated = {0};
    char *text = NULL;
    wb_status status = check_output(options, diagnostics);
    if (status == WB_OK) status = load(options, &inputs, diagnostics, &simulated);
    if (status == WB_OK && options->schedule)
        status = make_schedules(options, &simulated, diagnostics);
    else if (status == WB_OK)
        status = simulated.gpu != NULL ? simulate_grid(options, &simulated, diagnostics, &text)
                                       : write_totals(options, &simulated, diagnostics, &text);
    if (text != NULL) {
        wb_status written = write_output(options, text, diagnostics);
        if (status == WB_OK) status = written;
    }
    free(text);
    simulated_free(&simulated);
    inputs_free(&inputs);
    return (int)status;
}

/* warpbound makespan: the longest schedule of warps that execute kernel instruction strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* A number of warps, or warps with a string of their own. */
static wb_status add_warps(const struct options *options, wb_diagnostics *diagnostics,
                           wb_makespan *makespan) {
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < options->warps.count; i++) {
        const char *warps = options->warps.items[i];
        status = strchr(warps, ':') != NULL ? wb_makespan_add_warps(makespan, warps, diagnostics)
                                            : wb_makespan_set(makespan, "warps", warps, diagnostics);
    }
    return status;
}

/* The kernel that a problem is made from, and its block. */
struct problem_inputs {
    struct inputs kernel;
    wb_block *block; /* or NULL */
};

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text);
    size_t end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* No kernel instruction string has these characters, or is "-". */
static bool is_file(const char *operand) {
    return strpbrk(operand, "./") != NULL || strcmp(operand, "-") == 0;
}

/* The path of the kernel that the options name: nothing that steers it may be unknown. */
static wb_status load_path(const struct options *options, wb_diagnostics *diagnostics,
                           struct problem_inputs *inputs, wb_makespan *makespan) {
    wb_trace_options trace = {
        .size = sizeof trace, .memory_limit = options->memory_limit, .watch = watch_terminal()};
    const struct inputs *loaded = &inputs->kernel;
    wb_status status = inputs_load(options, NULL, diagnostics, &inputs->kernel);
    memcpy(trace.block, options->block_index.index, sizeof trace.block);
    if (status == WB_OK)
        status = wb_block_trace(loaded->kernel, loaded->launch, &trace, diagnostics, &inputs->block);
    return status == WB_OK
               ? wb_makespan_add_block(makespan, inputs->block, options->branchless_prefix, diagnostics)
               : status;
}

/* The problem of the operand alone: the path of a kernel, a file, a string, or none. */
static wb_status load_operand(const struct options *options, wb_diagnostics *diagnostics,
                              struct problem_inputs *inputs, wb_makespan **makespan) {
    const char *operand = options->operands.count == 1 ? options->operands.items[0] : NULL;
    const bool code = operand != NULL && (ends_with(operand, ".ptx") || ends_with(operand, ".cubin"));
    if (operand != NULL && is_file(operand) && !code) return wb_makespan_read(operand, diagnostics, makespan);
    *makespan = wb_makespan_new();
    if (*makespan == NULL) return WB_ERR_LIMIT;
    if (code) return load_path(options, diagnostics, inputs, *makespan);
    return operand != NULL ? wb_makespan_add_warps(*makespan, operand, diagnostics) : WB_OK;
}

/* --memory-limit, and that under its old name, which means a model of the memory elsewhere. */
static wb_status set_memory_limit(const struct options *options, wb_diagnostics *diagnostics,
                                  wb_makespan *makespan) {
    char bytes[24];
    for (size_t i = 0; i < options->settings.count; i++)
        if (strcmp(options->settings.items[i].key, "memory") == 0)
            wb_diagnostics_warning(diagnostics, "--memory", "is now called --memory-limit");
    if (options->memory_limit == 0) return WB_OK;
    (void)snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)options->memory_limit);
    return wb_makespan_set(makespan, "memory", bytes, diagnostics);
}

/* The problem that operand and options describe. */
static wb_status load(const struct options *options, wb_diagnostics *diagnostics,
                      struct problem_inputs *inputs, wb_makespan **makespan) {
    if (options->operands.count > 1)
        return usage_error(diagnostics,
                           "expected one kernel instruction string or one file (warpbound help makespan)");
    wb_status status = load_operand(options, diagnostics, inputs, makespan);
    for (size_t i = 0; status == WB_OK && i < options->settings.count; i++)
        status = wb_makespan_set(*makespan, options->settings.items[i].key, options->settings.items[i].value,
                                 diagnostics);
    if (status == WB_OK) status = set_memory_limit(options, diagnostics, *makespan);
    if (status == WB_OK) status = add_warps(options, diagnostics, *makespan);
    return status;
}

/* Which instruction became which letter. */
static wb_status write_mapping(const struct options *options, const struct problem_inputs *inputs,
                               wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (inputs->block == NULL) return usage_error(diagnostics, "--mapping: expected a PTX file or cubin");
    wb_status status =
        wb_makespan_mapping(inputs->block, options->branchless_prefix, options->compare, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    return status;
}

/* The results, or the longest schedule found. */
static wb_status write_results(const struct options *options, wb_makespan *makespan,
                               wb_diagnostics *diagnostics) {
    const wb_report_options report = {.size = sizeof report, .timing = options->timing};
    char *text = NULL;
    wb_status status;
    if (options->schedule) {
        wb_witness_format format = options->format == OUTPUT_SVG ? WB_WITNESS_SVG : WB_WITNESS_TEXT;
        status = wb_makespan_witness(makespan, NULL, format, diagnostics, &text);
    } else {
        wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
        status = wb_makespan_report(makespan, format, &report, diagnostics, &text);
    }
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    return status;
}

/* Writes the longest schedule where --witness asks for it. */
static wb_status write_witness(const struct options *options, const wb_makespan *makespan,
                               wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (options->witness == NULL) return WB_OK;
    wb_status status = wb_makespan_witness(makespan, NULL, WB_WITNESS_FILE, diagnostics, &text);
    if (status == WB_OK) status = wb_file_write(options->witness, text, diagnostics);
    free(text);
    return status;
}

/* Writes how the annealing went where --convergence asks for it. */
static wb_status write_convergence(const struct options *options, const wb_makespan *makespan,
                                   wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (options->convergence == NULL) return WB_OK;
    bool chart = ends_with(options->convergence, ".svg");
    wb_convergence_format format = chart ? WB_CONVERGENCE_SVG : WB_CONVERGENCE_CSV;
    wb_status status = wb_makespan_convergence(makespan, format, diagnostics, &text);
    if (status == WB_OK) status = wb_file_write(options->convergence, text, diagnostics);
    free(text);
    return status;
}

/* Writes one model where its option asks for it. */
static wb_status write_model(wb_makespan *makespan, const char *path, wb_makespan_model model,
                             const char *method, uint64_t cycles, wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (path == NULL) return WB_OK;
    wb_status status = wb_makespan_export(makespan, model, method, cycles, diagnostics, &text);
    if (status == WB_OK) status = wb_file_write(path, text, diagnostics);
    free(text);
    return status;
}

static bool wants_model(const struct options *options) {
    return options->write_lp != NULL || options->write_mps != NULL || options->write_cnf != NULL ||
           options->write_opb != NULL;
}

/* Writes the problem for other solvers, which is then all that is done. */
static wb_status write_models(const struct options *options, wb_makespan *makespan,
                              wb_diagnostics *diagnostics) {
    const uint64_t cycles = options->at_least.value;
    if (options->read_solution != NULL)
        return usage_error(diagnostics,
                           "--read-solution cannot be combined with --write-..., which solves nothing");
    if (options->write_cnf != NULL && cycles == 0)
        return usage_error(diagnostics, "--write-cnf needs --at-least, the cycles to reach");
    const char *method = options->methods != NULL ? options->methods : "ilp-cumulative";
    wb_status status = write_model(makespan, options->write_lp, WB_MODEL_LP, method, 0, diagnostics);
    if (status == WB_OK)
        status = write_model(makespan, options->write_mps, WB_MODEL_MPS, method, 0, diagnostics);
    if (status == WB_OK)
        status = write_model(makespan, options->write_cnf, WB_MODEL_DIMACS, method, cycles, diagnostics);
    if (status == WB_OK)
        status = write_model(makespan, options->write_opb, WB_MODEL_OPB, method, 0, diagnostics);
    return status;
}

/* Checks a witness or a certificate. */
static wb_status check(const struct options *options, wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (options->operands.count > 0 || options->settings.count > 0 || options->warps.count > 0)
        return usage_error(diagnostics, "--check takes no problem: its file contains one");
    wb_status status = wb_makespan_check(options->check, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    return status;
}

/* Solves the problem and prints what was found, also before a limit. */
static wb_status solve(const struct options *options, wb_makespan *makespan, wb_diagnostics *diagnostics) {
    wb_watch watch = watch_terminal();
    const char *methods = options->read_solution != NULL ? "closed" : "all";
    if (options->methods != NULL) methods = options->methods;
    if (options->read_solution != NULL) {
        wb_status read = wb_makespan_read_solution(makespan, options->read_solution, diagnostics);
        if (read != WB_OK) return read;
    }
    wb_status status = wb_makespan_solve(makespan, methods, &watch, diagnostics);
    bool results = wb_makespan_bound(makespan, 0) != NULL;
    if (status != WB_OK && !(status == WB_ERR_LIMIT && results)) return status;
    wb_status written = write_results(options, makespan, diagnostics);
    if (written == WB_OK) written = write_witness(options, makespan, diagnostics);
    if (written == WB_OK) written = write_convergence(options, makespan, diagnostics);
    if (written == WB_OK && options->certificate != NULL)
        written = wb_makespan_write_certificate(makespan, options->certificate, &watch, diagnostics);
    if (written == WB_OK) written = wb_makespan_hold(makespan, diagnostics);
    return status == WB_OK ? written : status;
}

/* The problem to be solved: the one described, or the smallest that refutes a formula. */
static wb_status load_or_refute(const struct options *options, wb_diagnostics *diagnostics,
                                struct problem_inputs *inputs, wb_makespan **makespan) {
    if (options->refute == NULL) return load(options, diagnostics, inputs, makespan);
    if (options->operands.count > 0 || options->settings.count > 0 || options->warps.count > 0)
        return usage_error(diagnostics, "--refute takes no problem: it finds one");
    wb_watch watch = watch_terminal();
    return wb_makespan_refute(options->refute, &watch, diagnostics, makespan);
}

int command_makespan(const struct options *options, wb_diagnostics *diagnostics) {
    struct problem_inputs inputs = {0};
    wb_makespan *makespan = NULL;
    enum output_format other = options->schedule ? OUTPUT_SVG : OUTPUT_JSON;
    wb_status status = require_format(options, OUTPUT_TEXT, other, diagnostics);
    if (status == WB_OK && options->check != NULL) return (int)check(options, diagnostics);
    if (status == WB_OK) status = load_or_refute(options, diagnostics, &inputs, &makespan);
    if (status == WB_OK && options->mapping) {
        status = write_mapping(options, &inputs, diagnostics);
    } else if (status == WB_OK && wants_model(options)) {
        status = write_models(options, makespan, diagnostics);
    } else if (status == WB_OK) {
        status = solve(options, makespan, diagnostics);
    }
    wb_makespan_free(makespan);
    wb_block_free(inputs.block);
    inputs_free(&inputs.kernel);
    return (int)status;
}

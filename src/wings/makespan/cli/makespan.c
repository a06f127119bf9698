/* warpbound makespan: the longest schedule of warps that execute kernel instruction strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "warpbound_makespan.h"
#include "wing.h"

static bool is_given(const struct options *options, const char *name) {
    return option_value(options, name) != NULL;
}

static bool is_warps(const struct given_option *option) {
    return strcmp(option->row->name, "warps") == 0;
}

/* Whether something is said of the problem itself. */
static bool describes_problem(const struct options *options) {
    bool describes = options->operands.count > 0;
    for (size_t i = 0; i < options->given.count; i++) {
        const struct given_option *option = &options->given.items[i];
        describes |= option->row->kind == OPTION_SETTING || is_warps(option);
    }
    return describes;
}

/* Numbers of warps, and warps with a string of their own. */
static wb_status add_warps(const struct options *options, wb_diagnostics *diagnostics,
                           wb_makespan *makespan) {
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < options->given.count; i++) {
        const char *warps = options->given.items[i].value;
        if (!is_warps(&options->given.items[i])) continue;
        status = strchr(warps, ':') != NULL ? wb_makespan_add_warps(makespan, warps, diagnostics)
                                            : wb_makespan_set(makespan, "warps", warps, diagnostics);
    }
    return status;
}

/* Keys of the problem and of the methods: options by these names, with '-' for '_'. */
static wb_status set_keys_of(const struct options *options, wb_diagnostics *diagnostics,
                             wb_makespan *makespan) {
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < options->given.count; i++) {
        const struct given_option *option = &options->given.items[i];
        char key[32];
        if (option->row->kind != OPTION_SETTING) continue;
        (void)snprintf(key, sizeof key, "%s", option->row->name);
        for (char *c = key; *c != '\0'; c++)
            if (*c == '-') *c = '_';
        status = wb_makespan_set(makespan, key, option->value, diagnostics);
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
    return status == WB_OK ? wb_makespan_add_block(makespan, inputs->block,
                                                   is_given(options, "branchless-prefix"), diagnostics)
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
    if (is_given(options, "memory"))
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
    if (status == WB_OK) status = set_keys_of(options, diagnostics, *makespan);
    if (status == WB_OK) status = set_memory_limit(options, diagnostics, *makespan);
    if (status == WB_OK) status = add_warps(options, diagnostics, *makespan);
    return status;
}

/* Which instruction became which letter. */
static wb_status write_mapping(const struct options *options, const struct problem_inputs *inputs,
                               wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (inputs->block == NULL)
        return usage_error(diagnostics, "--mapping: expected a PTX file, cubin or program");
    wb_status status = wb_makespan_mapping(inputs->block, is_given(options, "branchless-prefix"),
                                           option_value(options, "compare"), diagnostics, &text);
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
    const char *path = option_value(options, "witness");
    char *text = NULL;
    if (path == NULL) return WB_OK;
    wb_status status = wb_makespan_witness(makespan, NULL, WB_WITNESS_FILE, diagnostics, &text);
    if (status == WB_OK) status = wb_file_write(path, text, diagnostics);
    free(text);
    return status;
}

/* Writes how the annealing went where --convergence asks for it. */
static wb_status write_convergence(const struct options *options, const wb_makespan *makespan,
                                   wb_diagnostics *diagnostics) {
    const char *path = option_value(options, "convergence");
    char *text = NULL;
    if (path == NULL) return WB_OK;
    wb_convergence_format format = ends_with(path, ".svg") ? WB_CONVERGENCE_SVG : WB_CONVERGENCE_CSV;
    wb_status status = wb_makespan_convergence(makespan, format, diagnostics, &text);
    if (status == WB_OK) status = wb_file_write(path, text, diagnostics);
    free(text);
    return status;
}

/* Options that write the problem for other solvers. */
static const struct {
    const char *option;
    wb_makespan_model model;
} models[] = {{"write-lp", WB_MODEL_LP}, {"write-mps", WB_MODEL_MPS}};

enum { MODELS = sizeof models / sizeof *models };

static bool wants_model(const struct options *options) {
    bool wants = false;
    for (size_t i = 0; i < MODELS; i++)
        wants |= is_given(options, models[i].option);
    return wants;
}

/* Writes the problem for other solvers, which is then all that is done. */
static wb_status write_models(const struct options *options, wb_makespan *makespan,
                              wb_diagnostics *diagnostics) {
    if (is_given(options, "read-solution"))
        return usage_error(diagnostics,
                           "--read-solution cannot be combined with --write-..., which solves nothing");
    const char *method = options->methods != NULL ? options->methods : "ilp-cumulative";
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < MODELS; i++) {
        const char *path = option_value(options, models[i].option);
        char *text = NULL;
        if (path == NULL) continue;
        status = wb_makespan_export(makespan, models[i].model, method, diagnostics, &text);
        if (status == WB_OK) status = wb_file_write(path, text, diagnostics);
        free(text);
    }
    return status;
}

/* Checks a witness or a certificate. */
static wb_status check(const struct options *options, wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (describes_problem(options))
        return usage_error(diagnostics, "--check takes no problem: its file contains one");
    wb_status status = wb_makespan_check(option_value(options, "check"), diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    return status;
}

/* Solves the problem and prints what was found, also before a limit. */
static wb_status solve(const struct options *options, wb_makespan *makespan, wb_diagnostics *diagnostics) {
    wb_watch watch = watch_terminal();
    const char *solution = option_value(options, "read-solution");
    const char *methods = solution != NULL ? "closed" : "all";
    if (options->methods != NULL) methods = options->methods;
    if (solution != NULL) {
        wb_status read = wb_makespan_read_solution(makespan, solution, diagnostics);
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
    const char *formula = option_value(options, "refute");
    if (formula == NULL) return load(options, diagnostics, inputs, makespan);
    if (describes_problem(options))
        return usage_error(diagnostics, "--refute takes no problem: it finds one");
    wb_watch watch = watch_terminal();
    return wb_makespan_refute(formula, &watch, diagnostics, makespan);
}

static int command_makespan(const struct options *options, wb_diagnostics *diagnostics) {
    struct problem_inputs inputs = {0};
    wb_makespan *makespan = NULL;
    enum output_format other = options->schedule ? OUTPUT_SVG : OUTPUT_JSON;
    wb_status status = require_format(options, OUTPUT_TEXT, other, diagnostics);
    if (status == WB_OK && is_given(options, "check")) return (int)check(options, diagnostics);
    if (status == WB_OK) status = load_or_refute(options, diagnostics, &inputs, &makespan);
    if (status == WB_OK && is_given(options, "mapping")) {
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

/* ---- Options ------------------------------------------------------------------------------------------- */

enum { COMMAND_MAKESPAN = COMMAND_WING };

/* An option that sets the key of its name, of the problem or of the methods. */
#define SETTING(letter, name, argument, text)                                                                \
    { letter, name, argument, GIVEN(SETTING, COMMAND_MAKESPAN), .help = text }

/* An option that is a flag, a text, a file that is read, and one that is written. */
#define TAKES(kind, name, argument, ...)                                                                     \
    { 0, name, argument, GIVEN(kind, COMMAND_MAKESPAN), __VA_ARGS__ }

static const struct option_row rows[] = {
    HEADING("The problem"),
    {'w', "warps", "N|N:STRING", GIVEN(LIST, COMMAND_MAKESPAN),
     .help = "number of warps, or of warps with a string of their own"},
    SETTING('u', "units", "LIST", "warps that each unit type serves in a cycle: L=1,C=4 or L=1/2"),
    SETTING(0, "warp-size", "N", "lanes of a warp; -u then gives numbers of units: L=16,C=32"),
    SETTING(0, "cycles", "LIST", "cycles that an instruction takes, by unit type: S=4,D=2"),
    SETTING(0, "issue", "N", "most instructions issued in a cycle (default unlimited)"),
    HEADING("The kernel and its launch"),
    TAKES(FLAG, "branchless-prefix", NULL,
          .help = "for a kernel: the string up to the first instruction executed twice"),
    HEADING("What is computed"),
    {0, "method", "LIST", INTO(NAMES, methods, COMMAND_MAKESPAN),
     .help = "bounds to compute, separated by commas (default all)", .names = wb_makespan_method_name},
    TAKES(FLAG, "mapping", NULL, .help = "for a kernel: print which instruction became which letter"),
    TAKES(TEXT, "compare", "STRING", .help = "with --mapping: how the string differs from STRING"),
    TAKES(WORD, "refute", "METHOD",
          .help = "find the smallest problem on which pessimistic or extrapolate is below the worst case",
          .words = {"pessimistic", "extrapolate"}),
    SETTING(0, "instances", "N", "anneal: independent runs (default 8)"),
    SETTING(0, "iterations", "N", "anneal: candidates that each run tries (default 400000)"),
    SETTING(0, "t0", "T", "anneal: initial temperature (default 0.3)"),
    SETTING('x', "x", "X", "extrapolate: most warps that are solved exactly"),
    SETTING(0, "seed", "N", "seed of random numbers (default 1)"),
    TAKES(TEXT, "read-solution", "FILE", .reads = true,
          .help = "check another solver's solution of that program (solution file of CBC, GLPK, SCIP or "
                  "Gurobi) and use its schedule as a lower bound, besides --method (default then closed)"),
    TAKES(TEXT, "check", "FILE", .reads = true, .help = "check a witness or a certificate, from scratch"),
    HEADING("Limits"),
    SETTING(0, "time-limit", "SECONDS", "stop each method after this time, with its results so far"),
    SETTING(0, "processor-limit", "SECONDS",
            "the same in processor time of its threads or solver, which other programs do not change"),
    {0, "memory-limit", "SIZE", INTO(SIZE, memory_limit, COMMAND_MAKESPAN),
     .help = "most memory to use: 500M, 8G (default 4G, and 2G for the execution of a kernel)",
     .expected = "a number of bytes, such as 500M or 8G"},
    SETTING(0, "memory", "BYTES", NULL), /* as --memory-limit was called */
    SETTING(0, "threads", "N", "threads to use (default: all processors)"),
    HEADING("What is written"),
    {0, "format", "FORMAT", INTO(FORMAT, format, COMMAND_MAKESPAN),
     .help = "text or json (default text); with --schedule text or svg", .words = {"text", "json", "svg"}},
    {0, "json", NULL, INTO(JSON, format, COMMAND_MAKESPAN), .help = "same as --format json"},
    {0, "schedule", NULL, INTO(FLAG, schedule, COMMAND_MAKESPAN),
     .help = "print the longest schedule, instead of the results"},
    {0, "timing", NULL, INTO(FLAG, timing, COMMAND_MAKESPAN),
     .help = "print the seconds that each result took"},
    TAKES(TEXT, "witness", "FILE", .help = "write the longest schedule found to FILE, for --check"),
    {0, "certificate", "FILE", INTO(TEXT, certificate, COMMAND_MAKESPAN),
     .help = "write that schedule with a proof that none is longer, for --check"},
    TAKES(TEXT, "convergence", "FILE",
          .help = "anneal: write every improvement to FILE as CSV, or as a chart if its name ends in .svg"),
    TAKES(TEXT, "write-lp", "FILE",
          .help = "write the integer program of --method ilp-short, ilp-long or ilp-cumulative"),
    TAKES(TEXT, "write-mps", "FILE", .help = "the same in free MPS, which minimises minus the makespan"),
};

static const struct command command = {
    "makespan",
    COMMAND_MAKESPAN,
    "STRING | FILE",
    "bound the makespan of kernel instruction strings",
    "solves strings and uses no machine",
    .manual =
        "A kernel instruction string, such as LLC, has a letter for each instruction of a warp: its "
        "functional unit. This command bounds or computes the makespan of several warps (`-w`) on given "
        "units (`-u`) by published methods. The operand is a string, a file with one, a problem file, or "
        "code, which is executed to get its string.",
    .run = command_makespan,
    .examples = {"makespan LLC -w 12 -u L=1,C=1", "makespan LLC -w 4 -u L=1,C=1 --method exact --schedule",
                 "makespan k.ptx -l k.yaml -u L=1,C=4 --method closed,exact"}};

static const struct registry methods = {COMMAND_MAKESPAN, "methods", wb_makespan_method_name,
                                        wb_makespan_method_summary, wb_makespan_method_missing};

extern const struct cli_wing cli_wing_makespan; /* which the build lists */

const struct cli_wing cli_wing_makespan = {
    .command = &command, .options = rows, .option_count = sizeof rows / sizeof *rows, .registry = &methods};

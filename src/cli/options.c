#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS (COMMAND_ANALYZE | COMMAND_SIMULATE | COMMAND_PATH | COMMAND_MAKESPAN | COMMAND_CACHE)
#define LAUNCHES (RUNS | COMMAND_FACTS | COMMAND_OCCUPANCY)
#define TIMES (COMMAND_ANALYZE | COMMAND_SIMULATE)
#define GPU_RUNS (COMMAND_SIMULATE | COMMAND_CACHE)
#define BOUNDS (COMMAND_ANALYZE | COMMAND_MAKESPAN)
#define EVERY_COMMAND (LAUNCHES | COMMAND_CFG | COMMAND_PRINT | COMMAND_MACHINE)

enum option_id {
    OPTION_KERNEL,
    OPTION_GRID,
    OPTION_BLOCK,
    OPTION_SHARED,
    OPTION_REGISTERS,
    OPTION_ASSUME,
    OPTION_ARGUMENT,
    OPTION_VARIABLE,
    OPTION_LAUNCH,
    OPTION_BLOCK_INDEX,
    OPTION_FACTS,
    OPTION_INPUTS,
    OPTION_MACHINE,
    OPTION_SET,
    OPTION_MEMORY,
    OPTION_METHOD,
    OPTION_POLICY,
    OPTION_SCHEME,
    OPTION_THREADS,
    OPTION_DEADLINE,
    OPTION_SCOPE,
    OPTION_STATES,
    OPTION_TIME_LIMIT,
    OPTION_MEMORY_LIMIT,
    OPTION_PHASES,
    OPTION_SCHEDULE,
    OPTION_ACCESSES,
    OPTION_ORDER,
    OPTION_CHANNELS,
    OPTION_SM,
    OPTION_FIRST,
    OPTION_TIMING,
    OPTION_FORMAT,
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTION_HELP,
    OPTION_WARPS,
    OPTION_SETTING,
    OPTION_WITNESS,
    OPTION_CERTIFICATE,
    OPTION_CONVERGENCE,
    OPTION_PREFIX,
    OPTION_MAPPING,
    OPTION_COMPARE,
    OPTION_CHECK,
    OPTION_REFUTE,
    OPTION_WRITE_LP,
    OPTION_WRITE_MPS,
    OPTION_READ_SOLUTION,
    OPTION_WRITE_CNF,
    OPTION_WRITE_OPB,
    OPTION_AT_LEAST,
    OPTION_WHY,
    OPTION_SSA,
    OPTION_ABSTRACT_WARP,
    OPTION_ALLOW_FILES,
};

struct option_row {
    enum option_id id;
    char letter; /* 0: none */
    const char *name;
    const char *argument; /* what the help calls it; NULL: takes none */
    const char *help;
    unsigned commands; /* bits of enum command_bit */
};

/* An option that sets the key of its name of the makespan problem or of its methods. */
#define SETTING(letter, name, argument, help)                                                                \
    { OPTION_SETTING, letter, name, argument, help, COMMAND_MAKESPAN }

static const struct option_row option_table[] = {
    {OPTION_KERNEL, 'k', "kernel", "NAME", "kernel, by name or unique part of it (mangled or demangled)",
     LAUNCHES | COMMAND_CFG},
    {OPTION_LAUNCH, 'l', "launch", "FILE", "launch file (YAML); the options below override it", LAUNCHES},
    {OPTION_ALLOW_FILES, 0, "allow-files", NULL,
     "let the launch file name files outside of its folder (@FILE)", LAUNCHES},
    {OPTION_GRID, 'g', "grid", "X[,Y[,Z]]", "thread blocks in the grid", LAUNCHES},
    {OPTION_BLOCK, 'b', "block", "X[,Y[,Z]]", "threads in a block", LAUNCHES},
    {OPTION_BLOCK, 'b', "block", "X[,Y[,Z]]",
     "threads in a block: with X a multiple of 32, or alone, %tid.x / 32 is known to be the same for a warp",
     COMMAND_CFG},
    {OPTION_SHARED, 's', "shared", "BYTES", "dynamic shared memory per block", LAUNCHES},
    {OPTION_REGISTERS, 0, "registers", "N",
     "registers of a thread, as the compiler reports them (default: not known)",
     TIMES | COMMAND_CACHE | COMMAND_OCCUPANCY},
    {OPTION_ASSUME, 0, "assume", "LIST",
     "take for known what hardware may do otherwise: approx (results of approximate functions), div-zero (of "
     "integer divisions by zero), pointer-order (where buffers stand), all",
     RUNS},
    {OPTION_ARGUMENT, 'a', "argument", "ARG",
     "next kernel argument: i32:1024, f32:0.5, buf:f32[1024] (contents unknown), "
     "buf:f32[1024]=iota|zero|random(SEED)|@FILE|VALUE, buf:f32[1024]+16 (the address of element 16)",
     LAUNCHES},
    {OPTION_VARIABLE, 'c', "variable", "NAME=CONTENTS",
     "contents of a .const or .global variable, as behind buf:", LAUNCHES},
    {OPTION_BLOCK_INDEX, 'i', "block-index", "X[,Y[,Z]]",
     "which block of the grid (default 0,0,0; cache, --scheme, --format jcse: all of them)", RUNS},
    {OPTION_FACTS, 0, "facts", "FILE",
     "flow facts of the kernel: bounds of loops and more (warpbound facts writes a template)",
     COMMAND_ANALYZE | COMMAND_PATH | COMMAND_CACHE},
    {OPTION_INPUTS, 0, "inputs", "given|any",
     "any: whatever buffers and variables contain (the default with --facts); given: as the launch says",
     COMMAND_ANALYZE | COMMAND_PATH | COMMAND_CACHE},
    {OPTION_MACHINE, 'm', "machine", "MACHINE", "preset name or YAML file (default orin-sm86)",
     TIMES | COMMAND_OCCUPANCY},
    {OPTION_MACHINE, 'm', "machine", "MACHINE", "preset name or YAML file, with caches (default jcse2017)",
     COMMAND_CACHE},
    {OPTION_SET, 0, "set", "KEY=VALUE", "override one key of the machine, such as mem_latency=200",
     TIMES | COMMAND_CACHE | COMMAND_MACHINE | COMMAND_OCCUPANCY},
    {OPTION_MEMORY, 0, "memory", "MODEL",
     "ideal: every access is one transaction; requests: as many as it needs, but no caches", TIMES},
    {OPTION_METHOD, 0, "method", "LIST", "bounds to compute, separated by commas (default all)", BOUNDS},
    {OPTION_POLICY, 0, "policy", "LIST", "warp schedulers to simulate (default lrr,gto)", TIMES},
    {OPTION_SCHEME, 0, "scheme", "LIST",
     "simulate the whole grid, under these schemes: default, pure-rr, reorder (with caches only) or all",
     COMMAND_SIMULATE},
    {OPTION_SCHEME, 0, "scheme", "SCHEME",
     "bound the whole grid on a machine with caches, under this scheme: default, pure-rr or reorder",
     COMMAND_ANALYZE},
    {OPTION_THREADS, 0, "threads", "N", "threads of a simulation of the whole grid (default: all processors)",
     GPU_RUNS},
    {OPTION_DEADLINE, 0, "deadline", "TIME",
     "exit 1 unless a proven bound of the kernel is within TIME: 4500, 100us, 1.5ms", COMMAND_ANALYZE},
    {OPTION_SCOPE, 0, "scope", "kernel|block",
     "what the deadline is of (default kernel); block: of a block alone on an SM, whatever the kernel takes",
     COMMAND_ANALYZE},
    {OPTION_STATES, 0, "states", "N", "most states that exhaustive keeps (default 30000000, some 2 GB)",
     COMMAND_ANALYZE},
    {OPTION_TIME_LIMIT, 0, "time-limit", "SECONDS", "stop after so long, with what was found so far",
     EVERY_COMMAND & ~(unsigned)COMMAND_MAKESPAN},
    {OPTION_MEMORY_LIMIT, 0, "memory-limit", "SIZE",
     "most memory for what is executed: 500M, 8G (default 2G)", RUNS},
    {OPTION_PHASES, 0, "phases", NULL, "print the phases and the bound of every warp as well",
     COMMAND_ANALYZE},
    {OPTION_SCHEDULE, 0, "schedule", NULL,
     "print what was issued when, instead of the totals (of one policy, with --scheme of one scheme; "
     "makespan: "
     "of the longest schedule)",
     COMMAND_SIMULATE | COMMAND_MAKESPAN},
    {OPTION_ACCESSES, 0, "accesses", NULL, "print the addresses of memory instructions as well",
     COMMAND_PATH},
    {OPTION_ORDER, 0, "order", NULL,
     "print instead the order of accesses under reordering, SM by SM: what comes when, and whether it hits",
     COMMAND_CACHE},
    {OPTION_CHANNELS, 0, "channels", NULL,
     "print instead which warp executes which load and store: what the reordering unit is configured with",
     COMMAND_CACHE},
    {OPTION_SM, 0, "sm", "N", "with --order and --channels: of SM N alone, the first is 0", COMMAND_CACHE},
    {OPTION_FIRST, 0, "first", "N",
     "with --order: only the first N accesses of each SM (a picture without it: 64); with --channels: what "
     "is "
     "left when they have had their turn",
     COMMAND_CACHE},
    {OPTION_TIMING, 0, "timing", NULL,
     "print the processor seconds that each result took (makespan, --scheme: elapsed)",
     TIMES | COMMAND_MAKESPAN},
    {OPTION_WARPS, 'w', "warps", "N|N:STRING", "number of warps; or so many warps with a string of their own",
     COMMAND_MAKESPAN},
    SETTING('u', "units", "LIST", "warps that each unit type serves in a cycle: L=1,C=4 or L=1/2"),
    SETTING(0, "warp-size", "N", "lanes of a warp; -u then gives numbers of units: L=16,C=32"),
    SETTING(0, "cycles", "LIST", "cycles that an instruction takes, by unit type: S=4,D=2"),
    SETTING(0, "issue", "N", "most instructions issued in a cycle (default unlimited)"),
    SETTING(0, "time-limit", "SECONDS", "stop each method after so long, with what it has found"),
    SETTING(0, "processor-limit", "SECONDS",
            "the same of processor time, of its threads or of its solver: the same on a busy machine"),
    SETTING(0, "memory", "BYTES", "most memory to take: 500M, 8G (default 4G)"),
    SETTING(0, "threads", "N", "threads to use (default: all processors)"),
    SETTING(0, "seed", "N", "seed of random numbers (default 1)"),
    SETTING(0, "instances", "N", "anneal: independent runs (default 8)"),
    SETTING(0, "iterations", "N", "anneal: candidates that each run tries (default 400000)"),
    SETTING(0, "t0", "T", "anneal: initial temperature (default 0.3)"),
    SETTING('x', "x", "X", "extrapolate: most warps that are solved exactly"),
    {OPTION_PREFIX, 0, "branchless-prefix", NULL,
     "of a PTX file: the string up to the first instruction executed twice", COMMAND_MAKESPAN},
    {OPTION_MAPPING, 0, "mapping", NULL, "of a PTX file: print which instruction became which letter",
     COMMAND_MAKESPAN},
    {OPTION_COMPARE, 0, "compare", "STRING", "with --mapping: how the string differs from STRING",
     COMMAND_MAKESPAN},
    {OPTION_REFUTE, 0, "refute", "METHOD",
     "find the smallest problem on which pessimistic or extrapolate is below the worst case",
     COMMAND_MAKESPAN},
    {OPTION_WRITE_LP, 0, "write-lp", "FILE",
     "write the integer program of --method ilp-short, ilp-long or ilp-cumulative", COMMAND_MAKESPAN},
    {OPTION_WRITE_MPS, 0, "write-mps", "FILE", "the same as free MPS, which minimises minus the makespan",
     COMMAND_MAKESPAN},
    {OPTION_READ_SOLUTION, 0, "read-solution", "FILE",
     "check what another solver found of that program (solution file of CBC, GLPK, SCIP or Gurobi) and take "
     "its "
     "schedule for a lower bound, beside --method (then default closed)",
     COMMAND_MAKESPAN},
    {OPTION_WRITE_CNF, 0, "write-cnf", "FILE",
     "write the formula (DIMACS) whose models are the schedules of --at-least cycles", COMMAND_MAKESPAN},
    {OPTION_WRITE_OPB, 0, "write-opb", "FILE", "write the problem in pseudo-Boolean form (OPB)",
     COMMAND_MAKESPAN},
    {OPTION_AT_LEAST, 0, "at-least", "CYCLES", "of --write-cnf", COMMAND_MAKESPAN},
    {OPTION_CHECK, 0, "check", "FILE", "check a witness or a certificate, from scratch", COMMAND_MAKESPAN},
    {OPTION_WITNESS, 0, "witness", "FILE", "write the longest schedule found to FILE, for --check",
     COMMAND_MAKESPAN},
    {OPTION_CERTIFICATE, 0, "certificate", "FILE",
     "write that schedule with a proof that none is longer, for --check", COMMAND_MAKESPAN},
    {OPTION_CONVERGENCE, 0, "convergence", "FILE",
     "anneal: write every improvement to FILE as CSV, or as a chart when its name ends in .svg",
     COMMAND_MAKESPAN},
    {OPTION_SSA, 0, "ssa", NULL,
     "print the instructions in gated SSA form: versions, mu, gamma and eta functions", COMMAND_CFG},
    {OPTION_ABSTRACT_WARP, 0, "abstract-warp", NULL,
     "print the abstract warp (WCET 2014), as a graph for Graphviz", COMMAND_CFG},
    {OPTION_WHY, 0, "why", "LABEL",
     "explain why the branches to LABEL, and the one that ends its block, are uniform or divergent",
     COMMAND_CFG},
    {OPTION_FORMAT, 0, "format", "FORMAT",
     "text or json; cfg: text or dot; path: jcse or jcse-json for the kernel analyzer of JCSE 2017, of all "
     "blocks; simulate --schedule: text, trace (Chrome trace events) or svg; cache --order: text, json or "
     "svg; "
     "makespan --schedule: text or svg",
     EVERY_COMMAND & ~(unsigned)(COMMAND_PRINT | COMMAND_FACTS)},
    {OPTION_JSON, 0, "json", NULL, "same as --format json", RUNS | COMMAND_OCCUPANCY},
    {OPTION_OUTPUT, 'o', "output", "FILE", "write to FILE, which appears only when complete", EVERY_COMMAND},
    {OPTION_HELP, 'h', "help", NULL, "print this", EVERY_COMMAND},
};

enum { OPTION_ROWS = sizeof option_table / sizeof *option_table };

/* By enum output_format. */
static const char *const format_names[] = {"text", "json", "dot", "trace", "svg", "jcse", "jcse-json"};

const char *format_name(enum output_format format) {
    return format_names[format];
}

static wb_status parse_format(const char *name, wb_diagnostics *diagnostics, enum output_format *format) {
    for (size_t i = 0; i < sizeof format_names / sizeof *format_names; i++) {
        if (strcmp(name, format_names[i]) != 0) continue;
        *format = (enum output_format)i;
        return WB_OK;
    }
    wb_diagnostics_error(diagnostics, "--format", "expected text, json, dot, trace, svg, jcse or jcse-json");
    return WB_ERR_INPUT;
}

/* A number of bytes, or of kB, MB or GB (K, M, G: powers of 1024). */
static wb_status parse_size(const char *text, wb_diagnostics *diagnostics, uint64_t *bytes) {
    static const char suffixes[] = "KMG";
    const size_t digits = strspn(text, "0123456789");
    const char *suffix = text[digits] != '\0' ? strchr(suffixes, text[digits] & ~0x20) : NULL;
    const unsigned shift = suffix != NULL ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    const bool ends = text[digits] == '\0' || (suffix != NULL && text[digits + 1] == '\0');
    if (digits > 0 && digits <= 15 && ends) *bytes = strtoull(text, NULL, 10);
    if (digits > 0 && digits <= 15 && ends && *bytes > 0 && *bytes <= UINT64_MAX >> (shift + 1)) {
        *bytes <<= shift;
        return WB_OK;
    }
    wb_diagnostics_error(diagnostics, "--memory-limit", "expected a number of bytes, such as 500M or 8G");
    return WB_ERR_INPUT;
}

/* The key is the option's name with '_' for '-'. */
static void store_setting(const char *name, const char *value, struct key_value *setting) {
    (void)snprintf(setting->key, sizeof setting->key, "%s", name);
    for (char *c = setting->key; *c != '\0'; c++)
        if (*c == '-') *c = '_';
    setting->value = value;
}

static wb_status store_option(struct options *options, const struct option_row *row, const char *value,
                              wb_diagnostics *diagnostics) {
    switch (row->id) {
    case OPTION_KERNEL: options->kernel = value; break;
    case OPTION_GRID: options->grid = value; break;
    case OPTION_BLOCK: options->block = value; break;
    case OPTION_SHARED: options->shared = value; break;
    case OPTION_REGISTERS: options->registers = value; break;
    case OPTION_ASSUME: options->assume = value; break;
    case OPTION_ARGUMENT: options->arguments[options->argument_count++] = value; break;
    case OPTION_VARIABLE: options->variables[options->variable_count++] = value; break;
    case OPTION_LAUNCH: options->launch = value; break;
    case OPTION_ALLOW_FILES: options->allow_files = true; break;
    case OPTION_BLOCK_INDEX: options->block_index = value; break;
    case OPTION_FACTS: options->facts = value; break;
    case OPTION_INPUTS: options->inputs = value; break;
    case OPTION_MACHINE: options->machine = value; break;
    case OPTION_SET: options->sets[options->set_count++] = value; break;
    case OPTION_MEMORY: options->memory = value; break;
    case OPTION_METHOD: options->methods = value; break;
    case OPTION_POLICY: options->policies = value; break;
    case OPTION_SCHEME: options->schemes = value; break;
    case OPTION_THREADS: options->threads = value; break;
    case OPTION_DEADLINE: options->deadline = value; break;
    case OPTION_SCOPE: options->scope = value; break;
    case OPTION_STATES: options->states = value; break;
    case OPTION_TIME_LIMIT: options->time_limit = value; break;
    case OPTION_MEMORY_LIMIT: return parse_size(value, diagnostics, &options->memory_limit);
    case OPTION_PHASES: options->phases = true; break;
    case OPTION_SCHEDULE: options->schedule = true; break;
    case OPTION_ACCESSES: options->accesses = true; break;
    case OPTION_ORDER: options->order = true; break;
    case OPTION_CHANNELS: options->channels = true; break;
    case OPTION_SM: options->sm = value; break;
    case OPTION_FIRST: options->first = value; break;
    case OPTION_TIMING: options->timing = true; break;
    case OPTION_FORMAT: return parse_format(value, diagnostics, &options->format);
    case OPTION_JSON: options->format = OUTPUT_JSON; break;
    case OPTION_OUTPUT: options->output = value; break;
    case OPTION_HELP: options->help = true; break;
    case OPTION_WARPS: options->warps[options->warps_count++] = value; break;
    case OPTION_SETTING: store_setting(row->name, value, &options->settings[options->setting_count++]); break;
    case OPTION_WITNESS: options->witness = value; break;
    case OPTION_CERTIFICATE: options->certificate = value; break;
    case OPTION_CONVERGENCE: options->convergence = value; break;
    case OPTION_REFUTE: options->refute = value; break;
    case OPTION_WRITE_LP: options->write_lp = value; break;
    case OPTION_WRITE_MPS: options->write_mps = value; break;
    case OPTION_READ_SOLUTION: options->read_solution = value; break;
    case OPTION_WRITE_CNF: options->write_cnf = value; break;
    case OPTION_WRITE_OPB: options->write_opb = value; break;
    case OPTION_AT_LEAST: options->at_least = value; break;
    case OPTION_CHECK: options->check = value; break;
    case OPTION_SSA: options->ssa = true; break;
    case OPTION_WHY: options->why = value; break;
    case OPTION_ABSTRACT_WARP: options->abstract_warp = true; break;
    case OPTION_PREFIX: options->branchless_prefix = true; break;
    case OPTION_MAPPING: options->mapping = true; break;
    case OPTION_COMPARE: options->compare = value; break;
    }
    return WB_OK;
}

/* Fills getopt's two tables with the rows that `command` takes. */
static void make_getopt_tables(enum command_bit command, struct option *longs, char *letters) {
    *letters++ = '-'; /* operands arrive in order, among the options */
    *letters++ = ':'; /* a missing argument is reported by us */
    for (size_t i = 0; i < OPTION_ROWS; i++) {
        const struct option_row *row = &option_table[i];
        if ((row->commands & (unsigned)command) == 0) continue;
        int has_argument = row->argument != NULL ? required_argument : no_argument;
        /* Values above any letter, so that '?' and ':' stay free. */
        *longs++ = (struct option){row->name, has_argument, NULL, 256 + (int)i};
        if (row->letter == 0) continue;
        *letters++ = row->letter;
        if (row->argument != NULL) *letters++ = ':';
    }
    *longs = (struct option){0};
    *letters = '\0';
}

static const struct option_row *row_of(int code) {
    if (code >= 256) return &option_table[code - 256];
    for (size_t i = 0; i < OPTION_ROWS; i++)
        if (option_table[i].letter == code) return &option_table[i];
    return NULL;
}

/* Room for every word of the command line in each list. */
static wb_status make_lists(struct options *options, int argc, wb_diagnostics *diagnostics) {
    size_t room = (size_t)argc + 1;
    options->operands = calloc(room, sizeof *options->operands);
    options->arguments = calloc(room, sizeof *options->arguments);
    options->variables = calloc(room, sizeof *options->variables);
    options->sets = calloc(room, sizeof *options->sets);
    options->warps = calloc(room, sizeof *options->warps);
    options->settings = calloc(room, sizeof *options->settings);
    if (options->operands != NULL && options->arguments != NULL && options->variables != NULL &&
        options->sets != NULL && options->warps != NULL && options->settings != NULL)
        return WB_OK;
    wb_diagnostics_error(diagnostics, "warpbound", "out of memory");
    return WB_ERR_LIMIT;
}

static bool is_standard_input(const char *file) {
    return file != NULL && strcmp(file, "-") == 0;
}

/* Standard input can be read once. */
static wb_status check_standard_input(const struct options *options, wb_diagnostics *diagnostics) {
    const char *const files[] = {options->launch, options->machine, options->facts, options->check,
                                 options->read_solution};
    size_t readers = 0;
    for (size_t i = 0; i < options->operand_count; i++)
        readers += is_standard_input(options->operands[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        readers += is_standard_input(files[i]);
    if (readers <= 1) return WB_OK;
    wb_diagnostics_error(diagnostics, "-",
                         "standard input can be read once: name files for all but one of its inputs");
    return WB_ERR_INPUT;
}

wb_status options_parse(enum command_bit command, int argc, char **argv, wb_diagnostics *diagnostics,
                        struct options *options) {
    *options = (struct options){.command = command};
    wb_status status = make_lists(options, argc, diagnostics);
    struct option longs[OPTION_ROWS + 1];
    char letters[2 * OPTION_ROWS + 3];
    make_getopt_tables(command, longs, letters);
    opterr = 0;
    optind = 0; /* begin anew, whatever was left of another command line */
    int code;
    while (status == WB_OK && (code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (code == 1) {
            options->operands[options->operand_count++] = optarg;
        } else if (code == '?' || code == ':') {
            const char *message = code == '?' ? "unknown option (see --help)" : "expected a value behind it";
            wb_diagnostics_error(diagnostics, argv[optind - 1], message);
            status = WB_ERR_INPUT;
        } else {
            status = store_option(options, row_of(code), optarg, diagnostics);
        }
    }
    while (status == WB_OK && optind < argc)
        options->operands[options->operand_count++] = argv[optind++];
    return status == WB_OK ? check_standard_input(options, diagnostics) : status;
}

void options_free(struct options *options) {
    free(options->operands);
    free(options->arguments);
    free(options->variables);
    free(options->sets);
    free(options->warps);
    free(options->settings);
}

void options_print_help(enum command_bit command) {
    for (size_t i = 0; i < OPTION_ROWS; i++) {
        const struct option_row *row = &option_table[i];
        if ((row->commands & (unsigned)command) == 0) continue;
        char left[64];
        char letter[8] = "    ";
        if (row->letter != 0) (void)snprintf(letter, sizeof letter, "-%c, ", row->letter);
        (void)snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, row->argument != NULL ? " " : "",
                       row->argument != NULL ? row->argument : "");
        printf("  %-30s %s\n", left, row->help);
    }
}

/* The table of options: help and parsing come from its rows. */
#include "options.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "wing.h"

#define RUNS (COMMAND_ANALYZE | COMMAND_SIMULATE | COMMAND_PATH | COMMAND_CACHE)
#define LAUNCHES (RUNS | COMMAND_FACTS | COMMAND_OCCUPANCY | WING_COMMANDS)
#define TIMES (COMMAND_ANALYZE | COMMAND_SIMULATE)
#define COMPILES (TIMES | COMMAND_PATH | COMMAND_FACTS | COMMAND_OCCUPANCY | COMMAND_CFG)
#define GPU_RUNS (COMMAND_SIMULATE | COMMAND_CACHE)
#define LAUNCH_FILES (LAUNCHES | COMMAND_CFG)
#define EVERY_COMMAND (LAUNCH_FILES | COMMAND_PRINT | COMMAND_MACHINE | COMMAND_INIT)

/* Most threads that can be asked for. */
#define THREADS_MAX 1024

const char *number_name(size_t index) {
    size_t policies = 0;
    while (wb_policy_name(policies) != NULL)
        policies++;
    return index < policies ? wb_policy_name(index) : wb_method_word(index - policies);
}

static const struct option_row option_table[] = {
    HEADING("The kernel and its launch"),
    {'k', "kernel", "NAME", INTO(TEXT, kernel, LAUNCH_FILES | COMMAND_INIT),
     .help = "kernel, by name or unique part of it (mangled or demangled)"},
    {0, "image", "LIST", INTO(TEXT, image, EVERY_COMMAND),
     .help =
         "which code of a program, where it is not the machine's choice: sm_86 (machine code), compute_86 "
         "(PTX), sm or compute (of any architecture), or a unit, as print lists them"},
    {'l', "launch", "FILE", INTO(TEXT, launch, LAUNCH_FILES | COMMAND_CFG),
     .help = "launch file (YAML; warpbound init writes one); options override it", .endings = "yaml yml"},
    {0, "allow-files", NULL, INTO(FLAG, allow_files, LAUNCH_FILES | COMMAND_CFG),
     .help = "let the launch file name files outside its folder (@FILE)"},
    {'g', "grid", "X[,Y[,Z]]", INTO(TEXT, grid, LAUNCHES | COMMAND_CFG), .help = "thread blocks in the grid"},
    {'b', "block", "X[,Y[,Z]]", INTO(TEXT, block, LAUNCHES), .help = "threads in a block"},
    {'b', "block", "X[,Y[,Z]]", INTO(TEXT, block, COMMAND_CFG),
     .help = "threads in a block: if X is a multiple of 32, or given alone, %tid.x / 32 is known to be the "
             "same for a warp"},
    {'s', "shared", "BYTES", INTO(TEXT, shared, LAUNCHES | COMMAND_CFG),
     .help = "dynamic shared memory per block"},
    {0, "registers", "N", INTO(TEXT, registers, LAUNCHES | COMMAND_CFG),
     .help = "registers per thread, as the compiler reports them (default: unknown)"},
    {0, "ptxas-info", "FILE", INTO(TEXT, ptxas_info, LAUNCHES | COMMAND_INIT | COMMAND_CFG),
     .help = "registers per thread, from the output of ptxas -v or nvcc --resource-usage"},
    {0, "trace", "FILE", INTO(TEXT, trace, RUNS),
     .help =
         "one execution of Accel-Sim's tracer (.traceg, .traceg.xz), in place of grid, block and arguments",
     .endings = "traceg xz"},
    {'a', "argument", "ARG", INTO(LIST, arguments, COMMAND_CFG),
     .help = "next kernel argument, as for analyze"},
    {'a', "argument", "ARG", INTO(LIST, arguments, LAUNCHES),
     .help =
         "next kernel argument: i32:1024, f32:0.5, buf:f32[1024] (contents unknown), "
         "buf:f32[1024]=iota|zero|random(SEED)|@FILE|VALUE, buf:f32[1024]+16 (the address of element 16), "
         "'struct {in: buf:f32[64], n: i32:64}'; or NAME=VALUE: another value for the launch file's argument "
         "of that name, or place (from 1)"},
    {'c', "variable", "NAME=CONTENTS", INTO(LIST, variables, LAUNCHES | COMMAND_CFG),
     .help = "contents of a .const or .global variable, as after buf:"},
    {'i', "block-index", "X[,Y[,Z]]", INTO(PLACE, block_index, RUNS | WING_COMMANDS),
     .help = "which block of the grid (default: all of them; for a path 0,0,0)",
     .expected = "one to three numbers, such as 1,0,0"},
    {0, "facts", "FILE", INTO(TEXT, facts, COMMAND_ANALYZE | COMMAND_PATH | COMMAND_CACHE | COMMAND_CFG),
     .help = "flow facts of the kernel: bounds of loops and more (warpbound facts writes a template)",
     .endings = "facts"},
    {0, "inputs", "given|any",
     INTO(WORD, inputs, COMMAND_ANALYZE | COMMAND_PATH | COMMAND_CACHE | COMMAND_CFG),
     .help =
         "any: whatever buffers and variables contain (default with --facts); given: the launch's contents",
     .words = {"given", "any"}},
    {0, "assume", "LIST", INTO(NAMES, assume, RUNS | COMMAND_CFG | WING_COMMANDS),
     .help = "assume results that hardware may compute differently: approx (approximate functions), div-zero "
             "(integer divisions by zero), pointer-order (addresses of buffers), no-contraction (products "
             "and sums are not fused), all",
     .names = wb_taken_name_at},
    HEADING("The machine"),
    {'m', "machine", "MACHINE", INTO(TEXT, machine, TIMES | COMMAND_OCCUPANCY | COMMAND_CFG),
     .help = "preset name or YAML file (default ecrts2025-orin)"},
    {'m', "machine", "MACHINE", INTO(TEXT, machine, COMMAND_CACHE),
     .help = "preset name or YAML file, with caches (default jcse2017)"},
    {'m', "machine", "MACHINE", INTO(TEXT, machine, COMMAND_MACHINE),
     .help = "for `check`: preset name or YAML file whose figures are listed; for `calibrate`: the preset to "
             "start from"},
    {0, "set", "KEY=VALUE",
     INTO(LIST, sets, TIMES | COMMAND_CACHE | COMMAND_MACHINE | COMMAND_OCCUPANCY | COMMAND_CFG),
     .help = "override one key of the machine, such as mem_latency=200"},
    {0, "resident", "LIST", INTO(TEXT, resident, COMMAND_ANALYZE | COMMAND_SIMULATE),
     .help = "promise that these are there from start to end, on a machine that times machine code: "
             "translations (in the TLBs), data or the buffer data.ARGUMENT, code (in the second level), "
             "code-l1 (in each SM), block-l1 (what a block has loaded, in the L1 of its SM)",
     .names = wb_resident_name_at},
    {0, "sms", "LIST", INTO(TEXT, sms, COMMAND_ANALYZE),
     .help = "bound the kernel on these numbers of the machine's SMs, too: 1..8,16"},
    {0, "compile", NULL, INTO(FLAG, compile, COMPILES),
     .help = "where the file has PTX only: compile it with ptxas for the machine's architecture, and take "
             "that machine code"},
    {0, "memory", "MODEL", INTO(WORD, memory, TIMES | COMMAND_CFG),
     .help = "ideal: every access is one transaction; requests: as many as it needs, without caches",
     .words = {"ideal", "requests"}},
    HEADING("What is computed"),
    {0, "method", "LIST", INTO(NAMES, methods, COMMAND_ANALYZE | COMMAND_CFG),
     .help = "bounds to compute, separated by commas (default all)", .names = wb_method_word},
    {0, "policy", "LIST", INTO(NAMES, policies, TIMES | COMMAND_CFG),
     .help =
         "warp schedulers to simulate (default lrr,gto; on a machine that times machine code cggty,gto,lrr)",
     .names = wb_policy_name},
    {0, "scheme", "LIST", INTO(NAMES, schemes, COMMAND_SIMULATE),
     .help = "how requests reach the first-level caches: default, pure-rr, reorder or all (the default of -m "
             "is then jcse2017)",
     .names = wb_scheme_name},
    {0, "scheme", "SCHEME", INTO(NAMES, schemes, COMMAND_ANALYZE),
     .help = "bound the whole grid on a machine with caches, under this scheme: default, pure-rr or reorder",
     .names = wb_scheme_name},
    {0, "deadline", "TIME", INTO(TEXT, deadline, COMMAND_ANALYZE),
     .help = "exit 1 unless a proven bound of the kernel is within TIME: 4500, 100us, 1.5ms"},
    {0, "accept", "LIST", INTO(NAMES, accept, COMMAND_ANALYZE),
     .help = "models whose bounds may meet the deadline: ptx-model (not your compiled code)",
     .names = wb_accept_name_at},
    {0, "scope", "kernel|block", INTO(WORD, scope, COMMAND_ANALYZE),
     .help = "what the deadline is for (default kernel); block: an isolated block, whatever the kernel takes",
     .words = {"kernel", "block"}},
    {0, "why", "LABEL", INTO(TEXT, why, COMMAND_CFG),
     .help = "explain why the branches to LABEL, and the one that ends its block, are uniform or divergent"},
    HEADING("Limits"),
    {0, "states", "N", INTO(NUMBER, states, COMMAND_ANALYZE),
     .help = "most states that exhaustive keeps (default 30000000, about 2 GB)", .least = 1,
     .most = UINT64_MAX, .expected = "a positive number"},
    {0, "time-limit", "SECONDS",
     INTO(SECONDS, time_limit, (EVERY_COMMAND & ~WING_COMMANDS) | WING_COMMANDS_APART),
     .help = "stop after this time, with the results so far",
     .expected = "a number of seconds above 0, such as 60 or 0.5"},
    {0, "instruction-limit", "N", INTO(NUMBER, instruction_limit, RUNS),
     .help = "warp instructions after which an execution ends (default 100000000, about ten seconds)",
     .least = 1, .most = UINT64_MAX, .expected = "a positive number"},
    {0, "memory-limit", "SIZE", INTO(SIZE, memory_limit, RUNS),
     .help = "most memory for an execution: 500M, 8G (default 2G)",
     .expected = "a number of bytes, such as 500M or 8G"},
    {0, "threads", "N", INTO(NUMBER, threads, GPU_RUNS),
     .help = "threads of a simulation of the whole grid (default: all processors)", .least = 1,
     .most = THREADS_MAX, .expected = "a number from 1 to 1024"},
    HEADING("What is written"),
    {0, "format", "FORMAT", INTO(FORMAT, format, COMMAND_ANALYZE),
     .help = "text or json (default text); for CI, junit or sarif: the verdict as a test case or a finding "
             "(docs/ci.md); with --schedule text, trace (Chrome trace events, for Perfetto) or svg",
     .words = {"text", "json", "junit", "sarif", "trace", "svg"}},
    {0, "format", "FORMAT", INTO(FORMAT, format, COMMAND_OCCUPANCY | COMMAND_MACHINE | COMMAND_PRINT),
     .help = "text or json (default text)", .words = {"text", "json"}},
    {0, "format", "FORMAT", INTO(FORMAT, format, COMMAND_SIMULATE),
     .help = "text or json (default text); with --schedule text, trace (Chrome trace events, for Perfetto) "
             "or svg",
     .words = {"text", "json", "trace", "svg"}},
    {0, "format", "FORMAT", INTO(FORMAT, format, COMMAND_PATH),
     .help = "text or json (default text); jcse or jcse-json: for the kernel analyzer of JCSE 2017, of all "
             "blocks",
     .words = {"text", "json", "jcse", "jcse-json"}},
    {0, "format", "FORMAT", INTO(FORMAT, format, COMMAND_CFG),
     .help = "text or dot, a graph for Graphviz (default text)", .words = {"text", "dot"}},
    {0, "format", "FORMAT", INTO(FORMAT, format, COMMAND_CACHE),
     .help = "text or json (default text); svg for pictures of orders", .words = {"text", "json", "svg"}},
    {0, "json", NULL, INTO(JSON, format, RUNS | COMMAND_OCCUPANCY | COMMAND_MACHINE | COMMAND_PRINT),
     .help = "same as --format json"},
    {'o', "output", "FILE", INTO(TEXT, output, EVERY_COMMAND),
     .help = "write to FILE, which appears only when complete"},
    {0, "force", NULL, INTO(FLAG, force, COMMAND_INIT), .help = "replace an existing launch file"},
    {0, "report", "FILE", INTO(TEXT, report, COMMAND_ANALYZE),
     .help = "write an HTML report with pictures to FILE, which needs no network"},
    {'q', "quiet", NULL, INTO(FLAG, quiet, COMMAND_ANALYZE), .help = "print only the verdict line"},
    {0, "explain", "[LIST]", INTO(SOME, explain, COMMAND_ANALYZE),
     .help =
         "also print launch, machine and the table of all numbers, and everything about these methods and "
         "policies: the breakdown and assumptions of their numbers, why an estimate is no bound, why there "
         "is no number",
     .names = number_name},
    {0, "all", NULL, INTO(FLAG, all, COMMAND_ANALYZE),
     .help = "print everything: both tables, block classes, the assumptions of every number"},
    {COLOR(EVERY_COMMAND)},
    {0, "lines", "[N]", INTO(COUNT, lines, COMMAND_ANALYZE),
     .help = "print the N source lines (default 10) with most cycles of the bound, loops and functions",
     .least = 10, .most = UINT32_MAX, .expected = "a number of lines from 1 on"},
    {0, "ptxas", "PROGRAM", INTO(TEXT, ptxas, COMMAND_MACHINE | COMPILES),
     .help = "for --compile and `machine calibrate`: the ptxas to run (default: that of PATH, CUDA_HOME, "
             "CUDA_PATH or /usr/local/cuda)"},
    {0, "cubin", "FILE", INTO(TEXT, cubin, COMMAND_MACHINE),
     .help = "for `calibrate`: read this machine code instead of running ptxas"},
    {0, "cubin", "FILE", INTO(TEXT, cubin, COMMAND_ANALYZE),
     .help = "machine code compiled from the PTX: its stall counts, which no execution undercuts, are "
             "compared with the bounds"},
    {0, "annotate", "FILE", INTO(TEXT, annotate, COMMAND_ANALYZE),
     .help = "write the source to FILE (-: standard output), each line with its cycles in front"},
    {0, "of", "NAME", INTO(TEXT, lines_of, COMMAND_ANALYZE | COMMAND_CFG),
     .help = "with --lines and --annotate: the bound of that method or the simulation of that policy "
             "(default: the least proven bound)",
     .names = number_name},
    {0, "source", "DIR", INTO(TEXT, source, COMMAND_ANALYZE | COMMAND_CFG),
     .help = "with --lines and --annotate: folder of the sources, if they are not where the code says"},
    {0, "phases", NULL, INTO(FLAG, phases, COMMAND_ANALYZE),
     .help = "also print the phases and the bound of every warp"},
    {0, "schedule", NULL, INTO(FLAG, schedule, COMMAND_ANALYZE),
     .help = "print what is issued when in the longest execution found (by a search, or the slowest "
             "simulation) instead of the report"},
    {0, "window", "FROM:TO", INTO(TEXT, window, TIMES),
     .help = "with --schedule: only cycles from FROM to before TO; :TO from the start, FROM: to the end"},
    {0, "schedule", NULL, INTO(FLAG, schedule, COMMAND_SIMULATE),
     .help = "print what is issued when instead of the totals (for one policy, with --scheme one scheme)"},
    {0, "accesses", NULL, INTO(FLAG, accesses, COMMAND_PATH),
     .help = "also print the addresses of memory instructions"},
    {0, "timing", NULL, INTO(FLAG, timing, TIMES),
     .help = "print the processor seconds of each result (--scheme: elapsed)"},
    {0, "certificate", "FILE", INTO(TEXT, certificate, COMMAND_ANALYZE),
     .help = "write the bounds with the inputs of their computation, for warpbound-check"},
    HEADING("Help"),
    {'h', "help", NULL, INTO(FLAG, help, EVERY_COMMAND | WING_COMMANDS_APART), .help = "print this help"},
};

/* The groups of options in the order of help texts. */
static const char *const groups[] = {
    "The problem", "The kernel and its launch", "The machine", "What is computed",
    "Limits",      "What is written",           "Help",
};

static bool is_group(const char *title) {
    bool is = false;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        is |= strcmp(groups[g], title) == 0;
    return is;
}

/* All rows, listed when somebody asks for the first time. */
static const struct option_row *all_rows[OPTION_ROWS_MAX];
static size_t row_count;

/* Lists the rows of a table that are of the group; its heading unless another table's stands there. */
static void list_group(const struct option_row *table, size_t count, const char *group, bool *has_heading) {
    bool in_group = false;
    for (size_t i = 0; i < count; i++) {
        const bool is_heading = table[i].kind == OPTION_HEADING;
        assert(!is_heading || is_group(table[i].help)); /* else its rows would be lost */
        if (is_heading) in_group = strcmp(table[i].help, group) == 0;
        if (!in_group || (is_heading && *has_heading)) continue;
        *has_heading = true;
        assert(row_count < OPTION_ROWS_MAX);
        all_rows[row_count++] = &table[i];
    }
}

static void list_rows(void) {
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        const struct cli_wing *wing;
        bool has_heading = false;
        list_group(option_table, sizeof option_table / sizeof *option_table, groups[g], &has_heading);
        for (size_t i = 0; (wing = cli_wing_at(i)) != NULL; i++)
            list_group(wing->options, wing->option_count, groups[g], &has_heading);
    }
}

const struct option_row *option_at(size_t index) {
    if (row_count == 0) list_rows();
    return index < row_count ? all_rows[index] : NULL;
}

const char *option_value(const struct options *options, const char *name) {
    for (size_t i = options->given.count; i-- > 0;) {
        const struct given_option *given = &options->given.items[i];
        if (strcmp(given->row->name, name) == 0) return given->value != NULL ? given->value : "";
    }
    return NULL;
}

/* By enum output_format. */
static const char *const format_names[] = {"text",     "json",       "dot",   "trace", "svg",
                                           "jcse",     "jcse-json",  "junit", "sarif", "csv",
                                           "markdown", "json-lines", NULL};

const char *format_name(enum output_format format) {
    return format_names[format];
}

enum output_format format_named(const char *name) {
    size_t format = 0;
    while (strcmp(format_names[format], name) != 0)
        format++;
    return (enum output_format)format;
}

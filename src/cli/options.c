#include "options.h"

#include <assert.h>
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

/* Most threads that can be asked for, and the longest time limit. */
#define THREADS_MAX 1024
#define SECONDS_MAX 1e8

/* How the value of an option is read, and what it is stored as. */
enum option_kind {
    OPTION_FLAG,    /* bool; there is no value */
    OPTION_TEXT,    /* const char * */
    OPTION_LIST,    /* struct option_list */
    OPTION_SETTING, /* struct option_settings: under the option's name */
    OPTION_WORD,    /* unsigned: 1 for the first of two words, 2 for the second */
    OPTION_NUMBER,  /* struct option_number, from `least` to `most` */
    OPTION_PLACE,   /* struct option_place */
    OPTION_SIZE,    /* uint64_t, in bytes */
    OPTION_SECONDS, /* double */
    OPTION_FORMAT,  /* enum output_format */
    OPTION_JSON     /* the same; there is no value */
};

struct option_row {
    char letter; /* 0: none */
    const char *name;
    const char *argument; /* what the help calls it; NULL: takes none */
    enum option_kind kind;
    unsigned commands; /* bits of enum command_bit */
    size_t offset;     /* of the member of struct options */
    const char *help;
    const char *words[2];
    uint64_t least, most;
    const char *expected; /* of what can be wrong: for the message */
};

#define INTO(kind, member, commands) OPTION_##kind, commands, offsetof(struct options, member)

/* An option that sets the key of its name of the makespan problem or of its methods. */
#define SETTING(letter, name, argument, text)                                                                \
    { letter, name, argument, INTO(SETTING, settings, COMMAND_MAKESPAN), .help = text }

static const struct option_row option_table[] = {
    {'k', "kernel", "NAME", INTO(TEXT, kernel, LAUNCHES | COMMAND_CFG),
     .help = "kernel, by name or unique part of it (mangled or demangled)"},
    {'l', "launch", "FILE", INTO(TEXT, launch, LAUNCHES),
     .help = "launch file (YAML); the options below override it"},
    {0, "allow-files", NULL, INTO(FLAG, allow_files, LAUNCHES),
     .help = "let the launch file name files outside of its folder (@FILE)"},
    {'g', "grid", "X[,Y[,Z]]", INTO(TEXT, grid, LAUNCHES), .help = "thread blocks in the grid"},
    {'b', "block", "X[,Y[,Z]]", INTO(TEXT, block, LAUNCHES), .help = "threads in a block"},
    {'b', "block", "X[,Y[,Z]]", INTO(TEXT, block, COMMAND_CFG),
     .help = "threads in a block: with X a multiple of 32, or alone, %tid.x / 32 is known to be the same for "
             "a warp"},
    {'s', "shared", "BYTES", INTO(TEXT, shared, LAUNCHES), .help = "dynamic shared memory per block"},
    {0, "registers", "N", INTO(TEXT, registers, TIMES | COMMAND_CACHE | COMMAND_OCCUPANCY),
     .help = "registers of a thread, as the compiler reports them (default: not known)"},
    {0, "assume", "LIST", INTO(TEXT, assume, RUNS),
     .help = "take for known what hardware may do otherwise: approx (results of approximate functions), "
             "div-zero (of integer divisions by zero), pointer-order (where buffers stand), all"},
    {'a', "argument", "ARG", INTO(LIST, arguments, LAUNCHES),
     .help =
         "next kernel argument: i32:1024, f32:0.5, buf:f32[1024] (contents unknown), "
         "buf:f32[1024]=iota|zero|random(SEED)|@FILE|VALUE, buf:f32[1024]+16 (the address of element 16)"},
    {'c', "variable", "NAME=CONTENTS", INTO(LIST, variables, LAUNCHES),
     .help = "contents of a .const or .global variable, as behind buf:"},
    {'i', "block-index", "X[,Y[,Z]]", INTO(PLACE, block_index, RUNS),
     .help = "which block of the grid (default 0,0,0; cache, --scheme, --format jcse: all of them)",
     .expected = "one to three numbers, such as 1,0,0"},
    {0, "facts", "FILE", INTO(TEXT, facts, COMMAND_ANALYZE | COMMAND_PATH | COMMAND_CACHE),
     .help = "flow facts of the kernel: bounds of loops and more (warpbound facts writes a template)"},
    {0, "inputs", "given|any", INTO(WORD, inputs, COMMAND_ANALYZE | COMMAND_PATH | COMMAND_CACHE),
     .help =
         "any: whatever buffers and variables contain (the default with --facts); given: as the launch says",
     .words = {"given", "any"}, .expected = "given or any"},
    {'m', "machine", "MACHINE", INTO(TEXT, machine, TIMES | COMMAND_OCCUPANCY),
     .help = "preset name or YAML file (default orin-sm86)"},
    {'m', "machine", "MACHINE", INTO(TEXT, machine, COMMAND_CACHE),
     .help = "preset name or YAML file, with caches (default jcse2017)"},
    {0, "set", "KEY=VALUE", INTO(LIST, sets, TIMES | COMMAND_CACHE | COMMAND_MACHINE | COMMAND_OCCUPANCY),
     .help = "override one key of the machine, such as mem_latency=200"},
    {0, "memory", "MODEL", INTO(WORD, memory, TIMES),
     .help = "ideal: every access is one transaction; requests: as many as it needs, but no caches",
     .words = {"ideal", "requests"}, .expected = "ideal or requests"},
    {0, "method", "LIST", INTO(TEXT, methods, BOUNDS),
     .help = "bounds to compute, separated by commas (default all)"},
    {0, "policy", "LIST", INTO(TEXT, policies, TIMES),
     .help = "warp schedulers to simulate (default lrr,gto)"},
    {0, "scheme", "LIST", INTO(TEXT, schemes, COMMAND_SIMULATE),
     .help =
         "simulate the whole grid, under these schemes: default, pure-rr, reorder (with caches only) or all"},
    {0, "scheme", "SCHEME", INTO(TEXT, schemes, COMMAND_ANALYZE),
     .help = "bound the whole grid on a machine with caches, under this scheme: default, pure-rr or reorder"},
    {0, "threads", "N", INTO(NUMBER, threads, GPU_RUNS),
     .help = "threads of a simulation of the whole grid (default: all processors)", .least = 1,
     .most = THREADS_MAX, .expected = "a number from 1 to 1024"},
    {0, "deadline", "TIME", INTO(TEXT, deadline, COMMAND_ANALYZE),
     .help = "exit 1 unless a proven bound of the kernel is within TIME: 4500, 100us, 1.5ms"},
    {0, "scope", "kernel|block", INTO(WORD, scope, COMMAND_ANALYZE),
     .help = "what the deadline is of (default kernel); block: of a block alone on an SM, whatever the "
             "kernel takes",
     .words = {"kernel", "block"}, .expected = "kernel or block"},
    {0, "states", "N", INTO(NUMBER, states, COMMAND_ANALYZE),
     .help = "most states that exhaustive keeps (default 30000000, some 2 GB)", .least = 1,
     .most = UINT64_MAX, .expected = "a positive number"},
    {0, "time-limit", "SECONDS", INTO(SECONDS, time_limit, EVERY_COMMAND & ~(unsigned)COMMAND_MAKESPAN),
     .help = "stop after so long, with what was found so far",
     .expected = "a number of seconds above 0, such as 60 or 0.5"},
    {0, "memory-limit", "SIZE", INTO(SIZE, memory_limit, RUNS),
     .help = "most memory for what is executed: 500M, 8G (default 2G)",
     .expected = "a number of bytes, such as 500M or 8G"},
    {0, "phases", NULL, INTO(FLAG, phases, COMMAND_ANALYZE),
     .help = "print the phases and the bound of every warp as well"},
    {0, "schedule", NULL, INTO(FLAG, schedule, COMMAND_SIMULATE | COMMAND_MAKESPAN),
     .help = "print what was issued when, instead of the totals (of one policy, with --scheme of one scheme; "
             "makespan: of the longest schedule)"},
    {0, "accesses", NULL, INTO(FLAG, accesses, COMMAND_PATH),
     .help = "print the addresses of memory instructions as well"},
    {0, "order", NULL, INTO(FLAG, order, COMMAND_CACHE),
     .help = "print instead the order of accesses under reordering, SM by SM: what comes when, and whether "
             "it hits"},
    {0, "channels", NULL, INTO(FLAG, channels, COMMAND_CACHE),
     .help = "print instead which warp executes which load and store: what the reordering unit is configured "
             "with"},
    {0, "sm", "N", INTO(NUMBER, sm, COMMAND_CACHE),
     .help = "with --order and --channels: of SM N alone, the first is 0", .most = UINT32_MAX,
     .expected = "a number from 0 on"},
    {0, "first", "N", INTO(NUMBER, first, COMMAND_CACHE),
     .help = "with --order: only the first N accesses of each SM (a picture without it: 64); with "
             "--channels: what is left when they have had their turn",
     .least = 1, .most = UINT64_MAX, .expected = "a number from 1 on"},
    {0, "timing", NULL, INTO(FLAG, timing, TIMES | COMMAND_MAKESPAN),
     .help = "print the processor seconds that each result took (makespan, --scheme: elapsed)"},
    {'w', "warps", "N|N:STRING", INTO(LIST, warps, COMMAND_MAKESPAN),
     .help = "number of warps; or so many warps with a string of their own"},
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
    {0, "branchless-prefix", NULL, INTO(FLAG, branchless_prefix, COMMAND_MAKESPAN),
     .help = "of a PTX file: the string up to the first instruction executed twice"},
    {0, "mapping", NULL, INTO(FLAG, mapping, COMMAND_MAKESPAN),
     .help = "of a PTX file: print which instruction became which letter"},
    {0, "compare", "STRING", INTO(TEXT, compare, COMMAND_MAKESPAN),
     .help = "with --mapping: how the string differs from STRING"},
    {0, "refute", "METHOD", INTO(TEXT, refute, COMMAND_MAKESPAN),
     .help = "find the smallest problem on which pessimistic or extrapolate is below the worst case"},
    {0, "write-lp", "FILE", INTO(TEXT, write_lp, COMMAND_MAKESPAN),
     .help = "write the integer program of --method ilp-short, ilp-long or ilp-cumulative"},
    {0, "write-mps", "FILE", INTO(TEXT, write_mps, COMMAND_MAKESPAN),
     .help = "the same as free MPS, which minimises minus the makespan"},
    {0, "read-solution", "FILE", INTO(TEXT, read_solution, COMMAND_MAKESPAN),
     .help = "check what another solver found of that program (solution file of CBC, GLPK, SCIP or Gurobi) "
             "and take its schedule for a lower bound, beside --method (then default closed)"},
    {0, "write-cnf", "FILE", INTO(TEXT, write_cnf, COMMAND_MAKESPAN),
     .help = "write the formula (DIMACS) whose models are the schedules of --at-least cycles"},
    {0, "write-opb", "FILE", INTO(TEXT, write_opb, COMMAND_MAKESPAN),
     .help = "write the problem in pseudo-Boolean form (OPB)"},
    {0, "at-least", "CYCLES", INTO(NUMBER, at_least, COMMAND_MAKESPAN), .help = "of --write-cnf",
     .most = UINT64_MAX, .expected = "a number of cycles"},
    {0, "check", "FILE", INTO(TEXT, check, COMMAND_MAKESPAN),
     .help = "check a witness or a certificate, from scratch"},
    {0, "witness", "FILE", INTO(TEXT, witness, COMMAND_MAKESPAN),
     .help = "write the longest schedule found to FILE, for --check"},
    {0, "certificate", "FILE", INTO(TEXT, certificate, COMMAND_MAKESPAN),
     .help = "write that schedule with a proof that none is longer, for --check"},
    {0, "convergence", "FILE", INTO(TEXT, convergence, COMMAND_MAKESPAN),
     .help = "anneal: write every improvement to FILE as CSV, or as a chart when its name ends in .svg"},
    {0, "ssa", NULL, INTO(FLAG, ssa, COMMAND_CFG),
     .help = "print the instructions in gated SSA form: versions, mu, gamma and eta functions"},
    {0, "abstract-warp", NULL, INTO(FLAG, abstract_warp, COMMAND_CFG),
     .help = "print the abstract warp (WCET 2014), as a graph for Graphviz"},
    {0, "why", "LABEL", INTO(TEXT, why, COMMAND_CFG),
     .help = "explain why the branches to LABEL, and the one that ends its block, are uniform or divergent"},
    {0, "format", "FORMAT", INTO(FORMAT, format, EVERY_COMMAND & ~(unsigned)(COMMAND_PRINT | COMMAND_FACTS)),
     .help = "text or json; cfg: text or dot; path: jcse or jcse-json for the kernel analyzer of JCSE 2017, "
             "of all blocks; simulate --schedule: text, trace (Chrome trace events) or svg; cache --order: "
             "text, json or svg; makespan --schedule: text or svg",
     .expected = "text, json, dot, trace, svg, jcse or jcse-json"},
    {0, "json", NULL, INTO(JSON, format, RUNS | COMMAND_OCCUPANCY), .help = "same as --format json"},
    {'o', "output", "FILE", INTO(TEXT, output, EVERY_COMMAND),
     .help = "write to FILE, which appears only when complete"},
    {'h', "help", NULL, INTO(FLAG, help, EVERY_COMMAND), .help = "print this"},
};

enum { OPTION_ROWS = sizeof option_table / sizeof *option_table };

/* By enum output_format. */
static const char *const format_names[] = {"text", "json", "dot", "trace", "svg", "jcse", "jcse-json"};

const char *format_name(enum output_format format) {
    return format_names[format];
}

/* ---- Values -------------------------------------------------------------------------------------------- */

bool read_number(const char *text, size_t length, uint64_t least, uint64_t most, uint64_t *number) {
    static const char digits[] = "0123456789abcdefABCDEF";
    const bool is_hex = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    uint64_t value = 0;
    for (size_t i = is_hex ? 2 : 0; i < length; i++) {
        const char *at = memchr(digits, text[i], is_hex ? sizeof digits - 1 : 10);
        if (at == NULL) return false;
        const unsigned digit = (unsigned)(at - digits);
        if (__builtin_mul_overflow(value, is_hex ? 16 : 10, &value) ||
            __builtin_add_overflow(value, digit < 16 ? digit : digit - 6, &value))
            return false;
    }
    if (length == 0 || value < least || value > most) return false;
    *number = value;
    return true;
}

bool read_dimensions(const char *text, uint32_t rest, uint32_t dimensions[3]) {
    for (int axis = 0; axis < 3; axis++)
        dimensions[axis] = rest;
    for (int axis = 0; axis < 3; axis++) {
        const size_t length = strcspn(text, ",");
        uint64_t value;
        if (!read_number(text, length, 0, UINT32_MAX, &value)) return false;
        dimensions[axis] = (uint32_t)value;
        if (text[length] == '\0') return true;
        text += length + 1;
    }
    return false;
}

/* A number of bytes, or of kB, MB or GB (K, M, G: powers of 1024). */
static bool read_size(const char *text, uint64_t *bytes) {
    static const char suffixes[] = "KMG";
    const size_t digits = strspn(text, "0123456789");
    const char *suffix = text[digits] != '\0' ? strchr(suffixes, text[digits] & ~0x20) : NULL;
    const unsigned shift = suffix != NULL ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    if (text[digits] != '\0' && (suffix == NULL || text[digits + 1] != '\0')) return false;
    if (digits > 15 || !read_number(text, digits, 1, UINT64_MAX >> (shift + 1), bytes)) return false;
    *bytes <<= shift;
    return true;
}

/* Seconds: digits, with a point between them. */
static bool read_seconds(const char *text, double *seconds) {
    char *end;
    *seconds = strtod(text, &end);
    return text[strspn(text, "0123456789.")] == '\0' && *end == '\0' && *seconds > 0 &&
           *seconds <= SECONDS_MAX;
}

static bool read_word(const char *text, const char *const *words, size_t count, unsigned *index) {
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(text, words[i]) != 0) continue;
        *index = i;
        return true;
    }
    return false;
}

/* Room for one more item in a list that may become as long as the command line. */
static void *list_room(void **items, size_t *count, size_t size, size_t room) {
    if (*items == NULL) *items = calloc(room, size);
    return *items != NULL ? (char *)*items + (*count)++ * size : NULL;
}

static bool append_text(struct option_list *list, const char *value, size_t room) {
    const char **item = list_room((void **)&list->items, &list->count, sizeof *list->items, room);
    if (item != NULL) *item = value;
    return item != NULL;
}

/* The key is the option's name with '_' for '-'. */
static bool append_setting(struct option_settings *list, const char *name, const char *value, size_t room) {
    struct key_value *item = list_room((void **)&list->items, &list->count, sizeof *list->items, room);
    if (item == NULL) return false;
    (void)snprintf(item->key, sizeof item->key, "%s", name);
    for (char *c = item->key; *c != '\0'; c++)
        if (*c == '-') *c = '_';
    item->value = value;
    return true;
}

static wb_status no_memory(wb_diagnostics *diagnostics) {
    wb_diagnostics_error(diagnostics, "warpbound", "out of memory");
    return WB_ERR_LIMIT;
}

/* Stores the value of an option, unless it is wrong; lists have `room` at most. */
static wb_status store_option(struct options *options, const struct option_row *row, const char *value,
                              size_t room, wb_diagnostics *diagnostics, bool *right) {
    void *member = (char *)options + row->offset;
    struct option_number *number = member;
    struct option_place *place = member;
    unsigned word;
    bool stored = true;
    switch (row->kind) {
    case OPTION_FLAG: *(bool *)member = true; break;
    case OPTION_TEXT: *(const char **)member = value; break;
    case OPTION_LIST: return append_text(member, value, room) ? WB_OK : no_memory(diagnostics);
    case OPTION_SETTING:
        return append_setting(member, row->name, value, room) ? WB_OK : no_memory(diagnostics);
    case OPTION_WORD:
        stored = read_word(value, row->words, 2, &word);
        if (stored) *(unsigned *)member = word + 1;
        break;
    case OPTION_NUMBER:
        stored = read_number(value, strlen(value), row->least, row->most, &number->value);
        number->given = true;
        break;
    case OPTION_PLACE:
        stored = read_dimensions(value, 0, place->index);
        place->given = true;
        break;
    case OPTION_SIZE: stored = read_size(value, member); break;
    case OPTION_SECONDS: stored = read_seconds(value, member); break;
    case OPTION_FORMAT:
        stored = read_word(value, format_names, sizeof format_names / sizeof *format_names, &word);
        if (stored) *(enum output_format *)member = (enum output_format)word;
        break;
    case OPTION_JSON: *(enum output_format *)member = OUTPUT_JSON; break;
    }
    *right = stored;
    return WB_OK;
}

static wb_status report_wrong_value(const struct option_row *row, wb_diagnostics *diagnostics) {
    char where[40], message[120];
    assert(row->expected != NULL); /* no other value can be wrong */
    (void)snprintf(where, sizeof where, "--%s", row->name);
    (void)snprintf(message, sizeof message, "expected %s", row->expected);
    wb_diagnostics_error(diagnostics, where, message);
    return WB_ERR_INPUT;
}

/* ---- The command line ---------------------------------------------------------------------------------- */

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

/* The row of a code of getopt: its number, or the letter of one that `command` takes. */
static const struct option_row *row_of(enum command_bit command, int code) {
    if (code >= 256) return &option_table[code - 256];
    for (size_t i = 0; i < OPTION_ROWS; i++)
        if (option_table[i].letter == code && (option_table[i].commands & (unsigned)command) != 0)
            return &option_table[i];
    return NULL;
}

static bool is_standard_input(const char *file) {
    return file != NULL && strcmp(file, "-") == 0;
}

/* Standard input can be read once. */
static wb_status check_standard_input(const struct options *options, wb_diagnostics *diagnostics) {
    const char *const files[] = {options->launch, options->machine, options->facts, options->check,
                                 options->read_solution};
    size_t readers = 0;
    for (size_t i = 0; i < options->operands.count; i++)
        readers += is_standard_input(options->operands.items[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        readers += is_standard_input(files[i]);
    if (readers <= 1) return WB_OK;
    wb_diagnostics_error(diagnostics, "-",
                         "standard input can be read once: name files for all but one of its inputs");
    return WB_ERR_INPUT;
}

wb_status options_parse(enum command_bit command, int argc, char **argv, wb_diagnostics *diagnostics,
                        struct options *options) {
    const size_t room = (size_t)argc + 1;
    struct option longs[OPTION_ROWS + 1];
    char letters[2 * OPTION_ROWS + 3];
    wb_status status = WB_OK;
    const struct option_row *wrong =
        NULL; /* the first with a wrong value: who asks for help gets it all the same */
    *options = (struct options){.command = command};
    make_getopt_tables(command, longs, letters);
    opterr = 0;
    optind = 0; /* begin anew, whatever was left of another command line */
    int code;
    while (status == WB_OK && (code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (code == 1) {
            if (!append_text(&options->operands, optarg, room)) status = no_memory(diagnostics);
        } else if (code == '?' || code == ':') {
            const char *message = code == '?' ? "unknown option (see --help)" : "expected a value behind it";
            wb_diagnostics_error(diagnostics, argv[optind - 1], message);
            status = WB_ERR_INPUT;
        } else {
            const struct option_row *row = row_of(command, code);
            bool right = true;
            status = store_option(options, row, optarg, room, diagnostics, &right);
            if (!right && wrong == NULL) wrong = row;
        }
    }
    for (; status == WB_OK && optind < argc; optind++)
        if (!append_text(&options->operands, argv[optind], room)) status = no_memory(diagnostics);
    if (status != WB_OK || options->help) return status;
    if (wrong != NULL) return report_wrong_value(wrong, diagnostics);
    return check_standard_input(options, diagnostics);
}

void options_free(struct options *options) {
    free(options->operands.items);
    for (size_t i = 0; i < OPTION_ROWS; i++) {
        void *member = (char *)options + option_table[i].offset;
        if (option_table[i].kind == OPTION_LIST) {
            struct option_list *list = member;
            free(list->items);
            *list = (struct option_list){0};
        }
    }
    free(options->settings.items);
}

/* What stands in front of the help of an option: "-k, --kernel NAME". */
static int put_usage(const struct option_row *row, char *left, size_t size) {
    char letter[8] = "    ";
    if (row->letter != 0) (void)snprintf(letter, sizeof letter, "-%c, ", row->letter);
    return snprintf(left, size, "%s--%s%s%s", letter, row->name, row->argument != NULL ? " " : "",
                    row->argument != NULL ? row->argument : "");
}

void options_print_help(enum command_bit command) {
    char left[64];
    int width = 30;
    for (size_t i = 0; i < OPTION_ROWS; i++) {
        if ((option_table[i].commands & (unsigned)command) == 0) continue;
        const int length = put_usage(&option_table[i], left, sizeof left);
        if (length > width) width = length;
    }
    for (size_t i = 0; i < OPTION_ROWS; i++) {
        if ((option_table[i].commands & (unsigned)command) == 0) continue;
        (void)put_usage(&option_table[i], left, sizeof left);
        printf("  %-*s %s\n", width, left, option_table[i].help);
    }
}

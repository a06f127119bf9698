/* The command line: one table of options, from which parsing and help texts are made. */
#ifndef WB_CLI_OPTIONS_H
#define WB_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "warpbound.h"

/* The sub-commands, as bits: the option table says which commands take an option. */
enum command_bit {
    COMMAND_ANALYZE = 1,
    COMMAND_SIMULATE = 2,
    COMMAND_PATH = 4,
    COMMAND_CFG = 8,
    COMMAND_PRINT = 16,
    COMMAND_MACHINE = 32,
    COMMAND_MAKESPAN = 64,
    COMMAND_CACHE = 128,
    COMMAND_FACTS = 256,
    COMMAND_OCCUPANCY = 512,
};

enum output_format {
    OUTPUT_TEXT,
    OUTPUT_JSON,
    OUTPUT_DOT,
    OUTPUT_TRACE,
    OUTPUT_SVG,
    OUTPUT_JCSE,
    OUTPUT_JCSE_JSON
};

/* As --format takes it. */
const char *format_name(enum output_format format);

/* A key of the library with the value that the option of that name gives it. */
struct key_value {
    char key[32];
    const char *value;
};

/* Values in the order of the command line. */
struct option_list {
    const char **items;
    size_t count;
};

struct option_settings {
    struct key_value *items;
    size_t count;
};

/* Numbers that may be left out. */
struct option_number {
    bool given;
    uint64_t value;
};

struct option_place {
    bool given;
    uint32_t index[3];
};

/* Options that are one of two words: 0 where they are left out. */
enum { INPUTS_GIVEN = 1, INPUTS_ANY = 2 };
enum { SCOPE_KERNEL = 1, SCOPE_BLOCK = 2 };
enum { MEMORY_IDEAL = 1, MEMORY_REQUESTS = 2 };

/* What the command line says; texts point into argv, NULL where they are left out. */
struct options {
    enum command_bit command;
    bool help, allow_files;
    struct option_list operands; /* what is no option: the file first */
    const char *kernel, *grid, *block, *shared, *registers, *assume, *launch, *machine, *facts;
    struct option_list arguments, variables, sets;
    struct option_place block_index;
    unsigned inputs, scope, memory;
    const char *methods, *policies, *schemes, *deadline, *output;
    struct option_number threads, states;
    uint64_t memory_limit; /* bytes; 0: not given */
    double time_limit;     /* seconds; 0: not given */
    enum output_format format;
    bool phases, timing, accesses, schedule;
    bool order, channels;           /* of cache, */
    struct option_number sm, first; /* and what of these */
    const char *why;                /* of cfg: a label */
    bool ssa, abstract_warp;
    struct option_settings settings; /* of makespan, as all that follows */
    struct option_list warps;        /* "16", "12:LLC" */
    bool branchless_prefix, mapping;
    const char *convergence, *witness, *certificate, *compare, *check, *refute, *write_lp, *write_mps,
        *read_solution, *write_cnf, *write_opb;
    struct option_number at_least;
};

/* A whole number, decimal or hexadecimal (0x...), without a sign, from `least` to `most`; false, with nothing
 * stored, when the text is something else. */
bool read_number(const char *text, size_t length, uint64_t least, uint64_t most, uint64_t *number);

/* "X[,Y[,Z]]", of which those left out are `rest`; false when it is something else. */
bool read_dimensions(const char *text, uint32_t rest, uint32_t dimensions[3]);

/* Parses argv (argv[0] is the sub-command's name) into *options. The caller frees with options_free, also
 * after an error. */
wb_status options_parse(enum command_bit command, int argc, char **argv, wb_diagnostics *diagnostics,
                        struct options *options);

void options_free(struct options *options);

/* Prints the options that `command` takes, one a line, to stdout. */
void options_print_help(enum command_bit command);

#endif

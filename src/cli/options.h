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

/* Every value points into argv. Lists have room for as many entries as argv has. */
struct options {
    enum command_bit command;
    bool help, allow_files;
    const char **operands; /* what is no option: the file first */
    size_t operand_count;
    const char *kernel, *grid, *block, *shared, *registers, *assume, *launch, *machine, *block_index, *facts;
    const char *inputs; /* of analyze and path: "given", "any" */
    const char **arguments;
    size_t argument_count;
    const char **variables;
    size_t variable_count;
    const char **sets;
    size_t set_count;
    struct key_value *settings; /* of makespan */
    size_t setting_count;
    const char **warps; /* of makespan: "16", "12:LLC" */
    size_t warps_count;
    const char *convergence, *witness, *certificate, *compare, *check, *refute, *write_lp, *write_mps,
        *read_solution, *write_cnf, *write_opb, *at_least;
    const char *why;         /* of cfg: a label */
    bool ssa, abstract_warp; /* of cfg */
    bool branchless_prefix, mapping;
    const char *memory; /* of analyze and simulate: "ideal", "requests" */
    const char *methods, *policies, *schemes, *threads, *time_limit, *deadline, *scope, *states, *output;
    uint64_t memory_limit; /* bytes; 0: not given */
    enum output_format format;
    bool phases, timing, accesses, schedule;
    bool order, channels;   /* of cache */
    const char *sm, *first; /* of --order and --channels */
};

/* Parses argv (argv[0] is the sub-command's name) into *options. The caller frees with options_free, also
 * after an error. */
wb_status options_parse(enum command_bit command, int argc, char **argv, wb_diagnostics *diagnostics,
                        struct options *options);

void options_free(struct options *options);

/* Prints the options that `command` takes, one a line, to stdout. */
void options_print_help(enum command_bit command);

#endif

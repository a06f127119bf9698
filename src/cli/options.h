/* The table of options, from which parsing (command_line.h) and help texts (help.h) are made, and what they
 * say. */
#ifndef WB_CLI_OPTIONS_H
#define WB_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "warpbound.h"

/* The sub-commands, as bits: the option table says which commands take an option. Commands of wings (wing.h)
 * have the upper half, from COMMAND_WING on. */
enum command_bit {
    COMMAND_ANALYZE = 1,
    COMMAND_SIMULATE = 2,
    COMMAND_PATH = 4,
    COMMAND_CFG = 8,
    COMMAND_PRINT = 16,
    COMMAND_MACHINE = 32,
    COMMAND_CACHE = 64,
    COMMAND_FACTS = 128,
    COMMAND_OCCUPANCY = 256,
    COMMAND_INIT = 512,
    COMMAND_WING = 0x10000,
    COMMAND_WING_APART = 0x1000000,
};

/* Commands of wings: those from COMMAND_WING on take the options of a kernel and its launch; those from
 * COMMAND_WING_APART on take none but --help and --time-limit, and list all others themselves. */
#define WING_COMMANDS 0xff0000u
#define WING_COMMANDS_APART 0x7f000000u

enum output_format {
    OUTPUT_TEXT,
    OUTPUT_JSON,
    OUTPUT_DOT,
    OUTPUT_TRACE,
    OUTPUT_SVG,
    OUTPUT_JCSE,
    OUTPUT_JCSE_JSON,
    OUTPUT_JUNIT,
    OUTPUT_SARIF,
    OUTPUT_CSV,
    OUTPUT_MARKDOWN,
    OUTPUT_JSON_LINES
};

/* Values in the order of the command line. */
struct option_list {
    const char **items;
    size_t count;
};

/* Options that have no member in struct options, in the order of the command line. */
struct given_options {
    struct given_option {
        const struct option_row *row;
        const char *value; /* NULL: it takes none */
    } * items;
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

/* Options that are one of some words: 0 where they are left out. */
enum { INPUTS_GIVEN = 1, INPUTS_ANY = 2 };
enum { SCOPE_KERNEL = 1, SCOPE_BLOCK = 2 };
enum { MEMORY_IDEAL = 1, MEMORY_REQUESTS = 2 };
enum { COLOR_AUTO = 1, COLOR_ALWAYS = 2, COLOR_NEVER = 3 };

/* What the command line says; texts point into argv, NULL where they are left out. */
struct options {
    unsigned command;
    char *const *words; /* the command line behind the command's name, as it was given */
    int word_count;
    bool help, allow_files, force, compile;
    bool compile_of_launch;                /* the launch file has `compile` */
    bool facts_of_launch;                  /* the launch file names `facts`, rather than the command line */
    struct option_list operands;           /* what is no option: the file first */
    wb_launches *launch_file;              /* what `launch` describes, once it is read (launch_file.c) */
    char *of_launch[WB_LAUNCH_KERNEL + 1]; /* what it says in place of options: owned, or NULL */
    const char *ptxas_info_of_launch;      /* the file that it names */
    const char *kernel, *image, *grid, *block, *shared, *registers, *assume, *launch, *trace, *machine,
        *facts, *ptxas_info;
    struct option_list arguments, variables, sets;
    struct option_place block_index;
    unsigned inputs, scope, memory, color;
    const char *methods, *policies, *schemes, *deadline, *accept, *output, *report, *window, *annotate,
        *cubin, *lines_of, *source, *ptxas, *resident, *sms;
    struct option_number lines;
    struct option_number threads, states, instruction_limit;
    uint64_t memory_limit; /* bytes; 0: not given */
    double time_limit;     /* seconds; 0: not given */
    enum output_format format;
    bool *has_written; /* becomes true when output is written, be it in part */
    bool phases, timing, accesses, schedule;
    bool quiet, all;     /* of analyze, */
    const char *explain; /* methods of the report of analyze */
    const char *why;     /* of cfg: a label */
    const char *certificate;
    struct given_options given;       /* those of wings, */
    const struct option_row *instead; /* and the one of them that has a `run`, or NULL */
    char *code_of_launch;             /* the operand, where `launch` stands for its code */
};

/* How the value of an option is read, and what it is stored as. */
enum option_kind {
    OPTION_HEADING, /* no option: the title of those that follow */
    OPTION_FLAG,    /* bool; there is no value */
    OPTION_TEXT,    /* const char * */
    OPTION_LIST,    /* struct option_list */
    OPTION_SETTING, /* a key of a wing's library, which says what is wrong with its value */
    OPTION_NAMES,   /* const char *: of a registry, separated by commas */
    OPTION_SOME,    /* the same, unchecked; they may be left out, and are then "" */
    OPTION_WORD,    /* unsigned: 1 for the first of its words, 2 for the second, ... */
    OPTION_NUMBER,  /* struct option_number, from `least` to `most` */
    OPTION_COUNT,   /* the same; the value may be left out, and is then `least` */
    OPTION_PLACE,   /* struct option_place */
    OPTION_SIZE,    /* uint64_t, in bytes */
    OPTION_SECONDS, /* double */
    OPTION_FORMAT,  /* enum output_format, of those that its words name */
    OPTION_JSON     /* the same, of the option's own name; there is no value */
};

enum { OPTION_ROWS_MAX = 200, OPTION_WORDS_MAX = 8 };

/* A row of the table: an option of the commands that take it. Where they take it differently it has a row
 * each. */
struct option_row {
    char letter; /* 0: none */
    const char *name;
    const char *argument; /* what the help calls it; NULL: takes none */
    enum option_kind kind;
    unsigned commands; /* bits of enum command_bit */
    size_t offset;     /* of the member of struct options; that of `given`: under its row; behind it: of the
                          command's own struct */
    const char *help;  /* NULL: an old spelling, which help does not show */
    /* Those that may be given, of OPTION_WORD and OPTION_FORMAT, NULL behind the last; and the registry of
     * OPTION_NAMES. Of other kinds either is what shells offer. */
    const char *words[OPTION_WORDS_MAX + 1];
    const char *(*names)(size_t);
    const char *endings; /* of the names of its files, for shells: "yaml yml"; NULL: any */
    uint64_t least, most;
    const char *expected; /* of what can be wrong, but for words: for the message */
    bool reads;           /* of `given`: its value is the name of a file that is read */
    const char *needs;    /* of `given`: says that it needs an option that has a `run`; NULL: it does not */
    int (*run)(const struct options *options, wb_diagnostics *diagnostics); /* of `given`: what the command
                                                                               does where it is given */
};

#define INTO_OWN(kind, type, member, commands) OPTION_##kind, commands, offsetof(type, member)
#define INTO(kind, member, commands) INTO_OWN(kind, struct options, member, commands)
#define GIVEN(kind, commands) INTO(kind, given, commands)

/* Begins a group of options in help texts: one of those that options.c lists. */
#define HEADING(title)                                                                                       \
    { .kind = OPTION_HEADING, .help = title }

/* The row of --color. */
#define COLOR(commands)                                                                                      \
    0, "color", "WHEN", INTO(WORD, color, commands),                                                         \
        .help = "auto (default: on a terminal, unless NO_COLOR is set), always or never",                    \
        .words = {"auto", "always", "never"}

/* The last value of an option of that name among those that are `given`, "" where it takes none; NULL: it is
 * not given. */
const char *option_value(const struct options *options, const char *name);

/* The rows of the core and of all wings, in the order of help texts; NULL past the end. */
const struct option_row *option_at(size_t index);

/* The numbers of an analysis: its policies and methods; NULL past the end. */
const char *number_name(size_t index);

/* As --format takes it, and the other way round for a name that is one. */
const char *format_name(enum output_format format);
enum output_format format_named(const char *name);

#endif

/* What wings add to the library. A wing is a folder of src/wings/ with methods that the core does not need
 * and does not know: the build lists the wings that it has, and the core asks here. */
#ifndef WB_BASE_WING_H
#define WB_BASE_WING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpbound.h"

struct analysis_reader; /* bound/analysis/analysis.h */
struct bound_method;    /* bound/method/method.h */
struct json;            /* report/write/json.h */
struct layout;          /* report/write/write.h */
struct sim_policy;      /* sim/sm/host.h */
struct sim_sink;
struct text;        /* base/base.h */
struct timed_block; /* warp/timed/timed.h */

/* How values of an axis are checked, and found. */
enum axis_kind {
    AXIS_CODE,       /* a file with code or a launch file, which is the operand; or a pattern of such */
    AXIS_FILE,       /* another file, or a pattern */
    AXIS_MACHINE,    /* a preset, a file or a pattern */
    AXIS_STRING,     /* a string of instructions or a file of a problem, which is the operand */
    AXIS_ARGUMENTS,  /* a list of arguments of the kernel, all of them */
    AXIS_ARGUMENT,   /* a value of one argument */
    AXIS_TEXT,       /* anything */
    AXIS_DIMENSIONS, /* X[,Y[,Z]] */
    AXIS_NUMBER,     /* a whole number from 0 on */
    AXIS_WORD,       /* one of `words` */
    AXIS_NAMES,      /* of the registry `names`, separated by commas */
    AXIS_SETTING     /* a value of a key of the machine */
};

/* What units run, as bits: the last byte is for commands of wings, a bit each. */
enum axis_command { AXIS_ANALYZE = 1, AXIS_SIMULATE = 2 };

#define AXIS_WING(number) (1u << (24 + (number)))

/* What sweeps can vary: an option of the commands that units run, or a key of the machine. */
struct axis_row {
    const char
        *key; /* in sweep files, and of the parameter; with a point at its end, names stand behind it */
    const char *option; /* its long name; NULL: none, a file */
    enum axis_kind kind;
    bool joined; /* values of a list belong together, separated by commas; else they are alternatives */
    const char *const *words;
    const char *(*names)(size_t);
    unsigned commands;   /* that take it: bits of enum axis_command */
    const char *command; /* of what is analysed: what its units run */
    bool of_code;        /* and whether that reads code and launch files, */
    bool limit_each;     /* and whether its --time-limit is for each of its methods */
    const char *unit;    /* of its values, for pictures; NULL: they have none */
};

struct wing {
    /* What sweeps can vary besides the parameters of the core. */
    const struct axis_row *axes;
    size_t axis_count;
    /* The format of JSON reports (report/parts/document.h) whose bounds, all of one problem, a sweep takes
     * together, and the scope that it notes for them; or NULL. */
    const char *problem_format, *problem_scope;
    const struct bound_method *const *methods; /* NULL behind the last; or NULL */
    const struct analysis_reader *reader;      /* or NULL */
    /* What reports say of bounds of its methods: in text, and as members of a bound in JSON; or NULL. */
    void (*put_bounds)(struct text *out, const struct layout *layout, const wb_analysis *analysis);
    void (*bound_json)(struct json *json, const wb_bound *bound);
    /* Simulates a block on a machine of the wing's model (enum machine_model), as `simulate` (sim/gpu/gpu.h)
     * does on others; or NULL. */
    wb_status (*simulate)(const struct timed_block *block, const struct sim_policy *policy,
                          const struct sim_sink *sink, const wb_watch *watch, wb_diagnostics *diagnostics,
                          wb_simulation *result);
    uint32_t model;
    /* How a line of files for the wing begins, what they are called, and what to do with one (%s) that is
     * given in place of another (CONTENT_OF_WING); or NULL. */
    const char *file_line, *file_name, *file_remedy;
};

/* The wings of this build; NULL past the end. */
const struct wing *wing_at(size_t index);

#endif

/* What a sweep can vary: options of the commands that units run, and keys of the machine. */
#ifndef WB_SWEEP_AXIS_H
#define WB_SWEEP_AXIS_H

#include <stdbool.h>
#include <stddef.h>

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

/* The rows, in the order in which parameters are listed; NULL past the end. The last one is that of the keys
 * of the machine, which have no key of their own here. */
const struct axis_row *axis_at(size_t index);

/* The row of a parameter that is no key of the machine, or NULL. */
const struct axis_row *axis_named(const char *key);

/* The row of all parameters that have names of their own: single arguments, keys of the machine. */
const struct axis_row *axis_of_kind(enum axis_kind kind);

/* The unit of a parameter, be it of a row or a key of the machine; NULL: it has none. */
const char *axis_unit(const char *name);

/* How two names of parameters are ordered: those of rows as the rows are, keys of the machine behind them by
 * their names. Less than, equal to, or greater than 0. */
int axis_compare(const char *a, const char *b);

#endif

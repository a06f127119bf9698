/* What became of a unit: the numbers of its report, and how it ended. */
#ifndef WB_WINGS_SWEEP_OUTCOME_H
#define WB_WINGS_SWEEP_OUTCOME_H

#include <jansson.h>

#include "base/base.h"
#include "warpbound_sweep.h"

/* What is no number of cycles (base/base.h): there is none. */
#define NO_CYCLES UINT64_MAX

/* A number of the report, or that a method or a policy has none. */
struct outcome_number {
    const char *scope; /* "kernel", "block"; of a list of launches "kernel 1", ... */
    const char *data;  /* "given", or "any": it holds for all data */
    const char *what;  /* "bound", "simulation" */
    const char *name;  /* of the method or the policy */
    const char *kind;  /* "upper", ..., of those without a number "declined", "limit", "left out" */
    bool has_cycles;
    uint64_t cycles, lower; /* lower: 0 where nothing is known */
    const char *note;       /* why it is an estimate, or none; or NULL */
};

struct outcome {
    const char *status;                /* "done", "declined", "refused", "limit", "crashed",
                                          "contradiction" */
    const char *message;               /* the first error, or NULL */
    const char *state;                 /* of the verdict, or NULL: there is no report */
    const char *scope, *method;        /* of the verdict, or NULL */
    uint64_t bound, slowest, deadline; /* cycles; NO_CYCLES: there is none */
    VEC(struct outcome_number) numbers;
};

/* Parses a report; NULL where the text is no JSON. Whole numbers of more than 63 bits, which the parser does
 * not take, become strings. */
json_t *outcome_parse(const char *report, size_t size);

/* Reads what a run left behind, into `arena`, which is protected. `report` is its standard output, NULL where
 * that is not JSON. */
struct outcome outcome_read(const wb_run *run, const json_t *report, struct arena *arena);

#endif

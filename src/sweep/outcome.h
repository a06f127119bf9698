/* What became of a unit: the numbers of its report, and how it ended. */
#ifndef WB_SWEEP_OUTCOME_H
#define WB_SWEEP_OUTCOME_H

#include <jansson.h>

#include "base/arena.h"
#include "base/diagnostics.h"

/* A number of the report, or that a method or a policy has none. */
struct outcome_number {
    const char *scope; /* "kernel", "block"; of a list of launches "kernel 1", ... */
    const char *data;  /* "given", or "any": it holds for all data */
    const char *what;  /* "bound", "simulation" */
    const char *name;  /* of the method or the policy */
    const char *kind;  /* "upper", ..., of those without a number "declined", "limit", "left out" */
    bool has_cycles;
    int64_t cycles, lower; /* lower: 0 where nothing is known */
    const char *note;      /* why it is an estimate, or none; or NULL */
};

struct outcome {
    const char *status;               /* "done", "declined", "refused", "limit", "crashed" */
    const char *message;              /* the first error, or NULL */
    const char *state;                /* of the verdict, or NULL: there is no report */
    const char *scope, *method;       /* of the verdict, or NULL */
    int64_t bound, slowest, deadline; /* cycles; -1: there is none */
    VEC(struct outcome_number) numbers;
};

/* Reads what a run left behind, into `arena`, which is protected. `report` is its standard output, NULL where
 * that is not JSON. */
struct outcome outcome_read(const wb_run *run, const json_t *report, struct arena *arena);

#endif

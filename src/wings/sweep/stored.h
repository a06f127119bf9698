/* What is in a database of sweeps, in an order that does not depend on the order in which it came there. */
#ifndef WB_WINGS_SWEEP_STORED_H
#define WB_WINGS_SWEEP_STORED_H

#include "wings/sweep/database.h"

struct stored_unit {
    int64_t number; /* in the database */
    const char *id;
    const char *status, *message, *state, *scope, *method; /* "" where there is none */
    uint64_t bound, slowest, deadline;                     /* NO_CYCLES: there is none */
    const char **values; /* of the columns; NULL: it has no such parameter */
};

struct stored_units {
    VEC(const char *) columns;     /* names of all parameters, as axis_compare has them */
    VEC(struct stored_unit) units; /* by their values, numbers by size */
};

/* Reads all units into `arena`. */
wb_status stored_read(const wb_results *results, struct arena *arena, wb_diagnostics *diagnostics,
                      struct stored_units *stored);

/* The index of a column, or the number of columns. */
size_t stored_column(const struct stored_units *stored, const char *name);

/* Two values of a parameter: numbers by size, before words by their bytes; NULL first. */
int stored_compare(const char *a, const char *b);

/* Calls `each` for the numbers of a unit, in the order of its report. The texts are good until it returns. */
wb_status stored_numbers(const wb_results *results, const struct stored_unit *unit,
                         wb_diagnostics *diagnostics,
                         void (*each)(void *context, const struct outcome_number *number), void *context);

#endif

/* Upper bounds on the longest remaining time of every cell of the run abstraction (docs/makespan-proofs.md,
 * T2 and T3): what is left when it is forgotten which warp of a run has how many of the instructions left
 * that all warps of the run have left together. */
#ifndef WB_MAKESPAN_EXACT_RUN_TABLE_H
#define WB_MAKESPAN_EXACT_RUN_TABLE_H

#include "base/base.h"
#include "wings/makespan/exact/run_layout.h"
#include "wings/makespan/states/exact_tail.h"

/* What is kept of a run table whose levels do not stay: of the planes of the two longest axes every eighth
 * row and column, the *knots*. Between them the bounds are nearly linear, so that a search for a long
 * schedule is guided as well by estimates; they prove nothing. */
struct run_guide {
    uint64_t *offset; /* per composition: its first knot */
    int16_t *knots;
};

/* Cells of compositions with at most tail->warps warps hold the greatest exact time of a state of the cell,
 * others 1 + the greatest of their successors. */
struct run_table {
    struct run_layout layout;
    bool full;              /* all levels are kept; else only those that the next one needed */
    struct run_guide guide; /* estimates where the table is not full */
    int16_t *graded;        /* cells of graded compositions */
    int16_t **level;        /* per level: its cells; valid for all levels where the table is full */
    uint32_t initial;       /* the bound of the initial state: of the whole problem */
};

/* What a table would take. */
struct run_table_size {
    uint64_t cells;        /* UINT64_MAX: there cannot be one */
    uint64_t layout_bytes; /* beside the cells */
};

/* The arena is protected. */
struct run_table_size run_table_measure(const struct run_list *runs, const struct arena *arena);

enum run_table_outcome { RUN_TABLE_MADE, RUN_TABLE_STOPPED, RUN_TABLE_TOO_LARGE };

/* Makes the table in a protected arena; `full` or only of the levels that the bound of the initial state
 * needs. There is none where makespan_goes_on said no or `memory` bytes do not suffice for the cells. */
enum run_table_outcome run_table_make(const struct makespan_run *run, const struct run_list *runs,
                                      const struct exact_tail *tail, bool full, uint64_t memory,
                                      struct arena *arena, struct run_table *table);

/* The cells of a composition. */
static inline int16_t *run_table_cells(const struct run_table *table, const struct composition *composition) {
    bool graded = composition->warps <= table->layout.graded_warps;
    return (graded ? table->graded : table->level[composition->level]) +
           table->layout.offset[composition->number];
}

/* The bound of a state from a full table, from another an estimate of it. */
uint32_t run_table_cycles(const struct run_table *table, const struct composition *composition,
                          const uint32_t *slack);

/* The composition and the slack of the state with counts[p] warps at position p. */
void run_table_place(const struct run_table *table, const uint16_t *counts, struct composition *composition,
                     uint32_t *slack);

#endif

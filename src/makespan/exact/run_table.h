/* What is kept of a run table whose levels do not stay: of the planes of the two longest axes every eighth
 * row and column, the *knots*. Between them the bounds are nearly linear, so that a search for a long
 * schedule is guided as well by estimates; they prove nothing. */
#ifndef WB_MAKESPAN_EXACT_RUN_TABLE_H
#define WB_MAKESPAN_EXACT_RUN_TABLE_H

#include "base/vec.h"
#include "makespan/exact/run_layout.h"
#include "makespan/states/exact_tail.h"
#include "makespan/states/row_max.h"

struct run_guide {
    uint64_t knot_count;
    uint64_t *offset; /* per composition: its first knot */
    int16_t *knots;
};

/* Bytes that a guide takes. */
uint64_t run_guide_size(struct run_layout *layout);

/* Makes room for the knots. WB_ERR_LIMIT without a message. Freed with run_guide_free, also after an error.
 */
wb_status run_guide_make(struct run_layout *layout, struct run_guide *guide);
void run_guide_free(struct run_guide *guide);

/* Keeps the knots of a composition that is not graded. */
void run_guide_keep(const struct run_guide *guide, const struct run_layout *layout,
                    const struct composition *composition, const int16_t *cells);

/* About the bound of the cell with this slack in each run. */
uint32_t run_guide_estimate(const struct run_guide *guide, const struct run_layout *layout,
                            const struct composition *composition, const uint32_t *slack);

/* Upper bounds on the longest remaining time of every cell of the run abstraction (docs/makespan-proofs.md,
 * T2 and T3): what is left when it is forgotten which warp of a run has how many of the instructions left
 * that all warps of the run have left together. */

/* Cells of compositions with at most tail->warps warps hold the greatest exact time of a state of the cell,
 * others 1 + the greatest of their successors. */
struct run_table {
    struct run_layout layout;
    bool full;              /* all levels are kept; else only those that the next one needed */
    struct run_guide guide; /* estimates where the table is not full */
    int16_t *graded;        /* cells of graded compositions */
    int16_t **level;        /* per level: its cells; valid for all levels where the table is full */
    int16_t *cells;         /* owns the cells of the levels */
    uint32_t initial;       /* the bound of the initial state: of the whole problem */
};

/* What a table would take. */
struct run_table_size {
    uint64_t cells;        /* UINT64_MAX: there cannot be one */
    uint64_t layout_bytes; /* beside the cells */
};
void run_table_measure(const struct run_list *runs, struct run_table_size *size);

enum run_table_outcome { RUN_TABLE_MADE, RUN_TABLE_STOPPED, RUN_TABLE_TOO_LARGE };

/* Makes the table; `full` or only of the levels that the bound of the initial state needs. Without a table,
 * since makespan_goes_on said no or `memory` bytes do not suffice for the cells, it is empty. WB_ERR_LIMIT
 * without a message when memory is exhausted. Freed with run_table_free, also after an error. */
wb_status run_table_make(const struct makespan_run *run, const struct run_list *runs,
                         const struct exact_tail *tail, bool full, uint64_t memory, struct run_table *table,
                         enum run_table_outcome *outcome);
void run_table_free(struct run_table *table);

/* The cells of a composition. */
static inline int16_t *run_table_cells(const struct run_table *table, const struct composition *composition) {
    bool graded = composition->warps <= table->layout.graded_warps;
    return (graded ? table->graded : table->level[composition->level]) +
           table->layout.offset[composition->number];
}

/* The cell of a state: its composition, and how many instructions its warps have left in each run beyond the
 * one that each of them has. */
int16_t *run_table_cell(const struct run_table *table, const struct composition *composition,
                        const uint32_t *slack);

/* The bound of a state from a full table, from another an estimate of it. */
uint32_t run_table_cycles(const struct run_table *table, const struct composition *composition,
                          const uint32_t *slack);

/* The composition and the slack of the state with counts[p] warps at position p. */
void run_table_place(const struct run_table *table, const uint16_t *counts, struct composition *composition,
                     uint32_t *slack);

/* The recurrence of the run table: the cells of one composition from those of lower levels. */

/* For one axis of the composition's box: the cells in which a choice is possible, and how far apart two
 * neighbours' targets are. */
struct choice_axis {
    uint32_t low;
    uint32_t high;
    int64_t stride;
};

/* One way a cycle can go: the target of the cell x is target[at + sum of x_a * axis[a].stride]. Its axes are
 * those of the composition's box: it is possible in a box of cells, too. */
struct cell_choice {
    const int16_t *target;
    int64_t at;
    size_t axes; /* where its axes are among all choices' */
};

/* What one thread needs. */
struct cell_maker {
    row_max_function *row_max;
    struct serve_choice serve; /* over runs */
    struct run_moves moves;
    struct composition composition;
    uint32_t axis_count; /* of its box: axes of the layout with extents above 1 */
    uint32_t axes[LAYOUT_RUNS_MAX];
    uint32_t extent[LAYOUT_RUNS_MAX]; /* per axis of the box */
    VEC(struct cell_choice) choices;  /* targets are in other planes than the cells, or in other boxes */
    VEC(struct cell_choice) choices_inside; /* in the same plane of the same box */
    VEC(struct choice_axis) choice_axes;    /* axis_count of each choice of both kinds */
};

wb_status cell_maker_make(const struct run_layout *layout, struct cell_maker *maker);
void cell_maker_free(struct cell_maker *maker);

/* Fills the cells of the composition with this number. WB_ERR_LIMIT without a message when memory is
 * exhausted. */
wb_status make_cells(struct cell_maker *maker, const struct run_table *table, uint64_t number);

#endif

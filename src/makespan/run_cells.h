/* The recurrence of the run table: the cells of one composition from those of lower levels. */
#ifndef WB_MAKESPAN_RUN_CELLS_H
#define WB_MAKESPAN_RUN_CELLS_H

#include "base/vec.h"
#include "makespan/row_max.h"
#include "makespan/run_moves.h"
#include "makespan/run_table.h"

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

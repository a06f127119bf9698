#include "makespan/run_cells.h"

#include <string.h>

wb_status cell_maker_make(const struct run_layout *layout, struct cell_maker *maker) {
    *maker = (struct cell_maker){.row_max = row_max_best()};
    return serve_choice_make(layout->runs->problem, layout->runs->count, &maker->serve);
}

void cell_maker_free(struct cell_maker *maker) {
    serve_choice_free(&maker->serve);
    vec_free(&maker->choices);
    vec_free(&maker->choices_inside);
    vec_free(&maker->choice_axes);
}

/* The box of the composition's cells, and the places that its warps are served at. */
static void open_composition(struct cell_maker *maker, const struct run_layout *layout) {
    const struct composition *composition = &maker->composition;
    maker->axis_count = 0;
    for (uint32_t a = 0; a < layout->axis_count; a++) {
        uint32_t j = layout->axes[a];
        if (composition->in_run[j] == 0) continue;
        maker->extent[maker->axis_count] = 1 + run_slack(&layout->runs->items[j], composition->in_run[j]);
        maker->axes[maker->axis_count++] = j;
    }
    serve_choice_clear(&maker->serve);
    for (uint32_t j = 0; j < layout->runs->count; j++)
        if (composition->in_run[j] > 0)
            serve_choice_add(&maker->serve, j, layout->runs->items[j].unit, composition->in_run[j]);
    maker->choices.count = 0;
    maker->choices_inside.count = 0;
    maker->choice_axes.count = 0;
}

/* Adds the choice of these moves. With them the cells are possible that have, for every run,
 * stay <= x <= (n - leave) * (l - 1): who leaves has one instruction left, who is served and stays at least
 * two. The target is x - stay + arrive * (l - 1) (docs/makespan-proofs.md, T2). */
static wb_status add_choice(struct cell_maker *maker, const struct run_table *table,
                            const struct run_moves *moves) {
    const struct run_layout *layout = &table->layout;
    struct composition target;
    run_moves_target(layout, &maker->composition, moves, &target);
    struct cell_choice choice = {.target = run_table_cells(table, &target), .axes = maker->choice_axes.count};
    bool inside = moves->leavers == 0;
    WB_TRY(vec_reserve(&maker->choice_axes, (size_t)maker->axis_count + 1)); /* never NULL below */
    struct choice_axis *axes = maker->choice_axes.items + maker->choice_axes.count;
    uint32_t axis = maker->axis_count;
    int64_t stride = 1;
    for (uint32_t a = layout->axis_count; a-- > 0;) {
        uint32_t j = layout->axes[a];
        const struct unit_run *run = &layout->runs->items[j];
        choice.at += stride * ((int64_t)run_slack(run, moves->arrive[j]) - moves->stay[j]);
        if (axis > 0 && maker->axes[axis - 1] == j) {
            axis--;
            uint32_t high = run_slack(run, maker->composition.in_run[j] - moves->leave[j]);
            axes[axis] = (struct choice_axis){moves->stay[j], high, stride};
            if (axis + 2 < maker->axis_count && moves->stay[j] > 0) inside = false;
        }
        stride *= 1 + (int64_t)run_slack(run, target.in_run[j]);
    }
    maker->choice_axes.count += maker->axis_count;
    return inside ? vec_push(&maker->choices_inside, choice) : vec_push(&maker->choices, choice);
}

/* Adds the choices in which the runs serve so many warps: any of those leave, of a run of one instruction
 * all. */
static wb_status add_choices(struct cell_maker *maker, const struct run_table *table) {
    const struct run_list *runs = table->layout.runs;
    for (uint32_t i = 0; i < maker->serve.count; i++) {
        const struct serve_place *place = &maker->serve.places[i];
        maker->moves.most[place->at] = place->served;
        maker->moves.fewest[place->at] = runs->items[place->at].length == 1 ? place->served : 0;
    }
    run_moves_first(runs, &maker->serve, &maker->moves);
    do {
        WB_TRY(add_choice(maker, table, &maker->moves));
    } while (run_moves_next(runs, &maker->serve, &maker->moves));
    return WB_OK;
}

/* The plane of the two innermost axes that is being made; missing axes have extent 1. */
struct plane {
    int16_t *cells;
    uint32_t rows;
    uint32_t columns;
    uint32_t outer_count;            /* axes outside of the plane */
    uint32_t outer[LAYOUT_RUNS_MAX]; /* where the plane is on them */
};

/* Raises the plane's cells to the choice's targets, which are made already, where it is possible. */
static void apply(const struct cell_maker *maker, const struct cell_choice *choice, struct plane *plane) {
    const struct choice_axis *axes = maker->choice_axes.items + choice->axes;
    int64_t at = choice->at;
    for (uint32_t a = 0; a < plane->outer_count; a++) {
        if (plane->outer[a] < axes[a].low || plane->outer[a] > axes[a].high) return;
        at += axes[a].stride * plane->outer[a];
    }
    static const struct choice_axis single = {0, 0, 1};
    const struct choice_axis *row = maker->axis_count > 1 ? &axes[plane->outer_count] : &single;
    const struct choice_axis *column = maker->axis_count > 0 ? &axes[maker->axis_count - 1] : &single;
    if (row->high < row->low || column->high < column->low) return;
    const struct number_box box = {.from = choice->target + at + row->stride * row->low +
                                           column->stride * column->low,
                                   .stride = (size_t)row->stride,
                                   .step = (size_t)column->stride,
                                   .rows = row->high - row->low + 1,
                                   .columns = column->high - column->low + 1};
    maker->row_max(plane->cells + (size_t)row->low * plane->columns + column->low, plane->columns, &box);
}

/* Raises one row to the targets of choices in the same plane, which are in rows before it; then adds the
 * cycle itself. Where only the innermost run is served the target is in the row itself, `back` cells before.
 */
static void finish_row(const struct cell_maker *maker, const struct plane *plane, uint32_t row) {
    int16_t *cells = plane->cells + (size_t)row * plane->columns;
    uint32_t back = 0;
    for (size_t i = 0; i < maker->choices_inside.count; i++) {
        const struct choice_axis *axes = maker->choice_axes.items + maker->choices_inside.items[i].axes;
        uint32_t up = maker->axis_count > 1 ? axes[plane->outer_count].low : 0;
        uint32_t left = axes[maker->axis_count - 1].low;
        const struct number_box box = {.from = cells - (size_t)up * plane->columns,
                                       .step = 1,
                                       .rows = 1,
                                       .columns = plane->columns - left};
        if (up == 0)
            back = left;
        else if (up <= row && left < plane->columns)
            maker->row_max(cells + left, 0, &box);
    }
    for (uint32_t x = 0; x < plane->columns; x++) {
        int16_t most = cells[x];
        if (back > 0 && x >= back && cells[x - back] > most) most = cells[x - back];
        cells[x] = (int16_t)(most + 1);
    }
}

static void make_plane(const struct cell_maker *maker, struct plane *plane) {
    memset(plane->cells, 0, (size_t)plane->rows * plane->columns * sizeof *plane->cells);
    for (size_t i = 0; i < maker->choices.count; i++)
        apply(maker, &maker->choices.items[i], plane);
    for (uint32_t row = 0; row < plane->rows; row++)
        finish_row(maker, plane, row);
}

wb_status make_cells(struct cell_maker *maker, const struct run_table *table, uint64_t number) {
    composition_at(&table->layout, number, &maker->composition);
    open_composition(maker, &table->layout);
    serve_choice_first(&maker->serve);
    do {
        WB_TRY(add_choices(maker, table));
    } while (serve_choice_next(&maker->serve));
    uint32_t count = maker->axis_count;
    struct plane plane = {.cells = run_table_cells(table, &maker->composition),
                          .rows = count > 1 ? maker->extent[count - 2] : 1,
                          .columns = count > 0 ? maker->extent[count - 1] : 1,
                          .outer_count = count > 2 ? count - 2 : 0};
    for (;;) {
        make_plane(maker, &plane);
        plane.cells += (size_t)plane.rows * plane.columns;
        uint32_t a = plane.outer_count;
        while (a > 0 && ++plane.outer[a - 1] == maker->extent[a - 1])
            plane.outer[--a] = 0;
        if (a == 0) return WB_OK;
    }
}

#include "wings/makespan/exact/run_table.h"

#include <assert.h>
#include <omp.h>
#include <string.h>

#include "base/base.h"
#include "wings/makespan/states/row_max.h"

/* Knots are so far apart; the last cell of an axis is one, too. */
#define KNOT_STEP 8u

/* A composition's box, as planes of rows and columns. */
struct box_planes {
    uint64_t planes;
    uint32_t last_row;
    uint32_t last_column;
};

/* The last cell of an axis, counted from the innermost; 0 where there are not so many. */
static uint32_t slack_of_axis(const struct run_layout *layout, const struct composition *composition,
                              uint32_t from_innermost) {
    if (from_innermost >= layout->axis_count) return 0;
    uint32_t j = layout->axes[layout->axis_count - 1 - from_innermost];
    return run_slack(&layout->runs->items[j], composition->in_run[j]);
}

static struct box_planes planes_of(const struct run_layout *layout, const struct composition *composition) {
    struct box_planes box = {.planes = 1,
                             .last_row = slack_of_axis(layout, composition, 1),
                             .last_column = slack_of_axis(layout, composition, 0)};
    for (uint32_t axis = 2; axis < layout->axis_count; axis++)
        box.planes *= 1 + (uint64_t)slack_of_axis(layout, composition, axis);
    return box;
}

/* How many knots an axis has whose last cell is `last`. */
static uint64_t knots_of(uint32_t last) {
    return 1 + (uint64_t)(last + KNOT_STEP - 1) / KNOT_STEP;
}

static uint64_t composition_knots(const struct run_layout *layout, const struct composition *composition) {
    if (composition->warps <= layout->graded_warps) return 0;
    struct box_planes box = planes_of(layout, composition);
    return box.planes * knots_of(box.last_row) * knots_of(box.last_column);
}

/* Where the knots of each composition begin, in `offset` unless it is NULL. Returns their number. */
static uint64_t place_knots(struct run_layout *layout, uint64_t *offset) {
    uint64_t knots = 0;
    for (uint64_t number = 0; number < layout->composition_count && layout_goes_on(layout, number);
         number++) {
        struct composition composition;
        composition_at(layout, number, &composition);
        if (offset != NULL) offset[number] = knots;
        knots += composition_knots(layout, &composition);
    }
    return knots;
}

/* Bytes that a guide takes. */
static uint64_t guide_size(struct run_layout *layout) {
    return layout->composition_count * sizeof(uint64_t) + place_knots(layout, NULL) * sizeof(int16_t);
}

static void guide_make(struct run_layout *layout, struct arena *arena, struct run_guide *guide) {
    guide->offset = arena_array(arena, layout->composition_count, sizeof *guide->offset);
    guide->knots = arena_array(arena, place_knots(layout, guide->offset), sizeof *guide->knots);
}

/* The cell of an axis at which its knot is. */
static uint32_t knot_cell(uint64_t knot, uint32_t last) {
    return knot * KNOT_STEP < last ? (uint32_t)knot * KNOT_STEP : last;
}

/* Keeps the knots of a composition that is not graded. */
static void guide_keep(const struct run_guide *guide, const struct run_layout *layout,
                       const struct composition *composition, const int16_t *cells) {
    struct box_planes box = planes_of(layout, composition);
    int16_t *to = guide->knots + guide->offset[composition->number];
    uint64_t columns = 1 + (uint64_t)box.last_column;
    for (uint64_t plane = 0; plane < box.planes; plane++, cells += (1 + (uint64_t)box.last_row) * columns)
        for (uint64_t row = 0; row < knots_of(box.last_row); row++)
            for (uint64_t column = 0; column < knots_of(box.last_column); column++)
                *to++ = cells[knot_cell(row, box.last_row) * columns + knot_cell(column, box.last_column)];
}

/* A cell of an axis between two knots, or at the first of them. */
struct between {
    uint64_t knot;
    uint32_t part; /* of `whole` on the way to the next knot */
    uint32_t whole;
};

static struct between place_between(uint32_t cell, uint32_t last) {
    struct between place = {.knot = cell / KNOT_STEP, .part = cell % KNOT_STEP, .whole = KNOT_STEP};
    uint32_t start = knot_cell(place.knot, last);
    if (start < last && last - start < KNOT_STEP) place.whole = last - start;
    return place;
}

/* The estimate on the line between a knot and the next, times place->whole. */
static uint32_t on_line(const int16_t *knots, const struct between *place) {
    uint32_t value = (uint32_t)knots[place->knot] * (place->whole - place->part);
    if (place->part > 0) value += (uint32_t)knots[place->knot + 1] * place->part;
    return value;
}

/* About the bound of the cell with this slack in each run. */
static uint32_t guide_estimate(const struct run_guide *guide, const struct run_layout *layout,
                               const struct composition *composition, const uint32_t *slack) {
    struct box_planes box = planes_of(layout, composition);
    uint32_t cell[LAYOUT_RUNS_MAX + 2] = {0}; /* by axis; also where there are less than two */
    uint64_t plane = 0;
    for (uint32_t a = 0; a < layout->axis_count; a++) {
        uint32_t from_innermost = layout->axis_count - 1 - a;
        cell[from_innermost] = slack[layout->axes[a]];
        if (from_innermost >= 2)
            plane = plane * (1 + (uint64_t)slack_of_axis(layout, composition, from_innermost)) +
                    cell[from_innermost];
    }
    struct between row = place_between(cell[1], box.last_row);
    struct between column = place_between(cell[0], box.last_column);
    uint64_t columns = knots_of(box.last_column);
    const int16_t *knots = guide->knots + guide->offset[composition->number] +
                           (plane * knots_of(box.last_row) + row.knot) * columns;
    uint32_t value = on_line(knots, &column) * (row.whole - row.part);
    if (row.part > 0) value += on_line(knots + columns, &column) * row.part;
    uint32_t whole = row.whole * column.whole;
    return (value + whole / 2) / whole;
}

/* Levels of fewer cells are made by one thread: starting others takes longer. */
#define LEVEL_CELLS_PARALLEL 200000u

/* How many compositions the polling thread makes between two questions whether to go on. */
#define TABLE_POLL 256u

struct run_table_size run_table_measure(const struct run_list *runs, const struct arena *arena) {
    struct run_table_size size = {.cells = UINT64_MAX};
    if (runs->count > LAYOUT_RUNS_MAX || runs->problem->instruction_count > INT16_MAX) return size;
    uint64_t compositions = layout_composition_count(runs);
    if (compositions > UINT32_MAX) return size;
    size.layout_bytes = compositions * (sizeof(uint64_t) + sizeof(uint32_t));
    size.cells = layout_cell_count(runs, arena);
    return size;
}

/* Gives every level its place: one behind the other, or in turns in a ring of as many as are needed at a
 * time, which `scratch` has. False when that takes more than `memory` bytes. */
static bool place_levels(struct run_table *table, uint64_t memory, struct arena *arena,
                         struct arena *scratch) {
    struct run_layout *layout = &table->layout;
    uint64_t ring = (uint64_t)serve_choice_most(layout->runs->problem) + 1;
    uint64_t all = 0;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < layout->level_count; i++) {
        all += layout->level_cells[i];
        if (layout->level_cells[i] > largest) largest = layout->level_cells[i];
    }
    if (!table->full && largest * ring >= all) table->full = true;
    uint64_t count = table->full ? all : largest * ring;
    uint64_t guide = table->full ? 0 : guide_size(layout);
    if ((count + layout->graded_cells) * sizeof(int16_t) + guide > memory) return false;
    if (!table->full) guide_make(layout, arena, &table->guide);
    table->graded = arena_array(arena, layout->graded_cells, sizeof *table->graded);
    table->level = arena_array(arena, layout->level_count, sizeof *table->level);
    int16_t *cells = arena_array(table->full ? arena : scratch, count, sizeof *cells);
    int16_t *at = cells;
    for (uint32_t i = 0; i < layout->level_count; i++) {
        table->level[i] = table->full ? at : cells + i % ring * largest;
        at += layout->level_cells[i];
    }
    return true;
}

/* The cell of a state: its composition, and how many instructions its warps have left in each run beyond the
 * one that each of them has. */
static int16_t *run_table_cell(const struct run_table *table, const struct composition *composition,
                               const uint32_t *slack) {
    const struct run_layout *layout = &table->layout;
    uint64_t at = 0;
    for (uint32_t a = 0; a < layout->axis_count; a++) {
        uint32_t j = layout->axes[a];
        at = at * (1 + (uint64_t)run_slack(&layout->runs->items[j], composition->in_run[j])) + slack[j];
    }
    return run_table_cells(table, composition) + at;
}

/* Whether the warps of every group are as many as it has. */
static bool groups_hold(const struct run_list *runs, const uint32_t *in_run) {
    uint32_t warps = 0;
    for (uint32_t j = 0; j < runs->count; j++) {
        warps += in_run[j];
        if (!runs->items[j].last) continue;
        if (warps > runs->problem->groups[runs->items[j].group].warps) return false;
        warps = 0;
    }
    return true;
}

/* Raises the cell of a state of the exact tail, which has counts[s] warps in slot s, to its time. */
static void grade_state(struct run_table *table, const struct exact_tail *tail, const uint32_t *counts,
                        int16_t time) {
    const struct run_list *runs = table->layout.runs;
    struct composition composition = {0};
    uint32_t slack[LAYOUT_RUNS_MAX] = {0};
    for (uint32_t slot = 0; slot < tail->slot_count; slot++) {
        if (counts[slot] == 0) continue;
        uint32_t p = tail->position[slot];
        if (p == UINT32_MAX) return; /* another state of the tail is the same one */
        uint32_t j = runs->of_position[p];
        const struct unit_run *run = &runs->items[j];
        composition.in_run[j] += counts[slot];
        slack[j] += counts[slot] * (run->first + run->length - 1 - p);
    }
    if (!groups_hold(runs, composition.in_run)) return;
    composition.number = composition_number(&table->layout, composition.in_run);
    int16_t *cell = run_table_cell(table, &composition, slack);
    if (time > *cell) *cell = time;
}

/* Fills the graded cells (T3). */
static void grade(struct run_table *table, const struct exact_tail *tail, struct arena *scratch) {
    uint32_t *counts = arena_array(scratch, tail->slot_count, sizeof *counts);
    uint32_t rest = tail->warps;
    for (uint64_t number = 1; multiset_next(&tail->rank, counts, &rest); number++)
        grade_state(table, tail, counts, (int16_t)tail->cycles[number]);
}

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

/* What one thread makes the cells of a composition with, from those of lower levels. */
struct cell_maker {
    const struct run_table *table;
    uint64_t number;    /* of the composition */
    struct arena arena; /* of the choices: of all compositions of the thread */
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

/* The box of the composition's cells, and the places that its warps are served at. */
static void open_composition(struct cell_maker *maker) {
    const struct run_layout *layout = &maker->table->layout;
    const struct composition *composition = &maker->composition;
    composition_at(layout, maker->number, &maker->composition);
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
static void add_choice(struct cell_maker *maker, const struct run_moves *moves) {
    const struct run_layout *layout = &maker->table->layout;
    struct composition target;
    run_moves_target(layout, &maker->composition, moves, &target);
    struct cell_choice choice = {.target = run_table_cells(maker->table, &target),
                                 .axes = maker->choice_axes.count};
    bool inside = moves->leavers == 0;
    arena_reserve(&maker->arena, &maker->choice_axes, (size_t)maker->axis_count + 1); /* never NULL below */
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
    assert(axis == 0);
    if (inside)
        arena_push(&maker->arena, &maker->choices_inside, choice);
    else
        arena_push(&maker->arena, &maker->choices, choice);
}

/* Adds the choices in which the runs serve so many warps: any of those leave, of a run of one instruction
 * all. */
static void add_choices(struct cell_maker *maker) {
    const struct run_list *runs = maker->table->layout.runs;
    for (uint32_t i = 0; i < maker->serve.count; i++) {
        const struct serve_place *place = &maker->serve.places[i];
        maker->moves.most[place->at] = place->served;
        maker->moves.fewest[place->at] = runs->items[place->at].length == 1 ? place->served : 0;
    }
    run_moves_first(runs, &maker->serve, &maker->moves);
    do {
        add_choice(maker, &maker->moves);
    } while (run_moves_next(runs, &maker->serve, &maker->moves));
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

/* Fills the cells of the maker's composition: what a thread does, its arena protected. */
static void make_cells(void *context) {
    struct cell_maker *maker = context;
    const struct run_table *table = maker->table;
    open_composition(maker);
    serve_choice_first(&maker->serve);
    do {
        add_choices(maker);
    } while (serve_choice_next(&maker->serve));
    const uint32_t count = maker->axis_count;
    int16_t *cells = run_table_cells(table, &maker->composition);
    struct plane plane = {.cells = cells,
                          .rows = count > 1 ? maker->extent[count - 2] : 1,
                          .columns = count > 0 ? maker->extent[count - 1] : 1,
                          .outer_count = count > 2 ? count - 2 : 0};
    for (bool more = true; more;) {
        make_plane(maker, &plane);
        plane.cells += (size_t)plane.rows * plane.columns;
        uint32_t a = plane.outer_count;
        while (a > 0 && ++plane.outer[a - 1] == maker->extent[a - 1])
            plane.outer[--a] = 0;
        more = a > 0;
    }
    if (!table->full) guide_keep(&table->guide, &table->layout, &maker->composition, cells);
}

/* The threads that make a table. */
struct table_crew {
    const struct makespan_run *run;
    struct run_table *table;
    struct cell_maker *makers; /* per thread */
    uint32_t threads;
    uint64_t cells; /* all, and those made: for progress */
    uint64_t cells_made;
    bool stop;   /* makespan_goes_on said no */
    bool failed; /* memory is exhausted */
};

/* Makes the cells of one composition of the level; asks now and then whether to go on. */
static void make_one(struct table_crew *crew, uint64_t index, uint32_t *polled) {
    bool stop;
#pragma omp atomic read
    stop = crew->stop;
    if (stop) return;
    int thread = omp_get_thread_num();
    if (thread == 0 && ++*polled % TABLE_POLL == 0 &&
        !makespan_goes_on(crew->run, "exact: run abstraction", crew->cells_made, crew->cells)) {
#pragma omp atomic write
        crew->stop = true;
    }
    struct cell_maker *maker = &crew->makers[thread];
    maker->number = crew->table->layout.order[index];
    if (arena_protect(&maker->arena, make_cells, maker) != WB_OK) {
#pragma omp atomic write
        crew->failed = true;
    }
}

/* Makes one level. False when it was stopped or memory is exhausted. */
static bool make_level(struct table_crew *crew, uint32_t level) {
    const struct run_layout *layout = &crew->table->layout;
    uint64_t start = layout->level_start[level];
    uint64_t end = layout->level_start[level + 1];
    bool parallel = layout->level_cells[level] >= LEVEL_CELLS_PARALLEL;
    uint32_t polled = 0;
#pragma omp parallel for if (parallel) num_threads(crew->threads) schedule(dynamic, 1) firstprivate(polled)
    for (uint64_t i = start; i < end; i++)
        make_one(crew, i, &polled);
    crew->cells_made += layout->level_cells[level];
    if (!makespan_goes_on(crew->run, "exact: run abstraction", crew->cells_made, crew->cells))
        crew->stop = true;
    return !crew->stop && !crew->failed;
}

/* Makes all levels; false when it was stopped. */
static bool make_levels(const struct makespan_run *run, struct run_table *table, struct arena *scratch) {
    struct table_crew crew = {.run = run, .table = table, .threads = makespan_threads(run->settings)};
    crew.makers = arena_array(scratch, crew.threads, sizeof *crew.makers);
    for (uint32_t i = 0; i < crew.threads; i++) {
        crew.makers[i] = (struct cell_maker){.table = table, .row_max = row_max_best()};
        const struct run_list *runs = table->layout.runs;
        serve_choice_make(runs->problem, runs->count, scratch, &crew.makers[i].serve);
    }
    for (uint32_t level = 0; level < table->layout.level_count; level++)
        crew.cells += table->layout.level_cells[level];
    bool goes_on = true;
    for (uint32_t level = 0; goes_on && level < table->layout.level_count; level++)
        goes_on = make_level(&crew, level);
    for (uint32_t i = 0; i < crew.threads; i++)
        arena_free(&crew.makers[i].arena);
    if (crew.failed) arena_fail(scratch, WB_ERR_LIMIT);
    return !crew.stop;
}

/* The bound of the initial state. */
static uint32_t initial_bound(const struct run_table *table) {
    const struct run_list *runs = table->layout.runs;
    struct composition composition = {0};
    uint32_t slack[LAYOUT_RUNS_MAX] = {0};
    for (uint32_t g = 0; g < runs->problem->group_count; g++) {
        const struct string_group *group = &runs->problem->groups[g];
        uint32_t j = runs->of_position[group->first];
        composition.in_run[j] = group->warps;
        slack[j] = run_slack(&runs->items[j], group->warps);
    }
    composition_at(&table->layout, composition_number(&table->layout, composition.in_run), &composition);
    return (uint32_t)*run_table_cell(table, &composition, slack);
}

enum run_table_outcome run_table_make(const struct makespan_run *run, const struct run_list *runs,
                                      const struct exact_tail *tail, bool full, uint64_t memory,
                                      struct arena *arena, struct run_table *table) {
    enum run_table_outcome outcome = RUN_TABLE_STOPPED;
    struct arena scratch = {0};
    arena_bind(&scratch, arena);
    *table = (struct run_table){.full = full};
    layout_make(run, runs, tail->warps, arena, &table->layout);
    bool fits = !table->layout.stopped && place_levels(table, memory, arena, &scratch);
    if (!table->layout.stopped && !fits) outcome = RUN_TABLE_TOO_LARGE;
    if (!table->layout.stopped && fits) {
        grade(table, tail, &scratch);
        if (make_levels(run, table, &scratch)) outcome = RUN_TABLE_MADE;
    }
    if (outcome == RUN_TABLE_MADE) table->initial = initial_bound(table);
    arena_free(&scratch);
    return outcome;
}

uint32_t run_table_cycles(const struct run_table *table, const struct composition *composition,
                          const uint32_t *slack) {
    if (table->full || composition->warps <= table->layout.graded_warps)
        return (uint32_t)*run_table_cell(table, composition, slack);
    return guide_estimate(&table->guide, &table->layout, composition, slack);
}

void run_table_place(const struct run_table *table, const uint16_t *counts, struct composition *composition,
                     uint32_t *slack) {
    const struct run_list *runs = table->layout.runs;
    composition->level = 0;
    composition->warps = 0;
    uint32_t cumulative = 0;
    for (uint32_t j = 0; j < runs->count; j++) {
        const struct unit_run *run = &runs->items[j];
        uint32_t warps = 0;
        slack[j] = 0;
        for (uint32_t i = 0; i < run->length; i++) {
            slack[j] += warps; /* so each warp counts once for every position of the run behind its own */
            warps += counts[run->first + i];
        }
        composition->in_run[j] = warps;
        composition->warps += warps;
        cumulative += warps;
        composition->level += cumulative;
        if (run->last) cumulative = 0;
    }
    composition->number = composition_number(&table->layout, composition->in_run);
}

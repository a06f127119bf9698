#include "wings/makespan/segment/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wings/makespan/states/row_max.h"

/* The cell of a state that has counts[p] warps at position p; its cycles are 0. */
static struct segment_tail_cell cell_of(const struct segment_layout *layout, const uint32_t *counts) {
    const struct segment_abstraction *abstraction = layout->abstraction;
    uint32_t warps[SEGMENT_PLACES_MAX] = {0};
    int32_t left[SEGMENT_COUNTERS_MAX] = {0};
    struct segment_tail_cell cell = {.layer = 0};
    for (uint32_t p = 0; p < abstraction->problem->position_count; p++) {
        if (counts[p] == 0) continue;
        warps[abstraction->place[p]] += counts[p];
        for (uint32_t h = 0; h < abstraction->counter_count; h++) {
            uint32_t more = counts[p] * abstraction->left[p][h];
            left[h] += (int32_t)more;
            cell.layer += more;
        }
    }
    cell.composition = segment_composition(layout, warps, NULL);
    cell.row = segment_row_index(layout, &layout->boxes[cell.composition], left, NULL);
    cell.column = left[0];
    return cell;
}

/* Counts the warps of a multiset of slots by position. False: some are in gaps. */
static bool to_positions(const struct exact_tail *exact, const uint32_t *slots, uint32_t *counts) {
    for (uint32_t slot = 0; slot < exact->slot_count; slot++) {
        if (exact->position[slot] != UINT32_MAX)
            counts[exact->position[slot]] = slots[slot];
        else if (slots[slot] > 0)
            return false;
    }
    return true;
}

/* Whether there are as many warps in every group. */
static bool has_warps(const struct makespan_problem *problem, const uint32_t *counts) {
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        uint64_t warps = 0;
        for (uint32_t i = 0; i < group->length; i++)
            warps += counts[group->first + i];
        if (warps > group->warps) return false;
    }
    return true;
}

/* Places all states of the table. */
static void place_states(const struct segment_layout *layout, const struct exact_tail *exact,
                         struct arena *arena, struct segment_tail *tail) {
    uint32_t *slots = arena_array(arena, exact->slot_count, sizeof *slots);
    uint32_t *counts = arena_array(arena, exact->problem->position_count, sizeof *counts);
    uint32_t rest = exact->warps;
    uint64_t number = 0;
    do {
        if (to_positions(exact, slots, counts) && has_warps(exact->problem, counts)) {
            struct segment_tail_cell cell = cell_of(layout, counts);
            cell.cycles = exact->cycles[number];
            arena_push(arena, &tail->cells, cell);
        }
        number++;
    } while (multiset_next(&exact->rank, slots, &rest));
}

static int compare_layers(const void *left, const void *right) {
    const struct segment_tail_cell *a = left;
    const struct segment_tail_cell *b = right;
    if (a->layer != b->layer) return a->layer < b->layer ? -1 : 1;
    return a->composition < b->composition ? -1 : a->composition > b->composition;
}

void segment_tail_make(const struct segment_layout *layout, const struct exact_tail *exact,
                       struct arena *arena, struct segment_tail *tail) {
    *tail = (struct segment_tail){.warps = 0};
    if (exact == NULL) {
        arena_push(arena, &tail->cells, (struct segment_tail_cell){.layer = 0});
        return;
    }
    tail->warps = exact->warps;
    place_states(layout, exact, arena, tail);
    qsort(tail->cells.items, tail->cells.count, sizeof *tail->cells.items, compare_layers);
}

/* A composition that has no cells in a layer. */
#define ABSENT UINT32_MAX

/* Layers with fewer rows are made by one thread: waiting for others would take longer. */
#define PARALLEL_ROWS_MIN 2000u

/* Cells of one composition and layer that differ in the swapped counters alone. */
struct row {
    uint64_t first; /* among the layer's values: that of the cell whose counter 0 is `low` */
    int32_t low;
    int32_t count; /* 0: no cells */
};

/* Room for items that is kept from layer to layer, until it has to grow. */
struct room {
    struct arena arena;
    size_t items;
};

/* The values of cells: the bound plus 1, or 0 where no state can be. */
struct layer {
    uint32_t *first_row; /* per composition, or ABSENT */
    uint32_t row_count;
    struct row *rows;
    int16_t *values;
    struct room row_room, value_room;
};

struct table {
    struct arena *arena; /* protected */
    const struct segment_layout *layout;
    const struct segment_abstraction *abstraction;
    const struct segment_tail *tail;
    size_t tail_next; /* the next of its cells */
    row_max_function *row_max;
    uint32_t threads;
    struct layer *ring; /* the layer of n instructions is ring[n % ring_size] */
    uint32_t ring_size;
    uint32_t *present; /* compositions of the layer that is being made */
    uint32_t present_count;
    uint64_t memory; /* bytes that layers may still take */
};

/* A row of one composition with its outer counters, and in each direction what is left of the warps' reach
 * when counter 0 is 0: a cell of the row is possible where slope * counter 0 <= bounds. */
struct row_walk {
    const struct segment_abstraction *abstraction;
    const struct segment_box *box;
    int32_t left[SEGMENT_COUNTERS_MAX];
    int32_t bounds[SEGMENT_DIRECTIONS_MAX];
};

/* Adds `steps` to an outer counter; counter 1 makes up for it. */
static void walk_along(struct row_walk *walk, uint32_t counter, int32_t steps) {
    const struct segment_abstraction *abstraction = walk->abstraction;
    walk->left[counter] += steps;
    for (uint32_t d = 0; d < abstraction->direction_count; d++)
        walk->bounds[d] += steps * (abstraction->directions[d][1] - abstraction->directions[d][counter]);
}

/* The first row of a box in a layer. */
static struct row_walk walk_begin(const struct segment_layout *layout, uint32_t composition, uint32_t layer) {
    const struct segment_abstraction *abstraction = layout->abstraction;
    const uint32_t *warps = layout->warps + (size_t)composition * abstraction->place_count;
    struct row_walk walk = {.abstraction = abstraction, .box = &layout->boxes[composition]};
    for (uint32_t d = 0; d < abstraction->direction_count; d++)
        walk.bounds[d] = -abstraction->directions[d][1] * (int32_t)layer;
    for (uint32_t i = 0; i < abstraction->place_count; i++)
        for (uint32_t d = 0; d < abstraction->direction_count; d++)
            walk.bounds[d] += (int32_t)warps[i] * abstraction->places[i].reach[d];
    for (uint32_t h = SEGMENT_OUTER; h < abstraction->counter_count; h++)
        walk_along(&walk, h, walk.box->low[h]);
    return walk;
}

/* Goes to the next row; false at the last. */
static bool walk_next(struct row_walk *walk) {
    for (uint32_t h = SEGMENT_OUTER; h < walk->abstraction->counter_count; h++) {
        if (walk->left[h] < walk->box->low[h] + walk->box->extent[h] - 1) {
            walk_along(walk, h, 1);
            return true;
        }
        walk_along(walk, h, 1 - walk->box->extent[h]);
    }
    return false;
}

/* a / b rounded down, for b > 0. */
static int32_t divide_down(int32_t a, int32_t b) {
    int32_t quotient = a / b;
    return a % b < 0 ? quotient - 1 : quotient;
}

/* Narrows the values from *low to *high of counter 0 to those that the bounds allow. */
static void narrow(const struct row_walk *walk, int32_t *low, int32_t *high) {
    for (uint32_t d = 0; d < walk->abstraction->direction_count; d++) {
        int32_t slope = walk->abstraction->slope[d];
        int32_t bound = walk->bounds[d];
        if (slope > 0 && slope * *high > bound)
            *high = divide_down(bound, slope);
        else if (slope < 0 && slope * *low > bound)
            *low = -divide_down(bound, -slope);
        else if (slope == 0 && bound < 0)
            *high = INT32_MIN;
        if (*low > *high) return;
    }
}

/* Finds the cells of all rows of a composition. */
static void measure_rows(const struct table *table, struct layer *layer, uint32_t layer_number,
                         uint32_t composition) {
    struct row *row = layer->rows + layer->first_row[composition];
    struct row_walk walk = walk_begin(table->layout, composition, layer_number);
    do {
        int32_t low = 0;
        int32_t high = (int32_t)layer_number;
        narrow(&walk, &low, &high);
        *row++ = (struct row){.low = low, .count = low <= high ? high - low + 1 : 0};
    } while (walk_next(&walk));
}

/* Finds the compositions of a layer and numbers its rows. False: too many. */
static bool find_present(struct table *table, struct layer *layer, uint32_t layer_number) {
    uint64_t rows = 0;
    table->present_count = 0;
    for (uint32_t k = 0; k < table->layout->composition_count; k++) {
        const struct segment_box *box = &table->layout->boxes[k];
        bool here = box->first_layer <= layer_number && layer_number <= box->last_layer;
        layer->first_row[k] = here ? (uint32_t)rows : ABSENT;
        if (!here) continue;
        table->present[table->present_count++] = k;
        rows += box->rows;
        if (rows >= ABSENT) return false;
    }
    layer->row_count = (uint32_t)rows;
    return true;
}

/* Makes room for `count` items of `size` bytes; what was there is lost. False where the table's memory does
 * not suffice. */
static bool make_room(struct table *table, struct room *room, void **items, size_t count, size_t size) {
    if (count <= room->items && *items != NULL) return true;
    table->memory += room->items * size;
    *items = NULL;
    room->items = 0;
    if (room->arena.bound_to != NULL) arena_free(&room->arena);
    size_t wanted = count + count / 4 + 1;
    if (wanted > table->memory / size) return false;
    arena_bind(&room->arena, table->arena);
    *items = arena_array(&room->arena, wanted, size);
    room->items = wanted;
    table->memory -= wanted * size;
    return true;
}

static uint32_t threads_for(const struct table *table, const struct layer *layer) {
    return layer->row_count < PARALLEL_ROWS_MIN ? 1 : table->threads;
}

/* Lays out a layer: its rows, and its values, none of which a state is known to have. False where it does not
 * fit the memory. */
static bool open_layer(struct table *table, struct layer *layer, uint32_t layer_number) {
    if (!find_present(table, layer, layer_number)) return false;
    if (!make_room(table, &layer->row_room, (void **)&layer->rows, layer->row_count, sizeof *layer->rows))
        return false;
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads_for(table, layer))
    for (uint32_t i = 0; i < table->present_count; i++)
        measure_rows(table, layer, layer_number, table->present[i]);
    uint64_t values = 0;
    for (uint32_t i = 0; i < layer->row_count; i++) {
        layer->rows[i].first = values;
        values += (uint64_t)layer->rows[i].count;
    }
    if (!make_room(table, &layer->value_room, (void **)&layer->values, values, sizeof *layer->values))
        return false;
    if (values > 0) memset(layer->values, 0, values * sizeof *layer->values);
    return true;
}

/* One way for all cells of a composition, in the layer `number`: where it leads. */
struct crossing {
    const struct segment_cycle *way;
    const struct layer *target_layer;
    const struct segment_box *target_box;
    const struct row *target_rows; /* of the composition that it leads to */
};

/* Raises the cells of a row where the way is possible to what it leads to. */
static void raise_row(const struct table *table, const struct crossing *crossing, const struct row_walk *walk,
                      const struct row *row, int16_t *values) {
    if (row->count == 0) return;
    const struct segment_cycle *way = crossing->way;
    uint32_t index = segment_row_index(table->layout, crossing->target_box, walk->left, way->executed);
    if (index == UINT32_MAX) return;
    const struct row *target = &crossing->target_rows[index];
    if (target->count == 0) return;
    int32_t target_low = target->low + way->executed[0];
    int32_t target_high = target_low + target->count - 1;
    int32_t low = row->low > target_low ? row->low : target_low;
    int32_t high = row->low + row->count - 1;
    if (high > target_high) high = target_high;
    if (low > high) return;
    narrow(walk, &low, &high);
    if (low > high) return;
    const struct number_box box = {
        .from = crossing->target_layer->values + target->first + (low - target_low),
        .step = 1,
        .rows = 1,
        .columns = (size_t)(high - low) + 1,
    };
    table->row_max(values + row->first + (low - row->low), 0, &box);
}

/* Raises the cells of a composition to what one way leads to; `walk` is at its first row. */
static void raise_way(const struct table *table, uint32_t number, uint32_t composition,
                      const struct segment_cycle *way, struct row_walk walk) {
    const struct segment_layout *layout = table->layout;
    const struct layer *layer = &table->ring[number % table->ring_size];
    const uint32_t *warps = layout->warps + (size_t)composition * table->abstraction->place_count;
    uint32_t target = segment_composition(layout, warps, way->change);
    struct crossing crossing = {.way = way, .target_box = &layout->boxes[target]};
    crossing.target_layer = &table->ring[(number - way->issues) % table->ring_size];
    uint32_t first_row = crossing.target_layer->first_row[target];
    if (first_row == ABSENT) return;
    crossing.target_rows = crossing.target_layer->rows + first_row;
    const struct row *row = layer->rows + layer->first_row[composition];
    for (uint32_t d = 0; d < table->abstraction->direction_count; d++)
        walk.bounds[d] += way->correction[d];
    do
        raise_row(table, &crossing, &walk, row++, layer->values);
    while (walk_next(&walk));
}

/* Adds the cycle to values that some way has raised. The greatest number stands for itself and all above. */
static void add_cycle(int16_t *values, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        values[i] = (int16_t)(values[i] + (values[i] != 0 && values[i] != INT16_MAX));
}

/* Fills the cells of a composition in the layer `number` from lower layers. */
static void fill_composition(const struct table *table, uint32_t number, uint32_t composition) {
    const struct segment_choices *choices = table->layout->choices;
    const struct segment_box *box = &table->layout->boxes[composition];
    if (box->warps <= table->tail->warps) return;
    const struct row_walk walk = walk_begin(table->layout, composition, number);
    for (size_t i = choices->first[box->class]; i < choices->first[box->class + 1]; i++)
        raise_way(table, number, composition, &choices->ways.items[i], walk);
    const struct layer *layer = &table->ring[number % table->ring_size];
    const struct row *first = layer->rows + layer->first_row[composition];
    const struct row *last = first + box->rows - 1;
    add_cycle(layer->values + first->first, last->first + (uint64_t)last->count - first->first);
}

/* The value of the cell where a state stands. */
static int16_t *value_of(const struct layer *layer, const struct segment_tail_cell *cell) {
    assert(layer->first_row[cell->composition] != ABSENT && cell->row < layer->row_count);
    const struct row *row = &layer->rows[layer->first_row[cell->composition] + cell->row];
    assert(cell->column >= row->low && cell->column < row->low + row->count);
    return &layer->values[row->first + (uint64_t)(cell->column - row->low)];
}

/* Fills the cells of the exact tail in the layer `number`. */
static void fill_tail(struct table *table, uint32_t number) {
    const struct layer *layer = &table->ring[number % table->ring_size];
    const struct segment_tail *tail = table->tail;
    for (; table->tail_next < tail->cells.count; table->tail_next++) {
        const struct segment_tail_cell *cell = &tail->cells.items[table->tail_next];
        if (cell->layer != number) return;
        int16_t *value = value_of(layer, cell);
        if (*value < (int16_t)cell->cycles + 1) *value = (int16_t)(cell->cycles + 1);
    }
}

/* Makes all layers up to the initial state's. False where it was stopped or they do not fit the memory. */
static bool make_layers(const struct makespan_run *run, struct table *table, uint32_t last) {
    assert(table->ring_size > 0); /* layers are looked back at, and this one is made */
    for (uint32_t number = 0; number <= last; number++) {
        if (!makespan_goes_on(run, "segment abstraction: layers", number, last)) return false;
        struct layer *layer = &table->ring[number % table->ring_size];
        if (!open_layer(table, layer, number)) return false;
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads_for(table, layer))
        for (uint32_t i = 0; i < table->present_count; i++)
            fill_composition(table, number, table->present[i]);
        fill_tail(table, number);
    }
    return true;
}

/* The state in which no warp has executed anything. */
static struct segment_tail_cell initial_cell(const struct segment_layout *layout, struct arena *arena) {
    const struct makespan_problem *problem = layout->abstraction->problem;
    uint32_t *counts = arena_array(arena, problem->position_count, sizeof *counts);
    for (uint32_t g = 0; g < problem->group_count; g++)
        counts[problem->groups[g].first] = problem->groups[g].warps;
    return cell_of(layout, counts);
}

/* Makes an empty ring, with what compositions need. False where the memory does not suffice. */
static bool table_make(struct table *table) {
    uint64_t count = table->layout->composition_count;
    uint64_t fixed = (count * table->ring_size + count) * sizeof(uint32_t);
    if (fixed > table->memory) return false;
    table->memory -= fixed;
    table->ring = arena_array(table->arena, table->ring_size, sizeof *table->ring);
    table->present = arena_array(table->arena, count, sizeof *table->present);
    for (uint32_t i = 0; i < table->ring_size; i++)
        table->ring[i].first_row = arena_array(table->arena, count, sizeof(uint32_t));
    return true;
}

static void table_free(struct table *table) {
    for (uint32_t i = 0; table->ring != NULL && i < table->ring_size; i++) {
        arena_free(&table->ring[i].row_room.arena);
        arena_free(&table->ring[i].value_room.arena);
    }
    arena_free(table->arena);
}

/* One layer more than the most instructions of a cycle. */
static uint32_t ring_size_for(const struct segment_choices *choices) {
    uint32_t most = 0;
    for (size_t i = 0; i < choices->ways.count; i++)
        if (choices->ways.items[i].issues > most) most = choices->ways.items[i].issues;
    return most + 1;
}

uint32_t segment_table_bound(const struct makespan_run *run, const struct segment_layout *layout,
                             const struct segment_tail *tail, uint64_t memory) {
    struct arena scratch = {0};
    struct table table = {.arena = &scratch,
                          .layout = layout,
                          .abstraction = layout->abstraction,
                          .tail = tail,
                          .row_max = row_max_best(),
                          .threads = makespan_threads(run->settings),
                          .ring_size = ring_size_for(layout->choices),
                          .memory = memory};
    uint32_t bound = SEGMENT_NO_BOUND;
    arena_bind(&scratch, run->arena);
    const struct segment_tail_cell initial = initial_cell(layout, &scratch);
    if (table_make(&table) && make_layers(run, &table, initial.layer)) {
        int16_t value = *value_of(&table.ring[initial.layer % table.ring_size], &initial);
        if (value != INT16_MAX) bound = (uint32_t)value - 1;
    }
    table_free(&table);
    return bound;
}

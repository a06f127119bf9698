#include "wings/makespan/exact/run_layout.h"

#include <assert.h>
#include <string.h>

#include "base/cycles.h"

/* How many compositions pass between two questions whether to go on. */
#define COMPOSITIONS_POLL ((uint64_t)1 << 14)

/* The first run of a group's string, and one past the last. */
static uint32_t first_run(const struct run_list *runs, uint32_t group) {
    return runs->of_position[runs->problem->groups[group].first];
}

static uint32_t end_run(const struct run_list *runs, uint32_t group) {
    const struct string_group *g = &runs->problem->groups[group];
    return runs->of_position[g->first + g->length - 1] + 1;
}

uint64_t layout_composition_count(const struct run_list *runs) {
    uint64_t count = 1;
    for (uint32_t g = 0; g < runs->problem->group_count; g++) {
        uint64_t kinds = end_run(runs, g) - first_run(runs, g);
        uint64_t of_group = multiset_count((uint32_t)kinds, runs->problem->groups[g].warps);
        if (__builtin_mul_overflow(count, of_group, &count)) return UINT64_MAX;
    }
    return count;
}

/* Cells of one group. Those by the number of warps in its runs are the coefficients of a product of
 * polynomials, one for each run: the sum over n of (1 + n * slack) * z^n, which is
 * 1 / (1 - z) + slack * z / (1 - z)^2. `cells` has room for all warps. */
static uint64_t group_cells(const struct run_list *runs, uint32_t group, uint64_t *cells) {
    uint32_t warps = runs->problem->groups[group].warps;
    for (uint32_t n = 0; n <= warps; n++)
        cells[n] = n == 0;
    for (uint32_t j = first_run(runs, group); j < end_run(runs, group); j++) {
        uint64_t slack = runs->items[j].length - 1;
        uint64_t once = 0;
        uint64_t twice = 0;
        for (uint32_t n = 0; n <= warps; n++) {
            twice = cycles_add(twice, once);
            once = cycles_add(once, cells[n]);
            cells[n] = cycles_add(once, cycles_mul(slack, twice));
        }
    }
    uint64_t sum = 0;
    for (uint32_t n = 0; n <= warps; n++)
        sum = cycles_add(sum, cells[n]);
    return sum;
}

uint64_t layout_cell_count(const struct run_list *runs, const struct arena *arena) {
    struct arena scratch = {0};
    arena_bind(&scratch, arena);
    uint64_t *cells = arena_array(&scratch, (size_t)runs->problem->warp_count + 1, sizeof *cells);
    uint64_t count = 1;
    for (uint32_t g = 0; g < runs->problem->group_count; g++)
        count = cycles_mul(count, group_cells(runs, g, cells));
    arena_free(&scratch);
    return count;
}

/* The axes: runs of more than one instruction, the shortest first. */
static void choose_axes(struct run_layout *layout) {
    const struct run_list *runs = layout->runs;
    for (uint32_t j = 0; j < runs->count; j++) {
        if (runs->items[j].length == 1) continue;
        uint32_t a = layout->axis_count++;
        for (; a > 0 && runs->items[layout->axes[a - 1]].length > runs->items[j].length; a--)
            layout->axes[a] = layout->axes[a - 1];
        layout->axes[a] = j;
    }
}

/* Numbers the compositions and allocates what is kept of each. */
static void number_compositions(struct run_layout *layout, struct arena *arena) {
    const struct makespan_problem *problem = layout->runs->problem;
    layout->rank = arena_array(arena, problem->group_count, sizeof *layout->rank);
    layout->stride = arena_array(arena, problem->group_count, sizeof *layout->stride);
    layout->first_run = arena_array(arena, problem->group_count, sizeof *layout->first_run);
    uint64_t count = 1;
    uint64_t levels = 1;
    for (uint32_t g = problem->group_count; g-- > 0;) {
        layout->first_run[g] = first_run(layout->runs, g);
        uint32_t kinds = end_run(layout->runs, g) - layout->first_run[g];
        multiset_rank_make(kinds, problem->groups[g].warps, arena, &layout->rank[g]);
        layout->stride[g] = count;
        count *= layout->rank[g].count;
        levels += (uint64_t)kinds * problem->groups[g].warps;
    }
    layout->composition_count = count;
    layout->level_count = (uint32_t)levels;
    assert(count <= UINT32_MAX && levels <= UINT32_MAX);
    layout->offset = arena_array(arena, count, sizeof *layout->offset);
    layout->order = arena_array(arena, count, sizeof *layout->order);
    layout->level_start = arena_array(arena, levels + 1, sizeof *layout->level_start);
    layout->level_cells = arena_array(arena, levels, sizeof *layout->level_cells);
}

/* Completes a composition whose in_run is set. */
static void complete(const struct run_layout *layout, struct composition *composition) {
    composition->level = 0;
    composition->warps = 0;
    uint32_t cumulative = 0;
    for (uint32_t j = 0; j < layout->runs->count; j++) {
        composition->warps += composition->in_run[j];
        cumulative += composition->in_run[j];
        composition->level += cumulative;
        if (layout->runs->items[j].last) cumulative = 0;
    }
}

/* Goes to the composition with the next number; `rest` are the warps of each group that are in no run. False
 * at the last. */
static bool composition_next(const struct run_layout *layout, struct composition *composition,
                             uint32_t *rest) {
    const struct run_list *runs = layout->runs;
    for (uint32_t g = runs->problem->group_count; g-- > 0;) {
        uint32_t *in_run = composition->in_run + layout->first_run[g];
        if (multiset_next(&layout->rank[g], in_run, &rest[g])) {
            composition->number++;
            complete(layout, composition);
            return true;
        }
        memset(in_run, 0, layout->rank[g].kinds * sizeof *in_run);
        rest[g] = runs->problem->groups[g].warps;
    }
    return false;
}

static uint64_t cells_of(const struct run_layout *layout, const struct composition *composition) {
    uint64_t cells = 1;
    for (uint32_t a = 0; a < layout->axis_count; a++) {
        uint32_t j = layout->axes[a];
        cells *= 1 + (uint64_t)run_slack(&layout->runs->items[j], composition->in_run[j]);
    }
    return cells;
}

/* Counts cells by level, gives every composition its place there, then sorts compositions by level. */
static void lay_out(struct run_layout *layout, struct arena *arena) {
    const struct makespan_problem *problem = layout->runs->problem;
    uint32_t *rest = arena_array(arena, problem->group_count, sizeof *rest);
    uint64_t *at = arena_array(arena, layout->level_count, sizeof *at);
    for (int pass = 0; pass < 2 && !layout->stopped; pass++) {
        struct composition composition = {0};
        for (uint32_t g = 0; g < problem->group_count; g++)
            rest[g] = problem->groups[g].warps;
        do {
            bool graded = composition.warps <= layout->graded_warps;
            if (pass == 0) {
                uint64_t *cells = graded ? &layout->graded_cells : &layout->level_cells[composition.level];
                layout->offset[composition.number] = *cells;
                *cells += cells_of(layout, &composition);
                if (!graded) layout->level_start[composition.level + 1]++;
            } else if (!graded) {
                layout->order[at[composition.level]++] = (uint32_t)composition.number;
            }
        } while (layout_goes_on(layout, composition.number) && composition_next(layout, &composition, rest));
        for (uint32_t level = 0; pass == 0 && level < layout->level_count; level++) {
            layout->level_start[level + 1] += layout->level_start[level];
            at[level] = layout->level_start[level];
        }
    }
}

bool layout_goes_on(struct run_layout *layout, uint64_t number) {
    if (number % COMPOSITIONS_POLL == COMPOSITIONS_POLL - 1)
        layout->stopped =
            !makespan_goes_on(layout->run, "exact: run abstraction", number, layout->composition_count);
    return !layout->stopped;
}

void layout_make(const struct makespan_run *run, const struct run_list *runs, uint32_t graded_warps,
                 struct arena *arena, struct run_layout *layout) {
    assert(runs->count <= LAYOUT_RUNS_MAX);
    *layout = (struct run_layout){.run = run, .runs = runs, .graded_warps = graded_warps};
    choose_axes(layout);
    number_compositions(layout, arena);
    lay_out(layout, arena);
}

void composition_at(const struct run_layout *layout, uint64_t number, struct composition *composition) {
    assert(number < layout->composition_count);
    composition->number = number;
    for (uint32_t g = 0; g < layout->runs->problem->group_count; g++) {
        multiset_at(&layout->rank[g], number / layout->stride[g], composition->in_run + layout->first_run[g]);
        number %= layout->stride[g];
    }
    complete(layout, composition);
}

uint64_t composition_number(const struct run_layout *layout, const uint32_t *in_run) {
    uint64_t number = 0;
    for (uint32_t g = 0; g < layout->runs->problem->group_count; g++)
        number += layout->stride[g] * multiset_number(&layout->rank[g], in_run + layout->first_run[g]);
    assert(number < layout->composition_count);
    return number;
}

/* Sets how many of the warps that a run serves leave it. */
static void set_leave(const struct run_list *runs, const struct serve_place *place, uint32_t leave,
                      struct run_moves *moves) {
    uint32_t j = place->at;
    moves->leavers = moves->leavers - moves->leave[j] + leave;
    moves->leave[j] = leave;
    moves->stay[j] = place->served - leave;
    if (!runs->items[j].last) moves->arrive[j + 1] = leave;
}

void run_moves_first(const struct run_list *runs, const struct serve_choice *serve, struct run_moves *moves) {
    size_t size = runs->count * sizeof *moves->leave;
    memset(moves->leave, 0, size);
    memset(moves->arrive, 0, size);
    memset(moves->stay, 0, size);
    moves->leavers = 0;
    for (uint32_t i = 0; i < serve->count; i++)
        set_leave(runs, &serve->places[i], moves->fewest[serve->places[i].at], moves);
}

bool run_moves_next(const struct run_list *runs, const struct serve_choice *serve, struct run_moves *moves) {
    for (uint32_t i = 0; i < serve->count; i++) {
        const struct serve_place *place = &serve->places[i];
        if (moves->leave[place->at] < moves->most[place->at]) {
            set_leave(runs, place, moves->leave[place->at] + 1, moves);
            return true;
        }
        set_leave(runs, place, moves->fewest[place->at], moves);
    }
    return false;
}

void run_moves_target(const struct run_layout *layout, const struct composition *from,
                      const struct run_moves *moves, struct composition *target) {
    const struct run_list *runs = layout->runs;
    assert(from->level >= moves->leavers);
    target->number = from->number;
    target->level = from->level - moves->leavers;
    target->warps = from->warps;
    uint32_t cumulative = 0;
    for (uint32_t j = 0; j < runs->count; j++) {
        const struct unit_run *run = &runs->items[j];
        cumulative += from->in_run[j];
        target->in_run[j] = from->in_run[j] - moves->leave[j] + moves->arrive[j];
        if (moves->leave[j] > 0) {
            const uint64_t *steps =
                multiset_steps(&layout->rank[run->group], j - layout->first_run[run->group]);
            target->number -=
                layout->stride[run->group] * (steps[cumulative] - steps[cumulative - moves->leave[j]]);
            if (run->last) target->warps -= moves->leave[j];
        }
        if (run->last) cumulative = 0;
    }
}

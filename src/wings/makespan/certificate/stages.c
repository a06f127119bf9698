#include "wings/makespan/certificate/stages.h"

#include <assert.h>
#include <string.h>

#include "base/cycles.h"

/* Tables for which the compositions have so many stages in all are refused: looking at each would take
 * minutes before the first value is found wrong. */
#define STAGES_IN_ALL_MAX (UINT64_C(1) << 36)

/* The entry of `before` for stage j, `rest` warps of its pool that are in none of the stages in front of it,
 * and n: how many cells there are, counting only stages from j on, with fewer than n warps in stage j. With
 * n = rest + 1 these are all cells of stages from j on. */
static uint64_t *cells_before(const struct stage_table *table, uint32_t j, uint32_t rest) {
    return table->before + ((uint64_t)j * (table->width - 1) + rest) * table->width;
}

/* All cells of the stages behind j, `rest` warps of j's pool being in none up to j. */
static uint64_t cells_behind(const struct stage_table *table, uint32_t j, uint32_t rest) {
    if (j + 1 == table->stage_count) return 1;
    if (table->stages[j + 1].opens) rest = table->pools[table->stages[j + 1].pool];
    return cells_before(table, j + 1, rest)[rest + 1];
}

static uint64_t slack(const struct stage *stage, uint32_t warps) {
    return (uint64_t)warps * (stage->length - 1);
}

static void count_cells(struct stage_table *table) {
    for (uint32_t j = table->stage_count; j-- > 0;) {
        const struct stage *stage = &table->stages[j];
        for (uint32_t rest = 0; rest <= table->pools[stage->pool]; rest++) {
            uint64_t *before = cells_before(table, j, rest);
            for (uint32_t n = 0; n <= rest; n++) {
                uint64_t cells = cycles_mul(1 + slack(stage, n), cells_behind(table, j, rest - n));
                before[n + 1] = cycles_add(before[n], cells);
            }
        }
    }
    uint32_t all = table->pools[0];
    table->cells = cells_before(table, 0, all)[all + 1];
}

/* Counts the cells of a table whose stages and pools are set, then makes room for their values. */
static bool lay_out(struct stage_table *table, uint64_t memory, struct arena *arena) {
    table->long_stages = arena_array(arena, table->stage_count, sizeof *table->long_stages);
    for (uint32_t j = 0; j < table->stage_count; j++)
        if (table->stages[j].length > 1) table->long_stages[table->long_count++] = j;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < table->pool_count; i++)
        if (table->pools[i] > largest) largest = table->pools[i];
    table->width = largest + 2;
    uint64_t row_bytes = table->width * sizeof *table->before;
    uint64_t bytes = cycles_mul(cycles_mul(table->width - 1, row_bytes), table->stage_count);
    if (bytes > memory) return false;
    table->before = arena_alloc(arena, bytes);
    count_cells(table);
    if (cycles_mul(table->cells, sizeof *table->values) > memory - bytes) return false;
    if (cycles_mul(table->cells, table->stage_count) > STAGES_IN_ALL_MAX) return false;
    table->values = arena_array(arena, table->cells, sizeof *table->values);
    return true;
}

static void make(const struct makespan_problem *problem, uint32_t pool_count, struct arena *arena,
                 struct stage_table *table) {
    *table = (struct stage_table){.problem = problem, .pool_count = pool_count};
    table->stages = arena_array(arena, problem->position_count, sizeof *table->stages);
    table->pools = arena_array(arena, pool_count, sizeof *table->pools);
}

bool stage_table_of_positions(const struct makespan_problem *problem, uint32_t warps, uint64_t memory,
                              struct arena *arena, struct stage_table *table) {
    make(problem, 1, arena, table);
    table->pools[0] = warps;
    table->stage_count = problem->position_count;
    for (uint32_t p = 0; p < problem->position_count; p++)
        table->stages[p] = (struct stage){
            .unit = problem->unit[p], .opens = p == 0, .last = problem->last[p], .first = p, .length = 1};
    return lay_out(table, memory, arena);
}

bool stage_table_of_runs(const struct makespan_problem *problem, uint64_t memory, struct arena *arena,
                         struct stage_table *table) {
    make(problem, problem->group_count, arena, table);
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        table->pools[g] = group->warps;
        for (uint32_t p = group->first; p < group->first + group->length; p++) {
            bool begins = p == group->first || problem->unit[p] != problem->unit[p - 1];
            if (begins)
                table->stages[table->stage_count++] = (struct stage){
                    .unit = problem->unit[p], .opens = p == group->first, .first = p, .pool = g};
            struct stage *stage = &table->stages[table->stage_count - 1];
            stage->length++;
            stage->last = problem->last[p];
        }
    }
    return lay_out(table, memory, arena);
}

uint64_t stage_table_extent(const struct stage_table *table, const uint32_t *counts) {
    uint64_t cells = 1;
    for (uint32_t i = 0; i < table->long_count; i++)
        cells *= 1 + slack(&table->stages[table->long_stages[i]], counts[table->long_stages[i]]);
    return cells;
}

uint64_t stage_table_cell(const struct stage_table *table, const uint32_t *counts) {
    uint64_t cell = 0;
    uint64_t cells_in_front = 1; /* of the stages in front of j, with these warps in them */
    uint32_t rest = 0;
    const uint64_t *before = table->before; /* of stage j */
    const uint64_t size = (uint64_t)(table->width - 1) * table->width;
    for (uint32_t j = 0; j < table->stage_count; j++, before += size) {
        if (table->stages[j].opens) rest = table->pools[table->stages[j].pool];
        cell += cells_in_front * before[(uint64_t)rest * table->width + counts[j]];
        cells_in_front *= 1 + slack(&table->stages[j], counts[j]);
        assert(counts[j] <= rest);
        rest -= counts[j];
    }
    assert(cell < table->cells);
    return cell;
}

void stage_walk_make(const struct stage_table *table, struct arena *arena, struct stage_walk *walk) {
    *walk = (struct stage_walk){.table = table};
    walk->counts = arena_array(arena, table->stage_count, sizeof *walk->counts);
    walk->rest = arena_array(arena, table->pool_count, sizeof *walk->rest);
    for (uint32_t i = 0; i < table->pool_count; i++)
        walk->rest[i] = table->pools[i];
}

bool stage_walk_next(struct stage_walk *walk) {
    const struct stage_table *table = walk->table;
    walk->cell += stage_table_extent(table, walk->counts);
    walk->number++;
    for (uint32_t j = table->stage_count; j-- > 0;) {
        uint32_t *rest = &walk->rest[table->stages[j].pool];
        if (*rest > 0) {
            --*rest;
            walk->counts[j]++;
            walk->warps++;
            return true;
        }
        *rest += walk->counts[j];
        walk->warps -= walk->counts[j];
        walk->counts[j] = 0;
    }
    return false;
}

/* Tables of fewer cells are looked at by one thread: starting others takes longer. */
#define CELLS_PARALLEL 10000u

/* A transition that is possible in a box of cells: one of its axes. */
struct axis {
    uint32_t size;        /* cells */
    uint64_t stride;      /* from one to the next */
    uint64_t next_stride; /* and between their successors */
};

/* A stage with warps in it. */
struct occupied {
    uint32_t stage;
    uint32_t behind[UNIT_TYPES]; /* warps in later stages, by unit type */
};

/* The transitions of one composition in the making: in stages before the one that is being decided, `served`
 * warps execute and `leaving` of them leave. */
struct transition {
    const struct stage_table *table;
    const uint32_t *counts; /* per stage: the composition */
    uint64_t cell;          /* its first cell */
    struct occupied *occupied;
    uint32_t occupied_count;
    uint32_t *served;               /* per stage */
    uint32_t *leaving;              /* per stage */
    uint32_t *next_counts;          /* per stage: the composition of the successors */
    uint32_t unit_left[UNIT_TYPES]; /* warps that the units can still serve */
    uint32_t issue_left;            /* warps that still have to execute */
    struct axis *axes;              /* of the box of cells, the innermost first */
};

/* Whether each cell of a row is more than its successor. */
static bool row_holds(const struct axis *axis, const uint16_t *cell, const uint16_t *next) {
    bool holds = true;
    if (axis->stride == 1 && axis->next_stride == 1) {
        for (uint32_t i = 0; i < axis->size; i++)
            holds &= cell[i] > next[i];
    } else {
        for (uint32_t i = 0; i < axis->size; i++)
            holds &= cell[i * axis->stride] > next[i * axis->next_stride];
    }
    return holds;
}

static bool box_holds(const struct axis *axes, uint32_t count, const uint16_t *cell, const uint16_t *next) {
    if (count == 0) return *cell > *next;
    if (count == 1) return row_holds(axes, cell, next);
    const struct axis *outer = &axes[count - 1];
    for (uint32_t i = 0; i < outer->size; i++)
        if (!box_holds(axes, count - 1, cell + i * outer->stride, next + i * outer->next_stride))
            return false;
    return true;
}

/* How many cells of stage j allow what is decided for it: as leavers have one instruction left, those that
 * execute and stay at least two, x_j is from served - leaving to (n - leaving) * (length - 1). */
static int64_t box_size(const struct transition *transition, uint32_t j) {
    int64_t leaving = transition->leaving[j];
    int64_t most = (transition->counts[j] - leaving) * ((int64_t)transition->table->stages[j].length - 1);
    return most - (transition->served[j] - leaving) + 1;
}

/* Looks at a transition that is complete. In stage j, x_j becomes x_j - (served - leaving) + arriving *
 * (length - 1): the successors of a box of cells are a box, too. */
static bool transition_holds(const struct transition *transition) {
    const struct stage_table *table = transition->table;
    uint64_t cell = transition->cell;
    uint64_t next = stage_table_cell(table, transition->next_counts);
    uint64_t stride = 1;
    uint64_t next_stride = 1;
    uint32_t count = 0;
    for (uint32_t i = table->long_count; i-- > 0;) {
        uint32_t j = table->long_stages[i];
        uint64_t slack = table->stages[j].length - 1;
        bool first = j == 0 || table->stages[j - 1].last;
        uint32_t arriving = first ? 0 : transition->leaving[j - 1];
        cell += stride * (transition->served[j] - transition->leaving[j]);
        next += next_stride * arriving * slack;
        uint32_t size = (uint32_t)box_size(transition, j);
        if (size > 1) transition->axes[count++] = (struct axis){size, stride, next_stride};
        stride *= 1 + transition->counts[j] * slack;
        next_stride *= 1 + transition->next_counts[j] * slack;
    }
    return box_holds(transition->axes, count, table->values + cell, table->values + next);
}

/* Whether the later stages have the warps that still have to execute. */
static bool can_be_completed(const struct transition *transition, const uint32_t behind[UNIT_TYPES]) {
    uint64_t most = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        most += u32_min(transition->unit_left[unit], behind[unit]);
    return most >= transition->issue_left;
}

static bool all_hold(struct transition *transition, uint32_t index);

/* Decides that `leaving` of those that stage j serves leave it, and all that can follow. */
static bool leaving_holds(struct transition *transition, uint32_t index, uint32_t leaving) {
    uint32_t j = transition->occupied[index].stage;
    uint32_t *next = transition->next_counts + j;
    bool last = transition->table->stages[j].last;
    transition->leaving[j] = leaving;
    if (box_size(transition, j) < 1) return true;
    next[0] -= leaving;
    if (!last) next[1] += leaving;
    bool holds = all_hold(transition, index + 1);
    next[0] += leaving;
    if (!last) next[1] -= leaving;
    return holds;
}

/* Looks at all transitions with what is decided for the occupied stages in front of this one. */
static bool all_hold(struct transition *transition, uint32_t index) {
    if (transition->issue_left == 0) return transition_holds(transition);
    uint32_t j = transition->occupied[index].stage;
    uint32_t *unit_left = &transition->unit_left[transition->table->stages[j].unit];
    uint32_t most = u32_min(transition->counts[j], u32_min(*unit_left, transition->issue_left));
    bool holds = true;
    for (uint32_t served = 0; served <= most && holds; served++) {
        transition->served[j] = served;
        *unit_left -= served;
        transition->issue_left -= served;
        if (can_be_completed(transition, transition->occupied[index].behind))
            for (uint32_t leaving = 0; leaving <= served && holds; leaving++)
                holds = leaving_holds(transition, index, leaving);
        *unit_left += served;
        transition->issue_left += served;
    }
    transition->served[j] = 0;
    transition->leaving[j] = 0;
    return holds;
}

/* Whether all cells of a composition hold it. How many warps execute is what work conservation demands. */
static bool composition_holds(struct transition *transition, const struct stage_walk *walk) {
    const struct makespan_problem *problem = walk->table->problem;
    uint32_t ready[UNIT_TYPES] = {0};
    transition->counts = walk->counts;
    transition->cell = walk->cell;
    transition->occupied_count = 0;
    for (uint32_t j = 0; j < walk->table->stage_count; j++) {
        transition->next_counts[j] = walk->counts[j];
        if (walk->counts[j] > 0) transition->occupied[transition->occupied_count++].stage = j;
    }
    for (uint32_t i = transition->occupied_count; i-- > 0;) {
        uint32_t j = transition->occupied[i].stage;
        memcpy(transition->occupied[i].behind, ready, sizeof ready);
        ready[walk->table->stages[j].unit] += walk->counts[j];
    }
    uint64_t issues = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        transition->unit_left[unit] = u32_min(ready[unit], problem->capacity[unit]);
        issues += transition->unit_left[unit];
    }
    transition->issue_left = issues < problem->issue_limit ? (uint32_t)issues : problem->issue_limit;
    return all_hold(transition, 0);
}

static void transition_make(const struct stage_table *table, struct arena *arena,
                            struct transition *transition) {
    size_t count = (size_t)table->stage_count + 1;
    *transition =
        (struct transition){.table = table,
                            .served = arena_array(arena, count, sizeof *transition->served),
                            .leaving = arena_array(arena, count, sizeof *transition->leaving),
                            .next_counts = arena_array(arena, count, sizeof *transition->next_counts),
                            .axes = arena_array(arena, count, sizeof *transition->axes),
                            .occupied = arena_array(arena, count, sizeof *transition->occupied)};
}

/* What one thread looks at: the compositions whose number is `number` modulo `of`. */
struct share {
    struct arena arena;
    const struct stage_table *table;
    uint32_t graded, number, of;
    uint64_t *wrong; /* shared by all */
};

/* Looks at the compositions of a share until one is wrong. All threads go on up to the first wrong one that
 * any of them found, so that it is the same in every run. */
static void check_share(void *context) {
    struct share *share = context;
    struct stage_walk walk;
    struct transition transition;
    stage_walk_make(share->table, &share->arena, &walk);
    transition_make(share->table, &share->arena, &transition);
    uint64_t end = UINT64_MAX;
    while (stage_walk_next(&walk) && walk.number < end) {
        if (walk.warps <= share->graded || walk.number % share->of != share->number) continue;
        if (!composition_holds(&transition, &walk)) {
#pragma omp critical(certificate_inequality)
            if (walk.number < *share->wrong) {
#pragma omp atomic write
                *share->wrong = walk.number;
            }
        }
#pragma omp atomic read
        end = *share->wrong;
    }
}

uint64_t certificate_inequality_check(const struct stage_table *table, uint32_t graded, uint32_t threads,
                                      const struct arena *arena) {
    uint64_t first = UINT64_MAX;
    bool made = true;
    uint32_t shares = table->cells < CELLS_PARALLEL ? 1 : threads;
#pragma omp parallel for num_threads(shares)
    for (uint32_t i = 0; i < shares; i++) {
        struct share share = {.table = table, .graded = graded, .number = i, .of = shares, .wrong = &first};
        if (arena_protect(&share.arena, check_share, &share) != WB_OK) {
#pragma omp atomic write
            made = false;
        }
        arena_free(&share.arena);
    }
    if (!made) arena_fail(arena, WB_ERR_LIMIT);
    return first;
}

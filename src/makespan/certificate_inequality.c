#include "makespan/certificate_inequality.h"

#include <stdlib.h>
#include <string.h>

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

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

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
        most += least(transition->unit_left[unit], behind[unit]);
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
    uint32_t most = least(transition->counts[j], least(*unit_left, transition->issue_left));
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
        transition->unit_left[unit] = least(ready[unit], problem->capacity[unit]);
        issues += transition->unit_left[unit];
    }
    transition->issue_left = issues < problem->issue_limit ? (uint32_t)issues : problem->issue_limit;
    return all_hold(transition, 0);
}

static wb_status transition_make(const struct stage_table *table, struct transition *transition) {
    size_t count = (size_t)table->stage_count + 1;
    *transition = (struct transition){.table = table,
                                      .served = calloc(count, sizeof *transition->served),
                                      .leaving = calloc(count, sizeof *transition->leaving),
                                      .next_counts = calloc(count, sizeof *transition->next_counts),
                                      .axes = calloc(count, sizeof *transition->axes),
                                      .occupied = calloc(count, sizeof *transition->occupied)};
    bool made = transition->served != NULL && transition->leaving != NULL &&
                transition->next_counts != NULL && transition->axes != NULL && transition->occupied != NULL;
    return made ? WB_OK : WB_ERR_LIMIT;
}

static void transition_free(struct transition *transition) {
    free(transition->served);
    free(transition->leaving);
    free(transition->next_counts);
    free(transition->axes);
    free(transition->occupied);
}

/* Looks at the compositions whose number is `share` modulo `shares`, until one is wrong. All threads go on
 * up to the first wrong one that any of them found, so that it is the same in every run. */
static wb_status check_share(const struct stage_table *table, uint32_t graded, uint32_t share,
                             uint32_t shares, uint64_t *wrong) {
    struct stage_walk walk;
    struct transition transition = {0};
    wb_status status = stage_walk_make(table, &walk);
    if (status == WB_OK) status = transition_make(table, &transition);
    uint64_t end = UINT64_MAX;
    while (status == WB_OK && stage_walk_next(&walk) && walk.number < end) {
        if (walk.warps <= graded || walk.number % shares != share) continue;
        if (!composition_holds(&transition, &walk)) {
#pragma omp critical(certificate_inequality)
            if (walk.number < *wrong) {
#pragma omp atomic write
                *wrong = walk.number;
            }
        }
#pragma omp atomic read
        end = *wrong;
    }
    transition_free(&transition);
    stage_walk_free(&walk);
    return status;
}

wb_status certificate_inequality_check(const struct stage_table *table, uint32_t graded, uint32_t threads,
                                       uint64_t *wrong) {
    uint64_t first = UINT64_MAX;
    bool made = true;
    uint32_t shares = table->cells < CELLS_PARALLEL ? 1 : threads;
#pragma omp parallel for num_threads(shares)
    for (uint32_t share = 0; share < shares; share++) {
        if (check_share(table, graded, share, shares, &first) != WB_OK) {
#pragma omp atomic write
            made = false;
        }
    }
    *wrong = first;
    return made ? WB_OK : WB_ERR_LIMIT;
}

#include "makespan/certificate_table.h"

#include <stdlib.h>

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

/* Lists the stages of several positions. */
static wb_status list_long_stages(struct stage_table *table) {
    table->long_stages = calloc(table->stage_count, sizeof *table->long_stages);
    if (table->long_stages == NULL) return WB_ERR_LIMIT;
    for (uint32_t j = 0; j < table->stage_count; j++)
        if (table->stages[j].length > 1) table->long_stages[table->long_count++] = j;
    return WB_OK;
}

/* Counts the cells of a table whose stages and pools are set, then makes room for their values. */
static wb_status lay_out(struct stage_table *table, uint64_t memory) {
    WB_TRY(list_long_stages(table));
    uint32_t largest = 0;
    for (uint32_t i = 0; i < table->pool_count; i++)
        if (table->pools[i] > largest) largest = table->pools[i];
    table->width = largest + 2;
    uint64_t row_bytes = table->width * sizeof *table->before;
    uint64_t bytes = cycles_mul(cycles_mul(table->width - 1, row_bytes), table->stage_count);
    if (bytes > memory) return WB_ERR_LIMIT;
    table->before = calloc(bytes, 1);
    if (table->before == NULL) return WB_ERR_LIMIT;
    count_cells(table);
    if (cycles_mul(table->cells, sizeof *table->values) > memory - bytes) return WB_ERR_LIMIT;
    if (cycles_mul(table->cells, table->stage_count) > STAGES_IN_ALL_MAX) return WB_ERR_LIMIT;
    table->values = malloc(table->cells * sizeof *table->values);
    return table->values == NULL ? WB_ERR_LIMIT : WB_OK;
}

static wb_status make(const struct makespan_problem *problem, uint32_t pool_count,
                      struct stage_table *table) {
    *table = (struct stage_table){.problem = problem, .pool_count = pool_count};
    table->stages = calloc(problem->position_count, sizeof *table->stages);
    table->pools = calloc(pool_count, sizeof *table->pools);
    return table->stages == NULL || table->pools == NULL ? WB_ERR_LIMIT : WB_OK;
}

wb_status stage_table_of_positions(const struct makespan_problem *problem, uint32_t warps, uint64_t memory,
                                   struct stage_table *table) {
    WB_TRY(make(problem, 1, table));
    table->pools[0] = warps;
    table->stage_count = problem->position_count;
    for (uint32_t p = 0; p < problem->position_count; p++)
        table->stages[p] = (struct stage){
            .unit = problem->unit[p], .opens = p == 0, .last = problem->last[p], .first = p, .length = 1};
    return lay_out(table, memory);
}

wb_status stage_table_of_runs(const struct makespan_problem *problem, uint64_t memory,
                              struct stage_table *table) {
    WB_TRY(make(problem, problem->group_count, table));
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
    return lay_out(table, memory);
}

void stage_table_free(struct stage_table *table) {
    free(table->stages);
    free(table->long_stages);
    free(table->pools);
    free(table->before);
    free(table->values);
    *table = (struct stage_table){0};
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
        rest -= counts[j];
    }
    return cell;
}

wb_status stage_walk_make(const struct stage_table *table, struct stage_walk *walk) {
    *walk = (struct stage_walk){.table = table};
    walk->counts = calloc(table->stage_count, sizeof *walk->counts);
    walk->rest = calloc(table->pool_count, sizeof *walk->rest);
    if (walk->counts == NULL || walk->rest == NULL) return WB_ERR_LIMIT;
    for (uint32_t i = 0; i < table->pool_count; i++)
        walk->rest[i] = table->pools[i];
    return WB_OK;
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

void stage_walk_free(struct stage_walk *walk) {
    free(walk->counts);
    free(walk->rest);
}

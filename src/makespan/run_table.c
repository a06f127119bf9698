#include "makespan/run_table.h"

#include <omp.h>
#include <stdlib.h>

#include "makespan/run_cells.h"

/* Levels of fewer cells are made by one thread: starting others takes longer. */
#define LEVEL_CELLS_PARALLEL 200000u

/* How many compositions the polling thread makes between two questions whether to go on. */
#define TABLE_POLL 256u

void run_table_measure(const struct run_list *runs, struct run_table_size *size) {
    *size = (struct run_table_size){.cells = UINT64_MAX};
    if (runs->count > LAYOUT_RUNS_MAX || runs->problem->instruction_count > INT16_MAX) return;
    uint64_t compositions = layout_composition_count(runs);
    if (compositions > UINT32_MAX) return;
    size->layout_bytes = compositions * (sizeof(uint64_t) + sizeof(uint32_t));
    size->cells = layout_cell_count(runs);
}

/* Gives every level its place: one behind the other, or in turns in a ring of as many as are needed at a
 * time. *fits is false when that takes more than `memory` bytes. */
static wb_status place_levels(struct run_table *table, uint64_t memory, bool *fits) {
    struct run_layout *layout = &table->layout;
    uint64_t ring = (uint64_t)serve_choice_most(layout->runs->problem) + 1;
    uint64_t all = 0;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < layout->level_count; i++) {
        all += layout->level_cells[i];
        if (layout->level_cells[i] > largest) largest = layout->level_cells[i];
    }
    if (!table->full && largest * ring >= all) table->full = true;
    uint64_t cells = table->full ? all : largest * ring;
    uint64_t guide = table->full ? 0 : run_guide_size(layout);
    *fits = (cells + layout->graded_cells) * sizeof(int16_t) + guide <= memory;
    if (!*fits) return WB_OK;
    if (!table->full) WB_TRY(run_guide_make(layout, &table->guide));
    table->graded = calloc(layout->graded_cells + 1, sizeof *table->graded); /* neither is ever of 0 bytes */
    table->cells = malloc((cells + 1) * sizeof *table->cells);
    table->level = calloc((size_t)layout->level_count + 1, sizeof(int16_t *));
    if (table->graded == NULL || table->cells == NULL || table->level == NULL) return WB_ERR_LIMIT;
    int16_t *at = table->cells;
    for (uint32_t i = 0; i < layout->level_count; i++) {
        table->level[i] = table->full ? at : table->cells + i % ring * largest;
        at += layout->level_cells[i];
    }
    return WB_OK;
}

int16_t *run_table_cell(const struct run_table *table, const struct composition *composition,
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
static wb_status grade(struct run_table *table, const struct exact_tail *tail) {
    uint32_t *counts = calloc(tail->slot_count, sizeof *counts);
    if (counts == NULL) return WB_ERR_LIMIT;
    uint32_t rest = tail->warps;
    for (uint64_t number = 1; multiset_next(&tail->rank, counts, &rest); number++)
        grade_state(table, tail, counts, (int16_t)tail->cycles[number]);
    free(counts);
    return WB_OK;
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
    const struct run_table *table = crew->table;
    if (make_cells(maker, table, table->layout.order[index]) != WB_OK) {
#pragma omp atomic write
        crew->failed = true;
    } else if (!table->full) {
        run_guide_keep(&table->guide, &table->layout, &maker->composition,
                       run_table_cells(table, &maker->composition));
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

static wb_status make_levels(const struct makespan_run *run, struct run_table *table,
                             enum run_table_outcome *outcome) {
    struct table_crew crew = {.run = run, .table = table, .threads = makespan_threads(run->settings)};
    crew.makers = calloc(crew.threads, sizeof *crew.makers);
    wb_status status = crew.makers == NULL ? WB_ERR_LIMIT : WB_OK;
    for (uint32_t i = 0; status == WB_OK && i < crew.threads; i++)
        status = cell_maker_make(&table->layout, &crew.makers[i]);
    for (uint32_t level = 0; level < table->layout.level_count; level++)
        crew.cells += table->layout.level_cells[level];
    bool goes_on = status == WB_OK;
    for (uint32_t level = 0; goes_on && level < table->layout.level_count; level++)
        goes_on = make_level(&crew, level);
    for (uint32_t i = 0; crew.makers != NULL && i < crew.threads; i++)
        cell_maker_free(&crew.makers[i]);
    free(crew.makers);
    *outcome = crew.stop ? RUN_TABLE_STOPPED : RUN_TABLE_MADE;
    return crew.failed ? WB_ERR_LIMIT : status;
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

wb_status run_table_make(const struct makespan_run *run, const struct run_list *runs,
                         const struct exact_tail *tail, bool full, uint64_t memory, struct run_table *table,
                         enum run_table_outcome *outcome) {
    *table = (struct run_table){.full = full};
    *outcome = RUN_TABLE_TOO_LARGE;
    bool fits = false;
    WB_TRY(layout_make(run, runs, tail->warps, &table->layout));
    if (!table->layout.stopped) WB_TRY(place_levels(table, memory, &fits));
    if (table->layout.stopped) {
        *outcome = RUN_TABLE_STOPPED;
    } else if (fits) {
        WB_TRY(grade(table, tail));
        WB_TRY(make_levels(run, table, outcome));
    }
    if (*outcome != RUN_TABLE_MADE) {
        run_table_free(table);
        return WB_OK;
    }
    table->initial = initial_bound(table);
    if (!table->full) {
        free(table->cells);
        table->cells = NULL;
    }
    return WB_OK;
}

void run_table_free(struct run_table *table) {
    layout_free(&table->layout);
    run_guide_free(&table->guide);
    free(table->graded);
    free(table->cells);
    free(table->level);
    *table = (struct run_table){0};
}

uint32_t run_table_cycles(const struct run_table *table, const struct composition *composition,
                          const uint32_t *slack) {
    if (table->full || composition->warps <= table->layout.graded_warps)
        return (uint32_t)*run_table_cell(table, composition, slack);
    return run_guide_estimate(&table->guide, &table->layout, composition, slack);
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

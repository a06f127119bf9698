#include "makespan/runs.h"

#include <stdlib.h>

/* Whether a new run begins at the position. */
static bool run_begins(const struct makespan_problem *problem, uint32_t position) {
    return position == 0 || problem->last[position - 1] ||
           problem->unit[position] != problem->unit[position - 1];
}

wb_status run_list_make(const struct makespan_problem *problem, struct run_list *runs) {
    *runs = (struct run_list){.problem = problem};
    runs->items = calloc(problem->position_count, sizeof *runs->items);
    runs->of_position = calloc(problem->position_count, sizeof *runs->of_position);
    if (runs->items == NULL || runs->of_position == NULL) return WB_ERR_LIMIT;
    uint32_t group = 0;
    for (uint32_t p = 0; p < problem->position_count; p++) {
        if (run_begins(problem, p))
            runs->items[runs->count++] =
                (struct unit_run){.unit = problem->unit[p], .group = group, .first = p};
        struct unit_run *run = &runs->items[runs->count - 1];
        run->length++;
        runs->of_position[p] = runs->count - 1;
        if (problem->last[p]) {
            run->last = true;
            group++;
        }
    }
    return WB_OK;
}

void run_list_free(struct run_list *runs) {
    free(runs->items);
    free(runs->of_position);
    *runs = (struct run_list){0};
}

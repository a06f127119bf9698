#include "makespan/segment_tail.h"

#include <stdlib.h>

struct segment_tail_cell segment_cell_of(const struct segment_layout *layout, const uint32_t *counts) {
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

/* Places all states of the table; `slots` and `counts` are zero. */
static wb_status place_states(const struct segment_layout *layout, const struct exact_tail *exact,
                              uint32_t *slots, uint32_t *counts, struct segment_tail *tail) {
    uint32_t rest = exact->warps;
    uint64_t number = 0;
    do {
        if (to_positions(exact, slots, counts) && has_warps(exact->problem, counts)) {
            struct segment_tail_cell cell = segment_cell_of(layout, counts);
            cell.cycles = exact->cycles[number];
            WB_TRY(vec_push(&tail->cells, cell));
        }
        number++;
    } while (multiset_next(&exact->rank, slots, &rest));
    return WB_OK;
}

static int compare_layers(const void *left, const void *right) {
    const struct segment_tail_cell *a = left;
    const struct segment_tail_cell *b = right;
    if (a->layer != b->layer) return a->layer < b->layer ? -1 : 1;
    return a->composition < b->composition ? -1 : a->composition > b->composition;
}

wb_status segment_tail_make(const struct segment_layout *layout, const struct exact_tail *exact,
                            struct segment_tail *tail) {
    *tail = (struct segment_tail){.warps = 0};
    if (exact == NULL) return vec_push(&tail->cells, (struct segment_tail_cell){.layer = 0});
    tail->warps = exact->warps;
    uint32_t *slots = calloc(exact->slot_count, sizeof *slots);
    uint32_t *counts = calloc(exact->problem->position_count, sizeof *counts);
    wb_status status = WB_ERR_LIMIT;
    if (slots != NULL && counts != NULL) status = place_states(layout, exact, slots, counts, tail);
    free(slots);
    free(counts);
    if (status == WB_OK)
        qsort(tail->cells.items, tail->cells.count, sizeof *tail->cells.items, compare_layers);
    return status;
}

void segment_tail_free(struct segment_tail *tail) {
    vec_free(&tail->cells);
    *tail = (struct segment_tail){.warps = 0};
}

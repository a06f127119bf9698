#include "bound/profile/section_cycle.h"

#include <string.h>

wb_status section_cycle_init(struct section_cycle *cycle, uint32_t path_count) {
    *cycle = (struct section_cycle){.path_count = path_count, .most = 1};
    cycle->then = calloc((size_t)path_count + 1, sizeof *cycle->then);
    return cycle->then == NULL ? WB_ERR_LIMIT : WB_OK;
}

static bool at_end(const struct path_cursor *cursor) {
    return cursor->left == 0 && cursor->entry == cursor->end;
}

/* Whether the path can come to the place `then` again: it is in the same fold still. */
static bool may_return(const struct path_cursor *then, const struct path_cursor *now) {
    return at_end(then) || (now->fold != NULL && now->fold == then->fold);
}

/* How often the path will go once more from `then` to `now`, which is the same place. */
static uint64_t returns(const struct path_cursor *then, const struct path_cursor *now) {
    if (at_end(now)) return UINT64_MAX;
    return now->repetitions / (then->repetitions - now->repetitions);
}

/* Compares with the present place from now on. */
static void start_over(struct section_cycle *cycle, const struct path_cursor *cursors, size_t most) {
    memcpy(cycle->then, cursors, cycle->path_count * sizeof *cycle->then);
    cycle->rows.count = 0;
    cycle->most = most;
}

wb_status section_cycle_note(struct section_cycle *cycle, const struct path_cursor *cursors, size_t row,
                             uint64_t *times) {
    bool may = true, same = true;
    WB_TRY(vec_push(&cycle->rows, row));
    for (uint32_t p = 0; p < cycle->path_count && may; p++) {
        may = may_return(&cycle->then[p], &cursors[p]);
        same = same && path_same_place(&cycle->then[p], &cursors[p]);
    }
    *times = may && same ? UINT64_MAX : 0;
    for (uint32_t p = 0; p<cycle->path_count && * times> 0; p++) {
        const uint64_t one = returns(&cycle->then[p], &cursors[p]);
        *times = one < *times ? one : *times;
    }
    if (*times == UINT64_MAX) *times = 0; /* every path has ended */
    /* Brent's cycle detection: a place is kept for twice as long as the one before it. */
    if (!may || (*times == 0 && cycle->rows.count >= cycle->most))
        start_over(cycle, cursors, may ? 2 * cycle->most : 1);
    return WB_OK;
}

void section_cycle_skip(struct section_cycle *cycle, uint64_t times, struct path_cursor *cursors) {
    for (uint32_t p = 0; p < cycle->path_count; p++)
        cursors[p].repetitions -= (uint32_t)(times * (cycle->then[p].repetitions - cursors[p].repetitions));
    start_over(cycle, cursors, 1);
}

void section_cycle_free(struct section_cycle *cycle) {
    vec_free(&cycle->rows);
    free(cycle->then);
    cycle->then = NULL;
}

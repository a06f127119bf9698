/* How long the way of one lane of machine code takes at least, an instruction at a time: every increment of a
 * counter is an event, nothing is folded or forgotten. */
#ifndef WB_TESTS_NAIVE_LANE_H
#define WB_TESTS_NAIVE_LANE_H

#include <stdlib.h>
#include <string.h>

#include "bound/analysis/lane_time.h"

struct naive_event {
    uint32_t counter;
    uint64_t begun, done;
};

struct naive_lane {
    struct naive_event *events;
    size_t count, room;
    uint64_t issued, free; /* the last instruction, the next one by stall counts */
    uint64_t copied;
};

static int later_first(const void *a, const void *b) {
    const uint64_t at_a = *(const uint64_t *)a, at_b = *(const uint64_t *)b;
    return at_a < at_b ? 1 : at_a > at_b ? -1 : 0;
}

/* When no more than `left` of the counter's events that the next instruction sees are under way. */
static uint64_t naive_left(const struct naive_lane *lane, uint32_t counter, uint32_t left) {
    uint64_t *done = malloc((lane->count + 1) * sizeof *done);
    size_t count = 0;
    for (size_t i = 0; i < lane->count; i++)
        if (lane->events[i].counter == counter && lane->events[i].begun + 2 <= lane->free)
            done[count++] = lane->events[i].done;
    qsort(done, count, sizeof *done, later_first);
    const uint64_t at = left < count ? done[left] : 0;
    free(done);
    return at;
}

static void naive_event(struct naive_lane *lane, uint32_t counter, uint64_t done) {
    if (counter >= LANE_COUNTERS) return;
    if (lane->count == lane->room) {
        lane->room = lane->room * 2 + 16;
        lane->events = realloc(lane->events, lane->room * sizeof *lane->events);
    }
    lane->events[lane->count++] = (struct naive_event){counter, lane->issued, done};
}

static void naive_issue(struct naive_lane *lane, const struct issue_rule *rule) {
    uint64_t at = lane->free;
    if (rule->stall == 0) return;
    for (uint32_t c = 0; c < LANE_COUNTERS; c++)
        if (rule->waits >> c & 1) at = cycles_max(at, naive_left(lane, c, 0));
    if (rule->limited < LANE_COUNTERS) at = cycles_max(at, naive_left(lane, rule->limited, rule->limit));
    lane->issued = at;
    lane->free = at + rule->stall;
    if (rule->copies) lane->copied = cycles_max(lane->copied, at + rule->least[0]);
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t done = at + rule->least[i];
        naive_event(lane, rule->counters[i], rule->closes ? cycles_max(done, lane->copied) : done);
    }
}

/* The way of `lane` through a path, from the first issue to the last. */
static uint64_t naive_lane_time(const struct issue_rule *rules, const struct path *path, uint32_t lane) {
    struct naive_lane state = {0};
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    while (path_next(&cursor, &step)) {
        if ((step.mask >> lane & 1) == 0) continue;
        naive_issue(&state, &rules[step.instruction]);
        /* What is done by now holds nothing up. */
        size_t kept = 0;
        for (size_t i = 0; i < state.count; i++)
            if (state.events[i].done > state.issued) state.events[kept++] = state.events[i];
        state.count = kept;
    }
    free(state.events);
    return state.issued;
}

#endif

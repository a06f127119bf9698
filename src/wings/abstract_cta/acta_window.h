/* One warp of an abstract CTA, window by window: a window is what it does from one barrier to the next. */
#ifndef WB_WINGS_ABSTRACT_CTA_ACTA_WINDOW_H
#define WB_WINGS_ABSTRACT_CTA_ACTA_WINDOW_H

#include "wings/abstract_cta/acta_warp.h"

/* How often an execution took the sides of a choice (acta_warp.h) in one window. */
struct acta_taken {
    uint32_t window; /* from 0 */
    uint32_t choice;
    uint64_t times[2];
};

/* Of all choices, in the order of the windows. */
struct acta_record {
    VEC(struct acta_taken) items;
};

/* The abstract warps of one work group: the same code, with loop counts of each warp's own. */
struct acta_group {
    struct acta_warp warp;
    uint32_t warp_count;
    /* Where the warp has choices: what the executions took, and which of them is each warp's. */
    struct acta_record *records;
    uint32_t record_count;
    uint32_t *record_of;
    /* [warp * loops + loop]: how often the part behind the test that leaves the loop runs each time the loop
     * is entered; of a loop without such a part, how often the loop runs. Exact where the loop has a barrier.
     */
    uint64_t *iterations;
    bool *enters; /* [warp * guards + guard]: the warp takes the side with the barrier, always; else never */
    bool maybe_executed; /* the counts are of covering paths: a warp that enters may take the other side
                            instead */
};

/* WB_ERR_LIMIT, without a message, when memory is exhausted. Free it with acta_group_free in any case. */
wb_status acta_group_allocate(struct acta_group *cta, uint32_t warp_count);
void acta_group_free(struct acta_group *cta);

/* The conventions that decide what a window costs (machine/machine.h). */
struct acta_counting {
    bool header_once; /* a loop's header does not run once more than its body */
    bool executed;    /* of a uniform branch the side that is executed counts */
};

struct acta_cost {
    cycles instr, shift;  /* sums of T_instr and T_shift */
    cycles loads, stores; /* memory access nodes */
};

struct acta_window {
    struct acta_cost cost;
    bool at_barrier; /* it ends at a barrier, else with the warp */
};

/* Where a warp stands in a sequence of nodes: the program, a side of a branch, or a part of a loop. */
struct acta_place {
    uint32_t next; /* node */
    uint32_t loop; /* node of the loop whose part it is, or ACTA_NONE */
    bool in_rest;
    uint64_t iteration; /* of that loop */
};

struct acta_cursor {
    const struct acta_group *cta;
    struct acta_counting counting;
    uint32_t warp;
    uint32_t window;     /* the next one, from 0 */
    size_t recorded;     /* entries of the warp's record that are of earlier windows */
    uint64_t (*left)[2]; /* per choice: executions of its sides in this window that are not counted yet */
    VEC(struct acta_place) places; /* innermost last; empty: the warp has ended */
};

/* A warp before its first window. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status acta_cursor_begin(struct acta_cursor *cursor, const struct acta_group *cta, uint32_t warp,
                            struct acta_counting counting);
void acta_cursor_free(struct acta_cursor *cursor);

static inline bool acta_cursor_ended(const struct acta_cursor *cursor) {
    return cursor->places.count == 0;
}

/* Goes on to the next barrier or to the end. WB_ERR_LIMIT as above. */
wb_status acta_cursor_next(struct acta_cursor *cursor, struct acta_window *window);

enum acta_event_kind {
    EVENT_TIME, /* T_instr cycles, or up to T_shift fewer */
    EVENT_WAIT, /* for memory */
    EVENT_FORK  /* a divergent branch with waits: the first of its sides, the second, or both run */
};

/* What a warp does in a window, one after the other: of a uniform branch the side that counts, or, where each
 * number counts the larger side's, the time and then the waits. */
struct acta_event {
    enum acta_event_kind kind;
    bool is_store;       /* EVENT_WAIT */
    cycles instr, shift; /* EVENT_TIME */
    uint32_t
        length[2]; /* EVENT_FORK: events of the first side, which follow, and of the second behind them */
};

/* Most events of one window of a warp, and most nodes that are gone through to list them. */
#define ACTA_EVENTS_MAX (UINT32_C(1) << 16)
#define ACTA_STEPS_MAX (UINT32_C(1) << 22)

struct acta_events {
    VEC(struct acta_event) items;
    size_t mergeable; /* time joins time of events from this one on */
    uint32_t steps;
    bool too_many; /* a limit was reached */
};

/* Goes on likewise and lists what the warp does. WB_ERR_LIMIT as above, or when `events` says too_many. */
wb_status acta_cursor_list(struct acta_cursor *cursor, struct acta_events *events, bool *at_barrier);

#endif

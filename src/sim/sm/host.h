/* An SM as those see it who give it blocks: its slots, which blocks come to, start in and leave, and how far
 * it is; whatever executes them inside, so that one dispatcher drives SMs of any model. */
#ifndef WB_SIM_SM_HOST_H
#define WB_SIM_SM_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diagnostics.h"
#include "sim/sm/events.h"
#include "sim/sm/policy.h"

#define SM_NONE UINT32_MAX

/* The blocks that an SM gets in turn: next, next + stride, ... below end. */
struct sm_feed {
    uint64_t next, stride, end;
};

/* From when a block can issue, and when its last result is there. */
struct block_times {
    cycles start, end;
};

/* A CTA slot: room for a resident block. */
struct sm_slot {
    uint32_t block;         /* or SM_NONE */
    uint32_t live, arrived; /* warps that have not ended; of these, held by a barrier */
    uint32_t flights;       /* instructions whose completion is not known */
    bool started;
    cycles start;    /* of the block, if it has started */
    cycles event_at; /* when the block starts, or ends; CYCLES_SATURATED: not known */
    cycles release;  /* when the barrier opens at the earliest */
    cycles commit;   /* when its last result so far is there */
};

/* A slot that has become free. */
struct freed_slot {
    cycles at;
    uint32_t slot;
};

struct sm_host;

/* What an SM of a model does for those who drive it. */
struct sm_model {
    /* Executes all cycles before `until`. WB_ERR_LIMIT when memory is exhausted; else what the sink answers.
     */
    wb_status (*run)(struct sm_host *host, cycles until);
    /* The next cycle in which something happens by itself, or CYCLES_SATURATED. */
    cycles (*next)(const struct sm_host *host);
    /* Everything happens that takes no time and is due by cycle `now`, the first one that has not been
     * executed: starts and ends of blocks. The feed fills free slots. WB_ERR_LIMIT when memory is exhausted.
     */
    wb_status (*catch_up)(struct sm_host *host, cycles now);
};

/* The first member of an SM of any model. */
struct sm_host {
    const struct sm_model *model;
    const struct sim_sink *sink; /* NULL: nobody takes the events */
    bool told;                   /* the sink has ended the simulation, and has said why */
    struct sm_slot *slots;
    uint32_t slot_count;
    uint32_t *oldest_first;    /* the slots in the order in which their blocks came */
    cycles slot_event;         /* the first start or end of a block */
    uint32_t dispatch_latency; /* of the feed: from the end of a block to the start of its successor */
    struct sm_feed feed;
    struct freed_slot *freed; /* slots that have become free and got no block of the feed */
    uint32_t freed_count;
    struct block_times *block_times; /* per block of the grid; NULL: nobody asks */
    uint64_t executed;               /* instructions so far */
    uint64_t warp_instructions;
    cycles last_issue;
    cycles last_commit; /* of all blocks so far */
};

/* Free slots, in memory of the protected arena. */
void sm_host_init(struct sm_host *host, const struct sm_model *model, uint32_t slots, struct arena *arena);

/* Slot number `index` takes a block, which can issue from cycle `at` on. */
void sm_host_place(struct sm_host *host, uint32_t index, uint32_t block, cycles at);

/* Starts or ends the block that does so first, of several the one in the lowest slot: the slot of a block
 * that starts, whose warps are to begin in cycle slot->release; NULL: one has ended. */
struct sm_slot *sm_host_change(struct sm_host *host);

/* Notes the end of a block whose last completion is known. */
static inline void sm_host_settle(struct sm_host *host, struct sm_slot *slot) {
    if (slot->live > 0 || slot->flights > 0) return;
    slot->event_at = slot->commit;
    host->slot_event = cycles_min(host->slot_event, slot->event_at);
}

/* Executes block 0 alone, which comes to slot 0, from its first to its last cycle. All of *result but
 * `seconds` is set; `total`: instructions of the block, for `watch` (may be NULL). WB_ERR_LIMIT with a
 * message when memory is exhausted or the watch stopped it, an error when it never ends; else what the sink
 * answers. */
wb_status sm_host_run_block(struct sm_host *host, const struct sim_policy *policy, uint64_t total,
                            const wb_watch *watch, wb_diagnostics *diagnostics, wb_simulation *result);

#endif

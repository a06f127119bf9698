/* What a simulated SM tells of the instructions that it issues. */
#ifndef WB_SIM_SM_HOST_H
#define WB_SIM_SM_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "base/cycles.h"
#include "machine/machine.h"

/* Of an event: all its times are known. */
#define FLIGHT_NONE UINT64_MAX

/* Of waits: no instruction of the warp has written the operand. */
#define STEP_NONE UINT64_MAX

/* What an instruction waited for before it was issued: for each in turn until the cycle named here, if that
 * is later than those before it, and for the last of them until the issue. */
struct sim_waits {
    cycles from;       /* the cycle behind the warp's instruction before it, or in which its block started */
    cycles barrier;    /* when the barrier before it opened; else `from` */
    cycles operands;   /* when the last of its operands could be read; 0: it has none */
    uint64_t producer; /* the step that wrote that one, or STEP_NONE */
    cycles fetched;    /* when it had been fetched; 0: at once */
    cycles entry;      /* when it had an entry of its warp's memory channel; 0: it needs none */
    cycles open;       /* when its unit had room the last time before the issue */
};

/* What the cycles of such a wait are spent on. */
enum sim_wait_kind {
    SIM_WAIT_BARRIER, /* other warps of the block have not come to the barrier, or it takes time to open */
    SIM_WAIT_RESULT,  /* an operand cannot be read yet */
    SIM_WAIT_FETCH,   /* the instruction is being fetched */
    SIM_WAIT_CHANNEL, /* no entry of the warp's memory channel is free */
    SIM_WAIT_UNIT,    /* the unit has no room */
    SIM_WAIT_TURN,    /* other warps are issued */
    SIM_WAIT_KINDS
};

/* One issued instruction. Its initiation takes [start, init_end), its result can be read from `completion`
 * on; it waited in the dispatch queue during [issue, start). CYCLES_SATURATED: not known at the issue. */
struct sim_event {
    uint64_t flight; /* number among the SM's instructions with times that are not known, or FLIGHT_NONE */
    uint32_t block;  /* of the grid; 0 of a block alone */
    uint32_t slot;   /* of the SM, that the block is in */
    uint32_t warp;   /* of the block */
    uint32_t sub_core;
    uint64_t step;        /* position in the warp's path, from 0 */
    uint32_t instruction; /* index into the code */
    uint32_t unit;        /* index into the machine's units; of machine code that takes none their number */
    uint32_t instance;    /* of the unit, within its sub-core unless the unit is shared */
    cycles issue, start, init_end, completion;
    struct sim_waits waits; /* all zero on a machine of model gpgpusim */
};

/* The cycles [from, to) of a wait, all of one kind. */
struct sim_wait {
    enum sim_wait_kind kind;
    cycles from, to;
};

/* Writes what the event waited for to `spans`, in the order of time, without empty ones; returns how many.
 * They follow each other without gaps until the issue. */
uint32_t sim_waits_of(const struct sim_event *event, struct sim_wait spans[SIM_WAIT_KINDS]);

/* "barrier", "result", "fetch", ... */
const char *sim_wait_name(enum sim_wait_kind kind);

/* What was not known of an event at the issue. It can be known before the event is handed on. */
struct sim_landing {
    uint64_t flight;
    uint32_t instance;
    cycles start, init_end; /* 0 where they are of the event */
    cycles completion;
};

/* What becomes of an instruction of machine code between its first being chosen and its last stage. */
enum sim_moment_kind {
    SIM_MISSED, /* chosen, its constant is there at `until` only; the issue stage is held for `probe` */
    SIM_ROOM,   /* it waits for room in its queue no more */
    SIM_STAGE   /* it begins `stage`, whose unit it holds until `until` */
};

struct sim_moment {
    enum sim_moment_kind kind;
    uint32_t block, warp, stage;
    uint64_t step;
    cycles at, until, probe;
};

/* A block was in a slot in [start, end). */
struct sim_block {
    uint32_t block, slot;
    cycles start, end;
};

/* Takes the events in order of issue, within a cycle in order of sub-cores. NULL: nobody does. A status other
 * than WB_OK ends the simulation with it (a message has then been left). */
struct sim_sink {
    wb_status (*event)(void *user, const struct sim_event *event);
    void *user;
    void (*land)(void *user, const struct sim_landing *landing); /* or NULL */
    /* Or NULL; takes instructions without a unit, which are not issued: they are executed, in the order of
     * their warp, in the cycle that stands for the issue. */
    void (*pass)(void *user, const struct sim_event *event);
    void (*block)(void *user, const struct sim_block *block); /* or NULL; when it has ended */
    /* Or NULL; of machine code, as it happens: latches of fixed latency, which begin at their issue, have
     * none. */
    void (*moment)(void *user, const struct sim_moment *moment);
};

/* Warp scheduling policies: which of the ready warps of a sub-core issues. One table. */

/* Sets of warps as bits, 64 a word, so that a scheduler's choice is a few word operations. */

#define WARP_NONE UINT32_MAX

static inline uint32_t warp_set_words(uint32_t warps) {
    return warps / 64 + (warps % 64 != 0);
}

static inline void warp_set_add(uint64_t *set, uint32_t warp) {
    set[warp / 64] |= UINT64_C(1) << (warp % 64);
}

static inline void warp_set_remove(uint64_t *set, uint32_t warp) {
    set[warp / 64] &= ~(UINT64_C(1) << (warp % 64));
}

static inline bool warp_set_has(const uint64_t *set, uint32_t warp) {
    return (set[warp / 64] >> (warp % 64) & 1) != 0;
}

static inline bool warp_set_empty(const uint64_t *set, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        if (set[i] != 0) return false;
    }
    return true;
}

/* The first warp of both sets that is not below `first`, or WARP_NONE. */
static inline uint32_t warp_set_first_of_both(const uint64_t *a, const uint64_t *b, uint32_t words,
                                              uint32_t first) {
    uint64_t mask = UINT64_MAX << (first % 64);
    for (uint32_t i = first / 64; i < words; i++) {
        uint64_t both = a[i] & b[i] & mask;
        if (both != 0) return i * 64 + (uint32_t)__builtin_ctzll(both);
        mask = UINT64_MAX;
    }
    return WARP_NONE;
}

/* The same, going round: behind the last warp comes the first. */
static inline uint32_t warp_set_next_of_both(const uint64_t *a, const uint64_t *b, uint32_t words,
                                             uint32_t first) {
    uint32_t found = warp_set_first_of_both(a, b, words, first);
    return found != WARP_NONE ? found : warp_set_first_of_both(a, b, words, 0);
}

/* The last warp of both sets that is not above `last`, or WARP_NONE. */
static inline uint32_t warp_set_last_of_both(const uint64_t *a, const uint64_t *b, uint32_t last) {
    uint64_t mask = UINT64_MAX >> (63 - last % 64);
    for (uint32_t i = last / 64 + 1; i-- > 0;) {
        const uint64_t both = a[i] & b[i] & mask;
        if (both != 0) return i * 64 + 63 - (uint32_t)__builtin_clzll(both);
        mask = UINT64_MAX;
    }
    return WARP_NONE;
}

struct sim_policy;

/* Where a warp is: how many instructions it has executed, and the unit of the next one (UNIT_NONE: none). */
struct policy_warp {
    uint64_t step;
    uint32_t unit;
};

/* What a policy sees of one sub-core. */
struct policy_view {
    const uint64_t *ready;           /* warps of the SM that can issue in this cycle */
    const uint64_t *running;         /* warps of the SM that have not ended and are not held by a barrier */
    const uint64_t *members;         /* warps of this sub-core */
    uint32_t words;                  /* of each set */
    const struct sim_policy *policy; /* whose choice it is, for policies with data of their own */
    const uint32_t *oldest_first;    /* numbers of resident blocks, the oldest first */
    uint32_t blocks, block_warps;    /* how many; warps of each: block b has b * block_warps and the next */
    uint64_t issued;                 /* instructions that the sub-core has issued */
    uint32_t last;                   /* the warp that the sub-core issued last, or WARP_NONE */
    const struct policy_warp *warps; /* of the SM; NULL on machines of another model */
};

struct sim_policy {
    const char *name;
    const char *summary;
    bool work_conserving; /* never returns WARP_NONE while a member is ready */
    /* The ready member that issues now, or WARP_NONE. Without a change of the view it answers the same. */
    uint32_t (*pick)(const struct policy_view *view);
    /* Whether the result of a step of a warp of the SM is there after the least latency that the machine
     * allows, rather than after the one that it states: searches for slow executions choose latencies as
     * well. NULL: all are as stated. */
    bool (*hurries)(const struct sim_policy *policy, uint32_t warp, uint64_t step);
    /* Whether what a warp of the SM has sent to a unit waits there until nothing of other warps does:
     * machines that time machine code leave open in which order units serve warps, and searches choose it.
     * NULL: in the order of arrival. */
    bool (*yields)(const struct sim_policy *policy, uint32_t warp);
    const char *misfit[ISA_COUNT]; /* by what a machine times: why it cannot be the machine's, or NULL */
};

extern const struct sim_policy policy_lrr, policy_gto, policy_rr, policy_oldest, policy_cggty;

/* The policies in the order of help texts and of results; NULL past the end. */
const struct sim_policy *policy_at(size_t index);

/* Why a policy cannot be that of a machine, a sentence; NULL: it can. */
static inline const char *policy_misfit(const struct sim_policy *policy, const struct wb_machine *machine) {
    return policy->misfit[machine_isa(machine)];
}

/* The policies of a comma-separated list: bit i for policy i. "all" are those that can be the machine's.
 * Errors as choose_names. */
wb_status policies_choose(const char *list, const struct wb_machine *machine, wb_diagnostics *diagnostics,
                          uint64_t *chosen);

/* Where the search for the next warp starts in a round: behind the last one issued. */
static inline uint32_t policy_round_start(const struct policy_view *view) {
    return view->last == WARP_NONE || view->last + 1 >= view->words * 64 ? 0 : view->last + 1;
}

/* An SM as those see it who give it blocks: its slots, which blocks come to, start in and leave, and how far
 * it is; whatever executes them inside, so that one dispatcher drives SMs of any model. */

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
    bool stopped_by_sink;        /* the sink has ended the simulation, and has said why */
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

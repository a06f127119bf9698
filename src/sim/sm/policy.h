/* Warp scheduling policies: which of the ready warps of a sub-core issues. One table. */
#ifndef WB_SIM_SM_POLICY_H
#define WB_SIM_SM_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

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
};

extern const struct sim_policy policy_lrr, policy_gto, policy_rr, policy_oldest, policy_cggty;

/* The policies in the order of help texts and of results; NULL past the end. */
const struct sim_policy *policy_at(size_t index);

/* Why a policy cannot be that of a machine, a sentence; NULL: it can. */
const char *policy_misfit(const struct sim_policy *policy, const struct wb_machine *machine);

/* The policies of a comma-separated list: bit i for policy i. "all" are those that can be the machine's.
 * Errors as choose_names. */
wb_status policies_choose(const char *list, const struct wb_machine *machine, wb_diagnostics *diagnostics,
                          uint64_t *chosen);

/* Where the search for the next warp starts in a round: behind the last one issued. */
static inline uint32_t policy_round_start(const struct policy_view *view) {
    return view->last == WARP_NONE || view->last + 1 >= view->words * 64 ? 0 : view->last + 1;
}

#endif

/* Patterns of issue: an order of the warps of a sub-core by what they are and where they are, and a choice of
 * warps that hurry, whose latencies are the least that the machine allows. Slow executions mostly follow one
 * (docs/policy-bounds.md): warps in lockstep, which use units one after the other; and one warp of each block
 * that comes last and does not hurry, on different sub-cores, so that blocks stay while sub-cores have
 * nothing to do. */
#ifndef WB_BOUND_SEARCH_PATTERN_H
#define WB_BOUND_SEARCH_PATTERN_H

#include "base/base.h"
#include "base/containers.h"
#include "machine/machine.h"
#include "sim/sm/host.h"

/* What warps are ordered by; of several that are alike the next one behind the last comes first. */
enum pattern_rule {
    RULE_VICTIM,   /* victims last */
    RULE_PROGRESS, /* who has executed least first */
    RULE_UNIT,     /* by ranks of the next instruction's unit */
    RULE_AGE,      /* of the oldest block first */
    RULE_GREEDY,   /* who has issued last first */
    RULE_COUNT
};

struct pattern {
    uint32_t warps, block_warps, sub_cores; /* warps of an SM; of a block */
    uint32_t slots;                         /* for blocks, of an SM */
    uint32_t words;                         /* of a set of warps of the SM */
    uint32_t units;                         /* of the machine */
    uint32_t rule_count;
    uint8_t rules[RULE_COUNT];        /* those that count, the most important first */
    bool reversed[RULE_COUNT];        /* by rule: the other way round */
    uint8_t ranks[MACHINE_UNITS_MAX]; /* of units */
    uint8_t coarseness;               /* progress is counted in 2^coarseness instructions */
    uint64_t *victims, *hurried;      /* sets of warps */
    uint32_t *ages;                   /* of the choice at hand: per slot, how many older blocks there are */
};

/* Loose round-robin on SMs with `slots` slots for blocks. WB_ERR_LIMIT when the arena is exhausted. */
wb_status pattern_init(struct pattern *pattern, const struct wb_machine *machine, uint32_t slots,
                       uint32_t block_warps, struct arena *arena);

/* A copy with arrays of its own; they are NULL when the arena is exhausted. */
struct pattern pattern_copy(const struct pattern *pattern, struct arena *arena);

/* Makes *copy, of the same warps, the same as the pattern; its arrays stay where they are. */
void pattern_assign(struct pattern *copy, const struct pattern *pattern);

/* Makes it pattern number `index` of those to begin a search with, the most promising first; without
 * `may_hurry` no warp hurries. False past the end. */
bool pattern_begin(struct pattern *pattern, uint32_t index, bool may_hurry);

/* Changes it a little. */
void pattern_change(struct pattern *pattern, bool may_hurry, struct random_state *random);

/* The ready member of a sub-core that comes first, or WARP_NONE. */
uint32_t pattern_pick(const struct pattern *pattern, const struct policy_view *view);

static inline bool pattern_has_memory(const struct pattern *pattern) {
    return pattern->victims != NULL && pattern->hurried != NULL && pattern->ages != NULL;
}

/* Whether it puts the warp behind all others, at units, too. */
static inline bool pattern_yields(const struct pattern *pattern, uint32_t warp) {
    for (uint32_t r = 0; r < pattern->rule_count; r++)
        if (pattern->rules[r] == RULE_VICTIM && !pattern->reversed[RULE_VICTIM])
            return warp < pattern->warps && warp_set_has(pattern->victims, warp);
    return false;
}

static inline bool pattern_hurries(const struct pattern *pattern, uint32_t warp) {
    return warp < pattern->warps && warp_set_has(pattern->hurried, warp);
}

#endif

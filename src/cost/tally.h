/* Cycles by instruction and by what they are spent on: what costs are made of. All sums are exact. */
#ifndef WB_COST_TALLY_H
#define WB_COST_TALLY_H

#include "base/base.h"
#include "base/cycles.h"
#include "warpbound.h"

/* What belongs to no instruction. */
enum cost_apart {
    COST_DISPATCH,
    COST_LAUNCH,
    COST_RELEASE, /* of barriers */
    COST_FETCH,
    COST_MEMORY,
    COST_DIVERGENCE,
    COST_OTHER, /* cycles of a kind for which no instruction does anything */
    COST_APART_COUNT
};

/* Shares, or weights for them: one number for each kind of part of each instruction, and behind those of all
 * instructions the same of what belongs to none. */
struct tally {
    size_t instructions; /* of the code */
    uint64_t *cycles;    /* [row * WB_PART_COUNT + kind] */
};

/* An empty tally; WB_ERR_LIMIT when memory is exhausted. */
wb_status tally_init(struct tally *tally, size_t instructions, struct arena *arena);

/* The row of what belongs to no instruction. */
static inline size_t tally_apart(const struct tally *tally, enum cost_apart apart) {
    return tally->instructions + apart;
}

static inline size_t tally_rows(const struct tally *tally) {
    return tally->instructions + COST_APART_COUNT;
}

static inline uint64_t *tally_at(const struct tally *tally, size_t row, wb_part_kind what) {
    return &tally->cycles[row * WB_PART_COUNT + what];
}

static inline void tally_add(struct tally *tally, size_t row, wb_part_kind what, uint64_t amount) {
    *tally_at(tally, row, what) = cycles_add(*tally_at(tally, row, what), amount);
}

/* The sum of all, or CYCLES_SATURATED. */
cycles tally_sum(const struct tally *tally);

/* Adds `times` times another tally of as many rows. */
void tally_add_all(struct tally *tally, const struct tally *other, uint64_t times);

/* One of those that something is divided among. */
struct tally_weight {
    uint64_t weight;
    uint64_t *into; /* what its part is added to */
};

/* Divides `total` in proportion to the weights, into whole parts that sum up to it: each rounded down, and
 * one more of those with the largest remainders, of equal ones the first. Weights of 0 get nothing. False,
 * and nothing is divided, when all are 0 or memory is exhausted (*no_memory). */
bool tally_divide(uint64_t total, const struct tally_weight *weights, size_t count, bool *no_memory);

/* Which parts of weights count. */
typedef bool (*tally_filter)(const void *user, size_t row, wb_part_kind what);

/* Divides `total` in proportion to the parts of `weights` that `filter` lets count: each becomes a share of
 * kind `what`, or, with WB_PART_COUNT, of its own kind, of its own row. What nothing has weight for is
 * `apart`. WB_ERR_LIMIT when memory is exhausted. */
wb_status tally_apportion(struct tally *tally, wb_part_kind what, uint64_t total, const struct tally *weights,
                          tally_filter filter, const void *user, enum cost_apart apart);

#endif

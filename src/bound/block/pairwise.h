/* Bounds that look at one pair of distinct sections after the other: what FIB and ALN have in common. */
#ifndef WB_BOUND_BLOCK_PAIRWISE_H
#define WB_BOUND_BLOCK_PAIRWISE_H

#include "bound/block/align.h"
#include "bound/method/method.h"

struct pairwise;

/* How the instructions of a section delay a warp with section `own`, by one method. */
typedef wb_status (*pair_value)(struct pairwise *pairwise, const struct align_rules *rules, uint32_t own,
                                uint32_t other, cycles *value);

/* Turns the sum of the pair values of one warp, over all other warps, into its bound for the section. */
typedef cycles (*pair_total)(const struct pairwise *pairwise, uint32_t own, cycles sum);

struct pairwise {
    struct arena arena;
    const struct bound_input *input;
    pair_value value;
    pair_total total;
    struct block_sections sections;
    const cycles *charges;   /* phase_charges */
    VEC(cycles) isolated;    /* per distinct section its time alone */
    struct intern pairs;     /* pairs seen: their keys as bytes */
    VEC(cycles) pair_values; /* by number of the pair */
    bool *used;              /* per unit: scratch of pairwise_fib */
    struct align_limits limits;
    bool cut_short;  /* not all pairs were aligned */
    uint64_t others; /* warps of the block but one: m of ALN */
};

/* Fills in a bound: the sum over all sections of the largest bound of any warp, proven where SIB is. For a
 * block with too many instructions to be looked at in pairs the value is SIB's, which is no less. Errors
 * leave a message. */
wb_status pairwise_run(const struct bound_input *input, pair_value value, pair_total total, wb_bound *bound);

/* What FIB charges a warp with section `own` for one warp with section `other`. */
cycles pairwise_fib(struct pairwise *pairwise, const struct align_rules *rules, uint32_t own, uint32_t other);

#endif

/* Random kernels of machine code with branches, loops that lanes leave in several ways, and sets of lanes
 * that meet, as compilers make them; in the notation of machine_text.h. */
#ifndef WB_TESTS_RANDOM_MACHINE_H
#define WB_TESTS_RANDOM_MACHINE_H

#include "base/base.h"
#include "base/containers.h"

/* What there is besides branches whose lanes meet: percent of choices. */
struct random_machine_shape {
    uint32_t depth;      /* of nested statements */
    uint32_t statements; /* of a sequence, at most */
    uint32_t naked;      /* branches whose lanes do not meet behind them */
    uint32_t ends;       /* lanes that end early */
    uint32_t known;      /* conditions that depend on the lane only */
    uint32_t uniform;    /* conditions that are the same in all lanes, unknown */
    uint32_t votes;      /* conditions that the lanes which are there vote on */
};

/* Kernel k(data, out): lane l of a warp reads word l of `data`, on which its ways depend, and stores what it
 * has computed on the way to the 64-bit word l of `out`. */
void random_machine_put(uint64_t seed, const struct random_machine_shape *shape, struct text *out);

#endif

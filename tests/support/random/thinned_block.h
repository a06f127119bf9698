/* A block of which some executions are left out and others are faster: what a real run is to the covering
 * paths of its warps. */
#ifndef WB_TESTS_THINNED_BLOCK_H
#define WB_TESTS_THINNED_BLOCK_H

#include "base/base.h"
#include "base/containers.h"
#include "warp/timed/timed.h"

/* How a block is thinned, in per cent of its executions. */
struct thinning {
    uint32_t leave_out; /* instructions that are no barriers */
    uint32_t shorten;   /* of the rest: initiation and latency become smaller at random */
    uint32_t end_early; /* warps that end before their last instruction, barriers included */
};

/* Makes the registers of a block's code few, so that instructions overwrite each other's results. */
void reuse_registers(struct timed_block *block, uint32_t registers);

/* Thins a block; every warp by itself. Free the result with timed_block_free, before the block. */
void thinned_block_make(const struct timed_block *block, const struct thinning *thinning,
                        struct random_state *random, struct timed_block *thinned);

/* Appends what every warp executes: `unit(init,latency) destination=sources`, `|` for barriers. */
void timed_block_describe(const struct timed_block *block, struct text *out);

#endif

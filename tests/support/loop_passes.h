/* How often a traced block's threads execute the headers of a function's loops. */
#ifndef WB_TESTS_LOOP_PASSES_H
#define WB_TESTS_LOOP_PASSES_H

#include "loop_support.h"
#include "warp/path/path.h"

#define LANES 32

struct loop_passes {
    const struct bounded_function *bounded;
    uint32_t first;             /* index of the function's first instruction in paths */
    uint32_t last_block[LANES]; /* that each lane executed in the function */
    uint64_t (*count)[LANES];   /* per loop: since its last entry */
    uint64_t *most;             /* per loop: most executions of the header each time it was entered */
};

/* Nothing is counted yet; freed with loop_passes_free. */
void loop_passes_init(const wb_block *block, uint32_t function, const struct bounded_function *bounded,
                      struct loop_passes *passes);

/* Counts along a path of the block. */
void loop_passes_follow(struct loop_passes *passes, const struct path *path);

void loop_passes_free(struct loop_passes *passes);

#endif

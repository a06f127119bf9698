/* Random grids of machine code as analyses and simulator take them. */
#ifndef WB_TESTS_SASS_BLOCK_H
#define WB_TESTS_SASS_BLOCK_H

#include "memory/requests/requests.h"
#include "naive_sass.h"
#include "warp/timed/timed.h"

/* The machine of a grid, and the block that has its first warps, each with a path of its own on which its
 * program comes `times` times, the last of several on lines of its own; unfolded: each time with instructions
 * of its own. To be freed with timed_block_free; `machine` must outlive it. */
void sass_block_from(const struct sass_grid *grid, uint32_t times, bool unfolded, struct wb_machine *machine,
                     struct timed_block *block);

/* Of its slot the cycles in which a constant is looked for, once sass_grid_state_all has been there: what the
 * machine has to state as constant_probe. */
#define SASS_PROBE 1u

/* Everything takes as long as it is stated, but for latencies, and goes as the simulator has it. */
void sass_grid_state_all(struct sass_grid *grid);

/* Programs that come several times end as those do: a jump is no instruction behind which the next one
 * follows at once. */
void sass_grid_end_in_jumps(struct sass_grid *grid);

/* All blocks of a grid on its SMs. */
struct sass_gpu {
    struct wb_machine machine;
    struct wb_grid grid;
    struct timed_grid timed;
};

/* Made where it stands; to be freed with sass_gpu_free. */
void sass_gpu_from(const struct sass_grid *grid, struct sass_gpu *gpu);
void sass_gpu_free(struct sass_gpu *gpu);

#endif

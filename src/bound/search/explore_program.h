/* The programs of a small block in the form that the search over all schedules wants: per instruction the
 * instructions it waits for, per position the results that are still to be waited for. */
#ifndef WB_BOUND_SEARCH_EXPLORE_PROGRAM_H
#define WB_BOUND_SEARCH_EXPLORE_PROGRAM_H

#include "warp/timed/timed_block.h"

/* Most results of one warp that can be waited for at one position, and most instructions of a program. */
#define EXPLORE_LIVE_MAX 24u
#define EXPLORE_PROGRAM_MAX 4096u

struct explore_inst {
    uint8_t unit; /* or UNIT_NONE */
    bool barrier;
    uint32_t init, latency;
    uint32_t waits; /* bit i: for the i-th live result of its position */
    uint32_t keeps; /* bit i: the i-th live result of its position is live at the next one */
    bool is_live;   /* its own result is live at the next position, as the last one */
};

struct explore_program {
    struct explore_inst *insts;
    uint32_t count;
    uint32_t *barriers_before; /* per position (count + 1): barriers passed */
    uint32_t *units_left;      /* per position: bit u for a unit that is still to be used */
};

/* Writes out the path number `path`. WB_ERR_DECLINED without a message when it is too long or has too many
 * live results or units; WB_ERR_LIMIT when memory is exhausted. */
wb_status explore_program_make(const struct timed_block *block, uint32_t path, struct arena *arena,
                               struct explore_program *program);

/* Combinations of positions of the warps of a block: n warps of a program of L instructions have C(L + n, n).
 */
double explore_positions(const struct timed_block *block);

#endif

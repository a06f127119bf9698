/* The programs of small blocks in the form that the search over schedules wants: per instruction the
 * instructions it waits for, per position the results that are still to be waited for. All times of a search
 * stay below 2^31: what is longer has an objection. */
#ifndef WB_BOUND_SEARCH_SEARCH_PROGRAM_H
#define WB_BOUND_SEARCH_SEARCH_PROGRAM_H

#include "warp/timed/timed_block.h"

/* Most results of one warp that can be waited for at one position, instructions of a program, instances of a
 * unit, and entries of a queue that has an end. */
#define SEARCH_LIVE_MAX 24u
#define SEARCH_PROGRAM_MAX 4096u
#define SEARCH_INSTANCES_MAX 4u
#define SEARCH_DEPTH_MAX 8u

struct search_inst {
    uint8_t unit; /* or UNIT_NONE */
    bool barrier;
    uint32_t init, latency;
    uint32_t waits; /* bit i: for the i-th live result of its position */
    uint32_t keeps; /* bit i: the i-th live result of its position is live at the next one */
    bool is_live;   /* its own result is live at the next position, as the last one */
};

/* The arrays but `insts` have count + 1 items, one per position. */
struct search_program {
    struct search_inst *insts;
    uint32_t count;
    uint32_t *barriers_before; /* barriers passed */
    uint32_t *units_left;      /* bit u for a unit that is still to be used */
    uint32_t *shortest_rest;   /* the fewest cycles until the warp has ended */
};

/* Writes out the path number `path`. WB_ERR_DECLINED without a message when it is too long or has too many
 * live results or units; WB_ERR_LIMIT when memory is exhausted. */
wb_status search_program_make(const struct timed_block *block, uint32_t path, struct arena *arena,
                              struct search_program *program);

/* Combinations of positions of the warps of a block: n warps of a program of L instructions have C(L + n, n).
 */
double search_positions(const struct timed_block *block);

#endif

/* Grids written by hand, block by block, for tests of whatever works on requests: caches, the access order,
 * the simulator, bounds.
 *
 * A block is a text such as `2x L0=0,1 U0 | S1=4.2; A2=7`: warps separated by `;`, `2x` for two equal ones. A
 * warp is a list of
 *   L5=0,3   a load by instruction 5 of lines 0 and 3 (a lane each; 4.2: the third sector of line 4)
 *   S5=0     a store, A5=0 an atomic; every instruction is always the same of the three
 *   U5       an instruction that waits for what instruction 5 loaded last
 *   X        one that waits for nothing
 *   |        a barrier
 */
#ifndef WB_TESTS_HAND_GRID_H
#define WB_TESTS_HAND_GRID_H

#include "base/containers.h"
#include "memory/requests/requests.h"
#include "warp/timed/timed.h"
#include "warp/trace/trace.h"

/* Memory instructions are numbered below HAND_INSTRUCTIONS; behind them in the code are the others. */
#define HAND_INSTRUCTIONS 64u
#define HAND_BARRIER HAND_INSTRUCTIONS
#define HAND_USE_OF(instruction) (HAND_INSTRUCTIONS + 1 + (instruction))
#define HAND_OTHER (2 * HAND_INSTRUCTIONS + 1)

struct hand_grid {
    struct wb_grid grid;
    struct wb_machine machine; /* 1 SM, requests of lines, 16 kB in 4 ways; to be changed before use */
    struct timed_code code; /* memory instructions on unit 1, all others on unit 0, each a cycle and 1 more */
    struct arena arena;     /* of the code */
    struct text text;       /* all blocks, separated by `/`: what a failing test prints */
};

/* An empty grid. A hand grid must not be moved. */
void hand_grid_begin(struct hand_grid *hand);

/* Adds a block; all blocks of a grid have equally many warps. Ends the program when the text is malformed. */
void hand_grid_add(struct hand_grid *hand, const char *block);

/* A grid from blocks separated by `/`; `3*` before one: three such blocks. */
void hand_grid_make(struct hand_grid *hand, const char *blocks);

/* What random blocks look like: largest values (the least are 1) and chances in percent. */
struct hand_shape {
    uint32_t warps;        /* exactly */
    uint32_t accesses;     /* of a warp; may be 0 */
    uint32_t instructions; /* distinct memory instructions: the higher, the fewer repetitions */
    uint32_t lines, lanes; /* distinct lines in the grid; lines of an access */
    uint32_t sectors;      /* of a line that are accessed; 0: the first one only */
    uint32_t store_percent, atomic_percent, use_percent, barrier_percent;
    bool sorted; /* addresses of the program ascend along a warp: no loops */
};

/* Members of a shape, to be written first. */
#define HAND_SHAPE(warps_, accesses_, instructions_, lines_, lanes_)                                         \
    .warps = (warps_), .accesses = (accesses_), .instructions = (instructions_), .lines = (lines_),          \
    .lanes = (lanes_)

/* Adds a random block. */
void hand_grid_add_random(struct hand_grid *hand, struct random_state *random,
                          const struct hand_shape *shape);

/* Lets the loads of every sixth instruction pass by the first level, as ld.cg does. */
void hand_uncache(const struct traffic *traffic);

void hand_grid_free(struct hand_grid *hand);

#endif

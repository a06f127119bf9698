/* Blocks written by hand in one line: counterexamples, tests, and models without PTX. Part of the library and
 * not of the tests because a block in this notation is also an input format of its own.
 *
 * Units: `A(3,0) B*2(2,4) b(5,1)@B`: letter or name, initiation, latency; `A(3,1..4)`: a latency of 1 to 4
 * cycles, where `A(3,4)` says at most 4. `*2`: two instances. `@B`:
 * instructions named b run on unit B with times of their own. `A/(3,0)`: every sub-core has a unit A, while
 * without the stroke they share one.
 *
 * Warps: `2x A B.0 | A.1.0; A A B`: programs separated by `;`, `2x` for two warps of the program that
 * follows. `B.1.0` reads the results of instructions 1 and 0 of its program (barriers are not counted). `|`
 * is a barrier that takes no slot, no unit and no time; `A.0!` is an instruction and a barrier in one. Behind
 * the sources, in this order: `A~` is an asynchronous copy, `A^` commits a group, `A?1` waits for all groups
 * but the newest one, `A?*` for every copy; `A%` is an access, `A#` a fence (docs/execution.md).
 *
 * Grids: `4* 2x A B; A / 2* B`: block classes separated by `/`, `4*` before one for four such blocks.
 */
#ifndef WB_WARP_SYNTHETIC_SYNTHETIC_H
#define WB_WARP_SYNTHETIC_SYNTHETIC_H

#include "warp/timed/timed.h"

/* Most instruction kinds, blocks of a grid, warps of a block and instructions of one program. */
#define SYNTHETIC_KINDS_MAX 32u
#define SYNTHETIC_BLOCKS_MAX 1000000u
#define SYNTHETIC_WARPS_MAX 4096u
#define SYNTHETIC_PROGRAM_MAX 65535u

/* Most requests of an instruction: one a lane. */
#define SYNTHETIC_REQUESTS_MAX 32u

/* Blocks of a grid that are alike. */
struct synthetic_blocks {
    uint32_t count;
    struct timed_block timed; /* refers to what the synthetic block owns */
};

struct synthetic_block {
    struct wb_machine machine; /* one sub-core, one issue, unlimited depth; to be changed before use */
    VEC(struct path) paths;    /* one a program */
    struct timed_block timed;  /* refers to machine and paths: a synthetic block must not be moved */
    VEC(struct synthetic_blocks)
    classes;              /* of a grid, the first of which is `timed`; of a block that alone */
    uint32_t block_count; /* of all kinds */
    uint8_t memory_unit;  /* whose instructions make requests, or UNIT_NONE */
    bool is_grid;         /* read from a description of a grid, of one block though it may be */
};

/* Reads a block. Malformed text is WB_ERR_INPUT with a message that points into it; `block` is then empty.
 * Free it with synthetic_block_free in either case. */
wb_status synthetic_block_parse(const char *units, const char *warps, wb_diagnostics *diagnostics,
                                struct synthetic_block *block);

/* The same of a grid. */
wb_status synthetic_grid_parse(const char *units, const char *blocks, wb_diagnostics *diagnostics,
                               struct synthetic_block *block);

/* Lets the instructions of a unit make as many requests each as they keep it cycles; their latency is that of
 * the memory. WB_ERR_INPUT with *problem a constant sentence when there is no such unit, or its times do not
 * fit. */
wb_status synthetic_block_set_memory(struct synthetic_block *block, const char *unit, const char **problem);

/* Lets every kind of block refer to the machine, the code and the paths of `block`, when these are complete.
 */
void synthetic_block_connect(struct synthetic_block *block);

void synthetic_block_free(struct synthetic_block *block);

/* Blocks written by hand as YAML files (docs/blocks.md), so that a counterexample is a file anyone can run.
 */

/* Parses `size` bytes of such a file; `name` stands for it in messages. Like synthetic_file_read otherwise.
 */
wb_status synthetic_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                               struct synthetic_block *block);

/* Reads the file at `path`. WB_ERR_INPUT with messages when it is no such file; `block` is then empty. Free
 * it with synthetic_block_free. */
wb_status synthetic_file_read(const char *path, wb_diagnostics *diagnostics, struct synthetic_block *block);

#endif

/* Blocks that execute the same as one of them, found without executing them (docs/block-classes.md).
 *
 * The block at `origin` runs on unknown contents of memory, and with it, instruction by instruction, the next
 * block along each axis of the grid. A register lane is flat if it holds the same in all blocks of the class,
 * and affine if it holds v + sum c_j q_j modulo 2^bits in the block that is q_j steps away along axis j: c_j
 * is then what the two runs differ by. What holds in a part of the grid only is noted as a constraint on q.
 * If control needs flat values alone, and addresses affine ones, every block that meets the constraints has
 * the path of the origin, and accesses whose addresses move by c_j per step. */
#ifndef WB_WARP_AFFINE_AFFINE_H
#define WB_WARP_AFFINE_AFFINE_H

#include "warp/interpret/execute.h"
#include "warp/interpret/warp.h"

#define AFFINE_RUNS (1u + AXES)

/* low <= sum of c[j] q[j] <= high */
struct affine_constraint {
    __int128 c[AXES];
    __int128 low, high;
};

/* What was demanded lately, as it was: v + sum of c[j] q[j] may be so much less and more than v. */
#define AFFINE_RECENT 16u
struct affine_demand {
    __int128 c[AXES];
    __int128 less, more;
};

/* The blocks of a class: those that are whole steps away from the origin and meet all constraints. The origin
 * does, and so does the next block along each axis in use. */
struct affine_space {
    uint32_t origin[AXES];
    uint32_t step[AXES]; /* blocks; 0: the axis is not in use, all have the origin's index */
    VEC(struct affine_constraint) constraints;
    struct affine_demand recent[AFFINE_RECENT]; /* all met; of zeros: none */
    uint32_t next_recent, last_met;
    bool failed; /* for want of memory, or there are too many constraints */
};

/* Demands low <= v + sum of c[j] q[j] <= high; it holds at the origin. False: the next block along one of the
 * axes does not meet it; it is not a constraint of the class then. *axes: those axes, as bits. */
bool affine_require(struct affine_space *space, __int128 v, const __int128 c[AXES], __int128 low,
                    __int128 high, uint8_t *axes);

/* Adds a constraint, which the origin and the next block along each axis meet. */
void affine_constrain(struct affine_space *space, const struct affine_constraint *added);

/* The blocks of the class in row (y, z) of the grid: those at origin + k step along x, first <= k <= last,
 * k = 0 alone where the axis is not in use. False: there are none. *q: the steps along y and z. */
bool affine_row(const struct affine_space *space, const uint32_t grid[AXES], const uint32_t index[AXES],
                int64_t *first, int64_t *last, int64_t q[AXES]);

/* The most k <= most so that all blocks with k steps along the axis, and from 0 to last[j] along each other
 * one, are of the class, as those with k = 0 are. */
int64_t affine_reach(const struct affine_space *space, const int64_t last[AXES], uint32_t axis, int64_t most);

struct pass_search;

/* The origin's run, and those of the next block along each axis in use. */
struct lockstep {
    struct run *runs; /* begun, index set to the block; warps alike */
    uint32_t count;
    uint8_t axis[AFFINE_RUNS]; /* of each run but the first */
    struct affine_space *space;
    struct affine_bend bend;    /* where control or an address asked for more than there is */
    struct pass_search *search; /* for passes of loops; NULL: each is executed */
};

/* Executes the block in all runs, on covering paths if those were begun for all; each records into
 * accesses[run][warp]. WB_ERR_DECLINED: see lockstep->bend. Errors of the runs have messages in their
 * diagnostics, but for WB_ERR_LIMIT for want of memory. */
wb_status affine_run_block(struct lockstep *lockstep, struct access_list *accesses[AFFINE_RUNS]);

/* Lets a warp go on by an instruction, or by settling its stack, in all runs. */
wb_status affine_advance(struct lockstep *lockstep, uint32_t number);

/* ---- passes.c: passes of loops that follow from one of them ---- */

/* Where a warp of known data is in loops that only compute: continues behind as many passes as are known to
 * take the same way. What of their results is not known is forgotten, and the run says so. */
wb_status affine_skip_passes(struct warp *warp);

/* ---- rules.c: results of instructions that compute in each lane by themselves ---- */

/* Results of an instruction: what is known of the lanes that it writes, per register written. */
#define AFFINE_OUTPUTS 8u
struct affine_result {
    struct slot slot;
    struct affine_shadow shadow;
    struct affine_bend inherited; /* the reasons that its sources had */
    /* On covering paths: lanes of which the same bits are known in all blocks, and those that are made from
     * the same memory. */
    uint32_t uniform, followed;
};

/* What is known of an operand of the warp. */
struct affine_shadow affine_of(const struct lockstep *lockstep, uint32_t warp, struct slot slot);

/* What `op` gives in the lanes of `mask`, judged before it is executed. Returns the number of results;
 * registers that are written and not among them bend by data. */
uint32_t affine_judge(struct lockstep *lockstep, uint32_t warp, const struct micro *op, uint32_t mask,
                      struct affine_result results[AFFINE_OUTPUTS]);

#endif

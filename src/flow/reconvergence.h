/* Where the lanes of a warp come together again after a branch that divided them. */
#ifndef WB_FLOW_RECONVERGENCE_H
#define WB_FLOW_RECONVERGENCE_H

#include "base/arena.h"
#include "flow/cfg.h"
#include "flow/dominators.h"
#include "ptx/ptx.h"

/* Per instruction of the function the instruction at which a branch reconverges: the first one of the block
 * that is the immediate post-dominator of the branch's block. PTX_NO_INDEX where that is the function's exit,
 * and for instructions that are no branches. The array (inst_count entries) is the arena's. WB_ERR_LIMIT,
 * without a message, when memory is exhausted or the branches have more targets than CFG_EDGES_MAX.
 *
 * Post-dominance counts only paths that reach the function's exit (flow/dominators.h): a side that ends in
 * `trap` or loops for ever does not keep the other side from reconverging. A guarded `ret` or `exit` is a
 * path to the exit like any other. */
wb_status flow_reconvergence(const struct ptx_function *function, struct arena *arena,
                             uint32_t **per_instruction);

/* The same from what was already computed of the function. WB_ERR_LIMIT when memory is exhausted. */
wb_status reconvergence_of(const struct cfg *cfg, const struct dominators *post_dominators,
                           struct arena *arena, uint32_t **per_instruction);

#endif

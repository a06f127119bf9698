/* The control-flow graph of one PTX function. */
#ifndef WB_FLOW_GRAPH_CFG_H
#define WB_FLOW_GRAPH_CFG_H

#include <stdbool.h>

#include "base/arena.h"
#include "flow/graph/dominators.h"
#include "flow/graph/graph.h"
#include "ptx/ptx.h"

/* How control passes from one block to another. */
enum cfg_edge_kind {
    CFG_FALL_THROUGH, /* to the block behind, or off the function's end */
    CFG_TAKEN,        /* `bra` */
    CFG_INDIRECT,     /* `brx.idx`, one edge for each distinct target */
    CFG_EXIT          /* `ret` or `exit` */
};

/* Instructions that are executed one after another. A block ends with its first branch, `ret`, `exit` or
 * `trap`, guarded or not, and in front of a label that is branched to; a call does not end it. Of machine
 * code it also ends with what lanes wait at for others of their warp. */
struct cfg_block {
    uint32_t first; /* instruction */
    uint32_t count; /* instructions, at least 1 */
    bool reachable; /* from the function's entry */
};

/* Blocks in the order of the text. Node b of the graph is block b; node `exit`, behind the last, stands for
 * having left the function. `trap` leads nowhere: it ends the whole grid. */
struct cfg {
    const struct ptx_function *function;
    struct cfg_block *blocks;
    uint32_t block_count;
    uint32_t exit;       /* == block_count */
    uint32_t *block_of;  /* per instruction */
    struct graph graph;  /* successors of a block: targets in order, then the block behind */
    uint8_t *edge_kinds; /* enum cfg_edge_kind of each entry of graph.out.nodes */
};

/* Functions with more edges are refused: tables of `.branchtargets` can be named by any number of branches.
 */
#define CFG_EDGES_MAX ((uint32_t)1 << 24)

/* Node at which the function is entered: block 0, or `exit` when the function has no instructions. */
#define CFG_ENTRY 0u

/* The graph of a function with a body. The pass ends (WB_ERR_LIMIT) also when CFG_EDGES_MAX is exhausted. */
struct cfg cfg_build(const struct ptx_function *function, struct arena *arena);

/* The last instruction of a block: the one that decides where control goes. */
static inline const struct ptx_inst *cfg_last(const struct cfg *cfg, uint32_t block) {
    return &cfg->function->insts[cfg->blocks[block].first + cfg->blocks[block].count - 1];
}

/* Whether control can go on in more than one way behind a block's last instruction. */
bool cfg_has_choice(const struct cfg *cfg, uint32_t block);

/* Whether an instruction is `bra` or `brx.idx`. */
static inline bool cfg_is_branch(const struct ptx_inst *inst) {
    return inst->form->op == PTX_OP_BRA || inst->form->op == PTX_OP_BRX_IDX;
}

/* Where the lanes of a warp come together again after a branch that divided them: per instruction of the
 * function the instruction at which a branch reconverges: the first one of the block that is the immediate
 * post-dominator of the branch's block. PTX_NO_INDEX where that is the function's exit, and for instructions
 * that are no branches. The array has inst_count entries.
 *
 * Post-dominance counts only paths that reach the function's exit (flow/graph/dominators.h): a side that ends
 * in `trap` or loops for ever does not keep the other side from reconverging. A guarded `ret` or `exit` is a
 * path to the exit like any other. */
uint32_t *flow_reconvergence(const struct ptx_function *function, struct arena *arena);

/* The same from what was already computed of the function. */
uint32_t *reconvergence_of(const struct cfg *cfg, const struct dominators *post_dominators,
                           struct arena *arena);

#endif

/* From the code of a kernel to its abstract warp: the control flow is taken apart into sequences, branches
 * and loops, straight-line code is made into nodes, and all is put together again bottom-up. */
#ifndef WB_WINGS_ABSTRACT_CTA_ACTA_CODE_H
#define WB_WINGS_ABSTRACT_CTA_ACTA_CODE_H

#include "base/base.h"
#include "flow/graph/graph.h"
#include "flow/values/values.h"
#include "wings/abstract_cta/acta_warp.h"

/* What of a kernel's control flow the abstract warp is made from. All memory is the arena's. */
struct kernel_flow {
    struct arena arena;
    const struct wb_kernel *kernel;
    struct cfg cfg;
    struct dominators dominators, post_dominators;
    struct loops loops;
    struct node_regs liveness;
    struct ssa ssa;
    struct divergence divergence;
};

/* WB_ERR_LIMIT with a message when memory is exhausted. Free it with kernel_flow_free in any case. */
wb_status kernel_flow_make(const struct wb_kernel *kernel, wb_diagnostics *diagnostics,
                           struct kernel_flow *flow);
void kernel_flow_free(struct kernel_flow *flow);

/* The threads of a block, which say of counted barriers whether they join all of them. */
struct acta_threads {
    uint32_t size[3]; /* 0: not known */
    uint32_t warp_width;
};

/* Builds the abstract warp, with `choices` one that keeps them; *warp is to be freed in any case.
 * WB_ERR_DECLINED with a message at the instruction when the control flow is not structured, or contains what
 * abstract warps do not have (calls, barriers of part of the block); WB_ERR_LIMIT with one when memory is
 * exhausted. */
wb_status acta_warp_of_kernel(const struct kernel_flow *flow, const struct acta_threads *threads,
                              bool choices, wb_diagnostics *diagnostics, struct acta_warp *warp);

/* Whether instructions of a class access memory in a way that a warp can wait for; *is_store: they have no
 * result. */
bool acta_accesses_memory(enum ptx_class class, bool *is_store);

#endif

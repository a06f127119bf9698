#include "papers/abstract_cta/abstract_region.h"

/* The pass: everything but the kernel. */
static void fill(void *context) {
    struct kernel_flow *flow = context;
    struct arena *arena = &flow->arena;
    flow->cfg = cfg_build(kernel_function(flow->kernel), arena);
    flow->dominators = dominators_build(arena, &flow->cfg.graph, CFG_ENTRY);
    flow->post_dominators = post_dominators_build(arena, &flow->cfg.graph, flow->cfg.exit);
    flow->loops = loops_build(arena, &flow->cfg.graph, &flow->dominators);
    flow->liveness = liveness_build(&flow->cfg, arena);
    flow->ssa = ssa_build(&flow->cfg, &flow->dominators, &flow->liveness, arena);
    flow->divergence = divergence_analyse(&flow->ssa, &flow->dominators, &flow->post_dominators, NULL, arena);
}

wb_status kernel_flow_make(const struct wb_kernel *kernel, wb_diagnostics *diagnostics,
                           struct kernel_flow *flow) {
    *flow = (struct kernel_flow){.kernel = kernel};
    const wb_status status = arena_protect(&flow->arena, fill, flow);
    return status == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
}

void kernel_flow_free(struct kernel_flow *flow) {
    arena_free(&flow->arena);
}

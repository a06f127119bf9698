#include "papers/abstract_cta/abstract_region.h"

static wb_status fill(struct kernel_flow *flow) {
    struct arena *arena = &flow->arena;
    const struct graph *graph = &flow->cfg.graph;
    WB_TRY(cfg_build(kernel_function(flow->kernel), arena, &flow->cfg));
    WB_TRY(dominators_build(arena, graph, CFG_ENTRY, &flow->dominators));
    WB_TRY(post_dominators_build(arena, graph, flow->cfg.exit, &flow->post_dominators));
    WB_TRY(loops_build(arena, graph, &flow->dominators, &flow->loops));
    WB_TRY(liveness_build(&flow->cfg, arena, &flow->liveness));
    WB_TRY(ssa_build(&flow->cfg, &flow->dominators, &flow->liveness, arena, &flow->ssa));
    return divergence_analyse(&flow->ssa, &flow->dominators, &flow->post_dominators, NULL, arena,
                              &flow->divergence);
}

wb_status kernel_flow_make(const struct wb_kernel *kernel, wb_diagnostics *diagnostics,
                           struct kernel_flow *flow) {
    *flow = (struct kernel_flow){.kernel = kernel};
    return fill(flow) == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
}

void kernel_flow_free(struct kernel_flow *flow) {
    arena_free(&flow->arena);
}

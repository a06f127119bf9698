#include "warp/cover/found_limits.h"

#include <inttypes.h>

#include "warp/cover/launch_environment.h"

/* A search, and what it finds. */
struct limits_search {
    const struct ptx_function *function;
    const struct loop_environment *launched;
    struct arena *arena;
    struct found_limits *found;
};

static void search_limits(void *context) {
    static const struct loop_environment nothing = {0};
    const struct limits_search *search = context;
    struct arena *arena = search->arena;
    struct found_limits *found = search->found;
    found->cfg = cfg_build(search->function, arena);
    found->dominators = dominators_build(arena, &found->cfg.graph, CFG_ENTRY);
    found->loops = loops_build(arena, &found->cfg.graph, &found->dominators);
    const struct node_regs liveness = liveness_build(&found->cfg, arena);
    const struct ssa ssa = ssa_build(&found->cfg, &found->dominators, &liveness, arena);
    found->always = loop_bounds_find(&ssa, &found->dominators, &found->loops, &nothing, arena);
    found->launched = loop_bounds_find(&ssa, &found->dominators, &found->loops, search->launched, arena);
}

wb_status found_limits_find(const struct ptx_function *function, const struct loop_environment *launched,
                            struct arena *arena, struct found_limits *found) {
    struct limits_search search = {function, launched, arena, found};
    return arena_protect(arena, search_limits, &search);
}

/* Holds one fact to what was found of its function. */
static wb_status require(const struct wb_facts *facts, const struct flow_fact *fact,
                         const struct found_limits *found, wb_diagnostics *diagnostics) {
    const uint32_t loop = found->loops.innermost[found->cfg.block_of[fact->at]];
    const struct loop_bound *bounds = fact->origin == FACT_FOUND ? found->always : found->launched;
    if (bounds[loop].known && bounds[loop].headers <= fact->limit) return WB_OK;
    if (bounds[loop].known)
        diagnose_at(diagnostics, SEVERITY_ERROR, &facts->source, fact->place,
                    "the analysis finds %" PRIu64 " here, not %" PRIu64
                    ": a limit of your own is written without 'found'",
                    bounds[loop].headers, fact->limit);
    else
        diagnose_at(diagnostics, SEVERITY_ERROR, &facts->source, fact->place,
                    "the analysis finds no limit here: one of your own is written without 'found'");
    return WB_ERR_INPUT;
}

/* Holds all facts about a function to what analysis finds of it. */
static wb_status require_of_function(const struct wb_facts *facts, uint32_t function,
                                     const struct loop_environment *launched, wb_diagnostics *diagnostics) {
    struct arena arena = {0};
    struct found_limits found;
    bool looked = false;
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < facts->facts.count; i++) {
        const struct flow_fact *fact = &facts->facts.items[i];
        if (fact->function != function || fact->origin == FACT_STATED) continue;
        if (!looked)
            status = found_limits_find(&facts->kernel->module->functions[function], launched, &arena, &found);
        if (status != WB_OK) (void)diagnose_out_of_memory(diagnostics, facts->source.name);
        if (status == WB_OK) status = require(facts, fact, &found, diagnostics);
        looked = true;
    }
    arena_free(&arena);
    return status;
}

wb_status found_limits_require(const struct wb_facts *facts, const struct wb_launch *launch,
                               wb_diagnostics *diagnostics) {
    static const struct launch_scope all = {0};
    struct launch_environment filled;
    launch_environment_fill(facts->kernel, launch, &all, &filled);
    for (uint32_t f = 0; f < facts->kernel->module->function_count; f++)
        WB_TRY(require_of_function(facts, f, &filled.environment, diagnostics));
    return WB_OK;
}

#include "launch/facts_labels.h"

#include <string.h>

#include "ptx/reach.h"

wb_status facts_labels_open(const struct wb_kernel *kernel, struct facts_labels *labels) {
    const struct wb_module *module = kernel->module;
    struct ptx_reach reach;
    labels->kernel = kernel;
    labels->reached = arena_array(&labels->arena, module->function_count, sizeof *labels->reached);
    labels->functions = arena_array(&labels->arena, module->function_count, sizeof *labels->functions);
    if (labels->reached == NULL || labels->functions == NULL) return WB_ERR_LIMIT;
    WB_TRY(ptx_reach(kernel, &labels->arena, &reach));
    for (uint32_t i = 0; i < reach.count; i++)
        labels->reached[reach.functions[i]] = true;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const char *name = module->functions[f].name;
        uint32_t number;
        WB_TRY(intern_add(&labels->names, name, strlen(name), &number));
    }
    return WB_OK;
}

void facts_labels_close(struct facts_labels *labels) {
    for (size_t f = 0; labels->functions != NULL && f < labels->kernel->module->function_count; f++)
        intern_free(&labels->functions[f].labels);
    intern_free(&labels->names);
    arena_free(&labels->arena);
}

wb_status facts_labels_find(struct facts_labels *labels, uint32_t function, const char *name, size_t length,
                            uint32_t *label) {
    const struct ptx_function *code = &labels->kernel->module->functions[function];
    struct facts_function *known = &labels->functions[function];
    for (uint32_t i = 0; !known->has_labels && i < code->label_count; i++) {
        const char *added = code->labels[i].name;
        uint32_t number;
        WB_TRY(intern_add(&known->labels, added, strlen(added), &number));
    }
    known->has_labels = true;
    uint32_t found = intern_find(&known->labels, name, length);
    *label = found == INTERN_NONE ? PTX_NO_INDEX : found;
    return WB_OK;
}

/* A function whose loops are found. */
struct loops_search {
    const struct ptx_function *function;
    struct arena *arena;
    struct facts_function *known;
};

static void find_loops(void *context) {
    const struct loops_search *search = context;
    struct cfg *cfg = &search->known->cfg;
    *cfg = cfg_build(search->function, search->arena);
    const struct dominators dominators = dominators_build(search->arena, &cfg->graph, CFG_ENTRY);
    search->known->loops = loops_build(search->arena, &cfg->graph, &dominators);
}

wb_status facts_labels_loops(struct facts_labels *labels, uint32_t function,
                             const struct facts_function **loops) {
    struct facts_function *known = &labels->functions[function];
    if (!known->has_loops) {
        struct loops_search search = {&labels->kernel->module->functions[function], &labels->arena, known};
        WB_TRY(arena_protect(&labels->arena, find_loops, &search));
        known->has_loops = true;
    }
    *loops = known;
    return WB_OK;
}

bool facts_starts_loop(const struct facts_function *function, uint32_t inst) {
    uint32_t block = function->cfg.block_of[inst];
    return function->cfg.blocks[block].first == inst && loop_is_header(&function->loops, block);
}

bool facts_in_irreducible(const struct facts_function *function, uint32_t inst) {
    return function->loops.region_of[function->cfg.block_of[inst]] != GRAPH_NONE;
}

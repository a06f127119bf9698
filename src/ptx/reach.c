#include "ptx/reach.h"

/* The walk over the calls: reach->functions is its queue. */
struct reach_walk {
    const struct wb_module *module;
    bool *seen; /* by function */
    bool saw_indirect;
    struct ptx_reach *reach;
};

static void add_function(struct reach_walk *walk, uint32_t function) {
    if (walk->seen[function]) return;
    walk->seen[function] = true;
    walk->reach->functions[walk->reach->count++] = function;
}

/* Adds what a call through a register can reach, the first time that one is met. */
static void add_indirect(struct reach_walk *walk) {
    if (walk->saw_indirect) return;
    walk->saw_indirect = true;
    for (uint32_t f = 0; f < walk->module->function_count; f++)
        if (!walk->module->functions[f].is_entry) add_function(walk, f);
}

static void add_callees(struct reach_walk *walk, const struct ptx_function *function) {
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ptx_inst *inst = &function->insts[i];
        if (inst->form->op != PTX_OP_CALL) continue;
        const struct ptx_operand *callee = &ptx_operands(function, inst)[1];
        if (callee->kind == PTX_OPERAND_FUNCTION) {
            add_function(walk, ptx_callee(walk->module, callee->index));
        } else {
            add_indirect(walk);
        }
    }
}

wb_status ptx_reach(const struct wb_kernel *kernel, struct arena *arena, struct ptx_reach *reach) {
    const struct wb_module *module = kernel->module;
    struct reach_walk walk = {
        .module = module, .seen = arena_array(arena, module->function_count, sizeof(bool)), .reach = reach};
    *reach =
        (struct ptx_reach){.functions = arena_array(arena, module->function_count, sizeof *reach->functions)};
    if (walk.seen == NULL || reach->functions == NULL) return WB_ERR_LIMIT;
    add_function(&walk, kernel->function);
    for (uint32_t i = 0; i < reach->count; i++)
        add_callees(&walk, &module->functions[reach->functions[i]]);
    return WB_OK;
}

#include "flow/values/pointed.h"

#include <assert.h>

/* Addresses go through loops in a few rounds; code that needs more of them keeps its secret. */
#define ROUNDS_MAX 16

/* What a register holds: FROM_NOTHING, FROM_SEVERAL parameters, or something made of parameter
 * n - FROM_FIRST. */
enum { FROM_NOTHING, FROM_SEVERAL, FROM_FIRST };

struct pointed_search {
    const struct wb_kernel *kernel;
    const struct ptx_function *function;
    uint32_t *from; /* by register */
    struct pointed *params;
    bool changed;
};

static uint32_t joined(uint32_t a, uint32_t b) {
    if (a == FROM_NOTHING || a == b) return b;
    return b == FROM_NOTHING ? a : FROM_SEVERAL;
}

static void set_from(struct pointed_search *search, uint32_t reg, uint32_t from) {
    const uint32_t old = search->from[reg];
    search->from[reg] = joined(old, from);
    search->changed |= search->from[reg] != old;
}

/* Whether the instruction makes an address of an address and numbers. */
static bool keeps_address(const struct ptx_form *form) {
    switch (form->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
    case PTX_OP_CVT:
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MAD:
    case PTX_OP_SELP: return true;
    default: return false;
    }
}

static bool accesses(const struct ptx_form *form) {
    switch (form->op) {
    case PTX_OP_LD:
    case PTX_OP_ST:
    case PTX_OP_ATOM:
    case PTX_OP_RED: return true;
    default: return false;
    }
}

/* The address of a memory instruction: the base inside the brackets; NULL where there are none. */
static const struct ptx_operand *base_of(const struct pointed_search *search, const struct ptx_inst *inst) {
    const struct ptx_operand *operands = ptx_operands(search->function, inst);
    for (uint32_t i = 0; i < inst->operand_count; i++)
        if (operands[i].kind == PTX_OPERAND_ADDRESS) return &search->function->operands[operands[i].index];
    return NULL;
}

/* The parameter that a load takes, where that can be an address; or PTX_NO_INDEX. */
static uint32_t loaded_param(const struct pointed_search *search, const struct ptx_inst *inst,
                             const struct ptx_operand *base) {
    const struct wb_module *module = search->kernel->module;
    if (inst->form->space != PTX_SPACE_PARAM || base == NULL || base->kind != PTX_OPERAND_VARIABLE)
        return PTX_NO_INDEX;
    const struct ptx_variable *variable = &module->variables[base->index];
    if (variable->array || variable->size != module->address_size / 8) return PTX_NO_INDEX;
    for (uint32_t i = 0; i < search->function->param_count; i++)
        if (search->function->params[i] == base->index) return i;
    return PTX_NO_INDEX;
}

/* Two types of what one address points to: the same, or unknown. */
static enum ptx_type joined_type(const struct pointed *param, enum ptx_type type) {
    return (!param->read && !param->written) || param->type == type ? type : PTX_TYPE_NONE;
}

static void note_access(struct pointed_search *search, const struct ptx_inst *inst, uint32_t from) {
    if (from < FROM_FIRST) return;
    const struct ptx_form *form = inst->form;
    struct pointed *param = &search->params[from - FROM_FIRST];
    param->is_address = true;
    param->type = joined_type(param, (enum ptx_type)form->type);
    param->read |= form->op != PTX_OP_ST;
    param->written |= form->op != PTX_OP_LD;
}

static void visit_memory(struct pointed_search *search, const struct ptx_inst *inst, bool note) {
    const struct ptx_operand *base = base_of(search, inst);
    const struct ptx_operand *result = ptx_operands(search->function, inst);
    const uint32_t param = loaded_param(search, inst, base);
    if (param != PTX_NO_INDEX && inst->form->op == PTX_OP_LD && result->kind == PTX_OPERAND_REG)
        set_from(search, result->index, FROM_FIRST + param);
    if (note && base != NULL && base->kind == PTX_OPERAND_REG)
        note_access(search, inst, search->from[base->index]);
}

static void visit_arithmetic(struct pointed_search *search, const struct ptx_inst *inst, bool note) {
    const struct ptx_operand *operands = ptx_operands(search->function, inst);
    const uint32_t first = inst->form->op == PTX_OP_MAD ? 3 : 1; /* products are no addresses */
    uint32_t from = FROM_NOTHING;
    for (uint32_t i = first; i < inst->operand_count; i++)
        if (operands[i].kind == PTX_OPERAND_REG) from = joined(from, search->from[operands[i].index]);
    if (operands[0].kind == PTX_OPERAND_REG) set_from(search, operands[0].index, from);
    if (note && inst->form->op == PTX_OP_CVTA && from >= FROM_FIRST)
        search->params[from - FROM_FIRST].is_address = true;
}

/* Follows addresses through all instructions once; `note`: what becomes of them is noted. */
static void visit(struct pointed_search *search, bool note) {
    search->changed = false;
    for (uint32_t i = 0; i < search->function->inst_count; i++) {
        const struct ptx_inst *inst = &search->function->insts[i];
        if (accesses(inst->form))
            visit_memory(search, inst, note);
        else if (keeps_address(inst->form))
            visit_arithmetic(search, inst, note);
    }
}

struct pointed *pointed_find(const struct wb_kernel *kernel, struct arena *arena) {
    const struct ptx_function *function = kernel_function(kernel);
    assert(arena_is_protected(arena));
    struct pointed_search search = {
        .kernel = kernel,
        .function = function,
        .from = arena_array(arena, (size_t)function->reg_count + 1, sizeof *search.from),
        .params = arena_array(arena, (size_t)function->param_count + 1, sizeof *search.params),
        .changed = true,
    };
    for (uint32_t round = 0; round < ROUNDS_MAX && search.changed; round++)
        visit(&search, false);
    visit(&search, true);
    return search.params;
}

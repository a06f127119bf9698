#include "flow/values/values.h"

#include <assert.h>

/* Addresses go through loops in a few rounds; code that needs more of them keeps its secret. */
#define ROUNDS_MAX 16

/* The origin of a value: FROM_NOTHING, FROM_SEVERAL parameters, or parameter n - FROM_FIRST. */
enum { FROM_NOTHING, FROM_SEVERAL, FROM_FIRST };

/* The search for them. */
struct pointed_search {
    const struct wb_kernel *kernel;
    const struct ptx_function *function;
    const struct ssa *ssa;
    uint32_t *from;     /* by value */
    uint8_t *number_as; /* by value: PTX_F32 or PTX_F64 where it is calculated with as such a number */
    struct pointed *params;
    bool changed;
};

static uint32_t joined(uint32_t a, uint32_t b) {
    if (a == FROM_NOTHING || a == b) return b;
    return b == FROM_NOTHING ? a : FROM_SEVERAL;
}

static void set_from(struct pointed_search *search, uint32_t value, uint32_t from) {
    const uint32_t old = search->from[value];
    search->from[value] = joined(old, from);
    search->changed |= search->from[value] != old;
}

static void set_number(struct pointed_search *search, uint32_t value, uint8_t type) {
    if (value == SSA_NONE || type == PTX_TYPE_NONE || search->number_as[value] != PTX_TYPE_NONE) return;
    search->number_as[value] = type;
    search->changed = true;
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
    case PTX_OP_MACHINE_ADD3: /* of halves of addresses */
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

/* The parameter that a load takes, where that is one number or address; or PTX_NO_INDEX. */
static uint32_t loaded_param(const struct pointed_search *search, const struct ptx_inst *inst,
                             const struct ptx_operand *base) {
    if (inst->form->op != PTX_OP_LD || inst->form->space != PTX_SPACE_PARAM || base == NULL ||
        base->kind != PTX_OPERAND_VARIABLE || search->kernel->module->variables[base->index].array)
        return PTX_NO_INDEX;
    for (uint32_t i = 0; i < search->function->param_count; i++)
        if (search->function->params[i] == base->index) return i;
    return PTX_NO_INDEX;
}

static bool can_be_address(const struct pointed_search *search, uint32_t param) {
    const struct wb_module *module = search->kernel->module;
    return module->variables[search->function->params[param]].size == module->address_size / 8;
}

/* The value of a register that an operand reads, or SSA_NONE. */
static uint32_t read_value(const struct pointed_search *search, uint32_t inst,
                           const struct ptx_operand *operand) {
    return operand->kind == PTX_OPERAND_REG ? value_read(search->ssa, inst, operand->index) : SSA_NONE;
}

/* The origin of an operand, or of any element of it. */
static uint32_t from_operand(const struct pointed_search *search, uint32_t inst,
                             const struct ptx_operand *operand) {
    uint32_t from = FROM_NOTHING;
    const uint32_t count = operand->kind == PTX_OPERAND_VECTOR ? operand->count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *part =
            operand->kind == PTX_OPERAND_VECTOR ? &search->function->operands[operand->index + i] : operand;
        const uint32_t value = read_value(search, inst, part);
        if (value != SSA_NONE) from = joined(from, search->from[value]);
    }
    return from;
}

/* Two types of what one address points to: the same, or unknown; a number wins over bits of its width, which
 * loads of machine code are. */
static enum ptx_type joined_type(const struct pointed *param, enum ptx_type type) {
    if ((!param->read && !param->written) || param->type == type) return type;
    if (type == PTX_TYPE_NONE || param->type == PTX_TYPE_NONE) return PTX_TYPE_NONE;
    if (ptx_type_bytes(type) != ptx_type_bytes(param->type)) return PTX_TYPE_NONE;
    if (ptx_type_kind(type) == PTX_KIND_BITS) return param->type;
    return ptx_type_kind(param->type) == PTX_KIND_BITS ? type : PTX_TYPE_NONE;
}

/* The type of the elements that are accessed: that of the instruction, or of what is done with them. */
static enum ptx_type element_type(const struct pointed_search *search, uint32_t inst) {
    const struct ptx_form *form = search->function->insts[inst].form;
    const struct ptx_operand *operands = ptx_operands(search->function, &search->function->insts[inst]);
    uint32_t value = SSA_NONE;
    if (ptx_type_kind((enum ptx_type)form->type) != PTX_KIND_BITS) return (enum ptx_type)form->type;
    if (form->op == PTX_OP_ST)
        value = read_value(search, inst, &operands[1]);
    else if (search->ssa->first_def[inst] < search->ssa->first_def[inst + 1])
        value = search->ssa->defs[search->ssa->first_def[inst]];
    const uint8_t number = value == SSA_NONE ? PTX_TYPE_NONE : search->number_as[value];
    const bool fits = number != PTX_TYPE_NONE &&
                      ptx_type_bytes((enum ptx_type)number) <= ptx_type_bytes((enum ptx_type)form->type);
    return (enum ptx_type)(fits ? number : form->type);
}

static void note_access(struct pointed_search *search, uint32_t inst, uint32_t from) {
    if (from < FROM_FIRST) return;
    const struct ptx_form *form = search->function->insts[inst].form;
    struct pointed *param = &search->params[from - FROM_FIRST];
    param->is_address = true;
    param->type = joined_type(param, element_type(search, inst));
    param->read |= form->op != PTX_OP_ST;
    param->written |= form->op != PTX_OP_LD;
}

static void visit_memory(struct pointed_search *search, uint32_t index, bool note) {
    const struct ssa *ssa = search->ssa;
    const struct ptx_inst *inst = &search->function->insts[index];
    const struct ptx_operand *base = base_of(search, inst);
    const uint32_t param = loaded_param(search, inst, base), first = ssa->first_def[index];
    if (param != PTX_NO_INDEX && ssa->first_def[index + 1] == first + 1 && ssa->defs[first] != SSA_NONE) {
        if (can_be_address(search, param)) set_from(search, ssa->defs[first], FROM_FIRST + param);
        search->params[param].number = (enum ptx_type)search->number_as[ssa->defs[first]];
    }
    const uint32_t address = base == NULL ? SSA_NONE : read_value(search, index, base);
    if (note && address != SSA_NONE) note_access(search, index, search->from[address]);
}

static void visit_arithmetic(struct pointed_search *search, uint32_t index, bool note) {
    const struct ssa *ssa = search->ssa;
    const struct ptx_inst *inst = &search->function->insts[index];
    const struct ptx_operand *operands = ptx_operands(search->function, inst);
    const uint32_t first = inst->form->op == PTX_OP_MAD ? 3 : 1; /* products are no addresses */
    uint32_t from = FROM_NOTHING;
    for (uint32_t i = first; i < inst->operand_count; i++)
        from = joined(from, from_operand(search, index, &operands[i]));
    for (uint32_t d = ssa->first_def[index]; d < ssa->first_def[index + 1]; d++)
        if (ssa->defs[d] != SSA_NONE && value_bits(ssa, ssa->defs[d]) > 1)
            set_from(search, ssa->defs[d], from);
    if (note && inst->form->op == PTX_OP_CVTA && from >= FROM_FIRST)
        search->params[from - FROM_FIRST].is_address = true;
}

/* Marks what is calculated with as floating-point numbers, and what is moved to or from that. */
static void visit_number(struct pointed_search *search, uint32_t index) {
    const struct ssa *ssa = search->ssa;
    const struct ptx_form *form = search->function->insts[index].form;
    uint8_t type = form->type == PTX_F32 || form->type == PTX_F64 ? form->type : (uint8_t)PTX_TYPE_NONE;
    if (form->exec != PTX_EXEC_ALU || (type == PTX_TYPE_NONE && form->op != PTX_OP_MOV)) return;
    if (form->op == PTX_OP_CVT) return; /* one side of it is another type */
    for (uint32_t u = ssa->first_use[index]; u < ssa->first_use[index + 1] && type == PTX_TYPE_NONE; u++)
        if (ssa->uses[u] != SSA_NONE) type = search->number_as[ssa->uses[u]];
    for (uint32_t d = ssa->first_def[index]; d < ssa->first_def[index + 1] && type == PTX_TYPE_NONE; d++)
        if (ssa->defs[d] != SSA_NONE) type = search->number_as[ssa->defs[d]];
    for (uint32_t u = ssa->first_use[index]; u < ssa->first_use[index + 1]; u++)
        set_number(search, ssa->uses[u], type);
    for (uint32_t d = ssa->first_def[index]; d < ssa->first_def[index + 1]; d++)
        set_number(search, ssa->defs[d], type);
}

/* Visits the values that phis and guarded instructions take. */
static void visit_taken_over(struct pointed_search *search) {
    const struct ssa *ssa = search->ssa;
    for (uint32_t v = 0; v < ssa->value_count; v++) {
        for (uint32_t a = 0; a < ssa->values[v].argument_count; a++) {
            const uint32_t old = ssa->arguments[ssa->values[v].first_argument + a];
            if (old != SSA_NONE) set_from(search, v, search->from[old]);
        }
    }
}

/* Follows addresses through all instructions once; `note`: what becomes of them is noted. */
static void visit(struct pointed_search *search, bool note) {
    search->changed = false;
    for (uint32_t i = 0; i < search->function->inst_count; i++) {
        const struct ptx_form *form = search->function->insts[i].form;
        if (accesses(form))
            visit_memory(search, i, note);
        else if (keeps_address(form))
            visit_arithmetic(search, i, note);
        visit_number(search, i);
    }
    visit_taken_over(search);
}

struct pointed *pointed_find(const struct wb_kernel *kernel, struct arena *arena) {
    const struct ptx_function *function = kernel_function(kernel);
    assert(arena_is_protected(arena));
    const struct cfg cfg = cfg_build(function, arena);
    const struct dominators dominators = dominators_build(arena, &cfg.graph, CFG_ENTRY);
    const struct node_regs liveness = liveness_build(&cfg, arena);
    const struct ssa ssa = ssa_build(&cfg, &dominators, &liveness, arena);
    struct pointed_search search = {
        .kernel = kernel,
        .function = function,
        .ssa = &ssa,
        .from = arena_array(arena, (size_t)ssa.value_count + 1, sizeof *search.from),
        .number_as = arena_array(arena, (size_t)ssa.value_count + 1, sizeof *search.number_as),
        .params = arena_array(arena, (size_t)function->param_count + 1, sizeof *search.params),
        .changed = true,
    };
    for (uint32_t round = 0; round < ROUNDS_MAX && search.changed; round++)
        visit(&search, false);
    visit(&search, true);
    return search.params;
}

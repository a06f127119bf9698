#include "flow/values/values.h"

/* Operands of an instruction as bits; an instruction has at most PTX_OPERANDS_MAX. */
#define EVERY_OPERAND UINT32_MAX
#define OPERAND(index) (1u << (index))

/* In shfl's last operand but one: the highest lane within a segment, and the bits that select a segment. */
#define SHFL_CLAMP_MASK 0x1fu
#define SHFL_SEGMENT_MASK 0x1f00u

/* Whether an instruction makes generic addresses out of addresses that mean other bytes in each thread. */
static bool makes_private_addresses(const struct ptx_form *form) {
    if (form->op == PTX_OP_ALLOCA) return true;
    bool is_private = form->space == PTX_SPACE_LOCAL || form->space == PTX_SPACE_PARAM;
    return form->op == PTX_OP_CVTA && !form->to && is_private;
}

struct divergence_rules divergence_rules_of(const struct ptx_function *function) {
    struct divergence_rules rules = {.function = function};
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ptx_form *form = function->insts[i].form;
        rules.has_calls |= form->op == PTX_OP_CALL;
        rules.has_private_addresses |= makes_private_addresses(form);
    }
    return rules;
}

bool divergence_rule_sreg(enum ptx_sreg sreg) {
    switch (sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
    case PTX_SREG_LANEID:
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_GE:
    case PTX_SREG_LANEMASK_GT:
    case PTX_SREG_CLOCK:
    case PTX_SREG_CLOCK_HI:
    case PTX_SREG_CLOCK64:
    case PTX_SREG_GLOBALTIMER:
    case PTX_SREG_GLOBALTIMER_LO:
    case PTX_SREG_GLOBALTIMER_HI: return true;
    default: return sreg >= PTX_SREG_PM0 && sreg <= PTX_SREG_PM7_64;
    }
}

/* Whether an operand, or an element of it, is a special register that differs between threads. */
static bool reads_divergent_sreg(const struct ptx_function *function, const struct ptx_operand *operand) {
    if (operand->kind == PTX_OPERAND_SREG) return divergence_rule_sreg((enum ptx_sreg)operand->index);
    if (operand->kind != PTX_OPERAND_VECTOR) return false;
    for (uint32_t i = 0; i < operand->count; i++) {
        const struct ptx_operand *part = &function->operands[operand->index + i];
        if (part->kind == PTX_OPERAND_SREG && divergence_rule_sreg((enum ptx_sreg)part->index)) return true;
    }
    return false;
}

static bool is_parameter_of(const struct ptx_function *function, uint32_t variable) {
    for (uint32_t i = 0; i < function->param_count; i++)
        if (!function->param_is_reg[i] && function->params[i] == variable) return true;
    return false;
}

/* Whether an address names one and the same byte in all threads that agree on the address. Local memory and
 * the parameters and results of calls are each thread's own. */
static bool is_shared_by_threads(const struct divergence_rules *rules, enum ptx_space space,
                                 const struct ptx_operand *base) {
    bool by_register = base->kind == PTX_OPERAND_REG;
    switch (space) {
    case PTX_SPACE_CONST:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_SHARED: return true;
    case PTX_SPACE_PARAM:
        if (!rules->function->is_entry) return false;
        return by_register
                   ? !rules->has_calls
                   : base->kind == PTX_OPERAND_VARIABLE && is_parameter_of(rules->function, base->index);
    case PTX_GENERIC: return rules->function->is_entry && by_register && !rules->has_private_addresses;
    default: return false;
    }
}

static enum divergence_cause load_result(const struct divergence_rules *rules, const struct ptx_inst *inst) {
    const struct ptx_operand *address = &ptx_operands(rules->function, inst)[1];
    if (address->kind != PTX_OPERAND_ADDRESS) return DIVERGENCE_MEMORY;
    const struct ptx_operand *base = &rules->function->operands[address->index];
    bool shared = is_shared_by_threads(rules, (enum ptx_space)inst->form->space, base);
    return shared ? DIVERGENCE_NONE : DIVERGENCE_MEMORY;
}

/* Whether a shuffle gives all lanes the value of one lane: the same index in all of them (which the operand's
 * value decides), and no segments. */
static bool is_broadcast(const struct ptx_function *function, const struct ptx_inst *inst) {
    const struct ptx_operand *limits = &ptx_operands(function, inst)[4];
    return inst->form->mode == PTX_MODE_IDX && limits->kind == PTX_OPERAND_INT &&
           (limits->value & SHFL_CLAMP_MASK) == SHFL_CLAMP_MASK && (limits->value & SHFL_SEGMENT_MASK) == 0;
}

/* Whether the instruction computes nothing but a function of the operands of one thread, though the
 * interpreter does not know which. */
static bool is_pure(const struct ptx_form *form) {
    switch (form->op) {
    case PTX_OP_ISTYPEP:
    case PTX_OP_MAPA:
    case PTX_OP_GETCTARANK:
    case PTX_OP_CREATEPOLICY_FRACTIONAL:
    case PTX_OP_CREATEPOLICY_RANGE:
    case PTX_OP_CREATEPOLICY_CVT:
    case PTX_OP_TXQ:
    case PTX_OP_SUQ: return true;
    default: return form->op >= PTX_OP_VADD && form->op <= PTX_OP_VSET4;
    }
}

static enum divergence_cause exchange_result(const struct divergence_rules *rules,
                                             const struct ptx_inst *inst, uint32_t reg) {
    const struct ptx_operand *second = &ptx_operands(rules->function, inst)[1];
    switch (inst->form->op) {
    case PTX_OP_SHFL: return is_broadcast(rules->function, inst) ? DIVERGENCE_NONE : DIVERGENCE_SOURCE;
    case PTX_OP_ELECT: /* the predicate is true only in the elected thread */
        return second->kind == PTX_OPERAND_REG && second->index == reg ? DIVERGENCE_SOURCE : DIVERGENCE_NONE;
    default: return DIVERGENCE_NONE;
    }
}

enum divergence_cause divergence_rule_result(const struct divergence_rules *rules,
                                             const struct ptx_inst *inst, uint32_t reg) {
    const struct ptx_form *form = inst->form;
    const struct ptx_operand *operands = ptx_operands(rules->function, inst);
    for (uint32_t i = 0; i < inst->operand_count; i++)
        if (reads_divergent_sreg(rules->function, &operands[i])) return DIVERGENCE_SOURCE;
    if (form->op == PTX_OP_LD || form->op == PTX_OP_LDU) return load_result(rules, inst);
    if (form->op == PTX_OP_BAR) return DIVERGENCE_NONE;
    if (form->exec == PTX_EXEC_WARP) return exchange_result(rules, inst, reg);
    return form->exec == PTX_EXEC_ALU || is_pure(form) ? DIVERGENCE_NONE : DIVERGENCE_SOURCE;
}

/* The operands whose values a result is a function of, when it is the same for all lanes that take part. What
 * the lanes reduce or vote on does not count; which lanes take part (the member mask) and at which barrier
 * does: lanes that differ in those execute the instruction side by side. */
static uint32_t deciding_operands(const struct divergence_rules *rules, const struct ptx_inst *inst) {
    const struct ptx_form *form = inst->form;
    uint32_t last = inst->operand_count - 1u; /* the member mask */
    switch (form->op) {
    case PTX_OP_VOTE: return inst->operand_count == 2 ? 0 : OPERAND(last);
    case PTX_OP_REDUX: return OPERAND(last);
    case PTX_OP_MATCH: return form->mode == PTX_MODE_ALL ? OPERAND(last) : EVERY_OPERAND;
    case PTX_OP_SHFL:
        return is_broadcast(rules->function, inst) ? ~OPERAND(2)
                                                   : EVERY_OPERAND; /* not the value passed on */
    case PTX_OP_BAR: return form->mode == PTX_MODE_RED ? OPERAND(1) | OPERAND(2) : EVERY_OPERAND;
    default: return EVERY_OPERAND;
    }
}

static bool operand_has_reg(const struct ptx_function *function, const struct ptx_operand *operand,
                            uint32_t reg) {
    if (operand->kind == PTX_OPERAND_REG) return operand->index == reg;
    if (operand->kind != PTX_OPERAND_VECTOR) return false;
    for (uint32_t i = 0; i < operand->count; i++) {
        const struct ptx_operand *part = &function->operands[operand->index + i];
        if (part->kind == PTX_OPERAND_REG && part->index == reg) return true;
    }
    return false;
}

bool divergence_rule_passes(const struct divergence_rules *rules, const struct ptx_inst *inst, uint32_t reg) {
    uint32_t deciding = deciding_operands(rules, inst);
    if (deciding == EVERY_OPERAND) return true;
    const struct ptx_operand *operands = ptx_operands(rules->function, inst);
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        char role = inst->form->roles[i];
        bool is_read = role != 'd' && role != 'D' && role != 'O';
        if (is_read && (deciding & OPERAND(i)) != 0 && operand_has_reg(rules->function, &operands[i], reg))
            return true;
    }
    return false;
}

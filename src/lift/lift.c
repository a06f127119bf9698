/* Machine instructions to groups of PTX instructions: which family an opcode belongs to, and what holds for
 * every group. */
#include "lift/lift.h"

#include <string.h>

#include "lift/emit.h"

typedef void (*family_fn)(struct lift *lift, const struct sass_inst *inst);

static const family_fn families[SASS_OP_COUNT] = {
    [SASS_OP_IADD3] = lift_integer,
};

void lift_begin(struct lift *lift) {
    memset(lift->reg, 0xff, sizeof lift->reg);
    memset(lift->ureg, 0xff, sizeof lift->ureg);
    memset(lift->predicate, 0xff, sizeof lift->predicate);
    memset(lift->upredicate, 0xff, sizeof lift->upredicate);
    lift->barrier_result = PTX_NO_INDEX;
    lift->out = &lift->body;
}

/* Whether an instruction is the reason for the machine instruction: it accesses memory, exchanges values or
 * decides where control goes. */
static bool stands_out(const struct ptx_inst *inst) {
    const struct ptx_form *form = inst->form;
    if (form->exec == PTX_EXEC_MEMORY) return form->space != PTX_SPACE_PARAM;
    return form->exec == PTX_EXEC_CONTROL || form->exec == PTX_EXEC_WARP || form->exec == PTX_EXEC_NOP;
}

/* Marks all instructions of the group but one as auxiliary. */
static void choose_representative(struct lift *lift) {
    struct ptx_inst *group = &lift->body.insts.items[lift->first];
    size_t count = lift->body.insts.count - lift->first;
    size_t chosen = count - 1;
    for (size_t i = count; i-- > 0;)
        if (stands_out(&group[i])) chosen = i;
    for (size_t i = 0; i < count; i++)
        group[i].auxiliary = i != chosen;
}

static bool writes(const struct lift *lift, const struct ptx_inst *inst, uint32_t reg) {
    const struct ptx_operand *operands = &lift->operands.items[inst->first_operand];
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        bool written = strchr("dDOx", inst->form->roles[i]) != NULL;
        if (written && operands[i].kind == PTX_OPERAND_REG && operands[i].index == reg) return true;
    }
    return false;
}

/* Whether an instruction of the group overwrites the guard of a later one. */
static bool overwrites_guard(const struct lift *lift, uint32_t guard) {
    bool written = false;
    for (size_t i = lift->first; i < lift->body.insts.count; i++) {
        const struct ptx_inst *inst = &lift->body.insts.items[i];
        if (written && inst->guard == guard) return true;
        written |= writes(lift, inst, guard);
    }
    return false;
}

/* Puts a copy of the guard before the group, and lets the group read that. */
static void copy_guard(struct lift *lift, uint32_t guard) {
    struct ptx_operand copy = lift_temp(lift, PTX_PRED);
    LIFT_EMIT(lift, "mov.pred", copy, (struct ptx_operand){.kind = PTX_OPERAND_REG, .index = guard});
    struct ptx_inst *group = &lift->body.insts.items[lift->first];
    size_t count = lift->body.insts.count - lift->first;
    const struct ptx_inst move = group[count - 1];
    memmove(group + 1, group, (count - 1) * sizeof *group);
    group[0] = move;
    for (size_t i = 1; i < count; i++)
        if (group[i].guard == guard) group[i].guard = copy.index;
}

static void write_meaning(struct lift *lift, const struct sass_inst *sass) {
    family_fn family = families[sass->op];
    if (family == NULL) {
        lift_refuse(lift, "what it does is not known");
        return;
    }
    const bool never = sass->guard.number == SASS_PT && sass->guard.negated;
    if (!never) family(lift, sass);
}

void lift_instruction(struct lift *lift, const struct sass_inst *sass, const struct ptx_inst *place) {
    lift->inst = *place;
    lift->inst.guard = PTX_NO_INDEX;
    lift->refused = NULL;
    lift->first = lift->body.insts.count;
    for (int i = 0; i < LIFT_TEMP_KINDS; i++)
        lift->temps[i].used = 0;
    struct ptx_operand guard = lift_predicate(lift, &sass->guard);
    if (guard.kind == PTX_OPERAND_REG) {
        lift->inst.guard = guard.index;
        lift->inst.guard_negated = guard.negated;
    }
    write_meaning(lift, sass);
    if (lift->refused != NULL) return;
    if (lift->body.insts.count == lift->first) lift_emit(lift, "machine.nop", NULL, 0);
    if (overwrites_guard(lift, lift->inst.guard)) copy_guard(lift, lift->inst.guard);
    choose_representative(lift);
}

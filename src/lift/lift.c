/* Machine instructions to groups of PTX instructions: which family an opcode belongs to, and what holds for
 * every group. */
#include "lift/lift.h"

#include <assert.h>
#include <string.h>

typedef void (*family_fn)(struct lift *lift, const struct sass_inst *inst);

static const family_fn families[SASS_OP_COUNT] = {
    lift_nothing, /* an opcode that is not known */
#define SASS_OPCODE(enumerator, name, class, ptx_class, family) lift_##family,
#define SASS_FORM(...)
#include "sass/opcode_table.h"
#undef SASS_OPCODE
#undef SASS_FORM
};

void lift_begin(struct lift *lift) {
    memset(lift->reg, 0xff, sizeof lift->reg);
    memset(lift->ureg, 0xff, sizeof lift->ureg);
    memset(lift->predicate, 0xff, sizeof lift->predicate);
    memset(lift->upredicate, 0xff, sizeof lift->upredicate);
    lift->barrier_result = PTX_NO_INDEX;
    lift->unwritten = PTX_NO_INDEX;
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
    for (size_t i = 0; i < count; i++) {
        group[i].untimed = i != chosen;
        group[i].group_head = i == 0;
    }
}

static bool is_written(char role) {
    return strchr("dDOx", role) != NULL;
}

/* Whether an operand is a register, or has it inside. */
static bool has_register(const struct lift *lift, const struct ptx_operand *operand, uint32_t reg) {
    uint32_t count = 0;
    if (operand->kind == PTX_OPERAND_VECTOR) count = operand->count;
    if (operand->kind == PTX_OPERAND_ADDRESS) count = 1;
    for (uint32_t i = 0; i < count; i++)
        if (has_register(lift, &lift->operands.items[operand->index + i], reg)) return true;
    return operand->kind == PTX_OPERAND_REG && operand->index == reg;
}

static bool writes(const struct lift *lift, const struct ptx_inst *inst, uint32_t reg) {
    const struct ptx_operand *operands = &lift->operands.items[inst->first_operand];
    for (uint32_t i = 0; i < inst->operand_count; i++)
        if (is_written(inst->form->roles[i]) && has_register(lift, &operands[i], reg)) return true;
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

static bool reads(const struct lift *lift, const struct ptx_inst *inst, uint32_t reg) {
    const struct ptx_operand *operands = &lift->operands.items[inst->first_operand];
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const char role = inst->form->roles[i];
        const bool read = !is_written(role) || role == 'x' || operands[i].kind == PTX_OPERAND_ADDRESS;
        if (read && has_register(lift, &operands[i], reg)) return true;
    }
    return inst->guard == reg;
}

/* Whether an instruction of the group behind `i` reads a register of the machine that `written` has. */
static bool is_read_behind(const struct lift *lift, size_t i, const struct ptx_operand *written) {
    for (uint32_t e = 0; written->kind == PTX_OPERAND_VECTOR && e < written->count; e++)
        if (is_read_behind(lift, i, &lift->operands.items[written->index + e])) return true;
    if (written->kind != PTX_OPERAND_REG || lift->groups.items[written->index].temporary) return false;
    while (++i < lift->body.insts.count)
        if (reads(lift, &lift->body.insts.items[i], written->index)) return true;
    return false;
}

/* Whether the group reads a register of the machine after it wrote it: the machine's instruction reads all
 * that it reads before it writes. */
static bool reads_what_it_wrote(const struct lift *lift) {
    for (size_t i = lift->first; i + 1 < lift->body.insts.count; i++) {
        const struct ptx_inst *inst = &lift->body.insts.items[i];
        for (uint32_t k = 0; k < inst->operand_count; k++)
            if (is_written(inst->form->roles[k]) &&
                is_read_behind(lift, i, &lift->operands.items[inst->first_operand + k]))
                return true;
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
    if (sass->listed) {
        lift_refuse(lift, "the meaning of a modifier is unknown");
        return;
    }
    const bool never = sass->guard.number == SASS_PT && sass->guard.negated;
    if (!never) families[sass->op](lift, sass);
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
    if (lift->body.insts.count == lift->first) lift_emit(lift, "machine idle", NULL, 0);
    /* Not that of a branch by two predicates, which is a temporary of the group. */
    if (guard.kind == PTX_OPERAND_REG && overwrites_guard(lift, guard.index)) copy_guard(lift, guard.index);
    const bool wrong = reads_what_it_wrote(lift);
    assert(!wrong);
    if (wrong) lift_refuse(lift, "its meaning cannot be expressed");
    choose_representative(lift);
}

/* Machine instructions to groups of PTX instructions: which family an opcode belongs to, and what holds for
 * every group. */
#include "lift/lift.h"

#include <assert.h>
#include <string.h>

typedef void (*family_fn)(struct lift *lift, const struct sass_inst *inst);

static const family_fn families[SASS_OP_COUNT] = {
    [SASS_OP_IADD3] = lift_integer,
    [SASS_OP_IMAD] = lift_integer,
    [SASS_OP_IMAD_WIDE] = lift_integer,
    [SASS_OP_IMAD_HI] = lift_integer,
    [SASS_OP_VIADD] = lift_integer,
    [SASS_OP_IABS] = lift_integer,
    [SASS_OP_IMNMX] = lift_integer,
    [SASS_OP_VIMNMX] = lift_integer,
    [SASS_OP_VIMNMX3] = lift_integer,
    [SASS_OP_VIADDMNMX] = lift_integer,
    [SASS_OP_VABSDIFF] = lift_integer,
    [SASS_OP_IDP] = lift_integer,
    [SASS_OP_LEA] = lift_integer,
    [SASS_OP_ISETP] = lift_integer,
    [SASS_OP_UIADD3] = lift_integer,
    [SASS_OP_UIMAD] = lift_integer,
    [SASS_OP_UIMAD_WIDE] = lift_integer,
    [SASS_OP_UIMAD_HI] = lift_integer,
    [SASS_OP_ULEA] = lift_integer,
    [SASS_OP_UISETP] = lift_integer,
    [SASS_OP_LOP3] = lift_logic,
    [SASS_OP_SHF] = lift_logic,
    [SASS_OP_PRMT] = lift_logic,
    [SASS_OP_SGXT] = lift_logic,
    [SASS_OP_BMSK] = lift_logic,
    [SASS_OP_POPC] = lift_logic,
    [SASS_OP_FLO] = lift_logic,
    [SASS_OP_BREV] = lift_logic,
    [SASS_OP_SEL] = lift_logic,
    [SASS_OP_MOV] = lift_logic,
    [SASS_OP_P2R] = lift_logic,
    [SASS_OP_R2P] = lift_logic,
    [SASS_OP_PLOP3] = lift_logic,
    [SASS_OP_ULOP3] = lift_logic,
    [SASS_OP_USHF] = lift_logic,
    [SASS_OP_UPRMT] = lift_logic,
    [SASS_OP_USGXT] = lift_logic,
    [SASS_OP_UBMSK] = lift_logic,
    [SASS_OP_UPOPC] = lift_logic,
    [SASS_OP_UFLO] = lift_logic,
    [SASS_OP_UBREV] = lift_logic,
    [SASS_OP_USEL] = lift_logic,
    [SASS_OP_UMOV] = lift_logic,
    [SASS_OP_UPLOP3] = lift_logic,
    [SASS_OP_R2UR] = lift_logic,
    [SASS_OP_FADD] = lift_float,
    [SASS_OP_FMUL] = lift_float,
    [SASS_OP_FFMA] = lift_float,
    [SASS_OP_FMNMX] = lift_float,
    [SASS_OP_FSEL] = lift_float,
    [SASS_OP_FSETP] = lift_float,
    [SASS_OP_FSET] = lift_float,
    [SASS_OP_FCHK] = lift_float,
    [SASS_OP_MUFU] = lift_float,
    [SASS_OP_DADD] = lift_double,
    [SASS_OP_DMUL] = lift_double,
    [SASS_OP_DFMA] = lift_double,
    [SASS_OP_DSETP] = lift_double,
    [SASS_OP_HADD2] = lift_half,
    [SASS_OP_HMUL2] = lift_half,
    [SASS_OP_HFMA2] = lift_half,
    [SASS_OP_HSETP2] = lift_half,
    [SASS_OP_HSET2] = lift_half,
    [SASS_OP_HMNMX2] = lift_half,
    [SASS_OP_HMMA] = lift_half,
    [SASS_OP_IMMA] = lift_half,
    [SASS_OP_DMMA] = lift_half,
    [SASS_OP_MOVM] = lift_half,
    [SASS_OP_LDSM] = lift_half,
    [SASS_OP_FRND] = lift_convert,
    [SASS_OP_F2F] = lift_convert,
    [SASS_OP_F2I] = lift_convert,
    [SASS_OP_I2F] = lift_convert,
    [SASS_OP_I2FP] = lift_convert,
    [SASS_OP_F2FP] = lift_convert,
    [SASS_OP_I2I] = lift_convert,
    [SASS_OP_I2IP] = lift_convert,
    [SASS_OP_LDG] = lift_memory,
    [SASS_OP_STG] = lift_memory,
    [SASS_OP_LD] = lift_memory,
    [SASS_OP_ST] = lift_memory,
    [SASS_OP_LDS] = lift_memory,
    [SASS_OP_STS] = lift_memory,
    [SASS_OP_LDL] = lift_memory,
    [SASS_OP_LDGSTS] = lift_memory,
    [SASS_OP_STL] = lift_memory,
    [SASS_OP_ATOMG] = lift_atomic,
    [SASS_OP_ATOM] = lift_atomic,
    [SASS_OP_RED] = lift_atomic,
    [SASS_OP_QSPC] = lift_atomic,
    [SASS_OP_ATOMS] = lift_atomic,
    [SASS_OP_S2R] = lift_special,
    [SASS_OP_CS2R] = lift_special,
    [SASS_OP_S2UR] = lift_special,
    [SASS_OP_LDC] = lift_special,
    [SASS_OP_ULDC] = lift_special,
    [SASS_OP_SHFL] = lift_exchange,
    [SASS_OP_VOTE] = lift_exchange,
    [SASS_OP_VOTEU] = lift_exchange,
    [SASS_OP_MATCH] = lift_exchange,
    [SASS_OP_REDUX] = lift_exchange,
    [SASS_OP_BAR] = lift_barrier,
    [SASS_OP_B2R] = lift_barrier,
    [SASS_OP_MEMBAR] = lift_barrier,
    [SASS_OP_ERRBAR] = lift_barrier,
    [SASS_OP_CGAERRBAR] = lift_barrier,
    [SASS_OP_CCTL] = lift_barrier,
    [SASS_OP_DEPBAR] = lift_barrier,
    [SASS_OP_LDGDEPBAR] = lift_barrier,
    [SASS_OP_BRA] = lift_control,
    [SASS_OP_BRX] = lift_control,
    [SASS_OP_BSSY] = lift_control,
    [SASS_OP_BSYNC] = lift_control,
    [SASS_OP_BREAK] = lift_control,
    [SASS_OP_BMOV] = lift_control,
    [SASS_OP_WARPSYNC] = lift_control,
    [SASS_OP_YIELD] = lift_control,
    [SASS_OP_NOP] = lift_control,
    [SASS_OP_NANOSLEEP] = lift_control,
    [SASS_OP_BPT] = lift_control,
    [SASS_OP_EXIT] = lift_control,
    [SASS_OP_CALL_REL] = lift_control,
    [SASS_OP_CALL_ABS] = lift_control,
    [SASS_OP_RET] = lift_control,
    [SASS_OP_ENDCOLLECTIVE] = lift_control,
    [SASS_OP_LEPC] = lift_control,
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
        group[i].auxiliary = i != chosen;
        group[i].leads = i == 0;
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
    family_fn family = families[sass->op];
    if (family == NULL) {
        lift_refuse(lift, lift->sm >= 100
                              ? "machine code of sm_100 and later is printed, but not analysed: compile "
                                "for sm_75 to sm_90, or analyse the PTX"
                              : "its effect is unknown");
        return;
    }
    if (sass->listed) {
        lift_refuse(lift, "the meaning of a modifier is unknown");
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
    if (lift->body.insts.count == lift->first) lift_emit(lift, "machine idle", NULL, 0);
    /* Not that of a branch by two predicates, which is a temporary of the group. */
    if (guard.kind == PTX_OPERAND_REG && overwrites_guard(lift, guard.index)) copy_guard(lift, guard.index);
    const bool wrong = reads_what_it_wrote(lift);
    assert(!wrong);
    if (wrong) lift_refuse(lift, "its meaning cannot be expressed");
    choose_representative(lift);
}

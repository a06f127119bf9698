/* Atomic operations. */
#include "lift/lift.h"

enum atomic_operation { ATOMIC_CAS = 9, ATOMIC_POPC_INC = 10, ATOMIC_CAST_SPIN = 11 };

enum atomic_type {
    TYPE_U32,
    TYPE_S32,
    TYPE_U64,
    TYPE_F32_FTZ,
    TYPE_F16X2,
    TYPE_S64,
    TYPE_F64,
    TYPE_F32,
    TYPES
};

static bool is_wide(uint32_t type) {
    return type == TYPE_U64 || type == TYPE_S64 || type == TYPE_F64;
}

/* The operation and its type as PTX has them; NULL: there is none. */
static const char *operation_of(struct lift *lift, uint32_t operation, uint32_t type) {
    static const char *const names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch"};
    static const char *const types[TYPES] = {"u32", "s32", "u64", "f32", "noftz.f16x2", "s64", "f64", NULL};
    if (operation >= sizeof names / sizeof *names || type >= TYPES || types[type] == NULL) return NULL;
    if (operation >= 5) return lift_text(lift, "%s.%s", names[operation], is_wide(type) ? "b64" : "b32");
    if (operation == 0 && type == TYPE_S64) type = TYPE_U64;
    return lift_text(lift, "%s.%s", names[operation], types[type]);
}

static const char *space_of(const struct sass_inst *inst) {
    const bool generic = inst->op == SASS_OP_ATOM && inst->to[0].number == SASS_PT;
    return inst->op == SASS_OP_ATOMS ? ".shared" : generic ? "" : ".global";
}

static struct ptx_operand address_of(struct lift *lift, const struct sass_inst *inst) {
    return inst->op == SASS_OP_ATOMS ? lift_narrow_address(lift, &inst->address)
                                     : lift_wide_address(lift, &inst->address);
}

static struct ptx_operand data_of(struct lift *lift, const struct sass_source *source, bool wide) {
    return wide ? lift_pair(lift, source->number, false) : lift_reg(lift, source->number, false);
}

static void write_result(struct lift *lift, const struct sass_inst *inst, struct ptx_operand old, bool wide) {
    if (wide && inst->d != SASS_RZ) lift_write_pair(lift, inst->d, false, old);
}

/* Where the old value goes: to the register, or, of 64 bits, a temporary first. */
static struct ptx_operand result_of(struct lift *lift, const struct sass_inst *inst, bool wide) {
    return wide ? lift_temp(lift, PTX_B64) : lift_to_reg(lift, inst->d, false);
}

static void compare_and_swap(struct lift *lift, const struct sass_inst *inst, bool wide) {
    const char *opcode = lift_text(lift, "atom%s.cas.%s", space_of(inst), wide ? "b64" : "b32");
    struct ptx_operand address = address_of(lift, inst), compared = data_of(lift, &inst->b, wide);
    struct ptx_operand swapped = data_of(lift, &inst->c, wide), old = result_of(lift, inst, wide);
    LIFT_EMIT(lift, opcode, old, address, compared, swapped);
    write_result(lift, inst, old, wide);
}

/* Tries once to replace a value; the result is whether it was the one compared with. */
static void cast_spin(struct lift *lift, const struct sass_inst *inst, bool wide) {
    struct ptx_operand old = lift_temp(lift, wide ? PTX_B64 : PTX_B32), equal = lift_temp(lift, PTX_PRED);
    struct ptx_operand address = address_of(lift, inst), compared = data_of(lift, &inst->b, wide);
    LIFT_EMIT(lift, wide ? "atom.shared.cas.b64" : "atom.shared.cas.b32", old, address, compared,
              data_of(lift, &inst->c, wide));
    LIFT_EMIT(lift, wide ? "setp.eq.b64" : "setp.eq.b32", equal, lift_none(), old, compared);
    if (!wide) {
        LIFT_EMIT(lift, "selp.b32", lift_to_reg(lift, inst->d, false), lift_int(1), lift_int(0), equal);
        return;
    }
    struct ptx_operand result = lift_temp(lift, PTX_B64);
    LIFT_EMIT(lift, "selp.b64", result, lift_int(1), lift_int(0), equal);
    lift_write_pair(lift, inst->d, false, result);
}

static void count_up(struct lift *lift, const struct sass_inst *inst) {
    struct ptx_operand address = address_of(lift, inst);
    if (inst->d == SASS_RZ)
        LIFT_EMIT(lift, "red.shared.add.u32", address, lift_int(1));
    else
        LIFT_EMIT(lift, "atom.shared.add.u32", lift_to_reg(lift, inst->d, false), address, lift_int(1));
}

static void update(struct lift *lift, const struct sass_inst *inst, uint32_t operation, uint32_t type) {
    const char *what = operation_of(lift, operation, type);
    const bool wide = is_wide(type), returns = inst->has_d && inst->d != SASS_RZ;
    if (what == NULL) {
        lift_refuse(lift, "this atomic operation is unknown");
        return;
    }
    struct ptx_operand address = address_of(lift, inst), data = data_of(lift, &inst->b, wide);
    if (!returns && operation != 8) {
        LIFT_EMIT(lift, lift_text(lift, "red%s.%s", space_of(inst), what), address, data);
        return;
    }
    struct ptx_operand old = result_of(lift, inst, wide);
    LIFT_EMIT(lift, lift_text(lift, "atom%s.%s", space_of(inst), what), old, address, data);
    write_result(lift, inst, old, wide);
}

/* The number that an address operand stands for. */
static struct ptx_operand value_of(struct lift *lift, struct ptx_operand address) {
    const struct ptx_operand base = lift->operands.items[address.index], sum = lift_temp(lift, PTX_B64);
    LIFT_EMIT(lift, "add.u64", sum, base, lift_int(address.value));
    return sum;
}

/* QSPC: whether an address is one of a state space. */
static void query_space(struct lift *lift, const struct sass_inst *inst) {
    static const char *const opcodes[] = {"isspacep.global", "isspacep.local", "isspacep.shared"};
    const uint32_t space = sass_field(inst, SASS_FIELD_SPACE);
    const struct ptx_operand to = lift_to_predicate(lift, &inst->to[0]);
    if (space >= sizeof opcodes / sizeof *opcodes || inst->d != SASS_RZ) {
        lift_refuse(lift, "its query of an address is unknown");
        return;
    }
    if (to.kind == PTX_OPERAND_REG)
        LIFT_EMIT(lift, opcodes[space], to, value_of(lift, address_of(lift, inst)));
}

static void operate(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t operation = sass_field(inst, SASS_FIELD_ATOMIC);
    const uint32_t type = sass_field(inst, SASS_FIELD_ATOMIC_TYPE);
    switch (operation) {
    case ATOMIC_CAS: compare_and_swap(lift, inst, is_wide(type)); return;
    case ATOMIC_CAST_SPIN: cast_spin(lift, inst, is_wide(type)); return;
    case ATOMIC_POPC_INC: count_up(lift, inst); return;
    default: update(lift, inst, operation, type);
    }
}

/* ATOM with a predicate: what other memory than the global one has no operation for. The predicate is whether
 * it was done; where not, the code behind it does it, by a loop in shared memory and plainly in local one. */
static void try_in_global(struct lift *lift, const struct sass_inst *inst) {
    const struct ptx_operand is_global = lift_temp(lift, PTX_PRED);
    const struct ptx_inst whole = lift->inst;
    LIFT_EMIT(lift, "isspacep.global", is_global, value_of(lift, address_of(lift, inst)));
    lift_narrow(lift, is_global);
    operate(lift, inst);
    lift->inst = whole;
    LIFT_EMIT(lift, "mov.pred", lift_to_predicate(lift, &inst->to[0]), is_global);
}

void lift_atomic(struct lift *lift, const struct sass_inst *inst) {
    if (inst->op == SASS_OP_QSPC)
        query_space(lift, inst);
    else if (inst->op == SASS_OP_ATOM && inst->to[0].number != SASS_PT)
        try_in_global(lift, inst);
    else
        operate(lift, inst);
}

/* Loads and stores: global, generic, shared and local memory. What has 64 bits is loaded and stored as one
 * value, so that it is known where addresses point to (warp/interpret/home.h). */
#include "lift/lift.h"

#include <string.h>

/* ---- Widths -------------------------------------------------------------------------------------------- */

/* What an access of a width moves: values of one type, one for each register or pair of them. */
struct width {
    const char *type;
    uint8_t count; /* values */
    bool pairs;
};

static struct width width_of(const struct sass_inst *inst) {
    static const struct width widths[] = {
        {"u8", 1, false},  {"s8", 1, false}, {"u16", 1, false},   {"s16", 1, false},
        {"b32", 1, false}, {"b64", 1, true}, {"v2.b64", 2, true}, {"v2.b64", 2, true},
    };
    return widths[sass_field(inst, SASS_FIELD_WIDTH) & 7];
}

/* ---- Addresses ----------------------------------------------------------------------------------------- */

/* Of global memory, or generic: 64 bits. */
static struct ptx_operand lift_wide_address(struct lift *lift, const struct sass_address *address) {
    struct ptx_operand base = lift_int(0);
    if (address->wide) {
        base = lift_pair(lift, address->reg, false);
    } else if (address->reg != SASS_RZ) {
        base = lift_temp(lift, PTX_B64);
        LIFT_EMIT(lift, "cvt.u64.u32", base, lift_reg(lift, address->reg, false));
    }
    if (address->ureg != SASS_URZ && !address->ureg_is_policy) {
        struct ptx_operand sum = lift_temp(lift, PTX_B64);
        LIFT_EMIT(lift, "add.u64", sum, base, lift_pair(lift, address->ureg, true));
        base = sum;
    }
    return lift_address(lift, base, address->offset);
}

/* Of shared or local memory: 32 bits. */
static struct ptx_operand lift_narrow_address(struct lift *lift, const struct sass_address *address) {
    struct ptx_operand base = lift_reg(lift, address->reg, false);
    uint32_t shift = 0;
    while (address->scale >> shift > 1)
        shift++;
    if (shift != 0 && address->reg != SASS_RZ) {
        struct ptx_operand scaled = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "shl.b32", scaled, base, lift_int(shift));
        base = scaled;
    }
    if (address->ureg != SASS_URZ) {
        struct ptx_operand sum = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "add.u32", sum, base, lift_reg(lift, address->ureg, true));
        base = sum;
    }
    /* A literal has no width of its own that the sum is cut to. */
    if (base.kind == PTX_OPERAND_INT) return lift_address(lift, lift_int((uint32_t)address->offset), 0);
    return lift_address(lift, base, address->offset);
}

/* ---- Instructions -------------------------------------------------------------------------------------- */

/* What the instruction asks of caches. */
static const char *hints_of(const struct sass_inst *inst) {
    static const char *const keeps[8] = {
        ".L1::evict_first", "", ".L1::evict_last", ".lu", ".L1::evict_unchanged", ".L1::no_allocate", "", ""};
    return sass_field(inst, SASS_FIELD_PREFETCH) != 0 ? ".L2::128B" /* or another size */
                                                      : keeps[sass_field(inst, SASS_FIELD_CACHE) & 7];
}

/* The order and the state space of an access. */
static const char *place_of(const struct sass_inst *inst, struct lift *lift) {
    const char *space = "";
    switch (inst->op) {
    case SASS_OP_LDG:
    case SASS_OP_STG: space = ".global"; break;
    case SASS_OP_LDS:
    case SASS_OP_STS: return ".shared";
    case SASS_OP_LDL:
    case SASS_OP_STL: return ".local";
    default: break;
    }
    switch (sass_field(inst, SASS_FIELD_ORDER)) {
    case 4: return inst->op == SASS_OP_LDG ? ".global.nc" : space;
    case 5: return lift_text(lift, ".relaxed.cta%s", space);
    case 7: return lift_text(lift, ".relaxed.gpu%s", space);
    case 10: return lift_text(lift, ".relaxed.sys%s", space);
    default: return space;
    }
}

static struct ptx_operand address_of(struct lift *lift, const struct sass_inst *inst) {
    const bool wide = inst->op == SASS_OP_LDG || inst->op == SASS_OP_STG || inst->op == SASS_OP_LD ||
                      inst->op == SASS_OP_ST;
    return wide ? lift_wide_address(lift, &inst->address) : lift_narrow_address(lift, &inst->address);
}

static void load(struct lift *lift, const struct sass_inst *inst) {
    const struct width width = width_of(inst);
    const char *hints = inst->op == SASS_OP_LDS ? "" : hints_of(inst);
    const char *opcode = lift_text(lift, "ld%s%s.%s", place_of(inst, lift), hints, width.type);
    struct ptx_operand address = address_of(lift, inst);
    if (!width.pairs) {
        LIFT_EMIT(lift, opcode, lift_to_reg(lift, inst->d, false), address);
        return;
    }
    const struct ptx_operand values[2] = {lift_temp(lift, PTX_B64), lift_temp(lift, PTX_B64)};
    LIFT_EMIT(lift, opcode, width.count == 1 ? values[0] : lift_vector(lift, values, 2), address);
    for (uint32_t i = 0; i < width.count && inst->d != SASS_RZ; i++)
        lift_write_pair(lift, inst->d + 2 * i, false, values[i]);
}

static void store(struct lift *lift, const struct sass_inst *inst) {
    const struct width width = width_of(inst);
    const char *hints = inst->op == SASS_OP_STS ? "" : hints_of(inst);
    const char *opcode = lift_text(lift, "st%s%s.%s", place_of(inst, lift), hints, width.type);
    struct ptx_operand address = address_of(lift, inst), values[2];
    const uint32_t data = inst->b.number;
    if (!width.pairs) {
        LIFT_EMIT(lift, opcode, address, lift_reg(lift, data, false));
        return;
    }
    for (uint32_t i = 0; i < width.count; i++)
        values[i] = lift_pair(lift, data == SASS_RZ ? data : data + 2 * i, false);
    LIFT_EMIT(lift, opcode, address, width.count == 1 ? values[0] : lift_vector(lift, values, 2));
}

/* LDGSTS, cp.async: a copy to shared memory, in the background; zeros where the predicate is false, or
 * nothing.
 */
static void copy(struct lift *lift, const struct sass_inst *inst) {
    static const uint8_t sizes[8] = {[4] = 4, [5] = 8, [6] = 16};
    const uint32_t size = sizes[sass_field(inst, SASS_FIELD_WIDTH) & 7];
    struct ptx_operand reads = lift_predicate(lift, &inst->from[0]), bytes = lift_none();
    if (size == 0) {
        lift_refuse(lift, "its number of bytes is unknown");
        return;
    }
    const struct sass_address target = {
        .reg = inst->a.number,
        .ureg = SASS_URZ,
        .scale = 1,
        .offset = (int32_t)inst->c.value,
    };
    struct ptx_operand to = lift_narrow_address(lift, &target);
    struct ptx_operand from = lift_wide_address(lift, &inst->address);
    if (reads.kind == PTX_OPERAND_REG) {
        bytes = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "selp.b32", bytes, lift_int(size), lift_int(0), reads);
    } else if (reads.value == 0) {
        bytes = lift_int(0);
    }
    const char *level = sass_field(inst, SASS_FIELD_BYPASS) == 0 ? "cg" : "ca"; /* 0: .BYPASS */
    const char *opcode = lift_text(lift, "cp.async.%s.shared.global%s", level, hints_of(inst));
    LIFT_EMIT(lift, opcode, to, from, lift_int(size), bytes);
}

/* CCTL: what caches should do, which changes no value. */
static void control_caches(struct lift *lift, const struct sass_inst *inst) {
    switch (sass_field(inst, SASS_FIELD_OPERATION)) {
    case SASS_CCTL_PF1:
        LIFT_EMIT(lift, "prefetch.global.L1", lift_wide_address(lift, &inst->address));
        return;
    case SASS_CCTL_PF2:
    case SASS_CCTL_PML2:
    case SASS_CCTL_DML2: /* with a priority, or only that */
        LIFT_EMIT(lift, "prefetch.global.L2", lift_wide_address(lift, &inst->address));
        return;
    default: return;
    }
}

void lift_memory(struct lift *lift, const struct sass_inst *inst) {
    switch (inst->op) {
    case SASS_OP_LDG:
    case SASS_OP_LD:
    case SASS_OP_LDS:
    case SASS_OP_LDL: load(lift, inst); return;
    case SASS_OP_LDGSTS: copy(lift, inst); return;
    case SASS_OP_STG:
    case SASS_OP_ST:
    case SASS_OP_STS:
    case SASS_OP_STL: store(lift, inst); return;
    case SASS_OP_CCTL: control_caches(lift, inst); return;
    default: lift_refuse(lift, "its effect on memory is unknown");
    }
}

/* ---- Atomics ---- */

/* Atomic operations. */

enum atomic_operation { ATOMIC_CAS = 9, ATOMIC_POPC_INC = 10, ATOMIC_CAST_SPIN = 11, ATOMIC_ARRIVE = 12 };

/* Types of atomics, by SASS_FIELD_ATOMIC_TYPE, as PTX writes them. Of F32 that is not flushed PTX has none:
 * that of another addition of 4 bytes whose result is not computed stands for it. */
static const struct atomic_type {
    const char *name;
    uint8_t registers;
    bool is_integer;
} atomic_types[] = {
    {"u32", 1, true},
    {"s32", 1, true},
    {"u64", 2, true},
    {"f32", 1, false},
    {"noftz.f16x2", 1, false},
    {"s64", 2, true},
    {"f64", 2, false},
    {"noftz.bf16x2", 1, false},
    {"noftz.bf16x2", 1, false},
    {"noftz.v2.f16x2", 2, false},
    {"noftz.v4.f16x2", 4, false},
    {"noftz.v2.bf16x2", 2, false},
    {"noftz.v4.bf16x2", 4, false},
    {"v2.f32", 2, false},
    {"v4.f32", 4, false},
};

static const struct atomic_type *type_of(const struct sass_inst *inst) {
    const uint32_t type = sass_field(inst, SASS_FIELD_ATOMIC_TYPE);
    return type < sizeof atomic_types / sizeof *atomic_types ? &atomic_types[type] : NULL;
}

/* Whether its values are registers of 64 bits: integers and f64, no vectors. */
static bool is_wide(const struct atomic_type *type) {
    return type->registers == 2 && strstr(type->name, "v2") == NULL;
}

static bool is_vector(const struct atomic_type *type) {
    return type->registers > 1 && !is_wide(type);
}

/* The operation and its type as PTX has them; NULL: there is none. */
static const char *operation_of(struct lift *lift, uint32_t operation, const struct atomic_type *type) {
    static const char *const names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch"};
    if (operation >= sizeof names / sizeof *names || (operation >= 5 && is_vector(type))) return NULL;
    if (operation >= 5) return lift_text(lift, "%s.%s", names[operation], is_wide(type) ? "b64" : "b32");
    const bool sum64 = operation == 0 && type->is_integer && is_wide(type);
    return lift_text(lift, "%s.%s", names[operation], sum64 ? "u64" : type->name);
}

static const char *space_of(const struct sass_inst *inst) {
    const bool generic = inst->op == SASS_OP_ATOM && inst->to[0].number == SASS_PT;
    return inst->op == SASS_OP_ATOMS ? ".shared" : generic ? "" : ".global";
}

static struct ptx_operand atomic_address(struct lift *lift, const struct sass_inst *inst) {
    return inst->op == SASS_OP_ATOMS ? lift_narrow_address(lift, &inst->address)
                                     : lift_wide_address(lift, &inst->address);
}

static struct ptx_operand data_of(struct lift *lift, const struct sass_source *source, bool wide) {
    return wide ? lift_pair(lift, source->number, false) : lift_reg(lift, source->number, false);
}

/* The registers from one on, as a vector. */
static struct ptx_operand vector_of(struct lift *lift, uint32_t first, uint32_t count, bool written) {
    struct ptx_operand elements[4];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = first + i < SASS_RZ ? first + i : SASS_RZ;
        elements[i] = written ? lift_to_reg(lift, number, false) : lift_reg(lift, number, false);
    }
    return lift_vector(lift, elements, count);
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
    struct ptx_operand address = atomic_address(lift, inst), compared = data_of(lift, &inst->b, wide);
    struct ptx_operand swapped = data_of(lift, &inst->c, wide), old = result_of(lift, inst, wide);
    LIFT_EMIT(lift, opcode, old, address, compared, swapped);
    write_result(lift, inst, old, wide);
}

/* Tries once to replace a value; the result is whether it was the one compared with. */
static void cast_spin(struct lift *lift, const struct sass_inst *inst, bool wide) {
    struct ptx_operand old = lift_temp(lift, wide ? PTX_B64 : PTX_B32), equal = lift_temp(lift, PTX_PRED);
    struct ptx_operand address = atomic_address(lift, inst), compared = data_of(lift, &inst->b, wide);
    LIFT_EMIT(lift, lift_text(lift, "atom%s.cas.%s", space_of(inst), wide ? "b64" : "b32"), old, address,
              compared, data_of(lift, &inst->c, wide));
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
    struct ptx_operand address = atomic_address(lift, inst);
    if (inst->d == SASS_RZ)
        LIFT_EMIT(lift, "red.shared.add.u32", address, lift_int(1));
    else
        LIFT_EMIT(lift, "atom.shared.add.u32", lift_to_reg(lift, inst->d, false), address, lift_int(1));
}

static void update(struct lift *lift, const struct sass_inst *inst, uint32_t operation,
                   const struct atomic_type *type) {
    const char *what = operation_of(lift, operation, type);
    const bool wide = is_wide(type), returns = inst->has_d && inst->d != SASS_RZ;
    if (what == NULL) {
        lift_refuse(lift, "this atomic operation is unknown");
        return;
    }
    struct ptx_operand address = atomic_address(lift, inst);
    struct ptx_operand data = is_vector(type) ? vector_of(lift, inst->b.number, type->registers, false)
                                              : data_of(lift, &inst->b, wide);
    if (!returns && operation != 8) {
        LIFT_EMIT(lift, lift_text(lift, "red%s.%s", space_of(inst), what), address, data);
        return;
    }
    struct ptx_operand old =
        is_vector(type) ? vector_of(lift, inst->d, type->registers, true) : result_of(lift, inst, wide);
    LIFT_EMIT(lift, lift_text(lift, "atom%s.%s", space_of(inst), what), old, address, data);
    if (!is_vector(type)) write_result(lift, inst, old, wide);
}

/* The number that an address operand stands for. */
static struct ptx_operand value_of(struct lift *lift, struct ptx_operand address) {
    const struct ptx_operand base = lift->operands.items[address.index], sum = lift_temp(lift, PTX_B64);
    LIFT_EMIT(lift, "add.u64", sum, base, lift_int(address.value));
    return sum;
}

/* QSPC: whether an address is one of a state space. Of a cluster's blocks there is one here, as clusters are
 * declined. */
static void query_space(struct lift *lift, const struct sass_inst *inst) {
    static const char *const opcodes[] = {"isspacep.global", "isspacep.local", "isspacep.shared",
                                          "isspacep.shared"};
    const uint32_t space = sass_field(inst, SASS_FIELD_SPACE);
    const struct ptx_operand to = lift_to_predicate(lift, &inst->to[0]);
    if (space >= sizeof opcodes / sizeof *opcodes || inst->d != SASS_RZ) {
        lift_refuse(lift, "its query of an address is unknown");
        return;
    }
    if (to.kind == PTX_OPERAND_REG)
        LIFT_EMIT(lift, opcodes[space], to, value_of(lift, atomic_address(lift, inst)));
}

static void operate(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t operation = sass_field(inst, SASS_FIELD_ATOMIC);
    const struct atomic_type *type = type_of(inst);
    if (type == NULL) {
        lift_refuse(lift, "the type of this atomic operation is unknown");
        return;
    }
    switch (operation) {
    case ATOMIC_CAS: compare_and_swap(lift, inst, is_wide(type)); return;
    case ATOMIC_CAST_SPIN: cast_spin(lift, inst, is_wide(type)); return;
    case ATOMIC_POPC_INC: count_up(lift, inst); return;
    case ATOMIC_ARRIVE: lift_mbarrier(lift, inst); return;
    default: update(lift, inst, operation, type);
    }
}

/* ATOM with a predicate: what other memory than the global one has no operation for. The predicate is whether
 * it was done; where not, the code behind it does it, by a loop in shared memory and plainly in local one. */
static void try_in_global(struct lift *lift, const struct sass_inst *inst) {
    const struct ptx_operand is_global = lift_temp(lift, PTX_PRED);
    const struct ptx_inst whole = lift->inst;
    LIFT_EMIT(lift, "isspacep.global", is_global, value_of(lift, atomic_address(lift, inst)));
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

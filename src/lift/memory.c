/* Loads and stores: global, generic, shared and local memory. What has 64 bits is loaded and stored as one
 * value, so that it is known where addresses point to (warp/interpret/home.h). */
#include "lift/lift.h"

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

struct ptx_operand lift_wide_address(struct lift *lift, const struct sass_address *address) {
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

struct ptx_operand lift_narrow_address(struct lift *lift, const struct sass_address *address) {
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
    default: lift_refuse(lift, "its effect on memory is unknown");
    }
}

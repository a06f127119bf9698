/* Special registers, and constants that are read by an instruction of their own. */
#include "lift/lift.h"

/* ---- S2R, S2UR, CS2R ----------------------------------------------------------------------------------- */

struct special {
    uint8_t number;
    uint16_t sreg;
};

static const struct special specials[] = {
    {0x00, PTX_SREG_LANEID},         {0x21, PTX_SREG_TID_X},
    {0x22, PTX_SREG_TID_Y},          {0x23, PTX_SREG_TID_Z},
    {0x25, PTX_SREG_CTAID_X},        {0x26, PTX_SREG_CTAID_Y},
    {0x27, PTX_SREG_CTAID_Z},        {0x32, PTX_SREG_TOTAL_SMEM_SIZE},
    {0x38, PTX_SREG_LANEMASK_EQ},    {0x39, PTX_SREG_LANEMASK_LT},
    {0x3a, PTX_SREG_LANEMASK_LE},    {0x3b, PTX_SREG_LANEMASK_GT},
    {0x3c, PTX_SREG_LANEMASK_GE},    {0x42, PTX_SREG_SMID},
    {0x43, PTX_SREG_SMID},           {0x50, PTX_SREG_CLOCK},
    {0x51, PTX_SREG_CLOCK_HI},       {0x52, PTX_SREG_GLOBALTIMER_LO},
    {0x53, PTX_SREG_GLOBALTIMER_HI}, {0x88, PTX_SREG_CLUSTER_CTARANK},
};

#define SPECIAL_VIRTUAL_ID 0x03u /* the warp's number from bit 8 on, the multiprocessor's from bit 16 on */
#define SPECIAL_SHARED_UPPER_HALF 0x2fu
#define SPECIAL_STACK_LIMIT 0x37u /* the lowest address of the stack: code of -O0 traps below it */
#define SPECIAL_CLOCK 0x50u
#define SPECIAL_GLOBALTIMER 0x52u
#define SPECIAL_ZERO 0xffu

static void read_virtual_id(struct lift *lift, const struct sass_inst *inst) {
    struct ptx_operand warp = lift_temp(lift, PTX_B32), place = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, "mov.u32", warp, lift_special_register(PTX_SREG_WARPID));
    LIFT_EMIT(lift, "shl.b32", warp, warp, lift_int(8));
    LIFT_EMIT(lift, "mov.u32", place, lift_special_register(PTX_SREG_SMID));
    LIFT_EMIT(lift, "shl.b32", place, place, lift_int(16));
    LIFT_EMIT(lift, "or.b32", lift_to_reg(lift, inst->d, inst->d_uniform), warp, place);
}

static void read_special(struct lift *lift, const struct sass_inst *inst, uint32_t number) {
    struct ptx_operand to = lift_to_reg(lift, inst->d, inst->d_uniform);
    if (number == SPECIAL_ZERO || number == SPECIAL_STACK_LIMIT) {
        LIFT_EMIT(lift, "mov.b32", to, lift_int(0));
        return;
    }
    if (number == SPECIAL_SHARED_UPPER_HALF) {
        LIFT_EMIT(lift, "mov.b32", to, lift_int(PTX_SHARED_UPPER_HALF));
        return;
    }
    if (number == SPECIAL_VIRTUAL_ID) {
        read_virtual_id(lift, inst);
        return;
    }
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (specials[i].number != number) continue;
        LIFT_EMIT(lift, "mov.u32", to, lift_special_register(specials[i].sreg));
        return;
    }
    lift_refuse(lift, "the value of this special register is unknown");
}

/* CS2R of 64 bits. */
static void read_wide_special(struct lift *lift, const struct sass_inst *inst, uint32_t number) {
    struct ptx_operand value = lift_temp(lift, PTX_B64);
    switch (number) {
    case SPECIAL_ZERO: value = lift_int(0); break;
    case SPECIAL_CLOCK: LIFT_EMIT(lift, "mov.u64", value, lift_special_register(PTX_SREG_CLOCK64)); break;
    case SPECIAL_GLOBALTIMER:
        LIFT_EMIT(lift, "mov.u64", value, lift_special_register(PTX_SREG_GLOBALTIMER));
        break;
    default: lift_refuse(lift, "the value of this special register is unknown"); return;
    }
    lift_write_pair(lift, inst->d, inst->d_uniform, value);
}

/* ---- LDC, ULDC ----------------------------------------------------------------------------------------- */

/* The address of a constant that has no register, or is no whole word: of the variable that it is in. */
static struct ptx_operand constant_address(struct lift *lift, const struct sass_inst *inst) {
    const bool indexed = inst->a.kind != SASS_SOURCE_NONE && inst->a.number != SASS_RZ;
    struct ptx_operand variable = lift_none();
    uint64_t within = 0;
    if (!lift_constant_place(lift, inst->b.number, inst->b.value, &variable, &within)) return lift_none();
    if (!indexed) return lift_address(lift, variable, (int64_t)within);
    struct ptx_operand offset = lift_temp(lift, PTX_B32), wide = lift_temp(lift, PTX_B64);
    struct ptx_operand sum = lift_temp(lift, PTX_B64);
    LIFT_EMIT(lift, "add.u32", offset, lift_source(lift, &inst->a), lift_int((uint32_t)within));
    LIFT_EMIT(lift, "cvt.u64.u32", wide, offset);
    LIFT_EMIT(lift, "mov.u64", sum, variable);
    LIFT_EMIT(lift, "add.u64", sum, sum, wide);
    return lift_address(lift, sum, 0);
}

/* Where a constant of bank 4 is, whose index is the same number on every way: an address is loaded so. */
static bool is_address(struct lift *lift, const struct sass_inst *inst, uint32_t *offset) {
    if (inst->b.number != 4 || inst->a.kind == SASS_SOURCE_NONE) return false;
    const bool known = target_number(lift->plan, lift->copy, lift->position, inst->a.number,
                                     inst->a.kind == SASS_SOURCE_UREG, offset);
    *offset += inst->b.value;
    return known;
}

static void load_constant(struct lift *lift, const struct sass_inst *inst) {
    static const char *const opcodes[] = {"ld.const.u8",  "ld.const.s8",  "ld.const.u16",
                                          "ld.const.s16", "ld.const.b32", "ld.const.b64"};
    const uint32_t width = sass_field(inst, SASS_FIELD_WIDTH);
    uint32_t offset = inst->b.value;
    const bool indexed =
        inst->a.kind != SASS_SOURCE_NONE && inst->a.number != SASS_RZ && !is_address(lift, inst, &offset);
    struct ptx_operand to = lift_to_reg(lift, inst->d, inst->d_uniform);
    if (width > 5 || sass_field(inst, SASS_FIELD_MODE) != 0 || inst->b.kind != SASS_SOURCE_CONST) {
        lift_refuse(lift, "how it reads constants is not known");
        return;
    }
    if (!indexed && width == 5) {
        lift_write_pair(lift, inst->d, inst->d_uniform, lift_constant(lift, inst->b.number, offset, 8));
        return;
    }
    if (!indexed && width == 4) {
        LIFT_EMIT(lift, "mov.b32", to, lift_constant(lift, inst->b.number, offset, 4));
        return;
    }
    struct ptx_operand address = constant_address(lift, inst);
    if (address.kind == PTX_OPERAND_NONE) return;
    if (width != 5) {
        LIFT_EMIT(lift, opcodes[width], to, address);
        return;
    }
    struct ptx_operand value = lift_temp(lift, PTX_B64);
    LIFT_EMIT(lift, opcodes[width], value, address);
    lift_write_pair(lift, inst->d, inst->d_uniform, value);
}

void lift_special(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t number = sass_field(inst, SASS_FIELD_SPECIAL);
    switch (inst->op) {
    case SASS_OP_S2R:
    case SASS_OP_S2UR: read_special(lift, inst, number); return;
    case SASS_OP_CS2R:
        if (sass_field(inst, SASS_FIELD_WIDE64))
            read_wide_special(lift, inst, number);
        else
            read_special(lift, inst, number);
        return;
    default: load_constant(lift, inst);
    }
}

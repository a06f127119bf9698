/* Conversions between integers and floating-point numbers of 8 to 64 bits. */
#include "lift/lift.h"

enum size { SIZE_8, SIZE_16, SIZE_32, SIZE_64 };

#define TO_BF16 4u /* as the size of a result */

static enum size size_of(const struct sass_inst *inst, enum sass_field field) {
    const uint32_t size = sass_field(inst, field);
    return size == TO_BF16 ? SIZE_16 : (enum size)(size & 3);
}

/* The floating-point type of a size; NULL: there is none. */
static const char *float_type(enum size size) {
    switch (size) {
    case SIZE_16: return "f16";
    case SIZE_32: return "f32";
    case SIZE_64: return "f64";
    default: return NULL;
    }
}

/* A half of a register, the lower one unless the source says otherwise, with its sign and magnitude. */
static struct ptx_operand read_half(struct lift *lift, const struct sass_source *source) {
    const struct ptx_operand halves[2] = {lift_temp(lift, PTX_B16), lift_temp(lift, PTX_B16)};
    struct ptx_operand whole = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, "mov.b32", whole, lift_source(lift, source));
    if (source->absolute) LIFT_EMIT(lift, "and.b32", whole, whole, lift_int(0x7fff7fff));
    if (source->negated) LIFT_EMIT(lift, "xor.b32", whole, whole, lift_int(0x80008000));
    LIFT_EMIT(lift, "mov.b32", lift_vector(lift, halves, 2), whole);
    return halves[source->lanes & 1]; /* 1 of F2I, 3 of F2F: the upper one */
}

static struct ptx_operand read_float(struct lift *lift, const struct sass_inst *inst, enum size size) {
    const struct sass_source *source = &inst->b;
    if (size == SIZE_64) return lift_source64(lift, source, true);
    if (size == SIZE_16) return read_half(lift, source);
    return lift_source_f32(lift, source);
}

/* An integer source; bytes and halves of a register are extended to 32 bits. */
static struct ptx_operand read_integer(struct lift *lift, const struct sass_inst *inst, enum size size) {
    const struct sass_source *source = &inst->b;
    if (source->absolute || source->negated) lift_refuse(lift, "the sign of its source is unknown");
    if (size == SIZE_64) return lift_source64(lift, source, false);
    const struct ptx_operand whole = lift_source(lift, source);
    if (size == SIZE_32) return whole;
    const uint32_t bits = size == SIZE_8 ? 8 : 16;
    const struct ptx_operand part = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, sass_field(inst, SASS_FIELD_SIGNED) != 0 ? "bfe.s32" : "bfe.u32", part, whole,
              lift_int((uint64_t)bits * source->lanes), lift_int(bits));
    return part;
}

/* Somewhere to put a result of the size before write_result. */
static struct ptx_operand new_result(struct lift *lift, enum size size) {
    return lift_temp(lift, size == SIZE_64 ? PTX_B64 : size == SIZE_16 ? PTX_B16 : PTX_B32);
}

/* Results of 16 bits are the lower half of a register whose upper half is 0. */
static void write_result(struct lift *lift, const struct sass_inst *inst, enum size size,
                         struct ptx_operand value) {
    if (size == SIZE_64) {
        lift_write_pair(lift, inst->d, inst->d_uniform, value);
        return;
    }
    const struct ptx_operand to = lift_to_reg(lift, inst->d, inst->d_uniform);
    LIFT_EMIT(lift, size == SIZE_16 ? "cvt.u32.u16" : "mov.b32", to, value);
}

/* F2F, and FRND with rounding to an integer. */
static void float_to_float(struct lift *lift, const struct sass_inst *inst, bool to_integer) {
    const enum size to = size_of(inst, SASS_FIELD_TO_SIZE), from = size_of(inst, SASS_FIELD_FROM_SIZE);
    const char *to_type = float_type(to), *from_type = float_type(from);
    if (to_type == NULL || from_type == NULL || (to == from) != to_integer) {
        lift_refuse(lift, "a conversion between these sizes is unknown");
        return;
    }
    if (sass_field(inst, SASS_FIELD_TO_SIZE) == TO_BF16) to_type = "bf16";
    const char *flush = lift_word(inst, SASS_FIELD_FTZ, ".ftz"),
               *clamp = lift_word(inst, SASS_FIELD_SAT, ".sat");
    const struct ptx_operand operands[] = {new_result(lift, to), read_float(lift, inst, from)};
    if (to_integer)
        LIFT_EMIT_TEXT(lift, operands, "cvt.%s%s%s.%s.%s", lift_integer_rounding(inst), flush, clamp, to_type,
                       from_type);
    else if (to < from)
        LIFT_EMIT_TEXT(lift, operands, "cvt.%s%s%s.%s.%s", lift_rounding(inst), flush, clamp, to_type,
                       from_type);
    else
        LIFT_EMIT_TEXT(lift, operands, "cvt%s%s.%s.%s", flush, clamp, to_type, from_type);
    write_result(lift, inst, to, operands[0]);
}

/* F2I of a NaN: 0 with .NTZ, else the highest bit alone. PTX's cvt gives the one or the other by its types.
 */
static void settle_nan(struct lift *lift, const struct sass_inst *inst, enum size from, enum size to,
                       struct ptx_operand source, struct ptx_operand value) {
    const bool zero = sass_field(inst, SASS_FIELD_NTZ) != 0, zero_in_ptx = from != SIZE_64 && to != SIZE_64;
    if (zero == zero_in_ptx) return;
    if (to < SIZE_32) lift_refuse(lift, "its result for NaN is unknown");
    const struct ptx_operand is_nan = lift_temp(lift, PTX_PRED);
    const struct ptx_operand test[] = {is_nan, lift_none(), source, source};
    LIFT_EMIT_TEXT(lift, test, "setp.nan.%s", float_type(from));
    const uint64_t highest = UINT64_C(1) << (to == SIZE_64 ? 63 : 31);
    LIFT_EMIT(lift, to == SIZE_64 ? "selp.b64" : "selp.b32", value, lift_int(zero ? 0 : highest), value,
              is_nan);
}

static void float_to_integer(struct lift *lift, const struct sass_inst *inst) {
    static const uint32_t bits[] = {8, 16, 32, 64};
    const enum size to = size_of(inst, SASS_FIELD_TO_SIZE), from = size_of(inst, SASS_FIELD_FROM_SIZE);
    const enum size register_size = to == SIZE_64 ? SIZE_64 : SIZE_32;
    const char *from_type = float_type(from);
    if (from_type == NULL) {
        lift_refuse(lift, "a conversion between these sizes is unknown");
        return;
    }
    const struct ptx_operand operands[] = {new_result(lift, register_size), read_float(lift, inst, from)};
    LIFT_EMIT_TEXT(lift, operands, "cvt.%s%s.%c%u.%s", lift_integer_rounding(inst),
                   lift_word(inst, SASS_FIELD_FTZ, ".ftz"),
                   sass_field(inst, SASS_FIELD_SIGNED) != 0 ? 's' : 'u', bits[to], from_type);
    settle_nan(lift, inst, from, to, operands[1], operands[0]);
    write_result(lift, inst, register_size, operands[0]);
}

static void integer_to_float(struct lift *lift, const struct sass_inst *inst) {
    const enum size to = size_of(inst, SASS_FIELD_TO_SIZE), from = size_of(inst, SASS_FIELD_FROM_SIZE);
    const char *to_type = float_type(to);
    if (to_type == NULL) {
        lift_refuse(lift, "a conversion between these sizes is unknown");
        return;
    }
    const struct ptx_operand operands[] = {new_result(lift, to), read_integer(lift, inst, from)};
    LIFT_EMIT_TEXT(lift, operands, "cvt.%s.%s.%c%u", lift_rounding(inst), to_type,
                   sass_field(inst, SASS_FIELD_SIGNED) != 0 ? 's' : 'u', from == SIZE_64 ? 64u : 32u);
    write_result(lift, inst, to, operands[0]);
}

/* I2FP: from 32 bits to f32. */
static void integer_to_f32(struct lift *lift, const struct sass_inst *inst) {
    const struct ptx_operand operands[] = {lift_to_reg(lift, inst->d, inst->d_uniform),
                                           read_integer(lift, inst, SIZE_32)};
    LIFT_EMIT_TEXT(lift, operands, "cvt.%s.f32.%c32", lift_rounding(inst),
                   sass_field(inst, SASS_FIELD_SIGNED) != 0 ? 's' : 'u');
}

/* F2FP: two f32 to a pair of halves, A the upper one. */
static void pack(struct lift *lift, const struct sass_inst *inst) {
    if (sass_field(inst, SASS_FIELD_MERGE_C) != 0) {
        lift_refuse(lift, ".MERGE_C is unknown");
        return;
    }
    const struct ptx_operand operands[] = {lift_to_reg(lift, inst->d, inst->d_uniform),
                                           lift_source_f32(lift, &inst->a), lift_source_f32(lift, &inst->b)};
    LIFT_EMIT_TEXT(lift, operands, "cvt.%s%s.%s.f32", lift_rounding(inst),
                   lift_word(inst, SASS_FIELD_RELU, ".relu"),
                   sass_field(inst, SASS_FIELD_BF16) != 0 ? "bf16x2" : "f16x2");
}

/* I2I: saturated to 8 or 16 bits. ptxas always extends the result before it uses more than these, so what is
 * above them is not known: that of a register which is never written. */
static void saturate(struct lift *lift, const struct sass_inst *inst) {
    static const char *const types[] = {"u8", "s8", "u16", "s16"};
    const uint32_t type = sass_field(inst, SASS_FIELD_TYPE) & 3;
    const struct ptx_operand part = lift_temp(lift, PTX_B32);
    const struct ptx_operand operands[] = {part, lift_source(lift, &inst->b)};
    LIFT_EMIT_TEXT(lift, operands, "cvt.sat.%s.s32", types[type]);
    LIFT_EMIT(lift, "prmt.b32", lift_to_reg(lift, inst->d, inst->d_uniform), part, lift_unwritten(lift),
              lift_int(type < 2 ? 0x7650 : 0x7610));
}

/* I2IP: A and B saturated, B the lower one; of bytes the lower half of C above them. */
static void saturate_two(struct lift *lift, const struct sass_inst *inst) {
    enum { U8, S8 = 4, U16 = 8, S16 = 12 };
    const uint32_t type = sass_field(inst, SASS_FIELD_TYPE);
    const struct ptx_operand operands[] = {lift_to_reg(lift, inst->d, inst->d_uniform),
                                           lift_source(lift, &inst->a), lift_source(lift, &inst->b),
                                           lift_source(lift, &inst->c)};
    if (type == U8 || type == S8)
        LIFT_EMIT_TEXT(lift, operands, "cvt.pack.sat.%s.s32.b32", type == U8 ? "u8" : "s8");
    else if ((type == U16 || type == S16) && operands[3].kind == PTX_OPERAND_INT && operands[3].value == 0)
        lift_emit_text(lift, operands, 3, "cvt.pack.sat.%s.s32", type == U16 ? "u16" : "s16");
    else
        lift_refuse(lift, "numbers of 2 and 4 bits, and a third source with 16, are unknown");
}

void lift_convert(struct lift *lift, const struct sass_inst *inst) {
    switch (inst->op) {
    case SASS_OP_F2F: float_to_float(lift, inst, false); break;
    case SASS_OP_FRND: float_to_float(lift, inst, true); break;
    case SASS_OP_F2I: float_to_integer(lift, inst); break;
    case SASS_OP_I2F: integer_to_float(lift, inst); break;
    case SASS_OP_I2FP: integer_to_f32(lift, inst); break;
    case SASS_OP_F2FP: pack(lift, inst); break;
    case SASS_OP_I2I: saturate(lift, inst); break;
    case SASS_OP_I2IP: saturate_two(lift, inst); break;
    default: lift_refuse(lift, "its effect is unknown"); break;
    }
}

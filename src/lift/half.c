/* Arithmetic on pairs of f16 and bf16, and matrices. */
#include "lift/lift.h"

enum half_lanes { LANES_BOTH, LANES_F32, LANES_LOW, LANES_HIGH };

static bool is_bf16(const struct sass_inst *inst) {
    return sass_field(inst, SASS_FIELD_BF16) != 0;
}

static const char *pair_type(const struct sass_inst *inst) {
    return is_bf16(inst) ? "bf16x2" : "f16x2";
}

static const char *half_type(const struct sass_inst *inst) {
    return is_bf16(inst) ? "bf16" : "f16";
}

static struct ptx_operand with_signs(struct lift *lift, const struct sass_source *source,
                                     struct ptx_operand pair) {
    if (!source->absolute && !source->negated) return pair;
    const struct ptx_operand value = lift_temp(lift, PTX_B32);
    if (!source->absolute)
        LIFT_EMIT(lift, "xor.b32", value, pair, lift_int(0x80008000));
    else if (source->negated)
        LIFT_EMIT(lift, "or.b32", value, pair, lift_int(0x80008000));
    else
        LIFT_EMIT(lift, "and.b32", value, pair, lift_int(0x7fff7fff));
    return value;
}

/* A pair: both halves, or one of them twice. */
static struct ptx_operand read_pair(struct lift *lift, const struct sass_source *source) {
    struct ptx_operand pair = lift_source(lift, source);
    const uint32_t lanes = source->lanes;
    if (lanes == LANES_F32) lift_refuse(lift, "f32 as a source of a pair is unknown");
    if (lanes == LANES_LOW || lanes == LANES_HIGH) {
        const struct ptx_operand twice = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "prmt.b32", twice, pair, lift_int(0), lift_int(lanes == LANES_LOW ? 0x1010 : 0x3232));
        pair = twice;
    }
    return with_signs(lift, source, pair);
}

/* One number as f32: a half, the lower one unless the lanes say otherwise, or f32 itself. */
static struct ptx_operand read_wide(struct lift *lift, const struct sass_inst *inst,
                                    const struct sass_source *source) {
    if (source->lanes == LANES_F32) return lift_source_f32(lift, source);
    const struct ptx_operand halves[2] = {lift_temp(lift, PTX_B16), lift_temp(lift, PTX_B16)};
    const struct ptx_operand pair = with_signs(lift, source, lift_source(lift, source));
    LIFT_EMIT(lift, "mov.b32", lift_vector(lift, halves, 2), pair);
    const struct ptx_operand operands[] = {lift_temp(lift, PTX_B32), halves[source->lanes == LANES_HIGH]};
    LIFT_EMIT_TEXT(lift, operands, "cvt.f32.%s", half_type(inst));
    return operands[0];
}

/* HADD2.F32: the sum of two halves as f32; ptxas converts by it. */
static void wide_sum(struct lift *lift, const struct sass_inst *inst) {
    const struct ptx_operand operands[] = {lift_to_reg(lift, inst->d, inst->d_uniform),
                                           read_wide(lift, inst, &inst->a), read_wide(lift, inst, &inst->b)};
    LIFT_EMIT_TEXT(lift, operands, "add.rn%s%s.f32", lift_word(inst, SASS_FIELD_FTZ, ".ftz"),
                   lift_word(inst, SASS_FIELD_SAT, ".sat"));
}

static void arithmetic(struct lift *lift, const struct sass_inst *inst, const char *name,
                       const struct ptx_operand *sources, uint32_t count) {
    struct ptx_operand operands[4] = {lift_to_reg(lift, inst->d, inst->d_uniform)};
    for (uint32_t i = 0; i < count; i++)
        operands[1 + i] = sources[i];
    lift_emit_text(lift, operands, 1 + count, "%s.rn%s%s%s.%s", name, lift_word(inst, SASS_FIELD_FTZ, ".ftz"),
                   lift_word(inst, SASS_FIELD_SAT, ".sat"), lift_word(inst, SASS_FIELD_RELU, ".relu"),
                   pair_type(inst));
}

static bool is_zero_register(const struct sass_source *source) {
    return source->kind == SASS_SOURCE_REG && source->number == SASS_RZ;
}

/* HADD2 D, A.F32, -RZ: A cut to a half, twice. */
static void cut_to_half(struct lift *lift, const struct sass_inst *inst) {
    if (!is_zero_register(&inst->b) || !inst->b.negated || sass_field(inst, SASS_FIELD_FTZ) != 0) {
        lift_refuse(lift, "a sum of f32 and a half is unknown");
        return;
    }
    const struct ptx_operand half = lift_temp(lift, PTX_B16), halves[2] = {half, half};
    const struct ptx_operand operands[] = {half, lift_source_f32(lift, &inst->a)};
    LIFT_EMIT_TEXT(lift, operands, "cvt.rz%s.%s.f32", lift_word(inst, SASS_FIELD_SAT, ".sat"),
                   half_type(inst));
    LIFT_EMIT(lift, "mov.b32", lift_to_reg(lift, inst->d, inst->d_uniform), lift_vector(lift, halves, 2));
}

static void of_two(struct lift *lift, const struct sass_inst *inst, const char *name) {
    const struct ptx_operand sources[] = {read_pair(lift, &inst->a), read_pair(lift, &inst->b)};
    arithmetic(lift, inst, name, sources, 2);
}

static bool is_nan_half(uint32_t bits, bool bf16) {
    return (bits & 0x7fff) > (bf16 ? 0x7f80u : 0x7c00u);
}

/* HFMA2 D, -RZ, RZ, literal: -0 and a number are that number; ptxas loads constants by it. */
static bool loads_constant(const struct sass_inst *inst) {
    const struct sass_source *literal = inst->c.kind == SASS_SOURCE_IMM ? &inst->c : &inst->b;
    const struct sass_source *factor = literal == &inst->c ? &inst->b : &inst->c;
    if (literal != &inst->c || literal->kind != SASS_SOURCE_IMM) return false;
    const bool negative_zero = is_zero_register(&inst->a) && is_zero_register(factor) &&
                               inst->a.negated != factor->negated && !inst->a.absolute && !factor->absolute;
    const bool plain = sass_field(inst, SASS_FIELD_FTZ) == 0 && sass_field(inst, SASS_FIELD_SAT) == 0 &&
                       sass_field(inst, SASS_FIELD_RELU) == 0 && !literal->negated && !literal->absolute;
    return negative_zero && plain && !is_nan_half(literal->value, is_bf16(inst)) &&
           !is_nan_half(literal->value >> 16, is_bf16(inst));
}

static void fused(struct lift *lift, const struct sass_inst *inst) {
    if (sass_field(inst, SASS_FIELD_F32) != 0) {
        lift_refuse(lift, "its accumulation in f32 is unknown");
        return;
    }
    if (loads_constant(inst)) {
        LIFT_EMIT(lift, "mov.b32", lift_to_reg(lift, inst->d, inst->d_uniform), lift_int(inst->c.value));
        return;
    }
    const struct ptx_operand sources[] = {read_pair(lift, &inst->a), read_pair(lift, &inst->b),
                                          read_pair(lift, &inst->c)};
    arithmetic(lift, inst, "fma", sources, 3);
}

static void extreme(struct lift *lift, const struct sass_inst *inst) {
    const struct ptx_operand is_min = lift_predicate(lift, &inst->from[0]);
    if (sass_field(inst, SASS_FIELD_XORSIGN) != 0 || is_min.kind != PTX_OPERAND_INT) {
        lift_refuse(lift, "this form of it is unknown");
        return;
    }
    const struct ptx_operand operands[] = {lift_to_reg(lift, inst->d, inst->d_uniform),
                                           read_pair(lift, &inst->a), read_pair(lift, &inst->b)};
    LIFT_EMIT_TEXT(lift, operands, "%s%s%s.%s", is_min.value != 0 ? "min" : "max",
                   lift_word(inst, SASS_FIELD_FTZ, ".ftz"), lift_word(inst, SASS_FIELD_NAN, ".NaN"),
                   pair_type(inst));
}

/* The comparison of the lower halves, and that of the upper ones, each joined with the predicate. */
static void compare_halves(struct lift *lift, const struct sass_inst *inst, struct ptx_operand *holds) {
    struct ptx_operand a[2], b[2];
    for (uint32_t i = 0; i < 2; i++) {
        a[i] = lift_temp(lift, PTX_B16);
        b[i] = lift_temp(lift, PTX_B16);
        holds[i] = lift_temp(lift, PTX_PRED);
    }
    LIFT_EMIT(lift, "mov.b32", lift_vector(lift, a, 2), read_pair(lift, &inst->a));
    LIFT_EMIT(lift, "mov.b32", lift_vector(lift, b, 2), read_pair(lift, &inst->b));
    for (uint32_t i = 0; i < 2; i++)
        lift_compare(lift, inst, half_type(inst), holds[i], lift_none(), a[i], b[i]);
}

static void comparison(struct lift *lift, const struct sass_inst *inst) {
    if (sass_field(inst, SASS_FIELD_PAND) != 0) {
        lift_refuse(lift, ".H_AND is unknown");
        return;
    }
    struct ptx_operand holds[2];
    compare_halves(lift, inst, holds);
    for (uint32_t i = 0; i < 2; i++)
        LIFT_EMIT(lift, "mov.pred", lift_to_predicate(lift, &inst->to[i]), holds[i]);
}

/* HSET2: all ones, or with .BF the number 1, where a comparison holds. */
static void comparison_as_pair(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t one = is_bf16(inst) ? 0x3f80 : 0x3c00;
    const uint32_t yes = sass_field(inst, SASS_FIELD_F32) != 0 ? one : 0xffff;
    const struct ptx_operand low = lift_temp(lift, PTX_B32), high = lift_temp(lift, PTX_B32);
    struct ptx_operand holds[2];
    compare_halves(lift, inst, holds);
    LIFT_EMIT(lift, "selp.b32", low, lift_int(yes), lift_int(0), holds[0]);
    LIFT_EMIT(lift, "selp.b32", high, lift_int(yes << 16), lift_int(0), holds[1]);
    LIFT_EMIT(lift, "or.b32", lift_to_reg(lift, inst->d, inst->d_uniform), low, high);
}

/* ---- Matrices ---- */

/* `count` registers from `number` on. */
static struct ptx_operand registers(struct lift *lift, uint32_t number, uint32_t count, bool written) {
    struct ptx_operand elements[4];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t each = number + i < SASS_RZ ? number + i : SASS_RZ;
        elements[i] = written ? lift_to_reg(lift, each, false) : lift_reg(lift, each, false);
    }
    return lift_vector(lift, elements, count);
}

/* The shapes of HMMA by its field, and the registers that each of its fragments has. */
struct shape {
    const char *name;
    uint8_t a, b;
};

static void multiply(struct lift *lift, const struct sass_inst *inst) {
    enum { M16N8K8, M16N8K16, M16N8K4 };
    static const struct shape halves[] = {[M16N8K8] = {"m16n8k8", 2, 1}, [M16N8K16] = {"m16n8k16", 4, 2}};
    static const struct shape tf32[] = {[M16N8K8] = {"m16n8k8", 4, 2}, [M16N8K4] = {"m16n8k4", 2, 1}};
    static const char *const types[] = {"f16", "bf16", "tf32"};
    const uint32_t type = sass_field(inst, SASS_FIELD_TYPE), which = sass_field(inst, SASS_FIELD_SHAPE);
    const bool wide = sass_field(inst, SASS_FIELD_F32) != 0;
    const struct shape *shape = NULL;
    if (type < 2 && which <= M16N8K16) shape = &halves[which];
    if (type == 2 && which != M16N8K16 && which <= M16N8K4) shape = &tf32[which];
    if (shape == NULL) {
        lift_refuse(lift, "the shape is unknown");
        return;
    }
    const uint32_t count = wide ? 4 : 2;
    const struct ptx_operand operands[] = {
        registers(lift, inst->d, count, true), registers(lift, inst->a.number, shape->a, false),
        registers(lift, inst->b.number, shape->b, false), registers(lift, inst->c.number, count, false)};
    const char *to = wide ? "f32" : "f16";
    LIFT_EMIT_TEXT(lift, operands, "mma.sync.aligned.%s.row.col.%s.%s.%s.%s", shape->name, to, types[type],
                   types[type], to);
}

/* IMMA: of integers of 8 or 4 bits. */
static void multiply_integers(struct lift *lift, const struct sass_inst *inst) {
    enum { M8N8K16, M8N8K32, M16N8K16, M16N8K64, M16N8K32 = 6 };
    static const char *const types[] = {"u8", "s8", "u4", "s4"};
    static const struct shape shapes[] = {[M8N8K16] = {"m8n8k16", 1, 1},
                                          [M8N8K32] = {"m8n8k32", 1, 1},
                                          [M16N8K16] = {"m16n8k16", 2, 1},
                                          [M16N8K64] = {"m16n8k64", 4, 2},
                                          [M16N8K32] = {"m16n8k32", 4, 2}};
    static const struct shape narrow = {"m16n8k32", 2, 1};
    const uint32_t which = sass_field(inst, SASS_FIELD_SHAPE), type = sass_field(inst, SASS_FIELD_TYPE) & 3;
    const struct shape *shape = which == M16N8K32 && type >= 2 ? &narrow : &shapes[which];
    const uint32_t count = which <= M8N8K32 ? 2 : 4;
    const struct ptx_operand operands[] = {
        registers(lift, inst->d, count, true), registers(lift, inst->a.number, shape->a, false),
        registers(lift, inst->b.number, shape->b, false), registers(lift, inst->c.number, count, false)};
    LIFT_EMIT_TEXT(lift, operands, "mma.sync.aligned.%s.row.col%s.s32.%s.%s.s32", shape->name,
                   lift_word(inst, SASS_FIELD_SAT, ".satfinite"), types[type],
                   types[sass_field(inst, SASS_FIELD_SIGNED_B) & 3]);
}

/* DMMA: of f64, pairs of registers. */
static void multiply_doubles(struct lift *lift, const struct sass_inst *inst) {
    const struct ptx_operand operands[] = {
        registers(lift, inst->d, 4, true), registers(lift, inst->a.number, 2, false),
        registers(lift, inst->b.number, 2, false), registers(lift, inst->c.number, 4, false)};
    LIFT_EMIT(lift, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", operands[0], operands[1], operands[2],
              operands[3]);
}

/* LDSM: 1, 2 or 4 matrices from shared memory. */
static void load_matrices(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t count = 1u << (sass_field(inst, SASS_FIELD_MATRICES) & 3);
    if (count > 4) {
        lift_refuse(lift, "the number of matrices is unknown");
        return;
    }
    struct ptx_operand base = lift_reg(lift, inst->address.reg, false);
    if (inst->address.ureg != SASS_URZ) {
        const struct ptx_operand sum = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "add.u32", sum, base, lift_reg(lift, inst->address.ureg, true));
        base = sum;
    }
    const struct ptx_operand operands[] = {registers(lift, inst->d, count, true),
                                           lift_address(lift, base, inst->address.offset)};
    LIFT_EMIT_TEXT(lift, operands, "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16", count,
                   lift_word(inst, SASS_FIELD_TRANSPOSED, ".trans"));
}

/* STSM: the same to shared memory. */
static void store_matrices(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t count = 1u << (sass_field(inst, SASS_FIELD_MATRICES) & 3);
    if (count > 4) {
        lift_refuse(lift, "the number of matrices is unknown");
        return;
    }
    const struct ptx_operand operands[] = {
        lift_address(lift, lift_reg(lift, inst->address.reg, false), inst->address.offset),
        registers(lift, inst->b.number, count, false)};
    LIFT_EMIT_TEXT(lift, operands, "stmatrix.sync.aligned.m8n8.x%u%s.shared.b16", count,
                   lift_word(inst, SASS_FIELD_TRANSPOSED, ".trans"));
}

void lift_half(struct lift *lift, const struct sass_inst *inst) {
    if (sass_field(inst, SASS_FIELD_FMZ) != 0) {
        lift_refuse(lift, ".FMZ is unknown");
        return;
    }
    switch (inst->op) {
    case SASS_OP_HADD2:
        if (sass_field(inst, SASS_FIELD_F32) != 0)
            wide_sum(lift, inst);
        else if (inst->a.lanes == LANES_F32)
            cut_to_half(lift, inst);
        else
            of_two(lift, inst, "add");
        break;
    case SASS_OP_HMUL2: of_two(lift, inst, "mul"); break;
    case SASS_OP_HFMA2: fused(lift, inst); break;
    case SASS_OP_HMNMX2: extreme(lift, inst); break;
    case SASS_OP_HSETP2: comparison(lift, inst); break;
    case SASS_OP_HSET2: comparison_as_pair(lift, inst); break;
    case SASS_OP_HMMA: multiply(lift, inst); break;
    case SASS_OP_IMMA: multiply_integers(lift, inst); break;
    case SASS_OP_DMMA: multiply_doubles(lift, inst); break;
    case SASS_OP_MOVM:
        LIFT_EMIT(lift, "movmatrix.sync.aligned.m8n8.trans.b16", lift_to_reg(lift, inst->d, inst->d_uniform),
                  lift_source(lift, &inst->a));
        break;
    case SASS_OP_LDSM: load_matrices(lift, inst); break;
    case SASS_OP_STSM: store_matrices(lift, inst); break;
    default: lift_refuse(lift, "its effect is unknown"); break;
    }
}

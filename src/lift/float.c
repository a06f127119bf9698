#include "lift/lift.h"

#include <stdarg.h>

/* ---- What the floating-point families have in common ---- */

const char *lift_rounding(const struct sass_inst *inst) {
    static const char *const words[] = {"rn", "rm", "rp", "rz"};
    return words[sass_field(inst, SASS_FIELD_ROUND) & 3];
}

const char *lift_integer_rounding(const struct sass_inst *inst) {
    static const char *const words[] = {"rni", "rmi", "rpi", "rzi"};
    return words[sass_field(inst, SASS_FIELD_ROUND) & 3];
}

const char *lift_word(const struct sass_inst *inst, enum sass_field field, const char *word) {
    return sass_field(inst, field) != 0 ? word : "";
}

void lift_emit_text(struct lift *lift, const struct ptx_operand *operands, uint32_t count, const char *format,
                    ...) {
    char opcode[64];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(opcode, sizeof opcode, format, arguments);
    va_end(arguments);
    lift_emit(lift, lift_text(lift, "%s", opcode), operands, count);
}

void lift_compare(struct lift *lift, const struct sass_inst *inst, const char *type, struct ptx_operand to,
                  struct ptx_operand fails, struct ptx_operand a, struct ptx_operand b) {
    static const char *const comparisons[16] = {NULL,  "lt",  "eq",  "le",  "gt",  "ne",  "ge",  "num",
                                                "nan", "ltu", "equ", "leu", "gtu", "neu", "geu", NULL};
    static const char *const joins[] = {"and", "or", "xor"};
    uint32_t compare = sass_field(inst, SASS_FIELD_COMPARE) & 15, join = sass_field(inst, SASS_FIELD_BOOL);
    if (join > 2) {
        lift_refuse(lift, "its combination of predicates is unknown");
        return;
    }
    const struct ptx_operand with = lift_predicate(lift, &inst->from[0]);
    const bool alone = with.kind == PTX_OPERAND_INT && with.value == (join == 0 ? 1 : 0);
    if (comparisons[compare] == NULL) { /* always true, or never */
        const struct ptx_operand operands[] = {to, fails, lift_int(compare == 0), lift_int(0), with};
        LIFT_EMIT_TEXT(lift, operands, "setp.eq.%s.u32", joins[join]);
        return;
    }
    const char *flush = lift_word(inst, SASS_FIELD_FTZ, ".ftz");
    const struct ptx_operand operands[] = {to, fails, a, b, with};
    if (alone)
        lift_emit_text(lift, operands, 4, "setp.%s%s.%s", comparisons[compare], flush, type);
    else
        LIFT_EMIT_TEXT(lift, operands, "setp.%s.%s%s.%s", comparisons[compare], joins[join], flush, type);
}

/* ---- f32 ---- */

/* Arithmetic on f32, approximate functions, and the test of operands that division begins with. */

/* FADD, FMUL without a scale, FFMA: one operation of PTX with the same rounding and flushing. */
static void arithmetic(struct lift *lift, const struct sass_inst *inst, const char *name,
                       const struct ptx_operand *sources, uint32_t count) {
    struct ptx_operand operands[4] = {lift_to_reg(lift, inst->d, inst->d_uniform)};
    for (uint32_t i = 0; i < count; i++)
        operands[1 + i] = sources[i];
    lift_emit_text(lift, operands, 1 + count, "%s.%s%s%s.f32", name, lift_rounding(inst),
                   lift_word(inst, SASS_FIELD_FTZ, ".ftz"), lift_word(inst, SASS_FIELD_SAT, ".sat"));
}

/* FMUL with a power of two: rounded once, behind both multiplications, which are exact in f64. */
static void scaled_product(struct lift *lift, const struct sass_inst *inst, uint32_t scale) {
    static const uint64_t factors[8] = {
        [1] = 0x3fc0000000000000, [2] = 0x3fd0000000000000, [3] = 0x3fe0000000000000,
        [5] = 0x4000000000000000, [6] = 0x4010000000000000, [7] = 0x4020000000000000};
    const char *flush = lift_word(inst, SASS_FIELD_FTZ, ".ftz");
    struct ptx_operand a = lift_temp(lift, PTX_B64), b = lift_temp(lift, PTX_B64);
    const struct ptx_operand read_a[] = {a, lift_source_f32(lift, &inst->a)};
    const struct ptx_operand read_b[] = {b, lift_source_f32(lift, &inst->b)};
    LIFT_EMIT_TEXT(lift, read_a, "cvt%s.f64.f32", flush);
    LIFT_EMIT_TEXT(lift, read_b, "cvt%s.f64.f32", flush);
    LIFT_EMIT(lift, "mul.rn.f64", a, a, b);
    LIFT_EMIT(lift, "mul.rn.f64", a, a, lift_int(factors[scale]));
    const struct ptx_operand rounded[] = {lift_to_reg(lift, inst->d, inst->d_uniform), a};
    LIFT_EMIT_TEXT(lift, rounded, "cvt.%s%s%s.f32.f64", lift_rounding(inst), flush,
                   lift_word(inst, SASS_FIELD_SAT, ".sat"));
}

static void product(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t scale = sass_field(inst, SASS_FIELD_SCALE);
    if (scale != 0 && scale != 4) {
        scaled_product(lift, inst, scale & 7);
        return;
    }
    const struct ptx_operand sources[] = {lift_source_f32(lift, &inst->a), lift_source_f32(lift, &inst->b)};
    arithmetic(lift, inst, "mul", sources, 2);
}

/* FMNMX: the smaller where the predicate is true, else the larger. */
static void extreme(struct lift *lift, const struct sass_inst *inst) {
    if (sass_field(inst, SASS_FIELD_XORSIGN) != 0) {
        lift_refuse(lift, ".XORSIGN is unknown");
        return;
    }
    const struct ptx_operand a = lift_source_f32(lift, &inst->a), b = lift_source_f32(lift, &inst->b);
    const struct ptx_operand is_min = lift_predicate(lift, &inst->from[0]);
    const struct ptx_operand to = lift_to_reg(lift, inst->d, inst->d_uniform);
    const char *flush = lift_word(inst, SASS_FIELD_FTZ, ".ftz"),
               *nan = lift_word(inst, SASS_FIELD_NAN, ".NaN");
    if (is_min.kind == PTX_OPERAND_INT) {
        const struct ptx_operand operands[] = {to, a, b};
        LIFT_EMIT_TEXT(lift, operands, "%s%s%s.f32", is_min.value != 0 ? "min" : "max", flush, nan);
        return;
    }
    const struct ptx_operand least[] = {lift_temp(lift, PTX_B32), a, b};
    const struct ptx_operand most[] = {lift_temp(lift, PTX_B32), a, b};
    LIFT_EMIT_TEXT(lift, least, "min%s%s.f32", flush, nan);
    LIFT_EMIT_TEXT(lift, most, "max%s%s.f32", flush, nan);
    LIFT_EMIT(lift, "selp.b32", to, least[0], most[0], is_min);
}

static void choice(struct lift *lift, const struct sass_inst *inst) {
    if (sass_field(inst, SASS_FIELD_FTZ) != 0) {
        lift_refuse(lift, ".FTZ of a selection is unknown");
        return;
    }
    const struct ptx_operand a = lift_source_f32(lift, &inst->a), b = lift_source_f32(lift, &inst->b);
    LIFT_EMIT(lift, "selp.b32", lift_to_reg(lift, inst->d, inst->d_uniform), a, b,
              lift_predicate(lift, &inst->from[0]));
}

static void comparison(struct lift *lift, const struct sass_inst *inst) {
    const struct ptx_operand a = lift_source_f32(lift, &inst->a), b = lift_source_f32(lift, &inst->b);
    lift_compare(lift, inst, "f32", lift_to_predicate(lift, &inst->to[0]),
                 lift_to_predicate(lift, &inst->to[1]), a, b);
}

/* FSET.BF: the comparison as 1.0 or 0. */
static void comparison_as_number(struct lift *lift, const struct sass_inst *inst) {
    const struct ptx_operand a = lift_source_f32(lift, &inst->a), b = lift_source_f32(lift, &inst->b);
    const struct ptx_operand holds = lift_temp(lift, PTX_PRED);
    lift_compare(lift, inst, "f32", holds, lift_none(), a, b);
    LIFT_EMIT(lift, "selp.b32", lift_to_reg(lift, inst->d, inst->d_uniform), lift_int(0x3f800000),
              lift_int(0), holds);
}

/* ---- Approximate functions ----------------------------------------------------------------------------- */

enum mufu {
    MUFU_COS,
    MUFU_SIN,
    MUFU_EX2,
    MUFU_LG2,
    MUFU_RCP,
    MUFU_RSQ,
    MUFU_RCP64H,
    MUFU_RSQ64H,
    MUFU_SQRT,
    MUFU_TANH
};

/* Sine and cosine of turns: what is left of a whole number of them, times 2 pi. */
static void circular(struct lift *lift, const char *opcode, struct ptx_operand to, struct ptx_operand turns) {
    const struct ptx_operand whole = lift_temp(lift, PTX_B32), rest = lift_temp(lift, PTX_B32);
    const struct ptx_operand is_other = lift_temp(lift, PTX_PRED), is_whole = lift_temp(lift, PTX_PRED);
    LIFT_EMIT(lift, "cvt.rni.f32.f32", whole, turns);
    LIFT_EMIT(lift, "sub.rn.f32", rest, turns, whole);
    /* Of 0 PTX says the result, of a whole number of turns nobody does: a number next to 0 stands for it. */
    LIFT_EMIT(lift, "setp.neu.f32", is_other, lift_none(), turns, lift_int(0));
    LIFT_EMIT(lift, "setp.eq.and.f32", is_whole, lift_none(), rest, lift_int(0), is_other);
    LIFT_EMIT(lift, "selp.b32", rest, lift_int(0x00800000), rest, is_whole);
    LIFT_EMIT(lift, "mul.rn.f32", rest, rest, lift_int(0x40c90fdb));
    LIFT_EMIT(lift, opcode, to, rest);
}

/* RCP64H, RSQ64H: the upper half of a double from the upper half of one. */
static void of_upper_half(struct lift *lift, const char *opcode, struct ptx_operand to,
                          struct ptx_operand upper) {
    const struct ptx_operand value = lift_temp(lift, PTX_B64), rest = lift_temp(lift, PTX_B32);
    const struct ptx_operand read[2] = {lift_int(0), upper}, written[2] = {rest, to};
    LIFT_EMIT(lift, "mov.b64", value, lift_vector(lift, read, 2));
    LIFT_EMIT(lift, opcode, value, value);
    LIFT_EMIT(lift, "mov.b64", lift_vector(lift, written, 2), value);
}

static void approximate(struct lift *lift, const struct sass_inst *inst) {
    static const char *const opcodes[] = {
        [MUFU_COS] = "cos.approx.f32",        [MUFU_SIN] = "sin.approx.f32",
        [MUFU_EX2] = "ex2.approx.ftz.f32",    [MUFU_LG2] = "lg2.approx.ftz.f32",
        [MUFU_RCP] = "rcp.approx.ftz.f32",    [MUFU_RSQ] = "rsqrt.approx.ftz.f32",
        [MUFU_RCP64H] = "rcp.approx.ftz.f64", [MUFU_RSQ64H] = "rsqrt.approx.ftz.f64",
        [MUFU_SQRT] = "sqrt.approx.ftz.f32",  [MUFU_TANH] = "tanh.approx.f32",
    };
    const uint32_t function = sass_field(inst, SASS_FIELD_FUNCTION);
    if (function > MUFU_TANH) {
        lift_refuse(lift, "the function is unknown");
        return;
    }
    const struct ptx_operand x = lift_source_f32(lift, &inst->b);
    const struct ptx_operand to = lift_to_reg(lift, inst->d, inst->d_uniform);
    switch (function) {
    case MUFU_COS:
    case MUFU_SIN: circular(lift, opcodes[function], to, x); break;
    case MUFU_RCP64H:
    case MUFU_RSQ64H: of_upper_half(lift, opcodes[function], to, x); break;
    default: LIFT_EMIT(lift, opcodes[function], to, x); break;
    }
}

/* ---- The test of operands that division begins with ---- */

/* Exponent fields of a dividend, a divisor and their difference. The fast way of a division computes, with
 * b' = 1 / b rounded: q = a * b', r = a - b * q, q + r * b'. It is wrong where an operand is zero, subnormal,
 * infinite or NaN, where 1 / b is subnormal (flushed) and where a / b overflows or is subnormal: `unsafe`. It
 * is right where no intermediate result leaves the normal numbers: `safe`, with some room to it. What the
 * machine does between them is not published. */
struct exponent_range {
    uint32_t first, count;
};

struct division_ranges {
    struct exponent_range dividend, divisor, difference;
};

static const struct division_ranges possible = {{1, 254}, {1, 252}, {(uint32_t)-125, 253}};
static const struct division_ranges safe = {{32, 216}, {9, 237}, {(uint32_t)-118, 237}};

/* is_outside = is_outside or exponent outside of the range */
static void or_outside(struct lift *lift, struct ptx_operand is_outside, struct ptx_operand exponent,
                       struct exponent_range range, bool is_first) {
    const struct ptx_operand place = lift_temp(lift, PTX_B32), count = lift_int(range.count);
    LIFT_EMIT(lift, "sub.u32", place, exponent, lift_int(range.first));
    if (is_first)
        LIFT_EMIT(lift, "setp.ge.u32", is_outside, lift_none(), place, count);
    else
        LIFT_EMIT(lift, "setp.ge.or.u32", is_outside, lift_none(), place, count, is_outside);
}

static struct ptx_operand outside(struct lift *lift, const struct ptx_operand *exponents,
                                  const struct division_ranges *ranges) {
    const struct ptx_operand is_outside = lift_temp(lift, PTX_PRED);
    or_outside(lift, is_outside, exponents[0], ranges->dividend, true);
    or_outside(lift, is_outside, exponents[1], ranges->divisor, false);
    or_outside(lift, is_outside, exponents[2], ranges->difference, false);
    return is_outside;
}

/* FCHK: whether the division of its operands has to go the slow way. Where that is open it is as unknown as
 * the approximate function of 1 that says so here: 2, and with that the slow way, where those are known. */
static void check_division(struct lift *lift, const struct sass_inst *inst) {
    struct ptx_operand exponents[3];
    const struct ptx_operand operands[2] = {lift_source(lift, &inst->a), lift_source(lift, &inst->b)};
    for (uint32_t i = 0; i < 2; i++) {
        exponents[i] = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "bfe.u32", exponents[i], operands[i], lift_int(23), lift_int(8));
    }
    exponents[2] = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, "sub.u32", exponents[2], exponents[0], exponents[1]);
    const struct ptx_operand is_unsafe = outside(lift, exponents, &possible);
    const struct ptx_operand is_open = outside(lift, exponents, &safe);
    const struct ptx_operand said = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, "selp.b32", said, lift_int(0x3f800000), lift_int(0), is_open);
    LIFT_EMIT(lift, "ex2.approx.ftz.f32", said, said);
    LIFT_EMIT(lift, "setp.gt.or.f32", lift_to_predicate(lift, &inst->to[0]), lift_none(), said,
              lift_int(0x3fc00000), is_unsafe);
    lift_relies_on(lift, PTX_RELIES_ON_FCHK);
}

void lift_float(struct lift *lift, const struct sass_inst *inst) {
    if (sass_field(inst, SASS_FIELD_FMZ) != 0) {
        lift_refuse(lift, ".FMZ is unknown");
        return;
    }
    switch (inst->op) {
    case SASS_OP_FADD: {
        const struct ptx_operand sources[] = {lift_source_f32(lift, &inst->a),
                                              lift_source_f32(lift, &inst->b)};
        arithmetic(lift, inst, "add", sources, 2);
        break;
    }
    case SASS_OP_FFMA: {
        const struct ptx_operand sources[] = {lift_source_f32(lift, &inst->a),
                                              lift_source_f32(lift, &inst->b),
                                              lift_source_f32(lift, &inst->c)};
        arithmetic(lift, inst, "fma", sources, 3);
        break;
    }
    case SASS_OP_FMUL: product(lift, inst); break;
    case SASS_OP_FMNMX: extreme(lift, inst); break;
    case SASS_OP_FSEL: choice(lift, inst); break;
    case SASS_OP_FSETP: comparison(lift, inst); break;
    case SASS_OP_FSET: comparison_as_number(lift, inst); break;
    case SASS_OP_MUFU: approximate(lift, inst); break;
    case SASS_OP_FCHK: check_division(lift, inst); break;
    default: lift_refuse(lift, "its effect is unknown"); break;
    }
}

/* ---- f64 ---- */

/* Arithmetic on f64, in pairs of registers. */

static void arithmetic_f64(struct lift *lift, const struct sass_inst *inst, const char *name,
                           const struct sass_source *const *sources, uint32_t count) {
    struct ptx_operand operands[4] = {lift_temp(lift, PTX_B64)};
    for (uint32_t i = 0; i < count; i++)
        operands[1 + i] = lift_source64(lift, sources[i], true);
    lift_emit_text(lift, operands, 1 + count, "%s.%s.f64", name, lift_rounding(inst));
    lift_write_pair(lift, inst->d, inst->d_uniform, operands[0]);
}

#define DSETP_MIN 0u
#define DSETP_MAX 15u

/* DSETP.MIN and DSETP.MAX: whether A is the smaller or larger of two numbers, and whether both are NaN: what
 * ptxas makes min.f64 and max.f64 of, with selections behind it. */
static void extreme_f64(struct lift *lift, const struct sass_inst *inst, const char *opcode) {
    const struct ptx_operand with = lift_predicate(lift, &inst->from[0]);
    if (with.kind != PTX_OPERAND_INT || with.value != 1 || sass_field(inst, SASS_FIELD_BOOL) != 0) {
        lift_refuse(lift, "its combination of predicates is unknown");
        return;
    }
    const struct ptx_operand a = lift_source64(lift, &inst->a, true);
    const struct ptx_operand b = lift_source64(lift, &inst->b, true);
    const struct ptx_operand result = lift_temp(lift, PTX_B64);
    const struct ptx_operand no_a = lift_temp(lift, PTX_PRED);
    LIFT_EMIT(lift, opcode, result, a, b);
    LIFT_EMIT(lift, "setp.nan.f64", no_a, lift_none(), a, a);
    struct ptx_operand some_a = no_a;
    some_a.negated = true;
    LIFT_EMIT(lift, "setp.eq.and.u64", lift_to_predicate(lift, &inst->to[0]), lift_none(), result, a, some_a);
    LIFT_EMIT(lift, "setp.nan.and.f64", lift_to_predicate(lift, &inst->to[1]), lift_none(), b, b, no_a);
}

static void comparison_f64(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t compare = sass_field(inst, SASS_FIELD_COMPARE);
    if (compare == DSETP_MIN || compare == DSETP_MAX) {
        extreme_f64(lift, inst, compare == DSETP_MIN ? "min.f64" : "max.f64");
        return;
    }
    const struct ptx_operand a = lift_source64(lift, &inst->a, true);
    const struct ptx_operand b = lift_source64(lift, &inst->b, true);
    lift_compare(lift, inst, "f64", lift_to_predicate(lift, &inst->to[0]),
                 lift_to_predicate(lift, &inst->to[1]), a, b);
}

void lift_double(struct lift *lift, const struct sass_inst *inst) {
    const struct sass_source *const two[] = {&inst->a, &inst->b};
    const struct sass_source *const three[] = {&inst->a, &inst->b, &inst->c};
    switch (inst->op) {
    case SASS_OP_DADD: arithmetic_f64(lift, inst, "add", two, 2); break;
    case SASS_OP_DMUL: arithmetic_f64(lift, inst, "mul", two, 2); break;
    case SASS_OP_DFMA: arithmetic_f64(lift, inst, "fma", three, 3); break;
    case SASS_OP_DSETP: comparison_f64(lift, inst); break;
    default: lift_refuse(lift, "its effect is unknown"); break;
    }
}

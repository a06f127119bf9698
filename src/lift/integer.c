/* Arithmetic on integers, and its uniform twins. Where no carry is read or written, additions, products and
 * shifts are those of PTX: bounds of loops know them. */
#include <assert.h>

#include "lift/lift.h"

static bool is_zero(struct ptx_operand operand) {
    return operand.kind == PTX_OPERAND_INT && (uint32_t)operand.value == 0;
}

/* A literal as signed operations have it. */
static struct ptx_operand as_signed(struct ptx_operand operand) {
    if (operand.kind == PTX_OPERAND_INT) operand.value = (uint64_t)(int64_t)(int32_t)operand.value;
    return operand;
}

static struct ptx_operand source_as(struct lift *lift, const struct sass_source *source, bool is_signed) {
    struct ptx_operand operand = lift_source(lift, source);
    return is_signed ? as_signed(operand) : operand;
}

static struct ptx_operand destination(struct lift *lift, const struct sass_inst *inst) {
    return lift_to_reg(lift, inst->d, inst->d_uniform);
}

static bool is_written(const struct sass_predicate *predicate) {
    return predicate->present && predicate->number != SASS_PT;
}

static bool has(const struct sass_inst *inst, enum sass_field field) {
    return sass_field(inst, field) != 0;
}

/* A predicate that is read, or false where the instruction has none. */
static struct ptx_operand carry_in(struct lift *lift, const struct sass_inst *inst, int i) {
    return inst->from[i].present ? lift_predicate(lift, &inst->from[i]) : lift_int(0);
}

/* ---- Sums ---------------------------------------------------------------------------------------------- */

struct term {
    struct ptx_operand value;
    bool negated;
};

static struct term term_of(struct lift *lift, const struct sass_source *source) {
    struct term term = {as_signed(lift_source(lift, source)), source->negated};
    if (term.value.kind == PTX_OPERAND_INT && term.negated) {
        term.value = as_signed(lift_int(0 - term.value.value));
        term.negated = false;
    }
    return term;
}

/* to = the sum of `count` terms, of at most three. */
static void emit_sum(struct lift *lift, struct ptx_operand to, const struct term *terms, uint32_t count) {
    struct term left[3];
    uint32_t used = 0;
    /* A term that is added comes first, so that others are subtracted from it. */
    for (int negated = 0; negated < 2; negated++)
        for (uint32_t i = 0; i < count; i++)
            if (terms[i].negated == (negated != 0) && !is_zero(terms[i].value)) left[used++] = terms[i];
    if (used == 0) {
        LIFT_EMIT(lift, "mov.b32", to, lift_int(0));
        return;
    }
    if (used == 1) {
        LIFT_EMIT(lift, left[0].negated ? "neg.s32" : "mov.b32", to, left[0].value);
        return;
    }
    struct ptx_operand sum = left[0].value;
    if (left[0].negated) {
        sum = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "neg.s32", sum, left[0].value);
    }
    for (uint32_t i = 1; i < used; i++) {
        struct ptx_operand next = i + 1 == used ? to : lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, left[i].negated ? "sub.s32" : "add.s32", next, sum, left[i].value);
        sum = next;
    }
}

/* The complement of a value. */
static struct ptx_operand complement(struct lift *lift, struct ptx_operand value) {
    if (value.kind == PTX_OPERAND_INT) return lift_int((uint32_t)~value.value);
    struct ptx_operand inverted = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, "not.b32", inverted, value);
    return inverted;
}

/* The sum of up to three values with the carries out of it. A negated one is its complement and, where no
 * carries are read, 1. */
static void emit_carrying_sum(struct lift *lift, const struct sass_inst *inst, struct ptx_operand values[3],
                              const bool negated[3]) {
    struct ptx_operand carries[2] = {lift_int(0), lift_int(0)};
    uint32_t ones = 0;
    const bool reads = has(inst, SASS_FIELD_X);
    for (int i = 0; i < 2 && reads; i++)
        carries[i] = carry_in(lift, inst, i);
    for (int i = 0; i < 3; i++) {
        if (!negated[i]) continue;
        values[i] = complement(lift, values[i]);
        if (reads) continue;
        if (ones == 2) {
            lift_refuse(lift, "three negated sources and a carry are unknown");
            return;
        }
        carries[ones++] = lift_int(1);
    }
    LIFT_EMIT(lift, "machine.add3.u32", destination(lift, inst), lift_to_predicate(lift, &inst->to[0]),
              lift_to_predicate(lift, &inst->to[1]), values[0], values[1], values[2], carries[0], carries[1]);
}

static bool carries(const struct sass_inst *inst) {
    return has(inst, SASS_FIELD_X) || is_written(&inst->to[0]) || is_written(&inst->to[1]);
}

static void add3(struct lift *lift, const struct sass_inst *inst) {
    const struct sass_source *const sources[3] = {&inst->a, &inst->b, &inst->c};
    if (!carries(inst)) {
        struct term terms[3];
        for (int i = 0; i < 3; i++)
            terms[i] = term_of(lift, sources[i]);
        emit_sum(lift, destination(lift, inst), terms, 3);
        return;
    }
    struct ptx_operand values[3];
    bool negated[3];
    for (int i = 0; i < 3; i++) {
        values[i] = lift_source(lift, sources[i]);
        negated[i] = sources[i]->negated;
    }
    emit_carrying_sum(lift, inst, values, negated);
}

/* VIADD */
static void add(struct lift *lift, const struct sass_inst *inst) {
    const struct term terms[2] = {term_of(lift, &inst->a), term_of(lift, &inst->b)};
    emit_sum(lift, destination(lift, inst), terms, 2);
}

/* ---- Products ------------------------------------------------------------------------------------------ */

/* log2 of a power of two that a product of 32 bits is a shift by; else 0. */
static uint32_t shift_of(struct ptx_operand factor) {
    const uint32_t value = (uint32_t)factor.value;
    const bool is_power = factor.kind == PTX_OPERAND_INT && value > 1 && (value & (value - 1)) == 0;
    return is_power ? (uint32_t)__builtin_ctz(value) : 0;
}

static bool is_one(struct ptx_operand operand) {
    return operand.kind == PTX_OPERAND_INT && (uint32_t)operand.value == 1;
}

/* to = a * b */
static void emit_product(struct lift *lift, struct ptx_operand to, struct ptx_operand a,
                         struct ptx_operand b) {
    if (is_zero(a) || is_zero(b)) {
        LIFT_EMIT(lift, "mov.b32", to, lift_int(0));
    } else if (is_one(b)) {
        LIFT_EMIT(lift, "mov.b32", to, a);
    } else if (shift_of(b) != 0) {
        LIFT_EMIT(lift, "shl.b32", to, a, lift_int(shift_of(b)));
    } else {
        LIFT_EMIT(lift, "mul.lo.s32", to, a, b);
    }
}

/* IMAD.X: the product and what carries are read. */
static void multiply_add_carry(struct lift *lift, const struct sass_inst *inst, struct ptx_operand a,
                               struct ptx_operand b) {
    struct ptx_operand values[3] = {lift_int(0), lift_source(lift, &inst->c), lift_int(0)};
    if (is_one(b)) {
        values[0] = a;
    } else if (!is_zero(a) && !is_zero(b)) {
        values[0] = lift_temp(lift, PTX_B32);
        emit_product(lift, values[0], a, b);
    }
    emit_carrying_sum(lift, inst, values, (const bool[3]){false, inst->c.negated, false});
}

static void multiply_add(struct lift *lift, const struct sass_inst *inst) {
    struct ptx_operand a = as_signed(lift_source(lift, &inst->a));
    struct ptx_operand b = as_signed(lift_source(lift, &inst->b));
    if (carries(inst)) {
        multiply_add_carry(lift, inst, a, b);
        return;
    }
    const struct term c = term_of(lift, &inst->c);
    if (is_zero(a) || is_zero(b)) {
        emit_sum(lift, destination(lift, inst), &c, 1);
    } else if (is_one(b)) {
        const struct term terms[2] = {{a, false}, c};
        emit_sum(lift, destination(lift, inst), terms, 2);
    } else if (is_zero(c.value)) {
        emit_product(lift, destination(lift, inst), a, b);
    } else if (!c.negated) {
        LIFT_EMIT(lift, "mad.lo.s32", destination(lift, inst), a, b, c.value);
    } else {
        const struct term terms[2] = {{lift_temp(lift, PTX_B32), false}, c};
        emit_product(lift, terms[0].value, a, b);
        emit_sum(lift, destination(lift, inst), terms, 2);
    }
}

/* The addend of 64 bits. */
static struct ptx_operand wide_addend(struct lift *lift, const struct sass_inst *inst) {
    struct ptx_operand addend = lift_source64(lift, &inst->c, false);
    if (inst->c.kind == SASS_SOURCE_IMM && !has(inst, SASS_FIELD_SIGNED))
        addend.value = (uint32_t)addend.value;
    if (!inst->c.negated) return addend;
    const bool inverted = has(inst, SASS_FIELD_X);
    if (addend.kind == PTX_OPERAND_INT) return lift_int(inverted ? ~addend.value : 0 - addend.value);
    struct ptx_operand value = lift_temp(lift, PTX_B64);
    LIFT_EMIT(lift, inverted ? "not.b64" : "neg.s64", value, addend);
    return value;
}

/* The product of 64 bits and its addend. */
static struct ptx_operand wide_sum(struct lift *lift, const struct sass_inst *inst,
                                   struct ptx_operand addend) {
    const bool is_signed = has(inst, SASS_FIELD_SIGNED);
    struct ptx_operand a = source_as(lift, &inst->a, is_signed);
    struct ptx_operand b = source_as(lift, &inst->b, is_signed);
    struct ptx_operand sum = lift_temp(lift, PTX_B64);
    if (addend.kind == PTX_OPERAND_INT && addend.value == 0) {
        LIFT_EMIT(lift, is_signed ? "mul.wide.s32" : "mul.wide.u32", sum, a, b);
    } else {
        LIFT_EMIT(lift, is_signed ? "mad.wide.s32" : "mad.wide.u32", sum, a, b, addend);
    }
    return sum;
}

/* Adds a carry to a sum of 64 bits. */
static struct ptx_operand with_carry(struct lift *lift, struct ptx_operand sum, struct ptx_operand carry) {
    struct ptx_operand one = lift_temp(lift, PTX_B64), result = lift_temp(lift, PTX_B64);
    LIFT_EMIT(lift, "selp.b64", one, lift_int(1), lift_int(0), carry);
    LIFT_EMIT(lift, "add.u64", result, sum, one);
    return result;
}

/* The carry out of 64 bits: the sum is less than the addend, or became less by the carry that was read. */
static void emit_wide_carry(struct lift *lift, const struct sass_inst *inst, struct ptx_operand addend,
                            struct ptx_operand sum, struct ptx_operand result) {
    if (!is_written(&inst->to[0])) return;
    struct ptx_operand to = lift_to_predicate(lift, &inst->to[0]);
    if (!has(inst, SASS_FIELD_X)) {
        LIFT_EMIT(lift, "setp.lo.u64", to, lift_none(), sum, addend);
        return;
    }
    struct ptx_operand first = lift_temp(lift, PTX_PRED);
    LIFT_EMIT(lift, "setp.lo.u64", first, lift_none(), sum, addend);
    LIFT_EMIT(lift, "setp.lo.or.u64", to, lift_none(), result, sum, first);
}

/* IMAD.WIDE and IMAD.HI: the whole sum of 64 bits, or its upper half. */
static void multiply_add_wide(struct lift *lift, const struct sass_inst *inst, bool upper) {
    struct ptx_operand addend = wide_addend(lift, inst);
    struct ptx_operand sum = wide_sum(lift, inst, addend);
    struct ptx_operand result = sum;
    if (has(inst, SASS_FIELD_X)) result = with_carry(lift, sum, carry_in(lift, inst, 0));
    emit_wide_carry(lift, inst, addend, sum, result);
    if (upper) {
        const struct ptx_operand halves[2] = {{.kind = PTX_OPERAND_SINK}, destination(lift, inst)};
        LIFT_EMIT(lift, "mov.b64", lift_vector(lift, halves, 2), result);
    } else {
        lift_write_pair(lift, inst->d, inst->d_uniform, result);
    }
}

/* IDP: products of bytes, or with MODE of halves of A and two bytes of B. */
static void dot_product(struct lift *lift, const struct sass_inst *inst) {
    static const char *const opcodes[3][2][2] = {
        {{"dp4a.u32.u32", "dp4a.u32.s32"}, {"dp4a.s32.u32", "dp4a.s32.s32"}},
        {{"dp2a.lo.u32.u32", "dp2a.lo.u32.s32"}, {"dp2a.lo.s32.u32", "dp2a.lo.s32.s32"}},
        {{"dp2a.hi.u32.u32", "dp2a.hi.u32.s32"}, {"dp2a.hi.s32.u32", "dp2a.hi.s32.s32"}}};
    const int kind = has(inst, SASS_FIELD_MODE) ? 1 + has(inst, SASS_FIELD_HIGH) : 0;
    const char *opcode = opcodes[kind][has(inst, SASS_FIELD_SIGNED)][has(inst, SASS_FIELD_SIGNED_B)];
    LIFT_EMIT(lift, opcode, destination(lift, inst), lift_source(lift, &inst->a), lift_source(lift, &inst->b),
              lift_source(lift, &inst->c));
}

/* ---- Shifted sums -------------------------------------------------------------------------------------- */

/* The upper half of C:A shifted left, of LEA.HI; with SX32 A is extended by its sign. */
static struct ptx_operand shifted_upper(struct lift *lift, const struct sass_inst *inst, uint32_t shift) {
    struct ptx_operand a = lift_source(lift, &inst->a);
    struct ptx_operand upper = has(inst, SASS_FIELD_SX32) ? lift_int(0) : lift_source(lift, &inst->c);
    struct ptx_operand shifted = lift_temp(lift, PTX_B32);
    if (has(inst, SASS_FIELD_SX32)) {
        LIFT_EMIT(lift, "shr.s32", shifted, a, lift_int(shift == 0 ? 31 : 32 - shift));
    } else if (shift == 0) {
        LIFT_EMIT(lift, "mov.b32", shifted, upper);
    } else if (is_zero(upper)) {
        LIFT_EMIT(lift, "shr.u32", shifted, a, lift_int(32 - shift));
    } else {
        LIFT_EMIT(lift, "shf.l.clamp.b32", shifted, a, upper, lift_int(shift));
    }
    return shifted;
}

static void shift_add_upper(struct lift *lift, const struct sass_inst *inst, uint32_t shift) {
    struct ptx_operand shifted = shifted_upper(lift, inst, shift);
    if (carries(inst)) {
        struct ptx_operand values[3] = {shifted, lift_source(lift, &inst->b), lift_int(0)};
        if (inst->a.negated && !has(inst, SASS_FIELD_X))
            lift_refuse(lift, "the upper half of a negated value is unknown");
        emit_carrying_sum(lift, inst, values, (const bool[3]){inst->a.negated, inst->b.negated, false});
        return;
    }
    if (inst->a.negated) lift_refuse(lift, "the upper half of a negated value is unknown");
    const struct term terms[2] = {{shifted, false}, term_of(lift, &inst->b)};
    emit_sum(lift, destination(lift, inst), terms, 2);
}

static void shift_add(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t shift = sass_field(inst, SASS_FIELD_SHIFT);
    if (has(inst, SASS_FIELD_HIGH)) {
        shift_add_upper(lift, inst, shift);
        return;
    }
    struct ptx_operand a = as_signed(lift_source(lift, &inst->a));
    const struct term b = term_of(lift, &inst->b);
    if (!carries(inst) && !inst->a.negated && !b.negated && shift != 0 && !is_zero(b.value)) {
        LIFT_EMIT(lift, "mad.lo.s32", destination(lift, inst), a, as_signed(lift_int(UINT32_C(1) << shift)),
                  b.value);
        return;
    }
    struct ptx_operand shifted = a;
    if (shift != 0 && is_zero(b.value) && !carries(inst) && !inst->a.negated) {
        LIFT_EMIT(lift, "shl.b32", destination(lift, inst), a, lift_int(shift));
        return;
    }
    if (shift != 0) {
        shifted = lift_temp(lift, PTX_B32);
        LIFT_EMIT(lift, "shl.b32", shifted, a, lift_int(shift));
    }
    if (carries(inst)) {
        struct ptx_operand values[3] = {shifted, lift_source(lift, &inst->b), lift_int(0)};
        emit_carrying_sum(lift, inst, values, (const bool[3]){inst->a.negated, inst->b.negated, false});
    } else {
        const struct term terms[2] = {{shifted, inst->a.negated}, b};
        emit_sum(lift, destination(lift, inst), terms, 2);
    }
}

/* ---- Minima, maxima, magnitudes ------------------------------------------------------------------------ */

/* to = the predicate ? min(a, b) : max(a, b) */
static void emit_min_max(struct lift *lift, struct ptx_operand to, const struct sass_inst *inst,
                         struct ptx_operand a, struct ptx_operand b) {
    const bool is_signed = has(inst, SASS_FIELD_SIGNED);
    const char *const min = is_signed ? "min.s32" : "min.u32", *const max = is_signed ? "max.s32" : "max.u32";
    struct ptx_operand which = lift_predicate(lift, &inst->from[0]);
    if (which.kind == PTX_OPERAND_INT) {
        LIFT_EMIT(lift, which.value != 0 ? min : max, to, a, b);
        return;
    }
    struct ptx_operand least = lift_temp(lift, PTX_B32), greatest = lift_temp(lift, PTX_B32);
    LIFT_EMIT(lift, min, least, a, b);
    LIFT_EMIT(lift, max, greatest, a, b);
    LIFT_EMIT(lift, "selp.b32", to, least, greatest, which);
}

static void min_max(struct lift *lift, const struct sass_inst *inst) {
    const bool is_signed = has(inst, SASS_FIELD_SIGNED);
    emit_min_max(lift, destination(lift, inst), inst, source_as(lift, &inst->a, is_signed),
                 source_as(lift, &inst->b, is_signed));
}

static void min_max3(struct lift *lift, const struct sass_inst *inst) {
    const bool is_signed = has(inst, SASS_FIELD_SIGNED);
    struct ptx_operand first = lift_temp(lift, PTX_B32);
    emit_min_max(lift, first, inst, source_as(lift, &inst->a, is_signed),
                 source_as(lift, &inst->b, is_signed));
    emit_min_max(lift, destination(lift, inst), inst, first, source_as(lift, &inst->c, is_signed));
}

/* VIADDMNMX: of A + B and C. */
static void add_min_max(struct lift *lift, const struct sass_inst *inst) {
    const struct term terms[2] = {term_of(lift, &inst->a), term_of(lift, &inst->b)};
    struct ptx_operand sum = lift_temp(lift, PTX_B32);
    struct ptx_operand c = lift_source_int(lift, &inst->c, false);
    emit_sum(lift, sum, terms, 2);
    emit_min_max(lift, destination(lift, inst), inst, sum, has(inst, SASS_FIELD_SIGNED) ? as_signed(c) : c);
}

/* VABSDIFF */
static void absolute_difference(struct lift *lift, const struct sass_inst *inst) {
    const bool is_signed = has(inst, SASS_FIELD_SIGNED);
    LIFT_EMIT(lift, is_signed ? "sad.s32" : "sad.u32", destination(lift, inst),
              source_as(lift, &inst->a, is_signed), source_as(lift, &inst->b, is_signed),
              lift_source(lift, &inst->c));
}

/* ---- Comparisons --------------------------------------------------------------------------------------- */

enum { COMPARE_FALSE = 0, COMPARE_TRUE = 7 };

static const char *const compare_names[] = {NULL, "lt", "eq", "le", "gt", "ne", "ge", NULL};
static const char *const bool_names[] = {"and", "or", "xor"};

/* Whether the predicate that is read changes nothing. */
static bool is_neutral(struct ptx_operand source, uint32_t operation) {
    return source.kind == PTX_OPERAND_INT && source.value == (operation == 0 ? 1 : 0);
}

/* A comparison that is always or never true, with the predicate that is read. */
static void compare_constant(struct lift *lift, const struct sass_inst *inst, bool result,
                             struct ptx_operand source) {
    static const char *const opcodes[] = {"and.pred", "or.pred", "xor.pred"};
    const char *opcode = opcodes[sass_field(inst, SASS_FIELD_BOOL)];
    struct ptx_operand kept = lift_temp(lift, PTX_PRED);
    LIFT_EMIT(lift, "mov.pred", kept, source);
    LIFT_EMIT(lift, opcode, lift_to_predicate(lift, &inst->to[0]), kept, lift_int(result));
    LIFT_EMIT(lift, opcode, lift_to_predicate(lift, &inst->to[1]), kept, lift_int(!result));
}

static struct ptx_operand second_result(struct lift *lift, const struct sass_inst *inst) {
    return is_written(&inst->to[1]) ? lift_to_predicate(lift, &inst->to[1]) : lift_none();
}

static void compare(struct lift *lift, const struct sass_inst *inst) {
    const uint32_t comparison = sass_field(inst, SASS_FIELD_COMPARE),
                   operation = sass_field(inst, SASS_FIELD_BOOL);
    const bool is_signed = has(inst, SASS_FIELD_SIGNED);
    const char *const type = is_signed ? "s32" : "u32";
    struct ptx_operand source = lift_predicate(lift, &inst->from[0]);
    if (comparison == COMPARE_FALSE || comparison == COMPARE_TRUE) {
        compare_constant(lift, inst, comparison == COMPARE_TRUE, source);
        return;
    }
    assert(comparison < sizeof compare_names / sizeof *compare_names && operation < 3);
    const char *const name = compare_names[comparison];
    struct ptx_operand to = lift_to_predicate(lift, &inst->to[0]), other = second_result(lift, inst);
    struct ptx_operand a = source_as(lift, &inst->a, is_signed), b = source_as(lift, &inst->b, is_signed);
    if (has(inst, SASS_FIELD_EX)) {
        LIFT_EMIT(lift, lift_text(lift, "machine.setp.%s.%s.%s", name, bool_names[operation], type), to,
                  other, a, b, lift_predicate(lift, &inst->from[2]), source);
    } else if (is_neutral(source, operation)) {
        LIFT_EMIT(lift, lift_text(lift, "setp.%s.%s", name, type), to, other, a, b);
    } else {
        LIFT_EMIT(lift, lift_text(lift, "setp.%s.%s.%s", name, bool_names[operation], type), to, other, a, b,
                  source);
    }
}

void lift_integer(struct lift *lift, const struct sass_inst *inst) {
    switch ((enum sass_op)inst->op) {
    case SASS_OP_IADD3:
    case SASS_OP_UIADD3: add3(lift, inst); break;
    case SASS_OP_VIADD: add(lift, inst); break;
    case SASS_OP_IMAD:
    case SASS_OP_UIMAD: multiply_add(lift, inst); break;
    case SASS_OP_IMAD_WIDE:
    case SASS_OP_UIMAD_WIDE: multiply_add_wide(lift, inst, false); break;
    case SASS_OP_IMAD_HI:
    case SASS_OP_UIMAD_HI: multiply_add_wide(lift, inst, true); break;
    case SASS_OP_IDP: dot_product(lift, inst); break;
    case SASS_OP_LEA:
    case SASS_OP_ULEA: shift_add(lift, inst); break;
    case SASS_OP_IABS:
        LIFT_EMIT(lift, "abs.s32", destination(lift, inst), lift_source(lift, &inst->b));
        break;
    case SASS_OP_IMNMX:
    case SASS_OP_VIMNMX: min_max(lift, inst); break;
    case SASS_OP_VIMNMX3: min_max3(lift, inst); break;
    case SASS_OP_VIADDMNMX: add_min_max(lift, inst); break;
    case SASS_OP_VABSDIFF: absolute_difference(lift, inst); break;
    case SASS_OP_VABSDIFF4: /* its result is not computed */
        LIFT_EMIT(lift, "vabsdiff4.u32.u32.u32.add", lift_to_reg(lift, inst->d, inst->d_uniform),
                  lift_source(lift, &inst->a), lift_source(lift, &inst->b), lift_source(lift, &inst->c));
        break;
    case SASS_OP_ISETP:
    case SASS_OP_UISETP: compare(lift, inst); break;
    default: lift_refuse(lift, "its effect is unknown"); break;
    }
}

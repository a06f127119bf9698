#include "flow/bounds/bounds.h"

/* An instruction while its result is found. */
struct transfer {
    struct value_state *state;
    uint32_t inst;
    const struct ptx_form *form;
    const struct ptx_operand *operands;
    uint32_t bits; /* of the instruction's type */
    bool is_signed;
};

static struct transfer transfer_of(struct value_state *state, uint32_t inst) {
    const struct ptx_function *function = state->ssa->cfg->function;
    struct transfer transfer = {.state = state, .inst = inst, .form = function->insts[inst].form};
    transfer.operands = ptx_operands(function, &function->insts[inst]);
    transfer.bits = integer_bits(transfer.form->type, &transfer.is_signed);
    return transfer;
}

static struct value_range read(const struct transfer *t, uint32_t operand, uint32_t bits) {
    return state_operand_range(t->state, t->inst, &t->operands[operand], bits);
}

/* a - (a & mask) is a & ~mask: how many iterations of an unrolled loop there are. The answer is no range of
 * `sub` when the operands are not of that kind. */
static bool subtract_masked(const struct transfer *t, uint32_t whole, uint32_t part,
                            struct value_range *result) {
    const struct ssa *ssa = t->state->ssa;
    const struct ptx_operand *all = &t->operands[whole], *some = &t->operands[part];
    if (all->kind != PTX_OPERAND_REG || some->kind != PTX_OPERAND_REG) return false;
    uint32_t value = value_read(ssa, t->inst, some->index);
    const struct ptx_inst *inst = value == SSA_NONE ? NULL : value_definition(ssa, value);
    if (inst == NULL || inst->form->op != PTX_OP_AND || t->state->ranges[value].bits != t->bits) return false;
    const struct ptx_operand *operands = ptx_operands(ssa->cfg->function, inst);
    if (operands[1].kind != PTX_OPERAND_REG || operands[2].kind != PTX_OPERAND_INT) return false;
    uint32_t masked = value_read(ssa, ssa->values[value].inst, operands[1].index);
    if (masked == SSA_NONE || masked != value_read(ssa, t->inst, all->index)) return false;
    struct value_range words = read(t, whole, t->bits), mask = range_single(t->bits, ~operands[2].value);
    *result = range_and(&words, &mask);
    return true;
}

static struct value_range sub_range(const struct transfer *t) {
    struct value_range a = read(t, 1, t->bits), b = read(t, 2, t->bits);
    struct value_range plain = range_sub(&a, &b), masked;
    if (subtract_masked(t, 1, 2, &masked)) return range_meet(&masked, &plain);
    if (!subtract_masked(t, 2, 1, &masked)) return plain;
    masked = range_neg(&masked);
    return range_meet(&masked, &plain);
}

/* mul and mad, the whole product or half of it. */
static struct value_range mul_range(const struct transfer *t) {
    uint32_t bits = t->form->half == PTX_HALF_WIDE ? 2 * t->bits : t->bits;
    if (bits > 64) return range_full(64);
    struct value_range a = read(t, 1, t->bits), b = read(t, 2, t->bits), product;
    if (t->form->half == PTX_HALF_WIDE)
        product = range_mul_wide(&a, &b, t->is_signed);
    else if (t->form->half == PTX_HALF_HI)
        product = range_mul_high(&a, &b, t->is_signed);
    else
        product = range_mul(&a, &b);
    if (t->form->op != PTX_OP_MAD) return product;
    struct value_range c = read(t, 3, bits);
    return range_add(&product, &c);
}

/* Shifts, whose amount has 32 bits whatever the type. */
static struct value_range shift_range(const struct transfer *t) {
    struct value_range a = read(t, 1, t->bits);
    struct value_range amount = read(t, 2, 32);
    return t->form->op == PTX_OP_SHL ? range_shl(&a, &amount) : range_shr(&a, &amount, t->is_signed);
}

/* Two integers of the type to one. */
static struct value_range binary_range(const struct transfer *t) {
    bool of_three = t->form->roles[3] != '\0' && t->operands[3].kind != PTX_OPERAND_NONE;
    if (of_three) return range_full(t->bits);
    struct value_range a = read(t, 1, t->bits), b = read(t, 2, t->bits);
    switch (t->form->op) {
    case PTX_OP_ADD: return range_add(&a, &b);
    case PTX_OP_DIV: return range_div(&a, &b, t->is_signed);
    case PTX_OP_REM: return range_rem(&a, &b, t->is_signed);
    case PTX_OP_AND: return range_and(&a, &b);
    case PTX_OP_OR: return range_or(&a, &b);
    case PTX_OP_XOR: return range_xor(&a, &b);
    case PTX_OP_MIN: return range_min(&a, &b, t->is_signed);
    case PTX_OP_MAX: return range_max(&a, &b, t->is_signed);
    default: return range_full(t->bits);
    }
}

static struct value_range unary_range(const struct transfer *t) {
    struct value_range a = read(t, 1, t->bits);
    switch (t->form->op) {
    case PTX_OP_NOT: return range_not(&a);
    case PTX_OP_NEG: return range_neg(&a);
    case PTX_OP_ABS: return range_abs(&a);
    default: return a;
    }
}

/* bfe of an unsigned word, the field's place and length being constants. */
static struct value_range extract_range(const struct transfer *t) {
    struct value_range a = read(t, 1, t->bits), place = read(t, 2, 32), length = read(t, 3, 32);
    if (t->is_signed || !range_is_single(&place) || !range_is_single(&length)) return range_full(t->bits);
    struct value_range amount = range_single(32, place.low & 0xff);
    struct value_range mask = range_single(t->bits, word_mask((uint32_t)(length.low & 0xff)));
    if ((length.low & 0xff) == 0) return range_single(t->bits, 0);
    struct value_range shifted = range_shr(&a, &amount, false);
    return range_and(&shifted, &mask);
}

/* The comparison of setp, also of upper halves: certain, impossible, or either. */
static struct value_range comparison_range(const struct transfer *t) {
    const struct condition condition = {.is_comparison = true, .holds = true, .index = t->inst};
    struct comparison c;
    if (!comparison_of(t->state, &condition, &c)) return range_full(1);
    struct value_range yes = range_related(c.relation, c.is_signed, &c.b.range);
    struct value_range no = range_related(relation_negated(c.relation), c.is_signed, &c.b.range);
    yes = range_meet(&yes, &c.a.range);
    no = range_meet(&no, &c.a.range);
    if (c.a.range.empty || c.b.range.empty) return range_empty(1);
    if (yes.empty) return range_single(1, 0);
    return no.empty ? range_single(1, 1) : range_full(1);
}

/* p = comparison BOOL c, q = !comparison BOOL c; `is_second`: q. */
static struct value_range setp_range(const struct transfer *t, bool is_second) {
    struct value_range result = comparison_range(t);
    if (is_second) result = range_not(&result);
    if (t->form->mode == PTX_MODE_NONE) return result;
    struct value_range other = read(t, setp_joined_operand(t->form), 1);
    switch (t->form->mode) {
    case PTX_MODE_AND: return range_and(&result, &other);
    case PTX_MODE_OR: return range_or(&result, &other);
    case PTX_MODE_XOR: return range_xor(&result, &other);
    default: return range_full(1);
    }
}

/* An operand of selp as it is when the predicate has a value. */
static struct value_range chosen(const struct transfer *t, uint32_t operand, bool holds) {
    struct conditions list = {0};
    struct state_mark mark = state_mark(t->state);
    const struct ptx_operand *predicate = &t->operands[3];
    uint32_t value =
        predicate->kind == PTX_OPERAND_REG ? value_read(t->state->ssa, t->inst, predicate->index) : SSA_NONE;
    if (value != SSA_NONE) conditions_of_predicate(t->state, value, holds != predicate->negated, &list);
    conditions_apply(t->state, &list);
    struct value_range range = t->state->dead ? range_empty(t->bits) : read(t, operand, t->bits);
    state_undo(t->state, mark);
    return range;
}

static struct value_range selp_range(const struct transfer *t) {
    struct value_range predicate = read(t, 3, 1);
    if (range_is_single(&predicate)) return read(t, predicate.low != 0 ? 1 : 2, t->bits);
    if (t->state->dead) return range_full(t->bits);
    struct value_range if_true = chosen(t, 1, true), if_false = chosen(t, 2, false);
    return range_join(&if_true, &if_false);
}

/* The whole range of a type, as a register of `bits` bits holds it. */
static struct value_range type_range(uint8_t type, uint32_t bits) {
    bool is_signed;
    uint32_t width = integer_bits(type, &is_signed);
    if (width == 0 || width >= bits) return range_full(bits);
    struct value_range all = range_full(width);
    return range_extend(&all, bits, is_signed);
}

/* A conversion between integers cuts and extends; one from a float gives any word of its type. */
static struct value_range convert_range(const struct transfer *t, uint32_t bits) {
    bool from_signed;
    uint32_t from_bits = integer_bits(t->form->type2, &from_signed);
    if (t->operands[2].kind != PTX_OPERAND_NONE || t->operands[3].kind != PTX_OPERAND_NONE || t->bits == 0)
        return range_full(bits);
    if (t->bits > bits || t->form->sat || from_bits == 0) return type_range(t->form->type, bits);
    struct value_range source = read(t, 1, from_bits);
    source = range_extend(&source, t->bits, from_signed);
    return range_extend(&source, bits, t->is_signed);
}

/* The parameter variable that an address is in, and the bytes from its start. */
static bool parameter_address(const struct transfer *t, const struct ptx_operand *operand, uint32_t inst,
                              uint32_t *variable, uint64_t *offset) {
    const struct ssa *ssa = t->state->ssa;
    const struct ptx_function *function = ssa->cfg->function;
    for (uint32_t depth = 0; depth < 4; depth++) {
        if (operand->kind == PTX_OPERAND_ADDRESS) {
            *offset += operand->value;
            operand = &function->operands[operand->index];
        }
        if (operand->kind == PTX_OPERAND_VARIABLE) {
            *variable = operand->index;
            *offset += operand->value;
            return true;
        }
        if (operand->kind != PTX_OPERAND_REG) return false;
        uint32_t value = value_read(ssa, inst, operand->index);
        const struct ptx_inst *definition = value == SSA_NONE ? NULL : value_definition(ssa, value);
        if (definition == NULL) return false;
        bool moves = definition->form->op == PTX_OP_MOV ||
                     (definition->form->op == PTX_OP_CVTA && definition->form->space == PTX_SPACE_PARAM);
        const struct ptx_operand *operands = ptx_operands(function, definition);
        bool adds = definition->form->op == PTX_OP_ADD && operands[2].kind == PTX_OPERAND_INT;
        if (!moves && !adds) return false;
        if (adds) *offset += operands[2].value;
        operand = &operands[1];
        inst = ssa->values[value].inst;
    }
    return false;
}

/* A load: a parameter's value where the environment knows it, else any word of the type. */
static struct value_range load_range(const struct transfer *t, uint32_t element, uint32_t bits) {
    struct value_range range = type_range(t->form->type, bits);
    const struct loop_environment *environment = t->state->environment;
    /* Machine code loads parts of parameters from the constant bank that they are in. */
    bool of_parameter = t->form->space == PTX_SPACE_PARAM || t->form->space == PTX_GENERIC ||
                        t->form->space == PTX_SPACE_CONST;
    uint32_t bytes = ptx_type_bytes((enum ptx_type)t->form->type), variable = 0;
    uint64_t offset = (uint64_t)element * bytes, word;
    if (environment->parameter == NULL || !of_parameter || t->bits == 0 || t->bits > bits) return range;
    if (!parameter_address(t, &t->operands[1], t->inst, &variable, &offset)) return range;
    if (!environment->parameter(environment->user, variable, offset, bytes, &word)) return range;
    struct value_range known = range_single(t->bits, word);
    return range_extend(&known, bits, t->is_signed);
}

/* The words that prmt takes bytes of, a being the first four. */
struct permuted {
    struct value_range sources[2];
    uint32_t selector;
};

/* Whether byte `place` of the result is 0. */
static bool is_zero_byte(const struct permuted *bytes, uint32_t place) {
    const uint32_t selected = bytes->selector >> 4 * place & 0xf, byte = selected & 3;
    const struct value_range *source = &bytes->sources[selected >> 2 & 1];
    if (range_is_single(source)) {
        const uint32_t word = (uint32_t)source->low >> 8 * byte & 0xff;
        return (selected & 8) != 0 ? word < 0x80 : word == 0;
    }
    return (selected & 8) == 0 && byte > 0 &&
           range_integers(source, false).high < (__int128)(UINT64_C(1) << 8 * byte);
}

/* prmt that keeps the low bytes of a word, with its sign or zeros in front: how machine code extends words of
 * 8 and 16 bits. */
static struct value_range permute_range(const struct transfer *t) {
    const struct value_range selector = read(t, 3, 32);
    struct permuted bytes = {{read(t, 1, 32), read(t, 2, 32)}, (uint32_t)selector.low};
    if (t->form->mode != PTX_MODE_NONE || !range_is_single(&selector) || bytes.sources[0].empty ||
        bytes.sources[1].empty)
        return range_full(32);
    const uint32_t source = bytes.selector >> 2 & 1;
    uint32_t kept = 0, signs = 0, zeros = 0;
    while (kept < 4 && (bytes.selector >> 4 * kept & 0xf) == 4 * source + kept)
        kept++;
    for (uint32_t place = kept; place < 4; place++) {
        signs += kept > 0 && (bytes.selector >> 4 * place & 0xf) == (8 | (4 * source + kept - 1));
        zeros += is_zero_byte(&bytes, place);
    }
    if (kept == 0 || (signs != 4 - kept && zeros != 4 - kept)) return range_full(32);
    const struct value_range low = range_extend(&bytes.sources[source], 8 * kept, false);
    return range_extend(&low, 32, signs == 4 - kept);
}

/* machine.add3, or whether the sum is 2^32 or more. */
static struct value_range add3_range(const struct transfer *t, bool is_carry, uint32_t bits) {
    struct value_range sum = range_single(64, 0);
    for (uint32_t operand = 3; operand < 8; operand++) {
        const struct value_range term = read(t, operand, operand < 6 ? 32 : 1);
        const struct value_range wide = range_extend(&term, 64, false);
        sum = range_add(&sum, &wide);
    }
    if (!is_carry) return range_extend(&sum, bits, false);
    if (bits != 1 || sum.empty) return range_full(bits);
    return range_integers(&sum, false).high <= UINT32_MAX ? range_single(1, 0) : range_full(1);
}

/* ---- Two words in one of 64 bits ----------------------------------------------------------------------- */

static bool has_vector(const struct transfer *t) {
    return t->operands[0].kind == PTX_OPERAND_VECTOR || t->operands[1].kind == PTX_OPERAND_VECTOR;
}

/* mov.b64 d, {low, high}: what is known of the whole; false when it is something else. */
static bool packed_reading(const struct transfer *t, struct operand_reading *reading) {
    const struct ptx_operand *vector = &t->operands[1];
    struct halves whole;
    if (t->form->op != PTX_OP_MOV || t->bits != 64 || vector->kind != PTX_OPERAND_VECTOR ||
        vector->count != 2 || t->operands[0].kind != PTX_OPERAND_REG)
        return false;
    const struct ptx_operand *elements = &t->state->ssa->cfg->function->operands[vector->index];
    if (!halves_read(t->state, t->inst, &elements[0], &elements[1], &whole)) return false;
    *reading = halves_reading(t->state, &whole);
    return true;
}

/* An element of `mov.b64 {low, high}, operand`, where the operand was put together of two words: that word.
 */
static bool repacked_reading(const struct transfer *t, uint32_t element, struct operand_reading *reading) {
    const struct ssa *ssa = t->state->ssa;
    const struct ptx_operand *source = &t->operands[1];
    const uint32_t value =
        source->kind == PTX_OPERAND_REG ? value_read(ssa, t->inst, source->index) : SSA_NONE;
    const struct ptx_inst *inst = value == SSA_NONE ? NULL : value_definition(ssa, value);
    if (inst == NULL || inst->form->op != PTX_OP_MOV || t->bits != 64) return false;
    const struct ptx_operand *vector = &ptx_operands(ssa->cfg->function, inst)[1];
    if (vector->kind != PTX_OPERAND_VECTOR || vector->count != 2 || element >= 2) return false;
    *reading = state_operand(t->state, ssa->values[value].inst,
                             &ssa->cfg->function->operands[vector->index + element], 32);
    return true;
}

/* The range of two words joined by mov, or of one word that it takes out of 64 bits. */
static struct value_range vector_range(const struct transfer *t, uint32_t element, uint32_t bits) {
    struct operand_reading reading;
    if (packed_reading(t, &reading)) return reading.range;
    if (t->bits != 64 || t->operands[0].kind != PTX_OPERAND_VECTOR || t->operands[0].count != 2 ||
        t->operands[1].kind == PTX_OPERAND_VECTOR || bits != 32 || element >= 2)
        return range_full(bits);
    struct value_range whole = read(t, 1, 64);
    const struct value_range amount = range_single(32, 32);
    if (element == 1) whole = range_shr(&whole, &amount, false);
    struct value_range part = range_extend(&whole, 32, false);
    if (repacked_reading(t, element, &reading)) part = range_meet(&part, &reading.range);
    return part;
}

/* Results of counting bits. */
static struct value_range count_range(const struct transfer *t) {
    return range_of(32, 0, t->bits, 1);
}

/* The result in the register's width, for destination `element` of the instruction. */
static struct value_range result_range(const struct transfer *t, uint32_t element, uint32_t bits) {
    switch (t->form->op) {
    case PTX_OP_CVT: return convert_range(t, bits);
    case PTX_OP_LD:
    case PTX_OP_LDU: return load_range(t, element, bits);
    case PTX_OP_SETP:
    case PTX_OP_MACHINE_SETP: return setp_range(t, element != 0);
    case PTX_OP_SET: return range_full(bits);
    case PTX_OP_MACHINE_ADD3: return add3_range(t, element != 0, bits);
    case PTX_OP_MOV:
        if (has_vector(t)) return vector_range(t, element, bits);
        break;
    default: break;
    }
    if (t->bits == 0 || t->form->sat || t->form->carry_in || t->form->relu || element != 0)
        return range_full(bits);
    switch (t->form->op) {
    case PTX_OP_SUB: return sub_range(t);
    case PTX_OP_MUL:
    case PTX_OP_MAD: return mul_range(t);
    case PTX_OP_SHL:
    case PTX_OP_SHR: return shift_range(t);
    case PTX_OP_ADD:
    case PTX_OP_DIV:
    case PTX_OP_REM:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_MIN:
    case PTX_OP_MAX: return binary_range(t);
    case PTX_OP_NOT:
    case PTX_OP_NEG:
    case PTX_OP_ABS:
    case PTX_OP_MOV: return unary_range(t);
    case PTX_OP_CNOT: return range_of(bits, 0, 1, 1);
    case PTX_OP_SELP: return selp_range(t);
    case PTX_OP_BFE: return extract_range(t);
    case PTX_OP_PRMT: return permute_range(t);
    case PTX_OP_POPC:
    case PTX_OP_CLZ: return count_range(t);
    default: return range_full(bits);
    }
}

/* Which destination of its instruction a value is: 0 the first, or the element of a vector. */
static uint32_t destination_of(const struct transfer *t, uint32_t reg) {
    const struct ptx_operand *first = &t->operands[0];
    const struct ptx_operand *pool = t->state->ssa->cfg->function->operands;
    if (first->kind == PTX_OPERAND_REG && first->index == reg) return 0;
    for (uint32_t i = 0; first->kind == PTX_OPERAND_VECTOR && i < first->count; i++) {
        const struct ptx_operand *element = &pool[first->index + i];
        if (element->kind == PTX_OPERAND_REG && element->index == reg) return i;
    }
    return 1;
}

/* Whether the value is the instruction's one result in the first operand, or part of what it loads. */
static bool is_modelled(const struct transfer *t) {
    if (t->form->roles[0] != 'd') return false;
    return t->operands[0].kind == PTX_OPERAND_REG || t->form->op == PTX_OP_LD || t->form->op == PTX_OP_LDU ||
           t->form->op == PTX_OP_SETP || t->form->op == PTX_OP_MACHINE_SETP ||
           t->form->op == PTX_OP_MACHINE_ADD3 || has_vector(t);
}

struct value_range transfer_range(struct value_state *state, uint32_t value) {
    const struct ssa_value *definition = &state->ssa->values[value];
    struct transfer t = transfer_of(state, definition->inst);
    uint32_t bits = value_bits(state->ssa, value);
    struct value_range range = range_full(bits);
    bool is_carry = definition->reg == state->ssa->cfg->function->reg_count;
    if (!is_carry && is_modelled(&t)) range = result_range(&t, destination_of(&t, definition->reg), bits);
    if (range.bits != bits) range = range_full(bits);
    for (uint32_t a = 0; a < definition->argument_count; a++) {
        uint32_t old = state->ssa->arguments[definition->first_argument + a];
        struct value_range before = old == SSA_NONE ? range_full(bits) : state_range(state, old);
        range = range_join(&range, &before);
    }
    return range;
}

/* a + factor * b of two operands; false when one has no form or the sum has too many terms. */
static bool form_sum(const struct transfer *t, uint32_t a, uint32_t b, uint64_t factor, struct linear *sum) {
    struct operand_reading x = state_operand(t->state, t->inst, &t->operands[a], t->bits);
    struct operand_reading y = state_operand(t->state, t->inst, &t->operands[b], t->bits);
    return x.has_form && y.has_form && linear_add(&x.form, &y.form, factor, sum);
}

/* The product of two operands one of which is a single word. */
static bool form_product(const struct transfer *t, uint32_t a, uint32_t b, struct linear *product) {
    struct operand_reading x = state_operand(t->state, t->inst, &t->operands[a], t->bits);
    struct operand_reading y = state_operand(t->state, t->inst, &t->operands[b], t->bits);
    struct linear zero = linear_constant(t->bits, 0);
    if (range_is_single(&y.range)) return x.has_form && linear_add(&zero, &x.form, y.range.low, product);
    if (range_is_single(&x.range)) return y.has_form && linear_add(&zero, &y.form, x.range.low, product);
    return false;
}

/* A linear form of the result, if the instruction is an affine one. */
static bool affine_form(const struct transfer *t, struct linear *form) {
    struct operand_reading x = state_operand(t->state, t->inst, &t->operands[1], t->bits), y;
    struct linear zero = linear_constant(t->bits, 0), minus_one = linear_constant(t->bits, UINT64_MAX);
    struct value_range masked;
    bool low_half = t->form->half != PTX_HALF_WIDE && t->form->half != PTX_HALF_HI;
    switch (t->form->op) {
    case PTX_OP_MOV: *form = x.form; return x.has_form;
    case PTX_OP_ADD: return form_sum(t, 1, 2, 1, form);
    case PTX_OP_SUB:
        if (subtract_masked(t, 1, 2, &masked) || subtract_masked(t, 2, 1, &masked)) return false;
        return form_sum(t, 1, 2, UINT64_MAX, form);
    case PTX_OP_NEG: return x.has_form && linear_add(&zero, &x.form, UINT64_MAX, form);
    case PTX_OP_NOT: return x.has_form && linear_add(&minus_one, &x.form, UINT64_MAX, form);
    case PTX_OP_MUL: return low_half && form_product(t, 1, 2, form);
    case PTX_OP_MAD:
        y = state_operand(t->state, t->inst, &t->operands[3], t->bits);
        return low_half && y.has_form && form_product(t, 1, 2, &x.form) &&
               linear_add(&x.form, &y.form, 1, form);
    case PTX_OP_SHL:
        y = state_operand(t->state, t->inst, &t->operands[2], 32);
        if (!x.has_form || !range_is_single(&y.range) || y.range.low >= t->bits) return false;
        return linear_add(&zero, &x.form, UINT64_C(1) << y.range.low, form);
    default: return false;
    }
}

/* The sum that machine.add3 makes without carries, or with known ones. */
static bool add3_form(const struct transfer *t, struct linear *form) {
    *form = linear_constant(32, 0);
    for (uint32_t operand = 3; operand < 6; operand++) {
        const struct operand_reading term = state_operand(t->state, t->inst, &t->operands[operand], 32);
        if (!term.has_form || !linear_add(form, &term.form, 1, form)) return false;
    }
    for (uint32_t operand = 6; operand < 8; operand++) {
        const struct value_range carry = read(t, operand, 1);
        const struct linear number = linear_constant(32, carry.low);
        if (!range_is_single(&carry) || !linear_add(form, &number, 1, form)) return false;
    }
    return true;
}

/* The linear form of a value that mov makes of two words or takes out of 64 bits, or of a sum of machine
 * code. */
static bool wide_form(const struct transfer *t, uint32_t reg, uint32_t bits, struct linear *form) {
    const uint32_t element = destination_of(t, reg);
    struct operand_reading reading = {0};
    if (t->form->op == PTX_OP_MACHINE_ADD3) return bits == 32 && element == 0 && add3_form(t, form);
    if (t->form->op != PTX_OP_MOV || !has_vector(t)) return false;
    if (t->operands[0].kind == PTX_OPERAND_VECTOR) {
        if (bits != 32 || !repacked_reading(t, element, &reading)) return false;
    } else if (!packed_reading(t, &reading) || bits != 64) {
        return false;
    }
    *form = reading.form;
    return reading.has_form;
}

struct linear transfer_form(struct value_state *state, uint32_t value) {
    const struct ssa_value *definition = &state->ssa->values[value];
    uint32_t bits = value_bits(state->ssa, value);
    struct linear form = linear_symbol(bits, value);
    struct transfer t = transfer_of(state, definition->inst);
    bool plain = t.bits == bits && bits > 1 && !t.form->sat && !t.form->carry_in &&
                 definition->reg != state->ssa->cfg->function->reg_count &&
                 t.operands[0].kind == PTX_OPERAND_REG;
    struct linear affine;
    if (bits > 1 && definition->reg != state->ssa->cfg->function->reg_count &&
        wide_form(&t, definition->reg, bits, &affine))
        return affine;
    return plain && affine_form(&t, &affine) ? affine : form;
}

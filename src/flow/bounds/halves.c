#include "flow/bounds/bounds.h"

/* Longest chain of sums that is followed. */
#define SUMS_MAX 4u

/* Operands of machine.add3 and machine.setp (ptx/opcode_table.h). */
enum { ADD3_OVER = 1, ADD3_FIRST = 3, ADD3_TERMS = 3, ADD3_CARRY = 6, SETP_A = 2, SETP_LOWER = 4 };

static struct value_half number_half(uint32_t number) {
    return (struct value_half){SSA_NONE, number};
}

static bool is_number(const struct value_half *half, uint32_t number) {
    return half->value == SSA_NONE && half->number == number;
}

static bool same_half(const struct value_half *a, const struct value_half *b) {
    return a->value == b->value && (a->value != SSA_NONE || a->number == b->number);
}

/* A value of 32 bits as a half: a number, or the value that it is a copy of, where that is known. */
static struct value_half half_of_value(const struct value_state *state, uint32_t value) {
    const struct value_range range = state_range(state, value);
    if (range_is_single(&range)) return number_half((uint32_t)range.low);
    const struct linear *form = &state->forms[value];
    const bool is_copy = form->term_count == 1 && form->factors[0] == 1 && form->constant == 0 &&
                         form->symbols[0] < state->ssa->value_count;
    return (struct value_half){is_copy ? form->symbols[0] : value, 0};
}

/* A half as an instruction reads it. */
static bool read_half(const struct value_state *state, uint32_t inst, const struct ptx_operand *operand,
                      struct value_half *half) {
    if (operand->kind == PTX_OPERAND_INT) {
        *half = number_half((uint32_t)operand->value);
        return true;
    }
    if (operand->kind != PTX_OPERAND_REG || operand->negated) return false;
    const uint32_t value = value_read(state->ssa, inst, operand->index);
    if (value == SSA_NONE || value_bits(state->ssa, value) != 32) return false;
    *half = half_of_value(state, value);
    return true;
}

bool halves_read(const struct value_state *state, uint32_t inst, const struct ptx_operand *low,
                 const struct ptx_operand *high, struct halves *whole) {
    return read_half(state, inst, low, &whole->low) && read_half(state, inst, high, &whole->high);
}

static const struct ptx_inst *definition_of(const struct value_state *state, const struct value_half *half,
                                            uint8_t op) {
    const struct ptx_inst *inst = half->value == SSA_NONE ? NULL : value_definition(state->ssa, half->value);
    return inst != NULL && inst->form->op == op ? inst : NULL;
}

/* ---- Ranges -------------------------------------------------------------------------------------------- */

/* The range of the two put together, whatever their relation. */
static struct value_range halves_joined(const struct value_range *low, const struct value_range *high) {
    const struct value_range scale = range_single(64, UINT64_C(1) << 32);
    struct value_range lower = range_extend(low, 64, false), upper = range_extend(high, 64, false);
    upper = range_mul(&upper, &scale);
    return range_add(&lower, &upper);
}

static struct value_range half_range(const struct value_state *state, const struct value_half *half) {
    return half->value == SSA_NONE ? range_single(32, half->number) : state_range(state, half->value);
}

/* The operand that `mov.b64 {low, high}, operand` has, where the half is the first or second of these. */
static const struct ptx_operand *unpacked(const struct value_state *state, const struct value_half *half,
                                          uint32_t place) {
    const struct ptx_function *function = state->ssa->cfg->function;
    const struct ptx_inst *inst = definition_of(state, half, PTX_OP_MOV);
    if (inst == NULL) return NULL;
    const struct ptx_operand *operands = ptx_operands(function, inst);
    if (operands[0].kind != PTX_OPERAND_VECTOR || operands[0].count != 2) return NULL;
    const struct ptx_operand *element = &function->operands[operands[0].index + place];
    const bool is_half = element->kind == PTX_OPERAND_REG &&
                         element->index == state->ssa->values[half->value].reg &&
                         ptx_type_bytes((enum ptx_type)inst->form->type) == 8;
    return is_half && operands[1].kind == PTX_OPERAND_REG && !operands[1].negated ? &operands[1] : NULL;
}

/* Whether both are halves of one value of 64 bits. */
static bool whole_of(const struct value_state *state, const struct halves *whole,
                     struct operand_reading *reading) {
    const struct ptx_operand *low = unpacked(state, &whole->low, 0);
    const struct ptx_operand *high = unpacked(state, &whole->high, 1);
    if (low == NULL || high == NULL) return false;
    const uint32_t inst = state->ssa->values[whole->low.value].inst;
    const uint32_t value = value_read(state->ssa, inst, low->index);
    if (value == SSA_NONE || value_bits(state->ssa, value) != 64 ||
        value != value_read(state->ssa, state->ssa->values[whole->high.value].inst, high->index))
        return false;
    *reading = state_operand(state, inst, low, 64);
    return true;
}

/* Whether the upper half is the sign of the lower one. */
static bool is_sign_extended(const struct value_state *state, const struct halves *whole) {
    const struct ptx_inst *inst = definition_of(state, &whole->high, PTX_OP_SHR);
    if (inst == NULL || inst->form->type != PTX_S32) return false;
    const struct ptx_operand *operands = ptx_operands(state->ssa->cfg->function, inst);
    struct value_half source;
    return operands[2].kind == PTX_OPERAND_INT && operands[2].value == 31 &&
           read_half(state, state->ssa->values[whole->high.value].inst, &operands[1], &source) &&
           same_half(&source, &whole->low);
}

/* Narrows what is known by the sum that the whole is. */
static struct operand_reading reading_at(const struct value_state *state, const struct halves *whole,
                                         uint32_t depth);

static bool halves_sum(const struct value_state *state, const struct halves *whole, bool crossed,
                       struct halves terms[2]);

static void narrow_by_sum(const struct value_state *state, const struct halves *whole, uint32_t depth,
                          struct operand_reading *reading) {
    for (int crossed = 0; crossed < 2; crossed++) {
        struct halves terms[2];
        if (!halves_sum(state, whole, crossed != 0, terms)) return;
        const struct operand_reading a = reading_at(state, &terms[0], depth - 1);
        const struct operand_reading b = reading_at(state, &terms[1], depth - 1);
        const struct value_range sum = range_add(&a.range, &b.range);
        reading->range = range_meet(&reading->range, &sum);
        if (!reading->has_form && a.has_form && b.has_form)
            reading->has_form = linear_add(&a.form, &b.form, 1, &reading->form);
    }
}

static struct operand_reading reading_at(const struct value_state *state, const struct halves *whole,
                                         uint32_t depth) {
    const struct value_range low = half_range(state, &whole->low), high = half_range(state, &whole->high);
    const struct value_range joined = halves_joined(&low, &high);
    struct operand_reading reading = {.value = SSA_NONE, .range = joined};
    if (whole_of(state, whole, &reading)) {
        reading.range = range_meet(&reading.range, &joined);
    } else if (is_sign_extended(state, whole)) {
        const struct value_range extended = range_extend(&low, 64, true);
        reading.range = range_meet(&reading.range, &extended);
    } else if (depth > 0) {
        narrow_by_sum(state, whole, depth, &reading);
    }
    if (range_is_single(&reading.range)) {
        reading.has_form = true;
        reading.form = linear_constant(64, reading.range.low);
    }
    return reading;
}

struct operand_reading halves_reading(const struct value_state *state, const struct halves *whole) {
    return reading_at(state, whole, SUMS_MAX);
}

/* ---- Sums ---------------------------------------------------------------------------------------------- */

/* The terms of a machine.add3 that are not 0; false when they are more than two. */
static bool two_terms(const struct value_state *state, uint32_t inst, const struct ptx_operand *operands,
                      struct value_half terms[2]) {
    uint32_t count = 0;
    terms[0] = terms[1] = number_half(0);
    for (uint32_t i = 0; i < ADD3_TERMS; i++) {
        struct value_half term;
        if (!read_half(state, inst, &operands[ADD3_FIRST + i], &term)) return false;
        if (is_number(&term, 0)) continue;
        if (count == 2) return false;
        terms[count++] = term;
    }
    return true;
}

static bool is_no_carry(const struct ptx_operand *operand) {
    return operand->kind == PTX_OPERAND_INT && operand->value == 0;
}

/* Whether the one carry that `upper` reads is the first one that `lower` writes. */
static bool carries_over(const struct value_state *state, const struct ptx_operand *lower,
                         uint32_t lower_inst, const struct ptx_operand *upper, uint32_t upper_inst) {
    const bool second = is_no_carry(&upper[ADD3_CARRY]);
    const struct ptx_operand *read = &upper[ADD3_CARRY + second], *other = &upper[ADD3_CARRY + !second];
    if (!is_no_carry(other) || read->kind != PTX_OPERAND_REG || read->negated) return false;
    const uint32_t carry = value_read(state->ssa, upper_inst, read->index);
    return carry != SSA_NONE && value_definition(state->ssa, carry) != NULL &&
           state->ssa->values[carry].inst == lower_inst && lower[ADD3_OVER].kind == PTX_OPERAND_REG &&
           lower[ADD3_OVER].index == state->ssa->values[carry].reg;
}

/* Whether the whole is the sum of two others, modulo 2^64: the lower half by an addition whose carry the
 * upper one reads. Which upper half goes with which lower one does not matter to the sum: `crossed` says
 * which way they are put together. */
static bool halves_sum(const struct value_state *state, const struct halves *whole, bool crossed,
                       struct halves terms[2]) {
    const struct ptx_function *function = state->ssa->cfg->function;
    const struct ptx_inst *lower = definition_of(state, &whole->low, PTX_OP_MACHINE_ADD3);
    const struct ptx_inst *upper = definition_of(state, &whole->high, PTX_OP_MACHINE_ADD3);
    if (lower == NULL || upper == NULL) return false;
    const struct ptx_operand *low = ptx_operands(function, lower), *high = ptx_operands(function, upper);
    const uint32_t low_inst = state->ssa->values[whole->low.value].inst;
    const uint32_t high_inst = state->ssa->values[whole->high.value].inst;
    if (!is_no_carry(&low[ADD3_CARRY]) || !is_no_carry(&low[ADD3_CARRY + 1]) ||
        !carries_over(state, low, low_inst, high, high_inst))
        return false;
    struct value_half lows[2], highs[2];
    if (!two_terms(state, low_inst, low, lows) || !two_terms(state, high_inst, high, highs)) return false;
    for (uint32_t i = 0; i < 2; i++)
        terms[i] = (struct halves){lows[i], highs[crossed ? 1 - i : i]};
    return true;
}

/* ---- Comparisons --------------------------------------------------------------------------------------- */

/* The relation by name: unsigned comparisons of PTX have two names each. */
static uint8_t plain_compare(uint8_t compare) {
    static const uint8_t plain[] = {PTX_CMP_LT, PTX_CMP_LE, PTX_CMP_GT, PTX_CMP_GE};
    return compare >= PTX_CMP_LO && compare <= PTX_CMP_HS ? plain[compare - PTX_CMP_LO] : compare;
}

/* The comparison that holds of b and a when this one holds of a and b. */
static uint8_t swapped_compare(uint8_t compare) {
    switch (compare) {
    case PTX_CMP_LT: return PTX_CMP_GT;
    case PTX_CMP_LE: return PTX_CMP_GE;
    case PTX_CMP_GT: return PTX_CMP_LT;
    case PTX_CMP_GE: return PTX_CMP_LE;
    default: return compare;
    }
}

static bool is_comparison(uint8_t compare) {
    return compare == PTX_CMP_EQ || compare == PTX_CMP_NE || compare == PTX_CMP_LT || compare == PTX_CMP_LE ||
           compare == PTX_CMP_GT || compare == PTX_CMP_GE;
}

/* The comparison of lower halves that the operand is the first result of. */
static const struct ptx_inst *lower_comparison(const struct value_state *state, uint32_t inst,
                                               const struct ptx_operand *operand, uint32_t *index) {
    if (operand->kind != PTX_OPERAND_REG || operand->negated) return NULL;
    const uint32_t value = value_read(state->ssa, inst, operand->index);
    const struct ptx_inst *lower = value == SSA_NONE ? NULL : value_definition(state->ssa, value);
    if (lower == NULL || lower->form->op != PTX_OP_SETP || lower->form->mode != PTX_MODE_NONE) return NULL;
    const struct ptx_operand *first = ptx_operands(state->ssa->cfg->function, lower);
    const bool is_order = lower->form->compare != PTX_CMP_EQ && lower->form->compare != PTX_CMP_NE;
    if (first->kind != PTX_OPERAND_REG || first->index != state->ssa->values[value].reg) return NULL;
    if (ptx_type_bytes((enum ptx_type)lower->form->type) != 4) return NULL;
    if (is_order ? lower->form->type != PTX_U32 && lower->form->type != PTX_B32
                 : ptx_type_kind((enum ptx_type)lower->form->type) == PTX_KIND_FLOAT)
        return NULL;
    *index = state->ssa->values[value].inst;
    return lower;
}

bool halves_compared(const struct value_state *state, uint32_t inst, struct halves *a, struct halves *b) {
    const struct ptx_function *function = state->ssa->cfg->function;
    const struct ptx_operand *upper = ptx_operands(function, &function->insts[inst]);
    const uint8_t compare = plain_compare(function->insts[inst].form->compare);
    uint32_t index;
    const struct ptx_inst *lower = lower_comparison(state, inst, &upper[SETP_LOWER], &index);
    if (lower == NULL || !is_comparison(compare)) return false;
    const uint8_t below = plain_compare(lower->form->compare);
    const bool is_swapped = below != compare;
    if (is_swapped && below != swapped_compare(compare)) return false;
    const struct ptx_operand *operands = ptx_operands(function, lower);
    return read_half(state, inst, &upper[SETP_A], &a->high) &&
           read_half(state, inst, &upper[SETP_A + 1], &b->high) &&
           read_half(state, index, &operands[SETP_A + is_swapped], &a->low) &&
           read_half(state, index, &operands[SETP_A + !is_swapped], &b->low);
}

/* ---- Counters in two registers ---- */

/* Most additions between a counter and what is compared, or what the next iteration finds. */
#define ADDITIONS_MAX 4u

/* Two phis of the header, and what is added to the whole that they are in one iteration. */
struct counter {
    struct halves phis;
    struct operand_reading offset; /* range and form */
    bool is_fixed;                 /* the same offset in all iterations */
};

static bool is_header_phi(const struct loop_view *view, const struct value_half *half) {
    const struct ssa *ssa = view->state->ssa;
    const uint32_t header = view->loops->items[view->loop].header, first = ssa->first_phi[header];
    return half->value != SSA_NONE && half->value >= first && half->value < first + ssa->phi_count[header];
}

static bool half_is_invariant(const struct loop_view *view, const struct value_half *half) {
    if (half->value == SSA_NONE) return true;
    const struct linear symbol = linear_symbol(32, half->value);
    return linear_is_invariant(view, &symbol);
}

static bool halves_are_invariant(const struct loop_view *view, const struct halves *whole) {
    return half_is_invariant(view, &whole->low) && half_is_invariant(view, &whole->high);
}

static void add_offset(const struct loop_view *view, const struct halves *term, struct counter *counter) {
    const struct operand_reading reading = halves_reading(view->state, term);
    struct operand_reading *offset = &counter->offset;
    offset->range = range_add(&offset->range, &reading.range);
    offset->has_form =
        offset->has_form && reading.has_form && linear_add(&offset->form, &reading.form, 1, &offset->form);
    counter->is_fixed &= halves_are_invariant(view, term);
}

/* Finds the counter from which additions of the same iteration make the whole. */
static bool find_counter(const struct loop_view *view, const struct halves *whole, uint32_t depth,
                         struct counter *counter) {
    if (is_header_phi(view, &whole->low) && is_header_phi(view, &whole->high)) {
        *counter = (struct counter){.phis = *whole, .is_fixed = true};
        counter->offset.range = range_single(64, 0);
        counter->offset.has_form = true;
        counter->offset.form = linear_constant(64, 0);
        return true;
    }
    for (int crossed = 0; depth > 0 && crossed < 2; crossed++) {
        struct halves terms[2];
        if (!halves_sum(view->state, whole, crossed != 0, terms)) return false;
        for (uint32_t i = 0; i < 2; i++) {
            if (!find_counter(view, &terms[i], depth - 1, counter)) continue;
            add_offset(view, &terms[1 - i], counter);
            return true;
        }
    }
    return false;
}

/* The values that the phis take by an edge; false if none. */
static bool taken_over(const struct loop_view *view, const struct halves *phis, uint32_t argument,
                       struct halves *taken) {
    const struct ssa *ssa = view->state->ssa;
    const uint32_t low = ssa->arguments[ssa->values[phis->low.value].first_argument + argument];
    const uint32_t high = ssa->arguments[ssa->values[phis->high.value].first_argument + argument];
    if (low == SSA_NONE || high == SSA_NONE) return false;
    *taken = (struct halves){half_of_value(view->state, low), half_of_value(view->state, high)};
    return true;
}

/* The step of one iteration; false when it is not known. */
static bool step_of(const struct loop_view *view, const struct halves *phis, struct value_range *step) {
    const struct ssa_value *phi = &view->state->ssa->values[phis->low.value];
    *step = range_empty(64);
    for (uint32_t a = 0; a < phi->argument_count; a++) {
        struct halves taken;
        struct counter next;
        if (!loop_edge_returns(view, a) || !taken_over(view, phis, a, &taken)) continue;
        if (!find_counter(view, &taken, ADDITIONS_MAX, &next) || next.phis.low.value != phis->low.value ||
            next.phis.high.value != phis->high.value)
            return false;
        *step = range_join(step, &next.offset.range);
    }
    return true;
}

/* The values of the phis where the loop is entered. */
static struct operand_reading start_of(const struct loop_view *view, const struct halves *phis) {
    const struct ssa *ssa = view->state->ssa;
    const struct ssa_value *low = &ssa->values[phis->low.value], *high = &ssa->values[phis->high.value];
    struct operand_reading start = {.value = SSA_NONE, .range = range_empty(64)}, only = start;
    uint32_t count = 0;
    for (uint32_t a = 0; a < low->argument_count; a++) {
        struct halves taken;
        if (!loop_edge_enters(view, a)) continue;
        const struct value_range joined = halves_joined(&view->arguments[low->first_argument + a],
                                                        &view->arguments[high->first_argument + a]);
        start.range = range_join(&start.range, &joined);
        count++;
        if (taken_over(view, phis, a, &taken)) only = halves_reading(view->state, &taken);
    }
    if (count != 1 || only.range.empty) return start;
    only.range = range_meet(&only.range, &start.range);
    return only;
}

bool wide_induction_of(const struct loop_view *view, const struct halves *whole,
                       struct induction *induction) {
    struct counter counter;
    if (!find_counter(view, whole, ADDITIONS_MAX, &counter) || !counter.is_fixed) return false;
    if (!step_of(view, &counter.phis, &induction->step)) return false;
    const struct operand_reading start = start_of(view, &counter.phis);
    induction->start = range_add(&start.range, &counter.offset.range);
    induction->has_form = start.has_form && counter.offset.has_form &&
                          linear_add(&start.form, &counter.offset.form, 1, &induction->start_form);
    return true;
}

#include "flow/bounds/bounds.h"

/* Longest chain of conversions that a refinement follows back. */
#define CONVERSIONS_MAX 4u

struct linear linear_constant(uint32_t bits, uint64_t word) {
    return (struct linear){.constant = word & word_mask(bits), .bits = (uint8_t)bits};
}

struct linear linear_symbol(uint32_t bits, uint32_t symbol) {
    return (struct linear){.symbols = {symbol}, .factors = {1}, .term_count = 1, .bits = (uint8_t)bits};
}

/* Appends a term whose symbol is behind all others; false when there is no room. */
static bool push(struct linear *form, uint32_t symbol, uint64_t factor) {
    factor &= word_mask(form->bits);
    if (factor == 0) return true;
    if (form->term_count == LINEAR_TERMS_MAX) return false;
    form->symbols[form->term_count] = symbol;
    form->factors[form->term_count++] = factor;
    return true;
}

bool linear_add(const struct linear *a, const struct linear *b, uint64_t factor, struct linear *sum) {
    struct linear result = linear_constant(a->bits, a->constant + factor * b->constant);
    uint32_t i = 0, j = 0;
    while (i < a->term_count || j < b->term_count) {
        bool from_a = j == b->term_count || (i < a->term_count && a->symbols[i] <= b->symbols[j]);
        bool from_b = i == a->term_count || (j < b->term_count && b->symbols[j] <= a->symbols[i]);
        uint32_t symbol = from_a ? a->symbols[i] : b->symbols[j];
        uint64_t total = 0;
        if (from_a) total += a->factors[i++];
        if (from_b) total += factor * b->factors[j++];
        if (!push(&result, symbol, total)) return false;
    }
    *sum = result;
    return true;
}

uint64_t linear_factor(const struct linear *form, uint32_t symbol) {
    for (uint32_t i = 0; i < form->term_count; i++)
        if (form->symbols[i] == symbol) return form->factors[i];
    return 0;
}

struct linear linear_without(const struct linear *form, uint32_t symbol) {
    struct linear rest = linear_constant(form->bits, form->constant);
    for (uint32_t i = 0; i < form->term_count; i++)
        if (form->symbols[i] != symbol) (void)push(&rest, form->symbols[i], form->factors[i]);
    return rest;
}

/* The values of a special register of 32 bits; all where the environment does not say. */
static struct value_range sreg_range(const struct loop_environment *environment, uint32_t sreg) {
    const struct sreg_range *known = &environment->sregs[sreg];
    if (!known->known || known->low > known->high || known->high > UINT32_MAX) return range_full(32);
    return range_of(32, known->low, known->high, 1);
}

void value_state_init(const struct ssa *ssa, const struct dominators *dominators,
                      const struct loop_environment *environment, struct arena *arena,
                      struct value_state *state) {
    size_t symbols = (size_t)ssa->value_count + PTX_SREG_COUNT;
    *state = (struct value_state){
        .arena = arena, .ssa = ssa, .dominators = dominators, .environment = environment};
    state->ranges = arena_array(arena, symbols, sizeof *state->ranges);
    state->forms = arena_array(arena, (size_t)ssa->value_count + 1, sizeof *state->forms);
    for (uint32_t v = 0; v < ssa->value_count; v++) {
        state->ranges[v] = range_full(value_bits(ssa, v));
        state->forms[v] = linear_symbol(value_bits(ssa, v), v);
    }
    for (uint32_t s = 0; s < PTX_SREG_COUNT; s++)
        state->ranges[ssa->value_count + s] = sreg_range(environment, s);
}

bool linear_is_symbol(const struct linear *form, uint32_t value) {
    return form->term_count == 1 && form->symbols[0] == value && form->factors[0] == 1 && form->constant == 0;
}

struct value_range state_linear(const struct value_state *state, const struct linear *form) {
    struct value_range sum = range_single(form->bits, form->constant);
    for (uint32_t i = 0; i < form->term_count; i++) {
        struct value_range factor = range_single(form->bits, form->factors[i]);
        struct value_range term = range_mul(&state->ranges[form->symbols[i]], &factor);
        sum = range_add(&sum, &term);
    }
    return sum;
}

struct value_range state_range(const struct value_state *state, uint32_t value) {
    const struct linear *form = &state->forms[value];
    if (linear_is_symbol(form, value)) return state->ranges[value];
    struct value_range computed = state_linear(state, form);
    return range_meet(&state->ranges[value], &computed);
}

/* Whether a special register is the same whenever a thread reads it. */
static bool is_constant(uint32_t sreg) {
    return sreg <= PTX_SREG_CLUSTER_NCTARANK || sreg == PTX_SREG_LANEID;
}

/* The value that an operand is, read in its register's own width; SSA_NONE when it is no such thing. */
static uint32_t operand_value(const struct value_state *state, uint32_t inst,
                              const struct ptx_operand *operand, uint32_t bits) {
    if (operand->kind != PTX_OPERAND_REG || operand->negated) return SSA_NONE;
    uint32_t value = value_read(state->ssa, inst, operand->index);
    return value == SSA_NONE || state->ranges[value].bits != bits ? SSA_NONE : value;
}

static struct value_range register_range(const struct value_state *state, uint32_t inst,
                                         const struct ptx_operand *operand, uint32_t bits) {
    uint32_t value = value_read(state->ssa, inst, operand->index);
    if (value == SSA_NONE || state->ranges[value].bits < bits) return range_full(bits);
    struct value_range range = state_range(state, value);
    if (range.bits > bits) return range_extend(&range, bits, false);
    return operand->negated ? range_not(&range) : range;
}

static struct value_range special_range(const struct value_state *state, uint32_t sreg, uint32_t bits) {
    const struct sreg_range *known = &state->environment->sregs[sreg];
    if (bits > 32 && (!known->known || known->high > UINT32_MAX)) return range_full(bits);
    return range_extend(&state->ranges[state->ssa->value_count + sreg], bits, false);
}

struct value_range state_operand_range(const struct value_state *state, uint32_t inst,
                                       const struct ptx_operand *operand, uint32_t bits) {
    switch (operand->kind) {
    case PTX_OPERAND_REG: return register_range(state, inst, operand, bits);
    case PTX_OPERAND_SREG: return special_range(state, operand->index, bits);
    case PTX_OPERAND_INT: return range_single(bits, bits == 1 ? operand->value != 0 : operand->value);
    default: return range_full(bits);
    }
}

struct operand_reading state_operand(const struct value_state *state, uint32_t inst,
                                     const struct ptx_operand *operand, uint32_t bits) {
    struct operand_reading reading = {.value = operand_value(state, inst, operand, bits)};
    reading.range = state_operand_range(state, inst, operand, bits);
    bool is_symbol = operand->kind == PTX_OPERAND_SREG && bits == 32 && is_constant(operand->index);
    reading.has_form = true;
    if (range_is_single(&reading.range))
        reading.form = linear_constant(bits, reading.range.low);
    else if (reading.value != SSA_NONE)
        reading.form = state->forms[reading.value];
    else if (is_symbol)
        reading.form = linear_symbol(32, state->ssa->value_count + operand->index);
    else
        reading.has_form = false;
    return reading;
}

void state_set(struct value_state *state, uint32_t symbol, const struct value_range *range) {
    if (range_equal(&state->ranges[symbol], range)) return;
    arena_push(state->arena, &state->log, ((struct refined){symbol, state->ranges[symbol]}));
    state->ranges[symbol] = *range;
}

/* The value that an integer conversion to a wider word, or a move, made this value of; or SSA_NONE. */
static uint32_t converted_from(const struct value_state *state, uint32_t value) {
    const struct ptx_inst *inst = value_definition(state->ssa, value);
    if (inst == NULL || inst->form->op != PTX_OP_CVT || inst->form->sat) return SSA_NONE;
    enum ptx_type_kind to = ptx_type_kind((enum ptx_type)inst->form->type);
    enum ptx_type_kind from = ptx_type_kind((enum ptx_type)inst->form->type2);
    if (to == PTX_KIND_FLOAT || from == PTX_KIND_FLOAT) return SSA_NONE;
    const struct ptx_operand *operand = &ptx_operands(state->ssa->cfg->function, inst)[1];
    if (operand->kind != PTX_OPERAND_REG) return SSA_NONE;
    uint32_t source = value_read(state->ssa, state->ssa->values[value].inst, operand->index);
    uint32_t source_bits = 8 * ptx_type_bytes((enum ptx_type)inst->form->type2);
    bool whole = source != SSA_NONE && value_bits(state->ssa, source) == source_bits &&
                 8 * ptx_type_bytes((enum ptx_type)inst->form->type) >= source_bits;
    return whole ? source : SSA_NONE;
}

/* Refines the symbol s of a form c + s or c - s that is in `range`. */
static void refine_symbol(struct value_state *state, const struct linear *form,
                          const struct value_range *range) {
    uint64_t mask = word_mask(form->bits);
    if (form->term_count != 1 || (form->factors[0] != 1 && form->factors[0] != mask)) return;
    struct value_range constant = range_single(form->bits, form->constant);
    struct value_range allowed = range_sub(range, &constant);
    if (form->factors[0] != 1) allowed = range_neg(&allowed);
    uint32_t symbol = form->symbols[0];
    allowed = range_meet(&state->ranges[symbol], &allowed);
    state->dead |= allowed.empty;
    state_set(state, symbol, &allowed);
}

void state_refine(struct value_state *state, uint32_t value, const struct value_range *allowed) {
    struct value_range range = *allowed;
    for (uint32_t depth = 0; value != SSA_NONE && depth < CONVERSIONS_MAX; depth++) {
        struct value_range known = state_range(state, value);
        range = range_meet(&known, &range);
        state->dead |= range.empty;
        state_set(state, value, &range);
        if (!linear_is_symbol(&state->forms[value], value))
            refine_symbol(state, &state->forms[value], &range);
        value = converted_from(state, value);
        if (value != SSA_NONE) range = range_extend(&range, value_bits(state->ssa, value), false);
    }
}

struct state_mark state_mark(const struct value_state *state) {
    return (struct state_mark){state->log.count, state->dead};
}

void state_undo(struct value_state *state, struct state_mark mark) {
    while (state->log.count > mark.refined) {
        const struct refined *last = &state->log.items[--state->log.count];
        state->ranges[last->symbol] = last->before;
    }
    state->dead = mark.dead;
}

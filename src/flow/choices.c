#include "flow/choices.h"

#include "flow/conditions.h"
#include "flow/range_arithmetic.h"

/* Most choices that are looked at one inside the other: each doubles the forms. */
#define CHOICES_MAX 3u

/* What is chosen, and what holds then. */
struct side {
    struct operand_reading word;
    struct comparison comparisons[CONDITIONS_MAX];
    uint32_t count;
};

struct choice {
    struct side sides[2];
};

/* min and max: the word that is chosen is no more, or no less, than the other. */
static void read_extremum(struct choice *choice, bool is_min, bool is_signed) {
    for (uint32_t i = 0; i < 2; i++) {
        struct side *side = &choice->sides[i];
        const struct operand_reading *other = &choice->sides[1 - i].word;
        side->comparisons[0] =
            (struct comparison){is_min ? RELATION_LE : RELATION_GE, is_signed, side->word, *other};
        side->count = 1;
    }
}

/* selp: what the predicate's value says. */
static void read_predicate(const struct value_state *state, uint32_t inst,
                           const struct ptx_operand *predicate, struct choice *choice) {
    const uint32_t value =
        predicate->kind == PTX_OPERAND_REG ? value_read(state->ssa, inst, predicate->index) : SSA_NONE;
    for (uint32_t i = 0; i < 2 && value != SSA_NONE; i++) {
        struct side *side = &choice->sides[i];
        struct conditions list = {0};
        conditions_of_predicate(state, value, (i == 0) != predicate->negated, &list);
        for (uint32_t c = 0; c < list.count; c++)
            side->count += comparison_of(state, &list.items[c], &side->comparisons[side->count]);
    }
}

/* Whether a symbol is a word of that width which an instruction chooses. */
static bool choice_of(const struct value_state *state, uint32_t symbol, uint32_t bits,
                      struct choice *choice) {
    const struct ptx_inst *inst =
        symbol < state->ssa->value_count ? value_definition(state->ssa, symbol) : NULL;
    if (inst == NULL || value_bits(state->ssa, symbol) != bits) return false;
    const struct ptx_form *form = inst->form;
    const struct ptx_operand *operands = ptx_operands(state->ssa->cfg->function, inst);
    const uint32_t index = state->ssa->values[symbol].inst;
    const enum ptx_type_kind kind = ptx_type_kind((enum ptx_type)form->type);
    bool is_extremum = form->op == PTX_OP_MIN || form->op == PTX_OP_MAX;
    if (!is_extremum && form->op != PTX_OP_SELP) return false;
    if (8 * ptx_type_bytes((enum ptx_type)form->type) != bits || kind == PTX_KIND_FLOAT) return false;
    const bool of_three = form->roles[3] != '\0' && operands[3].kind != PTX_OPERAND_NONE;
    const bool of_pairs = form->type == PTX_U16X2 || form->type == PTX_S16X2;
    if (is_extremum && (kind == PTX_KIND_BITS || form->relu || of_pairs || of_three)) return false;
    for (uint32_t i = 0; i < 2; i++) {
        choice->sides[i].word = state_operand(state, index, &operands[1 + i], bits);
        choice->sides[i].count = 0;
        if (!choice->sides[i].word.has_form) return false;
    }
    if (is_extremum)
        read_extremum(choice, form->op == PTX_OP_MIN, kind == PTX_KIND_SIGNED);
    else
        read_predicate(state, index, &operands[3], choice);
    return true;
}

/* What the range of one operand of a comparison says of a form that is the operand, or its negative, but for
 * a constant. */
static struct value_range relative_range(const struct linear *form, const struct operand_reading *operand,
                                         const struct value_range *allowed) {
    struct value_range range = range_meet(&operand->range, allowed);
    struct linear rest;
    for (int sign = 0; operand->has_form && operand->form.bits == form->bits && sign < 2; sign++) {
        if (!linear_add(form, &operand->form, sign == 0 ? UINT64_MAX : 1, &rest) || rest.term_count != 0)
            continue;
        struct value_range constant = range_single(form->bits, rest.constant);
        if (sign != 0) range = range_neg(&range);
        return range_add(&range, &constant);
    }
    return range_full(form->bits);
}

/* Narrows the range of a form by comparisons that hold. */
static void narrow(const struct side *side, const struct linear *form, struct value_range *range) {
    for (uint32_t c = 0; c < side->count; c++) {
        const struct comparison *comparison = &side->comparisons[c];
        struct value_range a =
            range_related(comparison->relation, comparison->is_signed, &comparison->b.range);
        struct value_range b = range_related(relation_swapped(comparison->relation), comparison->is_signed,
                                             &comparison->a.range);
        a = relative_range(form, &comparison->a, &a);
        b = relative_range(form, &comparison->b, &b);
        *range = range_meet(range, &a);
        *range = range_meet(range, &b);
    }
}

static struct value_range linear_range(struct value_state *state, const struct linear *form, uint32_t depth);

/* The range of the form when one side of the choice is taken. */
static struct value_range side_range(struct value_state *state, const struct linear *form, uint32_t symbol,
                                     const struct side *side, uint32_t depth) {
    struct linear rest = linear_without(form, symbol), chosen;
    struct value_range range = range_full(form->bits);
    const struct state_mark mark = state_mark(state);
    for (uint32_t c = 0; c < side->count; c++)
        comparison_apply(state, &side->comparisons[c]);
    if (state->dead) {
        range = range_empty(form->bits);
    } else if (linear_add(&rest, &side->word.form, linear_factor(form, symbol), &chosen)) {
        range = linear_range(state, &chosen, depth - 1);
        narrow(side, &chosen, &range);
    }
    state_undo(state, mark);
    return range;
}

static struct value_range linear_range(struct value_state *state, const struct linear *form, uint32_t depth) {
    struct value_range range = state_linear(state, form);
    struct choice choice;
    for (uint32_t i = 0; depth > 0 && !state->dead && i < form->term_count; i++) {
        if (!choice_of(state, form->symbols[i], form->bits, &choice)) continue;
        struct value_range first = side_range(state, form, form->symbols[i], &choice.sides[0], depth);
        struct value_range second = side_range(state, form, form->symbols[i], &choice.sides[1], depth);
        first = range_join(&first, &second);
        return range_meet(&range, &first);
    }
    return range;
}

struct value_range choices_linear(struct value_state *state, const struct linear *form) {
    return linear_range(state, form, CHOICES_MAX);
}

#include "flow/bounds/bounds.h"

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

/* The counter that the whole is made of by additions, in the same iteration. */
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

/* What the phis take over by an edge; false where that is nothing. */
static bool taken_over(const struct loop_view *view, const struct halves *phis, uint32_t argument,
                       struct halves *taken) {
    const struct ssa *ssa = view->state->ssa;
    const uint32_t low = ssa->arguments[ssa->values[phis->low.value].first_argument + argument];
    const uint32_t high = ssa->arguments[ssa->values[phis->high.value].first_argument + argument];
    if (low == SSA_NONE || high == SSA_NONE) return false;
    *taken = (struct halves){half_of_value(view->state, low), half_of_value(view->state, high)};
    return true;
}

/* What one iteration adds; false when that is not known. */
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

/* What the phis are where the loop is entered. */
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

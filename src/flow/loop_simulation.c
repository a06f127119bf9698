#include "flow/loop_simulation.h"

#include "flow/choices.h"
#include "flow/transfer.h"

/* Where a phi stands in the list of those simulated; phi_count when it is not there. */
static uint32_t phi_index(const struct loop_simulation *simulation, uint32_t value) {
    uint32_t i = 0;
    while (i < simulation->phi_count && simulation->phis[i] != value)
        i++;
    return i;
}

static bool is_included(const struct loop_simulation *simulation, uint32_t value) {
    if (phi_index(simulation, value) < simulation->phi_count) return true;
    for (uint32_t i = 0; i < simulation->value_count; i++)
        if (simulation->values[i] == value) return true;
    return false;
}

/* What a value is made of: what an instruction reads, and the arguments of phis and guarded instructions. */
static void include_operands(const struct loop_view *view, uint32_t value,
                             struct loop_simulation *simulation) {
    const struct ssa *ssa = view->state->ssa;
    const struct ssa_value *definition = &ssa->values[value];
    for (uint32_t a = 0; a < definition->argument_count; a++) {
        uint32_t argument = ssa->arguments[definition->first_argument + a];
        if (argument != SSA_NONE) simulation_include(view, argument, simulation);
    }
    if (definition->kind != SSA_INST) return;
    for (uint32_t u = ssa->first_use[definition->inst]; u < ssa->first_use[definition->inst + 1]; u++)
        if (ssa->uses[u] != SSA_NONE) simulation_include(view, ssa->uses[u], simulation);
}

/* A phi of the loop's header is followed round the loop. */
static void include_header_phi(const struct loop_view *view, uint32_t phi,
                               struct loop_simulation *simulation) {
    if (simulation->phi_count == SIMULATED_PHIS_MAX) {
        simulation->overflow = true;
        return;
    }
    simulation->phis[simulation->phi_count++] = phi;
    const struct ssa *ssa = view->state->ssa;
    const struct ssa_value *definition = &ssa->values[phi];
    for (uint32_t a = 0; a < definition->argument_count; a++) {
        uint32_t argument = ssa->arguments[definition->first_argument + a];
        if (argument != SSA_NONE && loop_edge_returns(view, a))
            simulation_include(view, argument, simulation);
    }
}

/* Whether a value is computed in the loop from others: not a phi of a loop inside, not what was loaded. */
static bool is_computed(const struct loop_view *view, uint32_t value) {
    const struct ssa *ssa = view->state->ssa;
    const struct ssa_value *definition = &ssa->values[value];
    if (definition->kind == SSA_ENTRY || !loop_contains(view->loops, view->loop, definition->block))
        return false;
    uint32_t innermost = view->loops->innermost[definition->block];
    if (definition->kind == SSA_PHI)
        return innermost == view->loop || view->loops->items[innermost].header != definition->block;
    return ssa->cfg->function->insts[definition->inst].form->exec == PTX_EXEC_ALU;
}

void simulation_include(const struct loop_view *view, uint32_t value, struct loop_simulation *simulation) {
    const struct ssa_value *definition = &view->state->ssa->values[value];
    if (simulation->overflow || is_included(simulation, value) || !is_computed(view, value)) return;
    if (simulation->pending == SIMULATED_VALUES_MAX) {
        simulation->overflow = true;
        return;
    }
    if (definition->kind == SSA_PHI && definition->block == view->loops->items[view->loop].header) {
        include_header_phi(view, value, simulation);
        return;
    }
    simulation->pending++;
    include_operands(view, value, simulation);
    simulation->pending--;
    if (simulation->value_count == SIMULATED_VALUES_MAX) {
        simulation->overflow = true;
        return;
    }
    simulation->values[simulation->value_count++] = value;
}

/* A phi at a join: any of its arguments that can arrive. */
static struct value_range join_range(const struct loop_view *view, uint32_t phi) {
    const struct ssa *ssa = view->state->ssa;
    const struct ssa_value *definition = &ssa->values[phi];
    uint32_t first = ssa->cfg->graph.in.first[definition->block];
    struct value_range range = range_empty(value_bits(ssa, phi));
    for (uint32_t a = 0; a < definition->argument_count; a++) {
        uint32_t argument = ssa->arguments[definition->first_argument + a];
        if (argument == SSA_NONE || !view->edge_live[first + a]) continue;
        struct value_range one = state_range(view->state, argument);
        range = range_join(&range, &one);
    }
    return range;
}

/* Computes an iteration: each value is what its operands give, among what it is in any iteration. */
static void compute(const struct loop_view *view, const struct loop_simulation *simulation) {
    struct value_state *state = view->state;
    for (uint32_t i = 0; i < simulation->value_count; i++) {
        uint32_t value = simulation->values[i];
        bool joins = state->ssa->values[value].kind == SSA_PHI;
        struct value_range range = joins ? join_range(view, value) : transfer_range(state, value);
        if (!linear_is_symbol(&state->forms[value], value)) {
            struct value_range chosen = choices_linear(state, &state->forms[value]);
            range = range_meet(&range, &chosen);
        }
        range = range_meet(&state->ranges[value], &range);
        state_set(state, value, &range);
    }
}

/* The phi's range in the next iteration. */
static struct value_range next_range(const struct loop_view *view, uint32_t phi) {
    const struct ssa_value *definition = &view->state->ssa->values[phi];
    struct value_range range = range_empty(value_bits(view->state->ssa, phi));
    for (uint32_t a = 0; a < definition->argument_count; a++) {
        uint32_t argument = view->state->ssa->arguments[definition->first_argument + a];
        if (argument == SSA_NONE || !loop_edge_returns(view, a)) continue;
        struct value_range one = state_range(view->state, argument);
        range = range_join(&range, &one);
    }
    return range;
}

/* One iteration from the phis' ranges `now`; false when the loop cannot go on behind it. What the conditions
 * say of values that were already computed is taken into account by computing the iteration once more. */
static bool iterate(const struct loop_view *view, const struct conditions *staying,
                    const struct loop_simulation *simulation, struct value_range *now, bool *changed) {
    struct value_state *state = view->state;
    struct state_mark mark = state_mark(state);
    for (uint32_t i = 0; i < simulation->phi_count; i++)
        state_set(state, simulation->phis[i], &now[i]);
    compute(view, simulation);
    conditions_apply(state, staying);
    compute(view, simulation);
    *changed = false;
    bool goes_on = !state->dead;
    for (uint32_t i = 0; i < simulation->phi_count && goes_on; i++) {
        struct value_range next = next_range(view, simulation->phis[i]);
        *changed |= !range_equal(&next, &now[i]);
        goes_on &= !next.empty;
        now[i] = next;
    }
    state_undo(state, mark);
    return goes_on;
}

/* Adds what the phis are in one more iteration; true when they have been everything. */
static bool join_reached(struct loop_simulation *simulation, const struct value_range *now) {
    bool all = true;
    for (uint32_t i = 0; i < simulation->phi_count; i++) {
        simulation->reached[i] = range_join(&simulation->reached[i], &now[i]);
        all &= range_is_full(&simulation->reached[i]) && range_is_full(&now[i]);
    }
    return all;
}

bool simulation_run(const struct loop_view *view, const struct conditions *staying, uint64_t limit,
                    struct loop_simulation *simulation, uint64_t *headers) {
    struct value_range now[SIMULATED_PHIS_MAX];
    bool changed = true;
    if (limit > SIMULATED_ITERATIONS_MAX) limit = SIMULATED_ITERATIONS_MAX;
    for (uint32_t i = 0; i < simulation->phi_count; i++)
        simulation->reached[i] = now[i] = induction_start(view, simulation->phis[i]);
    for (*headers = 1; *headers < limit && changed; (*headers)++) {
        if (!iterate(view, staying, simulation, now, &changed)) return true;
        changed &= !join_reached(simulation, now);
    }
    return false;
}

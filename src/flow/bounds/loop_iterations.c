#include "flow/bounds/bounds.h"

/* Longest chain of joins that a step is followed through, and most values looked at for one step. */
#define STEP_DEPTH_MAX 16u
#define STEP_VALUES_MAX 256u

/* A step while it is found: from `phi`, as one iteration has it, to other values of the same iteration. */
struct step_search {
    const struct loop_view *view;
    uint32_t phi;
    uint32_t bits;
    uint32_t budget; /* values still to be looked at */
};

static struct value_range distance(struct step_search *search, uint32_t value, uint32_t depth);

static const struct ssa *ssa_of(const struct loop_view *view) {
    return view->state->ssa;
}

/* Which entry of graph.in brings an argument of a phi of the header; GRAPH_NONE: entering the function. */
static uint32_t edge_of(const struct ssa *ssa, uint32_t block, uint32_t argument) {
    const struct adjacency *in = &ssa->cfg->graph.in;
    uint32_t edge = in->first[block] + argument;
    return edge < in->first[block + 1] ? edge : GRAPH_NONE;
}

bool loop_edge_returns(const struct loop_view *view, uint32_t argument) {
    uint32_t header = view->loops->items[view->loop].header;
    uint32_t edge = edge_of(ssa_of(view), header, argument);
    if (edge == GRAPH_NONE || !view->edge_live[edge]) return false;
    uint32_t from = ssa_of(view)->cfg->graph.in.nodes[edge];
    return loop_is_back_edge(view->state->dominators, from, header);
}

bool loop_edge_enters(const struct loop_view *view, uint32_t argument) {
    uint32_t header = view->loops->items[view->loop].header;
    uint32_t edge = edge_of(ssa_of(view), header, argument);
    if (edge == GRAPH_NONE) return true;
    uint32_t from = ssa_of(view)->cfg->graph.in.nodes[edge];
    return view->edge_live[edge] && !loop_is_back_edge(view->state->dominators, from, header);
}

struct value_range induction_start(const struct loop_view *view, uint32_t phi) {
    const struct ssa_value *value = &ssa_of(view)->values[phi];
    struct value_range start = range_empty(value_bits(ssa_of(view), phi));
    for (uint32_t a = 0; a < value->argument_count; a++)
        if (loop_edge_enters(view, a))
            start = range_join(&start, &view->arguments[value->first_argument + a]);
    return start;
}

/* Whether a symbol may change while the loop runs. */
static bool varies(const struct loop_view *view, uint32_t symbol) {
    const struct ssa *ssa = ssa_of(view);
    if (symbol >= ssa->value_count || ssa->values[symbol].kind == SSA_ENTRY) return false;
    return loop_contains(view->loops, view->loop, ssa->values[symbol].block);
}

bool linear_is_invariant(const struct loop_view *view, const struct linear *form) {
    for (uint32_t i = 0; i < form->term_count; i++)
        if (varies(view, form->symbols[i])) return false;
    return true;
}

/* The distance to a linear form: all of it but the phi, or but one value whose distance is known. */
static struct value_range form_distance(struct step_search *search, const struct linear *form,
                                        uint32_t depth) {
    const struct value_state *state = search->view->state;
    if (linear_factor(form, search->phi) == 1) {
        struct linear rest = linear_without(form, search->phi);
        return state_linear(state, &rest);
    }
    for (uint32_t i = 0; i < form->term_count; i++) {
        if (form->factors[i] != 1 || !varies(search->view, form->symbols[i])) continue;
        struct value_range part = distance(search, form->symbols[i], depth + 1);
        struct linear rest = linear_without(form, form->symbols[i]);
        struct value_range others = state_linear(state, &rest);
        return range_add(&part, &others);
    }
    return range_full(search->bits);
}

/* The distance to a phi at a join: that of any of the values that it takes. */
static struct value_range join_distance(struct step_search *search, const struct ssa_value *phi,
                                        uint32_t depth) {
    const struct ssa *ssa = ssa_of(search->view);
    struct value_range result = range_empty(search->bits);
    for (uint32_t a = 0; a < phi->argument_count; a++) {
        uint32_t edge = edge_of(ssa, phi->block, a), argument = ssa->arguments[phi->first_argument + a];
        if (argument == SSA_NONE || edge == GRAPH_NONE || !search->view->edge_live[edge]) continue;
        struct value_range part = distance(search, argument, depth + 1);
        result = range_join(&result, &part);
    }
    return result;
}

/* The distance to a phi at the header of a loop inside: that on entering it, and as many of its steps as it
 * has iterations at most. */
static struct value_range inner_distance(struct step_search *search, uint32_t inner, uint32_t phi,
                                         uint32_t depth) {
    struct loop_view view = *search->view;
    view.loop = inner;
    const struct ssa_value *value = &ssa_of(&view)->values[phi];
    if (!view.bounds[inner].known || depth >= STEP_DEPTH_MAX) return range_full(search->bits);
    struct value_range entered = range_empty(search->bits);
    for (uint32_t a = 0; a < value->argument_count; a++) {
        uint32_t argument = ssa_of(&view)->arguments[value->first_argument + a];
        if (argument == SSA_NONE || !loop_edge_enters(&view, a)) continue;
        struct value_range part = distance(search, argument, depth + 1);
        entered = range_join(&entered, &part);
    }
    struct step_search inside = {&view, phi, search->bits, search->budget};
    struct value_range step = range_empty(search->bits);
    for (uint32_t a = 0; a < value->argument_count; a++) {
        uint32_t argument = ssa_of(&view)->arguments[value->first_argument + a];
        if (argument == SSA_NONE || !loop_edge_returns(&view, a)) continue;
        struct value_range part = distance(&inside, argument, depth + 1);
        step = range_join(&step, &part);
    }
    search->budget = inside.budget;
    uint64_t most = view.bounds[inner].headers - 1;
    if (step.empty || most == 0) return entered;
    if (most > word_mask(search->bits)) return range_full(search->bits);
    struct value_range times = range_of(search->bits, 0, most, 1), steps = range_mul(&step, &times);
    return range_add(&entered, &steps);
}

/* The distance to what an instruction defines: chosen by selp, kept by a guard, or a linear form. */
static struct value_range defined_distance(struct step_search *search, uint32_t value, uint32_t depth) {
    struct value_state *state = search->view->state;
    const struct ssa *ssa = state->ssa;
    const struct ssa_value *definition = &ssa->values[value];
    const struct ptx_inst *inst = &ssa->cfg->function->insts[definition->inst];
    struct value_range result = range_empty(search->bits);
    if (inst->form->op == PTX_OP_SELP) {
        const struct ptx_operand *operands = ptx_operands(ssa->cfg->function, inst);
        for (uint32_t i = 1; i <= 2; i++) {
            struct operand_reading choice =
                state_operand(state, definition->inst, &operands[i], search->bits);
            struct value_range part =
                choice.has_form ? form_distance(search, &choice.form, depth) : range_full(search->bits);
            result = range_join(&result, &part);
        }
    } else {
        struct linear form = transfer_form(state, value);
        result =
            linear_is_symbol(&form, value) ? range_full(search->bits) : form_distance(search, &form, depth);
    }
    for (uint32_t a = 0; a < definition->argument_count; a++) {
        uint32_t old = ssa->arguments[definition->first_argument + a];
        struct value_range part =
            old == SSA_NONE ? range_full(search->bits) : distance(search, old, depth + 1);
        result = range_join(&result, &part);
    }
    return result;
}

/* By how much a value of an iteration differs from the phi's value in this iteration. */
static struct value_range distance(struct step_search *search, uint32_t value, uint32_t depth) {
    const struct loop_view *view = search->view;
    const struct ssa_value *definition = &ssa_of(view)->values[value];
    if (value == search->phi) return range_single(search->bits, 0);
    if (depth >= STEP_DEPTH_MAX || search->budget == 0 || value_bits(ssa_of(view), value) != search->bits)
        return range_full(search->bits);
    search->budget--;
    const struct linear *form = &view->state->forms[value];
    if (!linear_is_symbol(form, value)) return form_distance(search, form, depth);
    if (!varies(view, value)) return range_full(search->bits);
    if (definition->kind == SSA_INST) return defined_distance(search, value, depth);
    uint32_t innermost = view->loops->innermost[definition->block];
    if (view->loops->items[innermost].header != definition->block)
        return join_distance(search, definition, depth);
    return innermost == view->loop ? range_full(search->bits)
                                   : inner_distance(search, innermost, value, depth);
}

struct value_range induction_step(const struct loop_view *view, uint32_t phi) {
    const struct ssa *ssa = ssa_of(view);
    const struct ssa_value *value = &ssa->values[phi];
    struct step_search search = {view, phi, value_bits(ssa, phi), STEP_VALUES_MAX};
    struct value_range step = range_empty(search.bits);
    for (uint32_t a = 0; a < value->argument_count; a++) {
        uint32_t argument = ssa->arguments[value->first_argument + a];
        if (!loop_edge_returns(view, a) || argument == SSA_NONE) continue;
        struct value_range part = distance(&search, argument, 0);
        step = range_join(&step, &part);
    }
    return step;
}

/* The one argument of a phi that the wanted edges bring; SSA_NONE when there are several. */
static uint32_t only_argument(const struct loop_view *view, uint32_t phi,
                              bool (*wanted)(const struct loop_view *, uint32_t)) {
    const struct ssa_value *value = &ssa_of(view)->values[phi];
    uint32_t found = SSA_NONE, count = 0;
    for (uint32_t a = 0; a < value->argument_count; a++) {
        if (!wanted(view, a)) continue;
        found = ssa_of(view)->arguments[value->first_argument + a];
        count++;
    }
    return count == 1 ? found : SSA_NONE;
}

/* rest + factor * phi. */
static void induction_on_phi(const struct loop_view *view, uint32_t phi, uint64_t factor,
                             const struct linear *rest, struct induction *induction) {
    struct value_range times = range_single(rest->bits, factor), start = induction_start(view, phi);
    struct value_range offset = state_linear(view->state, rest), step = induction_step(view, phi);
    start = range_mul(&start, &times);
    induction->start = range_add(&start, &offset);
    induction->step = range_mul(&step, &times);
    uint32_t entering = only_argument(view, phi, loop_edge_enters);
    induction->has_form = entering != SSA_NONE &&
                          linear_add(rest, &view->state->forms[entering], factor, &induction->start_form);
}

/* rest + factor * (phi in the next iteration), if `symbol` and a constant of the loop make that. */
static bool induction_on_next(const struct loop_view *view, uint32_t phi, uint32_t symbol, uint64_t factor,
                              const struct linear *rest, struct induction *induction) {
    uint32_t next = only_argument(view, phi, loop_edge_returns);
    if (next == SSA_NONE || value_bits(ssa_of(view), phi) != rest->bits) return false;
    const struct linear *form = &view->state->forms[next];
    struct linear offset = linear_without(form, symbol), shifted;
    if (linear_factor(form, symbol) != 1 || !linear_is_invariant(view, &offset)) return false;
    if (!linear_add(rest, &offset, 0 - factor, &shifted)) return false;
    induction_on_phi(view, phi, factor, &shifted, induction);
    induction->start = range_add(&induction->start, &induction->step);
    struct linear step = linear_constant(rest->bits, induction->step.low);
    induction->has_form = induction->has_form && range_is_single(&induction->step) &&
                          linear_add(&induction->start_form, &step, 1, &induction->start_form);
    return true;
}

bool induction_of(const struct loop_view *view, const struct operand_reading *value,
                  struct induction *induction) {
    const struct ssa *ssa = ssa_of(view);
    uint32_t header = view->loops->items[view->loop].header, symbol = SSA_NONE, varying = 0;
    if (!value->has_form) return false;
    for (uint32_t i = 0; i < value->form.term_count; i++) {
        if (!varies(view, value->form.symbols[i])) continue;
        symbol = value->form.symbols[i];
        varying++;
    }
    if (varying != 1) return false;
    uint64_t factor = linear_factor(&value->form, symbol);
    struct linear rest = linear_without(&value->form, symbol);
    uint32_t first = ssa->first_phi[header], end = first + ssa->phi_count[header];
    if (symbol >= first && symbol < end) {
        induction_on_phi(view, symbol, factor, &rest, induction);
        return true;
    }
    for (uint32_t phi = first; phi < end; phi++)
        if (induction_on_next(view, phi, symbol, factor, &rest, induction)) return true;
    return false;
}

/* Steps of one direction round the circle. */
struct steps {
    bool down;
    uint64_t least, greatest; /* how far, at least 1 */
};

/* False when a step may be zero, or of either sign. */
static bool steps_of(const struct value_range *step, struct steps *steps) {
    if (step->empty) return false;
    struct integers words = range_integers(step, true);
    if (words.low <= 0 && words.high >= 0) return false;
    steps->down = words.high < 0;
    steps->least = (uint64_t)(steps->down ? -words.high : words.low);
    steps->greatest = (uint64_t)(steps->down ? -words.low : words.high);
    return true;
}

/* limit - value + addend where the walk goes up, value - limit + addend where it goes down. */
static bool distance_form(const struct induction *walk, const struct walk_limit *limit, bool down,
                          uint64_t addend, struct linear *form) {
    const struct linear *from = down ? &limit->form : &walk->start_form;
    const struct linear *to = down ? &walk->start_form : &limit->form;
    struct linear constant = linear_constant(limit->range.bits, addend), ahead;
    return limit->is_invariant && walk->has_form && linear_add(&constant, to, 1, &ahead) &&
           linear_add(&ahead, from, UINT64_MAX, form);
}

/* A walk in equal steps that ends at one word: it comes there exactly when the way is a multiple of the step.
 */
static bool count_exact(struct value_state *state, const struct induction *walk,
                        const struct walk_limit *limit, const struct steps *steps, uint64_t *count) {
    bool fixed = limit->is_invariant || range_is_single(&limit->range);
    if (limit->relation != RELATION_NE || !fixed || steps->least != steps->greatest) return false;
    const struct value_range *from = steps->down ? &limit->range : &walk->start;
    const struct value_range *to = steps->down ? &walk->start : &limit->range;
    struct value_range way = range_sub(to, from);
    struct linear form;
    if (distance_form(walk, limit, steps->down, 0, &form)) {
        struct value_range exact = choices_linear(state, &form);
        way = range_meet(&way, &exact);
    }
    *count = 0;
    if (way.empty) return true;
    struct integers words = range_integers(&way, false);
    if (words.low % steps->least != 0 || words.stride % steps->least != 0) return false;
    *count = (uint64_t)words.high / steps->least;
    return true;
}

/* The words that the value may have when it passes the test; false when they are all but one, which is not
 * known but the same in all iterations. */
static bool passing_words(const struct walk_limit *limit, struct value_range *words) {
    *words = range_related(limit->relation, limit->is_signed, &limit->range);
    if (limit->relation != RELATION_NE || range_is_single(&limit->range) || !limit->is_invariant) return true;
    words->span = word_mask(words->bits) - 1;
    return false;
}

/* How far the walk can go among the passing words, from the place where it starts. */
static uint64_t room_by_ranges(const struct value_range *start, const struct value_range *words, bool down) {
    struct value_range first = range_single(words->bits, words->low);
    struct value_range places = range_sub(start, &first);
    struct integers offsets = range_integers(&places, false);
    if (down) return offsets.high < (__int128)words->span ? (uint64_t)offsets.high : words->span;
    return offsets.low < (__int128)words->span ? words->span - (uint64_t)offsets.low : 0;
}

/* The same from the difference of start and limit; false when the limit is not where the walk leaves. The
 * first value that passes is at most `span` away from the end. */
static bool room_by_forms(struct value_state *state, const struct induction *walk,
                          const struct walk_limit *limit, bool down, uint64_t span,
                          struct value_range *room) {
    enum relation relation = limit->relation;
    bool bounds_low = relation == RELATION_GT || relation == RELATION_GE;
    bool bounds_high = relation == RELATION_LT || relation == RELATION_LE;
    bool strict = relation == RELATION_LT || relation == RELATION_GT || relation == RELATION_NE;
    struct linear form;
    if ((down && bounds_high) || (!down && bounds_low)) return false;
    if (!distance_form(walk, limit, down, strict ? UINT64_MAX : 0, &form)) return false;
    struct value_range ahead = range_of(limit->range.bits, 0, span, 1), exact = choices_linear(state, &form);
    *room = range_meet(&exact, &ahead);
    return true;
}

bool trip_count(struct value_state *state, const struct induction *walk, const struct walk_limit *limit,
                uint64_t *count) {
    struct value_range words, start = walk->start, room;
    struct steps steps;
    bool placed = passing_words(limit, &words);
    if (placed) start = range_meet(&start, &words);
    *count = 0;
    if (start.empty || words.empty) return true;
    if (!steps_of(&walk->step, &steps)) return false;
    if (limit->relation == RELATION_EQ && limit->is_invariant) {
        *count = 1; /* a step is never a whole circle */
        return true;
    }
    if (steps.least > 1 && count_exact(state, walk, limit, &steps, count)) return true;
    uint64_t gap = word_mask(words.bits) - words.span;
    if (gap < steps.greatest) return false;
    uint64_t farthest = placed ? room_by_ranges(&start, &words, steps.down) : words.span;
    if (room_by_forms(state, walk, limit, steps.down, words.span, &room)) {
        if (room.empty) return true;
        __int128 high = range_integers(&room, false).high;
        if (high < (__int128)farthest) farthest = (uint64_t)high;
    }
    *count = farthest / steps.least + 1;
    return true;
}

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

/* Includes the operands of a value: registers that an instruction reads, and the arguments of phis and
 * guarded instructions. */
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

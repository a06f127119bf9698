#include "flow/induction.h"

#include "flow/range_arithmetic.h"
#include "flow/transfer.h"

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
    induction->has_form &= range_is_single(&induction->step) &&
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

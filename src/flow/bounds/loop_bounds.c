#include "flow/bounds/bounds.h"

#include <assert.h>
#include <string.h>

/* Walks over the code: each uses the bounds of the one before, and each by itself is sound. A loop's bound
 * may need those of all loops around it, and its own phis' ranges once more. */
#define ROUNDS_BESIDES_DEPTH 2u
#define ROUNDS_MAX 12u

/* A walk down the dominator tree, which computes the range of every value, and bounds a loop when it leaves
 * the part of the tree below the loop's header. */
struct finder {
    const struct ssa *ssa;
    const struct dominators *dominators;
    const struct loops *loops;
    struct value_state state;
    struct loop_bound *bounds;     /* per loop */
    struct value_range *arguments; /* per argument of the SSA form: its range where it is taken over */
    struct value_range *recurring; /* per value: of a phi of a header what the loop's bound says of it */
    bool *in_slice;                /* per value: branches depend on it; others are not looked at */
    bool *irreducible;             /* per loop: an irreducible region is inside */
    bool *edge_live;               /* per entry of graph.in */
    uint32_t *arrives;             /* per entry of graph.out: that of graph.in */
    uint32_t *loop_of_header;      /* per block, or GRAPH_NONE */
    uint32_t *child;               /* the blocks below each in the dominator tree, such that control comes */
    uint32_t *first_child;         /* through those before the others; block_count + 2 entries */
    struct state_mark *marks;      /* per block: the state before it was entered */
    bool changed;                  /* this round found something new */
};

/* Numbers the blocks in the order in which a depth-first walk leaves them; returns how many it
 * reaches. */
static uint32_t find_postorder(const struct cfg *cfg, struct arena *arena, uint32_t *order) {
    const struct adjacency *out = &cfg->graph.out;
    uint32_t *stack = arena_array(arena, (size_t)cfg->graph.node_count + 1, sizeof *stack);
    uint32_t *next = arena_array(arena, (size_t)cfg->graph.node_count + 1, sizeof *next);
    bool *met = arena_array(arena, (size_t)cfg->graph.node_count + 1, sizeof *met);
    uint32_t depth = 1, count = 0;
    stack[0] = CFG_ENTRY;
    next[CFG_ENTRY] = out->first[CFG_ENTRY];
    met[CFG_ENTRY] = true;
    while (depth > 0) {
        uint32_t node = stack[depth - 1];
        if (next[node] == out->first[node + 1]) {
            order[count++] = node;
            depth--;
            continue;
        }
        uint32_t to = out->nodes[next[node]++];
        if (met[to]) continue;
        met[to] = true;
        next[to] = out->first[to];
        stack[depth++] = to;
    }
    return count;
}

/* Lists the children of every block, those that control comes to first in front: in a reducible graph all
 * values that arrive at a join by forward edges are then computed before it. */
static void find_children(struct finder *finder, struct arena *arena) {
    const struct cfg *cfg = finder->ssa->cfg;
    const uint32_t nodes = cfg->graph.node_count;
    uint32_t *order = arena_array(arena, (size_t)nodes + 1, sizeof *order);
    finder->child = arena_array(arena, (size_t)nodes + 1, sizeof *finder->child);
    finder->first_child = arena_array(arena, (size_t)nodes + 2, sizeof *finder->first_child);
    const uint32_t count = find_postorder(cfg, arena, order);
    for (uint32_t i = 0; i < count; i++)
        if (finder->dominators->parent[order[i]] != GRAPH_NONE)
            finder->first_child[finder->dominators->parent[order[i]] + 2]++;
    for (size_t n = 2; n <= nodes; n++)
        finder->first_child[n + 1] += finder->first_child[n];
    for (uint32_t i = count; i-- > 0;) {
        uint32_t parent = finder->dominators->parent[order[i]];
        if (parent != GRAPH_NONE) finder->child[finder->first_child[parent + 1]++] = order[i];
    }
}

static void finder_allocate(struct finder *finder, struct arena *arena, struct arena *scratch) {
    const struct ssa *ssa = finder->ssa;
    const struct graph *graph = &ssa->cfg->graph;
    size_t argument_count = 0;
    for (uint32_t v = 0; v < ssa->value_count; v++) {
        size_t end = (size_t)ssa->values[v].first_argument + ssa->values[v].argument_count;
        if (ssa->values[v].argument_count != 0 && end > argument_count) argument_count = end;
    }
    finder->bounds = arena_array(arena, (size_t)finder->loops->count + 1, sizeof *finder->bounds);
    finder->arguments = arena_array(scratch, argument_count + 1, sizeof *finder->arguments);
    finder->recurring = arena_array(scratch, (size_t)ssa->value_count + 1, sizeof *finder->recurring);
    finder->irreducible = arena_array(scratch, (size_t)finder->loops->count + 1, sizeof *finder->irreducible);
    finder->edge_live = arena_array(scratch, (size_t)graph->edge_count + 1, sizeof *finder->edge_live);
    finder->arrives = graph_arrivals(scratch, graph);
    finder->loop_of_header =
        arena_array(scratch, (size_t)graph->node_count + 1, sizeof *finder->loop_of_header);
    finder->marks = arena_array(scratch, (size_t)graph->node_count + 1, sizeof *finder->marks);
}

/* Marks the loops around each block of an irreducible region. */
static void find_irreducible(struct finder *finder) {
    const struct loops *loops = finder->loops;
    for (uint32_t block = 0; block < finder->ssa->cfg->block_count; block++) {
        uint32_t loop = loops->region_of[block] == GRAPH_NONE ? GRAPH_NONE : loops->innermost[block];
        for (; loop != GRAPH_NONE && !finder->irreducible[loop]; loop = loops->items[loop].parent)
            finder->irreducible[loop] = true;
    }
}

/* Nothing is known yet: every value may be anything, every edge may be taken. */
static void finder_init(struct finder *finder, struct arena *arena, struct arena *scratch) {
    const struct ssa *ssa = finder->ssa;
    const struct graph *graph = &ssa->cfg->graph;
    finder_allocate(finder, arena, scratch);
    find_children(finder, scratch);
    finder->in_slice = branch_slice_find(ssa, scratch);
    find_irreducible(finder);
    for (uint32_t block = 0; block < ssa->cfg->block_count; block++)
        for (uint32_t e = graph->out.first[block]; e < graph->out.first[block + 1]; e++)
            finder->edge_live[finder->arrives[e]] = ssa->cfg->blocks[block].reachable;
    for (uint32_t v = 0; v < ssa->value_count; v++) {
        finder->recurring[v] = range_full(value_bits(ssa, v));
        for (uint32_t a = 0; a < ssa->values[v].argument_count; a++)
            finder->arguments[ssa->values[v].first_argument + a] = finder->recurring[v];
    }
    memset(finder->loop_of_header, 0xff, graph->node_count * sizeof *finder->loop_of_header);
    for (uint32_t l = 0; l < finder->loops->count; l++)
        finder->loop_of_header[finder->loops->items[l].header] = l;
}

static struct loop_view view_of(struct finder *finder, uint32_t loop) {
    return (struct loop_view){&finder->state, finder->loops,     loop,
                              finder->bounds, finder->edge_live, finder->arguments};
}

/* Sets what a value is whenever it is defined. */
static void define(struct finder *finder, uint32_t value, const struct value_range *range) {
    struct value_state *state = &finder->state;
    state->ranges[value] = *range;
    uint32_t bits = value_bits(finder->ssa, value);
    bool computed = value_definition(finder->ssa, value) != NULL;
    state->forms[value] = computed ? transfer_form(state, value) : linear_symbol(bits, value);
    if (!linear_is_symbol(&state->forms[value], value)) {
        struct value_range chosen = choices_linear(state, &state->forms[value]);
        state->ranges[value] = range_meet(range, &chosen);
    }
    if (range_is_single(&state->ranges[value]))
        state->forms[value] = linear_constant(bits, state->ranges[value].low);
}

/* A phi is any of its arguments that can arrive; at a loop's header also what the loop's bound says. */
static void define_phi(struct finder *finder, uint32_t phi) {
    const struct ssa_value *value = &finder->ssa->values[phi];
    const struct adjacency *in = &finder->ssa->cfg->graph.in;
    uint32_t first = in->first[value->block], edges = in->first[value->block + 1] - first;
    struct value_range range = range_empty(value_bits(finder->ssa, phi));
    for (uint32_t a = 0; a < value->argument_count; a++) {
        if (finder->ssa->arguments[value->first_argument + a] == SSA_NONE) continue;
        if (a < edges && !finder->edge_live[first + a]) continue;
        range = range_join(&range, &finder->arguments[value->first_argument + a]);
    }
    range = range_meet(&range, &finder->recurring[phi]);
    define(finder, phi, &range);
}

static void define_values(struct finder *finder, uint32_t block) {
    const struct ssa *ssa = finder->ssa;
    const struct cfg_block *code = &ssa->cfg->blocks[block];
    for (uint32_t i = 0; i < ssa->phi_count[block]; i++)
        if (finder->in_slice[ssa->first_phi[block] + i]) define_phi(finder, ssa->first_phi[block] + i);
    for (uint32_t inst = code->first; inst < code->first + code->count; inst++) {
        for (uint32_t d = ssa->first_def[inst]; d < ssa->first_def[inst + 1]; d++) {
            if (ssa->defs[d] == SSA_NONE || !finder->in_slice[ssa->defs[d]]) continue;
            struct value_range range = transfer_range(&finder->state, ssa->defs[d]);
            define(finder, ssa->defs[d], &range);
        }
    }
}

/* Refines the state by what holds when control goes from one block to the other. */
static void take_edge(struct finder *finder, uint32_t from, uint32_t to) {
    struct conditions list = {0};
    conditions_of_edge(&finder->state, from, to, &list);
    conditions_apply(&finder->state, &list);
}

/* Keeps what the arguments of phis are at the ends of the edges that leave the block. */
static void pass_arguments(struct finder *finder, uint32_t block) {
    const struct ssa *ssa = finder->ssa;
    const struct graph *graph = &ssa->cfg->graph;
    for (uint32_t e = graph->out.first[block]; e < graph->out.first[block + 1]; e++) {
        uint32_t to = graph->out.nodes[e], arrives = finder->arrives[e];
        if (to == ssa->cfg->exit) continue;
        struct state_mark mark = state_mark(&finder->state);
        take_edge(finder, block, to);
        finder->edge_live[arrives] = !finder->state.dead;
        for (uint32_t i = 0; i < ssa->phi_count[to]; i++) {
            if (!finder->in_slice[ssa->first_phi[to] + i]) continue;
            uint32_t argument =
                ssa->values[ssa->first_phi[to] + i].first_argument + arrives - graph->in.first[to];
            if (ssa->arguments[argument] != SSA_NONE)
                finder->arguments[argument] = state_range(&finder->state, ssa->arguments[argument]);
        }
        state_undo(&finder->state, mark);
    }
}

/* The one block that control enters `block` from, or GRAPH_NONE. */
static uint32_t only_predecessor(const struct finder *finder, uint32_t block) {
    const struct adjacency *in = &finder->ssa->cfg->graph.in;
    bool one = block != CFG_ENTRY && in->first[block + 1] - in->first[block] == 1;
    return one ? in->nodes[in->first[block]] : GRAPH_NONE;
}

static void enter_block(struct finder *finder, uint32_t block) {
    finder->marks[block] = state_mark(&finder->state);
    uint32_t from = only_predecessor(finder, block);
    if (from != GRAPH_NONE) take_edge(finder, from, block);
    define_values(finder, block);
    pass_arguments(finder, block);
}

/* The nearest block that dominates the ends of all back edges: every iteration that another follows passes
 * it, and the blocks that dominate it. */
static uint32_t last_passed(const struct loop_view *view) {
    const struct adjacency *in = &view->state->ssa->cfg->graph.in;
    const struct dominators *dominators = view->state->dominators;
    uint32_t header = view->loops->items[view->loop].header, passed = GRAPH_NONE;
    for (uint32_t e = in->first[header]; e < in->first[header + 1]; e++) {
        if (!loop_is_back_edge(dominators, in->nodes[e], header)) continue;
        if (passed == GRAPH_NONE) passed = in->nodes[e];
        while (!dominates(dominators, passed, in->nodes[e]))
            passed = dominators->parent[passed];
    }
    return passed;
}

/* Collects what holds whenever control stays in the loop at a block that every iteration passes once. */
static void collect_staying(const struct loop_view *view, uint32_t block, struct conditions *list) {
    const struct adjacency *out = &view->state->ssa->cfg->graph.out;
    uint32_t stays = GRAPH_NONE, count = 0;
    for (uint32_t e = out->first[block]; e < out->first[block + 1]; e++) {
        uint32_t to = out->nodes[e];
        if (to == view->state->ssa->cfg->exit || !loop_contains(view->loops, view->loop, to)) continue;
        stays = to;
        count++;
    }
    if (count == 1) conditions_of_edge(view->state, block, stays, list);
}

/* Lowers the bound of a loop to `headers` executions. */
static void lower(struct finder *finder, uint32_t loop, uint64_t headers) {
    struct loop_bound *bound = &finder->bounds[loop];
    if (bound->known && bound->headers <= headers) return;
    *bound = (struct loop_bound){.known = true, .headers = headers};
    finder->changed = true;
}

/* Bounds the loop by a value that walks, which is in the relation to `b` in each iteration behind which
 * another comes. False when that gives no bound. */
static bool bound_by_walk(struct finder *finder, const struct loop_view *view, enum relation relation,
                          bool is_signed, const struct induction *walk, const struct operand_reading *b) {
    uint64_t count;
    struct walk_limit limit = {.relation = relation, .is_signed = is_signed, .range = b->range};
    limit.is_invariant = b->has_form && linear_is_invariant(view, &b->form);
    if (limit.is_invariant) limit.form = b->form;
    if (!trip_count(view->state, walk, &limit, &count) || count == UINT64_MAX) return false;
    lower(finder, view->loop, count + 1);
    return true;
}

static bool bound_by(struct finder *finder, const struct loop_view *view, enum relation relation,
                     bool is_signed, const struct operand_reading *a, const struct operand_reading *b) {
    struct induction walk;
    return induction_of(view, a, &walk) && bound_by_walk(finder, view, relation, is_signed, &walk, b);
}

/* The same of a counter in two registers. */
static bool bound_by_halves(struct finder *finder, const struct loop_view *view, uint32_t inst,
                            const struct comparison *c) {
    struct halves a, b;
    struct induction walk;
    bool found = false;
    if (view->state->ssa->cfg->function->insts[inst].form->op != PTX_OP_MACHINE_SETP ||
        !halves_compared(view->state, inst, &a, &b))
        return false;
    if (wide_induction_of(view, &a, &walk))
        found |= bound_by_walk(finder, view, c->relation, c->is_signed, &walk, &c->b);
    if (wide_induction_of(view, &b, &walk))
        found |= bound_by_walk(finder, view, relation_swapped(c->relation), c->is_signed, &walk, &c->a);
    return found;
}

/* Bounds the loop by a condition that holds in each iteration behind which another comes: whichever side of
 * the comparison changes with the iterations. */
static bool bound_by_comparison(struct finder *finder, const struct loop_view *view,
                                const struct condition *condition) {
    struct comparison c;
    if (!comparison_of(view->state, condition, &c)) return false;
    bool left = bound_by(finder, view, c.relation, c.is_signed, &c.a, &c.b);
    bool right = bound_by(finder, view, relation_swapped(c.relation), c.is_signed, &c.b, &c.a);
    const bool halves = bound_by_halves(finder, view, condition->index, &c);
    return left || right || halves;
}

/* Keeps what a phi of a header can be. */
static void narrow(struct finder *finder, uint32_t phi, const struct value_range *reached) {
    struct value_range *known = &finder->recurring[phi];
    struct value_range both = range_meet(known, reached);
    finder->changed |= !range_equal(&both, known);
    *known = both;
}

/* Bounds the loop by running it on ranges, as long as all conditions can hold. */
static bool bound_by_simulation(struct finder *finder, const struct loop_view *view,
                                const struct conditions *staying) {
    struct loop_simulation simulation = {0};
    struct comparison comparison;
    for (uint32_t i = 0; i < staying->count; i++) {
        if (!comparison_of(view->state, &staying->items[i], &comparison)) continue;
        if (comparison.a.value != SSA_NONE) simulation_include(view, comparison.a.value, &simulation);
        if (comparison.b.value != SSA_NONE) simulation_include(view, comparison.b.value, &simulation);
    }
    uint64_t headers;
    if (simulation.overflow || simulation.phi_count == 0) return false;
    if (!simulation_run(view, staying, SIMULATED_ITERATIONS_MAX, &simulation, &headers)) return false;
    lower(finder, view->loop, headers);
    for (uint32_t i = 0; i < simulation.phi_count; i++)
        narrow(finder, simulation.phis[i], &simulation.reached[i]);
    return true;
}

/* The range of a phi of the header by the number of iterations: its start, and as many steps. Where the steps
 * are not known, the loop is run on ranges. */
static void find_recurring(struct finder *finder, const struct loop_view *view, uint32_t phi) {
    const struct loop_bound *bound = &finder->bounds[view->loop];
    uint32_t bits = value_bits(finder->ssa, phi);
    uint64_t most = bound->known ? bound->headers - 1 : UINT64_MAX;
    struct value_range step = induction_step(view, phi), reached = range_full(bits);
    if (step.empty || most == 0) {
        reached = induction_start(view, phi);
    } else if (!range_is_full(&step)) {
        struct value_range times = range_of(bits, 0, most > word_mask(bits) ? word_mask(bits) : most, 1);
        struct value_range start = induction_start(view, phi), way = range_mul(&step, &times);
        reached = range_add(&start, &way);
    } else if (most < SIMULATED_ITERATIONS_MAX) {
        struct loop_simulation simulation = {0};
        struct conditions none = {0};
        uint64_t headers;
        simulation_include(view, phi, &simulation);
        if (!simulation.overflow && simulation.phi_count != 0) {
            (void)simulation_run(view, &none, most + 1, &simulation, &headers);
            reached = simulation.reached[0];
        }
    }
    narrow(finder, phi, &reached);
}

/* Bounds the loop by the branches that every iteration passes once, in blocks in no loop inside: by the walks
 * that their comparisons end, or by simulation. False when none gives a bound. */
static bool bound_by_branches(struct finder *finder, const struct loop_view *view, bool simulate) {
    const struct loop *loop = &view->loops->items[view->loop];
    uint32_t last = last_passed(view);
    bool found = false;
    for (uint32_t m = 0; m < loop->member_count; m++) {
        uint32_t block = view->loops->members[loop->first_member + m];
        if (view->loops->innermost[block] != view->loop) break; /* own blocks come first */
        if (!dominates(view->state->dominators, block, last)) continue;
        struct conditions staying = {0};
        collect_staying(view, block, &staying);
        if (simulate && staying.count != 0) found |= bound_by_simulation(finder, view, &staying);
        for (uint32_t i = 0; !simulate && i < staying.count; i++)
            found |= bound_by_comparison(finder, view, &staying.items[i]);
    }
    return found;
}

/* Whether the header can be come to by a back edge, and by an edge from outside. */
static bool may_iterate(const struct loop_view *view) {
    const struct adjacency *in = &view->state->ssa->cfg->graph.in;
    uint32_t header = view->loops->items[view->loop].header;
    bool enters = false, returns = false;
    uint32_t edges = in->first[header + 1] - in->first[header];
    for (uint32_t a = 0; a < edges + (header == CFG_ENTRY); a++) {
        enters |= loop_edge_enters(view, a);
        returns |= loop_edge_returns(view, a);
    }
    return enters && returns && !view->state->dead;
}

/* Bounds a loop all of whose blocks have been looked at. */
static void bound_loop(struct finder *finder, uint32_t loop) {
    struct loop_view view = view_of(finder, loop);
    if (finder->irreducible[loop]) return;
    if (!may_iterate(&view)) lower(finder, loop, 1);
    if (!bound_by_branches(finder, &view, false)) (void)bound_by_branches(finder, &view, true);
    uint32_t header = finder->loops->items[loop].header;
    uint32_t first = finder->ssa->first_phi[header];
    for (uint32_t phi = first; phi < first + finder->ssa->phi_count[header]; phi++)
        if (finder->in_slice[phi] && value_bits(finder->ssa, phi) > 1) find_recurring(finder, &view, phi);
}

/* The one block outside of the loop that control comes to the header from, or GRAPH_NONE. */
static uint32_t only_entry(const struct finder *finder, uint32_t header) {
    const struct adjacency *in = &finder->ssa->cfg->graph.in;
    uint32_t found = GRAPH_NONE, count = header == CFG_ENTRY;
    for (uint32_t e = in->first[header]; e < in->first[header + 1]; e++) {
        if (loop_is_back_edge(finder->dominators, in->nodes[e], header)) continue;
        found = in->nodes[e];
        count++;
    }
    return count == 1 ? found : GRAPH_NONE;
}

static void leave_block(struct finder *finder, uint32_t block) {
    uint32_t loop = finder->loop_of_header[block];
    if (loop != GRAPH_NONE) {
        uint32_t from = only_entry(finder, block);
        if (from != GRAPH_NONE) take_edge(finder, from, block);
        bound_loop(finder, loop);
    }
    state_undo(&finder->state, finder->marks[block]);
}

/* One walk over the dominator tree. `stack` and `next` have room for every block. */
static void walk(struct finder *finder, uint32_t *stack, uint32_t *next) {
    uint32_t depth = 1;
    stack[0] = CFG_ENTRY;
    next[CFG_ENTRY] = finder->first_child[CFG_ENTRY];
    enter_block(finder, CFG_ENTRY);
    while (depth > 0) {
        uint32_t block = stack[depth - 1];
        if (next[block] == finder->first_child[block + 1]) {
            leave_block(finder, block);
            depth--;
            continue;
        }
        uint32_t below = finder->child[next[block]++];
        if (below == finder->ssa->cfg->exit) continue;
        next[below] = finder->first_child[below];
        enter_block(finder, below);
        stack[depth++] = below;
    }
}

/* Rounds of the walk: bounds of loops inside others come with those around them. */
static uint32_t rounds_of(const struct loops *loops) {
    uint32_t rounds = ROUNDS_BESIDES_DEPTH;
    for (uint32_t l = 0; l < loops->count; l++)
        if (loops->items[l].depth + ROUNDS_BESIDES_DEPTH > rounds)
            rounds = loops->items[l].depth + ROUNDS_BESIDES_DEPTH;
    return rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
}

struct loop_bound *loop_bounds_find(const struct ssa *ssa, const struct dominators *dominators,
                                    const struct loops *loops, const struct loop_environment *environment,
                                    struct arena *arena) {
    struct finder finder = {.ssa = ssa, .dominators = dominators, .loops = loops};
    struct arena scratch = {0};
    const size_t nodes = ssa->cfg->graph.node_count;
    arena_bind(&scratch, arena);
    finder_init(&finder, arena, &scratch);
    value_state_init(ssa, dominators, environment, &scratch, &finder.state);
    uint32_t *stack = arena_array(&scratch, nodes + 1, sizeof *stack);
    uint32_t *next = arena_array(&scratch, nodes + 1, sizeof *next);
    finder.changed = loops->count != 0;
    for (uint32_t round = 0; round < rounds_of(loops) && finder.changed; round++) {
        finder.changed = false;
        walk(&finder, stack, next);
        assert(finder.state.log.count == 0 && !finder.state.dead && "what a walk refines it takes back");
    }
    arena_free(&scratch);
    return finder.bounds;
}

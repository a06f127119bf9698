/* Gates of random functions and of all kernels: decision graphs against what walks took, and predicates
 * against their definitions, carried out literally. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gates_case.h"
#include "kernel_index.h"

/* ---- Walks --------------------------------------------------------------------------------------------- */

enum { STEPS_MAX = 40, DEPTH_MAX = 12 };

/* A block that was executed, and in which iteration of each loop around it. */
struct step {
    uint32_t block;
    uint32_t arrival; /* by which of the edges into it */
    uint32_t edge;    /* that it was left by, as in graph.out.nodes */
    uint64_t iterations;
};

struct walk {
    struct step steps[STEPS_MAX];
    uint32_t count;
};

/* The iterations of the loops around a block: some bits for each. */
static uint64_t iterations_of(const struct loops *loops, uint32_t block, const uint32_t *counts) {
    uint64_t key = 0;
    for (uint32_t l = loops->innermost[block]; l != GRAPH_NONE; l = loops->items[l].parent) {
        assert_true(loops->items[l].depth <= 10);
        key = key << 6 | counts[l];
    }
    return key;
}

static void take_walk(const struct flow_case *flow, struct random_state *random, struct walk *walk) {
    const struct graph *graph = &flow->cfg.graph;
    uint32_t *counts = calloc((size_t)flow->loops.count + 1, sizeof *counts);
    uint32_t block = CFG_ENTRY;
    uint32_t arrival = graph->in.first[1] - graph->in.first[0];
    walk->count = 0;
    while (block != flow->cfg.exit && walk->count < STEPS_MAX) {
        struct step *step = &walk->steps[walk->count++];
        uint32_t first = graph->out.first[block];
        uint32_t ways = graph->out.first[block + 1] - first;
        *step = (struct step){block, arrival, GRAPH_NONE, iterations_of(&flow->loops, block, counts)};
        if (ways == 0) break;
        step->edge = first + (uint32_t)random_below(random, ways);
        uint32_t to = graph->out.nodes[step->edge];
        uint32_t loop = flow->loops.innermost[to];
        if (loop != GRAPH_NONE && flow->loops.items[loop].header == to) {
            bool back = loop_is_back_edge(&flow->dominators, block, to);
            counts[loop] = back ? counts[loop] + 1 : 0;
        }
        arrival = flow_case_arrival(flow, block, step->edge);
        block = to;
    }
    free(counts);
}

static uint32_t argument_of(const struct flow_case *flow, uint32_t phi, uint32_t arrival) {
    return flow->ssa.arguments[flow->ssa.values[phi].first_argument + arrival];
}

/* ---- Decision graphs ----------------------------------------------------------------------------------- */

/* The value that a decision graph chooses, given the edge by which each block was last left. */
static uint32_t choose(const struct flow_case *flow, uint32_t root, const uint32_t *left_by) {
    const struct gate_node *node = &flow->gates->nodes[root];
    while (node->block != GRAPH_NONE) {
        const struct ptx_inst *branch = cfg_last(&flow->cfg, node->block);
        uint32_t first = flow->cfg.graph.out.first[node->block];
        assert_int_equal(branch->form->op, PTX_OP_BRA);
        assert_int_equal(flow->ssa.values[node->predicate].reg, branch->guard);
        assert_true(left_by[node->block] == first || left_by[node->block] == first + 1);
        node = &flow->gates->nodes[left_by[node->block] == first ? node->taken : node->fallen];
    }
    return node->predicate;
}

/* Compares the graphs of all gammas on the walk with the edges that the walk came by; counts them. */
static uint32_t check_choices(const struct flow_case *flow, const struct walk *walk) {
    uint32_t checked = 0;
    uint32_t *left_by = calloc((size_t)flow->cfg.block_count + 1, sizeof *left_by);
    memset(left_by, 0xff, (size_t)flow->cfg.block_count * sizeof *left_by);
    for (uint32_t s = 0; s < walk->count; s++) {
        const struct step *step = &walk->steps[s];
        for (uint32_t p = 0; p < flow->ssa.phi_count[step->block]; p++) {
            uint32_t phi = flow->ssa.first_phi[step->block] + p;
            const struct gate *gate = &flow->gates->phis[phi];
            if (gate->kind != GATE_GAMMA) continue;
            assert_int_equal(choose(flow, gate->root, left_by), argument_of(flow, phi, step->arrival));
            checked++;
        }
        left_by[step->block] = step->edge;
    }
    free(left_by);
    return checked;
}

static void flow_of_seed(struct flow_case *flow, uint64_t seed, uint32_t blocks, bool forwards) {
    struct random_state random = random_seeded(seed);
    struct text body = {0};
    flow_case_random_body(&random, blocks, forwards, &body);
    gates_case_of_body(flow, body.data);
    text_free(&body);
}

static void test_graphs_choose_what_walks_took(void **state) {
    (void)state;
    uint32_t checked = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct random_state random = random_seeded(seed);
        struct flow_case flow;
        struct walk walk;
        flow_of_seed(&flow, seed, 14, seed % 4 == 0);
        for (int i = 0; i < 10; i++) {
            take_walk(&flow, &random, &walk);
            checked += check_choices(&flow, &walk);
        }
        flow_case_free(&flow);
    }
    assert_true(checked > 10000);
}

/* ---- Predicates are complete --------------------------------------------------------------------------- */

/* Whether two steps are one block in one iteration of all loops around it. */
static bool same_step(const struct step *a, const struct step *b) {
    return a->block == b->block && a->iterations == b->iterations;
}

static bool has_step(const struct walk *walk, uint32_t count, const struct step *step) {
    for (uint32_t s = 0; s < count; s++) {
        if (same_step(&walk->steps[s], step)) return true;
    }
    return false;
}

static bool in_loop(const struct flow_case *flow, uint32_t loop, uint32_t block) {
    return loop == GRAPH_NONE || loop_contains(&flow->loops, loop, block);
}

/* The branch that parted two walks for good: of the last step of `a` before `a_end` that `b` has before
 * `b_end`, too, among those in a loop. */
static uint32_t parting_block(const struct flow_case *flow, const struct walk *a, uint32_t a_end,
                              const struct walk *b, uint32_t b_end, uint32_t loop) {
    while (a_end-- > 0) {
        const struct step *step = &a->steps[a_end];
        if (in_loop(flow, loop, step->block) && has_step(b, b_end, step)) return step->block;
    }
    fail_msg("two walks without a common start");
    return GRAPH_NONE;
}

/* All that a block's branch reads has to be among the predicates. */
static void assert_listed(const struct flow_case *flow, uint64_t seed, uint32_t block, uint32_t first,
                          uint32_t count) {
    uint32_t last = flow->cfg.blocks[block].first + flow->cfg.blocks[block].count - 1;
    assert_true(flow->ssa.first_use[last] < flow->ssa.first_use[last + 1]);
    for (uint32_t u = flow->ssa.first_use[last]; u < flow->ssa.first_use[last + 1]; u++) {
        bool listed = false;
        for (uint32_t i = 0; i < count; i++)
            listed |= flow->gates->predicates[first + i] == flow->ssa.uses[u];
        if (!listed) fail_msg("seed %llu: block %u is not listed", (unsigned long long)seed, block);
    }
}

/* Two walks that arrive at a phi in the same iteration and take different values. */
static uint32_t check_gates_of_steps(const struct flow_case *flow, uint64_t seed, const struct walk *a,
                                     uint32_t a_at, const struct walk *b, uint32_t b_at) {
    uint32_t checked = 0;
    uint32_t block = a->steps[a_at].block;
    for (uint32_t p = 0; p < flow->ssa.phi_count[block]; p++) {
        uint32_t phi = flow->ssa.first_phi[block] + p;
        const struct gate *gate = &flow->gates->phis[phi];
        if (argument_of(flow, phi, a->steps[a_at].arrival) == argument_of(flow, phi, b->steps[b_at].arrival))
            continue;
        uint32_t parting = parting_block(flow, a, a_at, b, b_at, GRAPH_NONE);
        assert_listed(flow, seed, parting, gate->first_predicate, gate->predicate_count);
        checked++;
    }
    return checked;
}

/* The outermost loop around a definition in whose iterations its two last executions differ, or GRAPH_NONE;
 * *at: where these are in the walks. */
static uint32_t differing_loop(const struct flow_case *flow, uint32_t block, uint64_t a, uint64_t b) {
    uint32_t differing = GRAPH_NONE;
    uint32_t l = flow->loops.innermost[block];
    uint32_t depth = l == GRAPH_NONE ? 0 : flow->loops.items[l].depth;
    /* The innermost loop's count stands highest. */
    for (; l != GRAPH_NONE; l = flow->loops.items[l].parent) {
        depth--;
        if ((a >> 6 * depth & 63) != (b >> 6 * depth & 63)) differing = l;
    }
    return differing;
}

static uint64_t last_iterations(const struct walk *walk, uint32_t at, uint32_t block) {
    while (walk->steps[at].block != block)
        at--;
    return walk->steps[at].iterations;
}

/* Two walks that use a value in the same iteration, which they computed in different ones. */
static uint32_t check_eta_of_use(const struct flow_case *flow, uint64_t seed, uint32_t value,
                                 const struct walk *a, uint32_t a_at, const struct walk *b, uint32_t b_at) {
    uint32_t user = a->steps[a_at].block;
    uint32_t block = flow->ssa.values[value].block;
    uint64_t a_key = last_iterations(a, a_at, block);
    uint64_t b_key = last_iterations(b, b_at, block);
    uint32_t loop = differing_loop(flow, block, a_key, b_key);
    if (loop == GRAPH_NONE) return 0;
    assert_false(loop_contains(&flow->loops, loop, user));
    uint32_t outermost = loop;
    while (flow->loops.items[outermost].parent != GRAPH_NONE &&
           !loop_contains(&flow->loops, flow->loops.items[outermost].parent, user))
        outermost = flow->loops.items[outermost].parent;
    uint32_t parting = parting_block(flow, a, a_at, b, b_at, loop);
    for (uint32_t i = 0; i < flow->gates->eta_count; i++) {
        const struct eta *eta = &flow->gates->etas[i];
        if (eta->value != value || eta->loop != outermost) continue;
        assert_listed(flow, seed, parting, eta->first_predicate, eta->predicate_count);
        return 1;
    }
    fail_msg("seed %llu: no eta", (unsigned long long)seed);
    return 0;
}

static uint32_t check_etas_of_steps(const struct flow_case *flow, uint64_t seed, const struct walk *a,
                                    uint32_t a_at, const struct walk *b, uint32_t b_at) {
    uint32_t checked = 0;
    const struct cfg_block *range = &flow->cfg.blocks[a->steps[a_at].block];
    uint32_t end = flow->ssa.first_use[range->first + range->count];
    for (uint32_t u = flow->ssa.first_use[range->first]; u < end; u++) {
        uint32_t value = flow->ssa.uses[u];
        checked += check_eta_of_use(flow, seed, value, a, a_at, b, b_at);
    }
    return checked;
}

/* How many gates and etas the walks put to the test. */
struct checked {
    uint32_t gates, etas;
};

static void check_pair(const struct flow_case *flow, uint64_t seed, const struct walk *a,
                       const struct walk *b, struct checked *checked) {
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t j = 0; j < b->count; j++) {
            if (!same_step(&a->steps[i], &b->steps[j])) continue;
            checked->gates += check_gates_of_steps(flow, seed, a, i, b, j);
            checked->etas += check_etas_of_steps(flow, seed, a, i, b, j);
        }
    }
}

static void test_predicates_are_complete(void **state) {
    (void)state;
    enum { WALKS = 12 };
    struct checked checked = {0};
    struct walk *walks = calloc(WALKS, sizeof *walks);
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct random_state random = random_seeded(seed);
        struct flow_case flow;
        flow_of_seed(&flow, seed, 12, false);
        for (uint32_t w = 0; w < WALKS && flow.loops.region_count == 0; w++) {
            take_walk(&flow, &random, &walks[w]);
            for (uint32_t v = 0; v < w; v++)
                check_pair(&flow, seed, &walks[v], &walks[w], &checked);
        }
        flow_case_free(&flow);
    }
    free(walks);
    assert_true(checked.gates > 10000);
    assert_true(checked.etas > 1000);
}

/* ---- Predicates are not too many ----------------------------------------------------------------------- */

/* Whether two paths that share only their start lead from two edges to a block with different arguments of a
 * phi: by trying all paths of a graph without cycles. `used` are the blocks of the first path. */
struct path_search {
    const struct flow_case *flow;
    uint32_t phi;
    uint32_t start;
    uint64_t used;
    uint32_t other; /* the argument that the first path brings; SSA_NONE: this is the first path */
};

static bool path_from(struct path_search search, uint32_t from, uint32_t edge);

static bool paths_behind(const struct path_search *search, uint32_t block) {
    const uint32_t *first = search->flow->cfg.graph.out.first;
    for (uint32_t e = first[block]; e < first[block + 1]; e++) {
        if (path_from(*search, block, e)) return true;
    }
    return false;
}

static bool path_from(struct path_search search, uint32_t from, uint32_t edge) {
    const struct flow_case *flow = search.flow;
    uint32_t to = flow->cfg.graph.out.nodes[edge];
    if (to == flow->cfg.exit) return false;
    if (to != flow->ssa.values[search.phi].block) {
        if ((search.used >> to & 1) != 0) return false;
        search.used |= (uint64_t)1 << to;
        return paths_behind(&search, to);
    }
    uint32_t argument = argument_of(flow, search.phi, flow_case_arrival(flow, from, edge));
    if (search.other != SSA_NONE) return argument != search.other;
    search.other = argument;
    return paths_behind(&search, search.start);
}

static bool decides(const struct flow_case *flow, uint32_t phi, uint32_t block) {
    struct path_search search = {.flow = flow, .phi = phi, .start = block, .other = SSA_NONE};
    return paths_behind(&search, block);
}

/* Compares the predicates of a phi with what the branches read from which two disjoint paths lead to it;
 * returns how many there are. */
static uint32_t check_predicates(const struct flow_case *flow, uint64_t seed, uint32_t phi) {
    const struct ssa *ssa = &flow->ssa;
    const struct gate *gate = &flow->gates->phis[phi];
    bool *expected = calloc((size_t)ssa->value_count + 1, sizeof *expected);
    uint32_t count = 0;
    for (uint32_t b = 0; b < flow->cfg.block_count; b++) {
        if (!flow->cfg.blocks[b].reachable || !decides(flow, phi, b)) continue;
        uint32_t last = flow->cfg.blocks[b].first + flow->cfg.blocks[b].count - 1;
        for (uint32_t u = ssa->first_use[last]; u < ssa->first_use[last + 1]; u++) {
            count += !expected[ssa->uses[u]];
            expected[ssa->uses[u]] = true;
        }
    }
    if (gate->predicate_count != count)
        fail_msg("seed %llu: value %u has %u predicates, not %u", (unsigned long long)seed, phi,
                 gate->predicate_count, count);
    for (uint32_t i = 0; i < gate->predicate_count; i++)
        assert_true(expected[flow->gates->predicates[gate->first_predicate + i]]);
    free(expected);
    return count;
}

static void test_predicates_without_loops_are_those_of_disjoint_paths(void **state) {
    (void)state;
    uint32_t checked = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct flow_case flow;
        flow_of_seed(&flow, seed, 9, true);
        for (uint32_t v = 0; v < flow.ssa.value_count; v++) {
            if (flow.ssa.values[v].kind == SSA_PHI) checked += check_predicates(&flow, seed, v);
        }
        flow_case_free(&flow);
    }
    assert_true(checked > 1000);
}

static void test_gates_of_kernels(void **state) {
    (void)state;
    struct kernel_index index;
    assert_true(kernel_index_read(&index));
    for (size_t i = 0; i < index.cases.count; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_module *module;
        assert_int_equal(wb_module_read(index.cases.items[i].ptx, diagnostics, &module), WB_OK);
        struct random_state random = random_seeded(i);
        struct flow_case flow;
        struct walk walk;
        gates_case_of_module(&flow, module, 0);
        for (int w = 0; w < 10; w++) {
            take_walk(&flow, &random, &walk);
            check_choices(&flow, &walk);
        }
        for (uint32_t v = 0; v < flow.ssa.value_count; v++) {
            if (flow.ssa.values[v].kind == SSA_PHI)
                assert_int_not_equal(flow.gates->phis[v].kind, GATE_OPAQUE);
        }
        flow_case_free(&flow);
        wb_diagnostics_free(diagnostics);
    }
    kernel_index_free(&index);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs_choose_what_walks_took),
        cmocka_unit_test(test_predicates_are_complete),
        cmocka_unit_test(test_predicates_without_loops_are_those_of_disjoint_paths),
        cmocka_unit_test(test_gates_of_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

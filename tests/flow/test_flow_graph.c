/* Dominators, post-dominators and loops on graphs made by hand, where the answer is known, and on random
 * graphs, where it is compared with definitions carried out literally. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "flow/graph/graph.h"

#define NONE GRAPH_NONE

/* Everything that is computed of one graph; node 0 is the entry, the last node the exit. */
struct analysed {
    struct arena arena;
    uint32_t nodes, edge_count;
    const struct graph_edge *edges;
    struct graph graph;
    struct dominators dominators, post;
    struct loops loops;
    struct graph_components components;
};

static void build(void *context) {
    struct analysed *a = context;
    a->graph = graph_build(&a->arena, a->nodes, a->edges, a->edge_count);
    a->dominators = dominators_build(&a->arena, &a->graph, 0);
    a->post = post_dominators_build(&a->arena, &a->graph, a->nodes - 1);
    a->loops = loops_build(&a->arena, &a->graph, &a->dominators);
    a->components = graph_find_components(&a->arena, &a->graph);
}

static wb_status try_to_analyse(struct analysed *a, size_t limit, uint32_t nodes,
                                const struct graph_edge *edges, uint32_t count) {
    *a = (struct analysed){.arena = {.limit = limit}, .nodes = nodes, .edges = edges, .edge_count = count};
    return arena_protect(&a->arena, build, a);
}

static void analyse(struct analysed *a, uint32_t nodes, const struct graph_edge *edges, uint32_t count) {
    assert_int_equal(try_to_analyse(a, 0, nodes, edges, count), WB_OK);
}

static void release(struct analysed *a) {
    arena_free(&a->arena);
}

/* Analyses the graph of the edges behind `nodes`. */
#define ANALYSE(a, nodes, ...)                                                                               \
    do {                                                                                                     \
        const struct graph_edge edges_[] = {__VA_ARGS__};                                                    \
        analyse(a, nodes, edges_, sizeof edges_ / sizeof *edges_);                                           \
    } while (0)

#define ASSERT_PARENTS(tree, ...)                                                                            \
    do {                                                                                                     \
        const uint32_t expected_[] = {__VA_ARGS__};                                                          \
        for (size_t i_ = 0; i_ < sizeof expected_ / sizeof *expected_; i_++) {                               \
            if ((tree).parent[i_] != expected_[i_])                                                          \
                fail_msg("node %zu has parent %d, not %d", i_, (int)(tree).parent[i_], (int)expected_[i_]);  \
        }                                                                                                    \
    } while (0)

static void test_graph_keeps_order_and_parallel_edges(void **state) {
    (void)state;
    struct analysed a;
    const struct graph_edge edges[] = {{0, 2}, {0, 1}, {0, 2}, {1, 1}, {2, 0}};
    analyse(&a, 3, edges, 5);
    const uint32_t out_first[] = {0, 3, 4, 5};
    const uint32_t out[] = {2, 1, 2, 1, 0};
    const uint32_t in_first[] = {0, 1, 3, 5};
    const uint32_t in[] = {2, 0, 1, 0, 0};
    assert_memory_equal(a.graph.out.first, out_first, sizeof out_first);
    assert_memory_equal(a.graph.out.nodes, out, sizeof out);
    assert_memory_equal(a.graph.in.first, in_first, sizeof in_first);
    assert_memory_equal(a.graph.in.nodes, in, sizeof in);
    release(&a);
}

/* Wherever in the analysis the memory ends. */
static void test_exhausted_memory_is_an_error(void **state) {
    (void)state;
    struct graph_edge edges[1000];
    struct analysed a;
    for (uint32_t i = 0; i < 1000; i++)
        edges[i] = (struct graph_edge){i, i + 1};
    size_t limit = 1, refused = 0;
    for (; try_to_analyse(&a, limit, 1001, edges, 1000) != WB_OK; limit += 1000) {
        refused++;
        release(&a);
    }
    assert_true(refused > 20);
    release(&a);
}

static void test_one_node(void **state) {
    (void)state;
    struct analysed a;
    analyse(&a, 1, NULL, 0);
    ASSERT_PARENTS(a.dominators, NONE);
    ASSERT_PARENTS(a.post, NONE);
    assert_true(dominates(&a.dominators, 0, 0));
    assert_int_equal(a.loops.count, 0);
    release(&a);
}

static void test_components_are_numbered_against_the_edges(void **state) {
    (void)state;
    struct analysed a;
    const struct graph_edge edges[] = {{0, 3}, {1, 2}, {2, 1}, {3, 2}, {2, 4}, {5, 5}};
    analyse(&a, 6, edges, 6);
    const struct graph_components components = a.components;
    assert_int_equal(components.count, 5);
    assert_int_equal(components.of[1], components.of[2]);
    assert_int_equal(components.entry[components.of[1]], 2);
    assert_int_equal(components.size[components.of[1]], 2);
    assert_true(components.of[4] < components.of[2]);
    assert_true(components.of[2] < components.of[3]);
    assert_true(components.of[3] < components.of[0]);
    release(&a);
}

static void test_nested_conditions(void **state) {
    (void)state;
    struct analysed a;
    /* if (0) { 1: if { 2 } else { 3 } 4 } 5; 6 is the exit */
    ANALYSE(&a, 7, {0, 1}, {0, 5}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}, {5, 6});
    ASSERT_PARENTS(a.dominators, NONE, 0, 1, 1, 1, 0, 5);
    ASSERT_PARENTS(a.post, 5, 4, 4, 4, 5, 6, NONE);
    assert_true(dominates(&a.dominators, 0, 6));
    assert_true(dominates(&a.dominators, 1, 4));
    assert_false(dominates(&a.dominators, 1, 5));
    assert_false(dominates(&a.dominators, 4, 1));
    assert_int_equal(a.loops.count, 0);
    assert_int_equal(a.loops.region_count, 0);
    release(&a);
}

/* The example of Lengauer and Tarjan (TOPLAS 1979, figure 1): R A B C D E F G H I J K L are 0 to 12. */
static void test_lengauer_and_tarjans_example(void **state) {
    (void)state;
    struct analysed a;
    ANALYSE(&a, 13, {0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 1}, {2, 4}, {2, 5}, {3, 6}, {3, 7}, {4, 12}, {5, 8},
            {6, 9}, {7, 9}, {7, 10}, {8, 5}, {8, 11}, {9, 11}, {10, 9}, {11, 9}, {11, 0}, {12, 8});
    ASSERT_PARENTS(a.dominators, NONE, 0, 0, 0, 0, 0, 3, 3, 0, 0, 7, 0, 4);
    release(&a);
}

static void test_nested_loops(void **state) {
    (void)state;
    struct analysed a;
    /* for (1) { for (2) { 3: if (..) continue; 4: if (..) break; } 5 } for (6) ; with exit 7 */
    ANALYSE(&a, 8, {0, 1}, {1, 2}, {1, 6}, {2, 3}, {2, 5}, {3, 2}, {3, 4}, {4, 2}, {4, 5}, {5, 1}, {6, 6},
            {6, 7});
    ASSERT_PARENTS(a.dominators, NONE, 0, 1, 2, 3, 2, 1, 6);
    ASSERT_PARENTS(a.post, 1, 6, 5, 5, 5, 1, 7, NONE);
    assert_int_equal(a.loops.count, 3);
    const struct loop *outer = &a.loops.items[0];
    const struct loop *inner = &a.loops.items[1];
    const struct loop *self = &a.loops.items[2];
    assert_int_equal(outer->header, 1);
    assert_int_equal(outer->parent, NONE);
    assert_int_equal(outer->member_count, 5);
    assert_int_equal(outer->last_inside, 1);
    const uint32_t members[] = {1, 5, 2, 3, 4};
    assert_memory_equal(a.loops.members + outer->first_member, members, sizeof members);
    assert_int_equal(inner->header, 2);
    assert_int_equal(inner->parent, 0);
    assert_int_equal(inner->depth, 2);
    assert_int_equal(inner->member_count, 3);
    assert_int_equal(self->header, 6);
    assert_int_equal(self->depth, 1);
    assert_int_equal(self->member_count, 1);
    assert_true(loop_contains(&a.loops, 0, 3));
    assert_false(loop_contains(&a.loops, 1, 5));
    assert_false(loop_contains(&a.loops, 0, 0));
    assert_int_equal(a.loops.region_count, 0);
    release(&a);
}

static void test_irreducible_region(void **state) {
    (void)state;
    struct analysed a;
    /* 0 jumps into the cycle 1, 2 at both nodes; 2 has a loop of its own through 3; 4 is the exit. */
    ANALYSE(&a, 5, {0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}, {3, 2}, {1, 4});
    ASSERT_PARENTS(a.dominators, NONE, 0, 0, 2, 1);
    ASSERT_PARENTS(a.post, 1, 4, 1, 2, NONE);
    assert_int_equal(a.loops.count, 1);
    assert_int_equal(a.loops.items[0].header, 2);
    assert_int_equal(a.loops.items[0].member_count, 2);
    assert_int_equal(a.loops.region_count, 1);
    assert_int_equal(a.loops.regions[0].member_count, 2);
    assert_int_equal(a.loops.region_members[0], 1);
    assert_int_equal(a.loops.region_members[1], 2);
    assert_int_equal(a.loops.region_of[3], NONE);
    release(&a);
}

static void test_infinite_loop_leaves_the_other_side_alone(void **state) {
    (void)state;
    struct analysed a;
    /* if (0) for (;;) { 1: if { 2 } else { 3 } 4 } 5; exit 6. Nothing that enters the loop comes back, so the
     * branch of 0 reconverges at 5, and within the loop its last node 4 is taken for the end. */
    ANALYSE(&a, 7, {0, 1}, {0, 5}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {5, 6});
    ASSERT_PARENTS(a.post, 5, 4, 4, 4, 6, 6, NONE);
    assert_int_equal(a.loops.count, 1);
    assert_int_equal(a.loops.items[0].member_count, 4);
    release(&a);
}

static void test_node_without_successors_leaves_the_other_side_alone(void **state) {
    (void)state;
    struct analysed a;
    /* if (0) { if (1) trap (2); 3 } 4; exit 5 */
    ANALYSE(&a, 6, {0, 1}, {0, 4}, {1, 2}, {1, 3}, {3, 4}, {4, 5});
    ASSERT_PARENTS(a.post, 4, 3, 5, 4, 5, NONE);
    release(&a);
}

static void test_nothing_reaches_the_exit(void **state) {
    (void)state;
    struct analysed a;
    ANALYSE(&a, 4, {0, 1}, {1, 2}, {2, 1}, {2, 2});
    ASSERT_PARENTS(a.dominators, NONE, 0, 1, NONE);
    ASSERT_PARENTS(a.post, 1, 2, 3, NONE);
    assert_false(dominates(&a.dominators, 0, 3));
    assert_false(dominates(&a.dominators, 3, 3));
    release(&a);
}

static void test_unreachable_nodes(void **state) {
    (void)state;
    struct analysed a;
    /* 2 and 3 are a cycle that nothing enters and that leads into 1; 4 is alone; exit 5 */
    ANALYSE(&a, 6, {0, 1}, {1, 5}, {2, 3}, {3, 2}, {3, 1});
    ASSERT_PARENTS(a.dominators, NONE, 0, NONE, NONE, NONE, 1);
    ASSERT_PARENTS(a.post, 1, 5, 3, 1, 5, NONE);
    assert_int_equal(a.loops.count, 0);
    assert_int_equal(a.loops.region_count, 0);
    assert_int_equal(a.loops.innermost[2], NONE);
    release(&a);
}

/* ---- Large graphs: no recursion, no quadratic time (a second at most, where quadratic takes minutes) ----
 */

#define LARGE 1000000u

static void test_long_chain(void **state) {
    (void)state;
    struct graph_edge *edges = test_malloc(LARGE * sizeof *edges);
    for (uint32_t i = 0; i + 1 < LARGE; i++)
        edges[i] = (struct graph_edge){i, i + 1};
    edges[LARGE - 1] = (struct graph_edge){LARGE - 2, 0};
    struct analysed a;
    analyse(&a, LARGE, edges, LARGE);
    for (uint32_t i = 1; i < LARGE; i++) {
        if (a.dominators.parent[i] != i - 1 || a.post.parent[i - 1] != i) fail_msg("node %u", i);
    }
    assert_int_equal(a.loops.count, 1);
    assert_int_equal(a.loops.items[0].member_count, LARGE - 1);
    release(&a);
    test_free(edges);
}

static void test_long_ladder(void **state) {
    (void)state;
    /* Steps of one and of two: no node but the first dominates another, none but the exit post-dominates. */
    struct graph_edge *edges = test_malloc(2 * (size_t)LARGE * sizeof *edges);
    uint32_t count = 0;
    for (uint32_t i = 0; i + 1 < LARGE; i++) {
        edges[count++] = (struct graph_edge){i, i + 1};
        if (i + 2 < LARGE) edges[count++] = (struct graph_edge){i, i + 2};
    }
    struct analysed a;
    analyse(&a, LARGE, edges, count);
    for (uint32_t i = 1; i < LARGE; i++) {
        if (a.dominators.parent[i] != 0 || a.post.parent[i - 1] != LARGE - 1) fail_msg("node %u", i);
    }
    release(&a);
    test_free(edges);
}

static void test_deep_nest_of_loops(void **state) {
    (void)state;
    /* Headers 0 .. DEPTH - 1, then their latches from the innermost to the outermost. */
    enum { DEPTH = 100000 };
    struct graph_edge *edges = test_malloc(3 * DEPTH * sizeof *edges);
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2 * DEPTH; i++) {
        if (i >= DEPTH) edges[count++] = (struct graph_edge){i, 2 * DEPTH - 1 - i};
        edges[count++] = (struct graph_edge){i, i + 1};
    }
    struct analysed a;
    analyse(&a, 2 * DEPTH + 1, edges, count);
    assert_int_equal(a.loops.count, DEPTH);
    for (uint32_t i = 0; i < DEPTH; i++) {
        const struct loop *loop = &a.loops.items[i];
        if (loop->header != i || loop->depth != i + 1 || loop->parent != (i == 0 ? NONE : i - 1) ||
            loop->member_count != 2 * (DEPTH - i) || loop->last_inside != DEPTH - 1)
            fail_msg("loop %u", i);
    }
    release(&a);
    test_free(edges);
}

static void test_many_jumps_into_a_chain_and_back(void **state) {
    (void)state;
    /* 0 leads to every node of a chain, and every node back to the one before: one large irreducible region.
     */
    const uint32_t n = LARGE / 4;
    struct graph_edge *edges = test_malloc(3 * (size_t)n * sizeof *edges);
    uint32_t count = 0;
    for (uint32_t i = 1; i + 1 < n; i++) {
        edges[count++] = (struct graph_edge){0, i};
        edges[count++] = (struct graph_edge){i, i + 1};
        if (i > 1) edges[count++] = (struct graph_edge){i, i - 1};
    }
    struct analysed a;
    analyse(&a, n, edges, count);
    for (uint32_t i = 1; i + 1 < n; i++) {
        if (a.dominators.parent[i] != 0) fail_msg("node %u", i);
    }
    assert_int_equal(a.dominators.parent[n - 1], n - 2);
    assert_int_equal(a.loops.count, 0);
    assert_int_equal(a.loops.region_count, 1);
    assert_int_equal(a.loops.regions[0].member_count, n - 2);
    release(&a);
    test_free(edges);
}

/* ---- Random graphs against the definitions ---------------------------------------------------------------
 */

#define SMALL 14u

struct random_graph {
    uint64_t seed;
    uint32_t nodes, edge_count;
    struct graph_edge edges[4 * SMALL];
};

typedef bool relation[SMALL][SMALL];

static struct random_graph random_graph_of(uint64_t seed) {
    struct random_state random = random_seeded(seed);
    struct random_graph graph = {.seed = seed, .nodes = 1 + (uint32_t)random_below(&random, SMALL)};
    /* The last node is the exit: it has no successors. */
    if (graph.nodes > 1) graph.edge_count = (uint32_t)random_below(&random, 3 * graph.nodes);
    for (uint32_t i = 0; i < graph.edge_count; i++) {
        graph.edges[i].from = (uint32_t)random_below(&random, graph.nodes - 1);
        graph.edges[i].to = (uint32_t)random_below(&random, graph.nodes);
    }
    return graph;
}

/* What `from` reaches over these edges without entering `without` (NONE: no node is left out). */
static void reach(const struct graph_edge *edges, uint32_t edge_count, uint32_t from, uint32_t without,
                  bool reached[SMALL]) {
    memset(reached, 0, SMALL * sizeof *reached);
    if (from == without) return;
    reached[from] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < edge_count; i++) {
            if (!reached[edges[i].from] || reached[edges[i].to] || edges[i].to == without) continue;
            reached[edges[i].to] = changed = true;
        }
    }
}

/* d dominates n: the root reaches n, but not without d. */
static void naive_dominance(uint32_t nodes, const struct graph_edge *edges, uint32_t edge_count,
                            uint32_t root, relation dominance) {
    bool all[SMALL];
    bool rest[SMALL];
    reach(edges, edge_count, root, NONE, all);
    for (uint32_t d = 0; d < nodes; d++) {
        reach(edges, edge_count, root, d, rest);
        for (uint32_t n = 0; n < nodes; n++)
            dominance[d][n] = all[n] && !rest[n];
    }
}

/* Compares a tree with the relation it stands for: `dominates` and the immediate dominators. */
static void assert_tree(const struct dominators *tree, uint32_t nodes, relation dominance, uint64_t seed,
                        const char *what) {
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t immediate = NONE;
        for (uint32_t d = 0; d < nodes; d++) {
            if (dominates(tree, d, n) != dominance[d][n])
                fail_msg("seed %llu: %s: does %u dominate %u?", (unsigned long long)seed, what, d, n);
            /* The immediate dominator is the one that all others dominate. */
            if (d != n && dominance[d][n] && (immediate == NONE || dominance[immediate][d])) immediate = d;
        }
        if (tree->parent[n] != immediate)
            fail_msg("seed %llu: %s: parent of %u is %d, not %d", (unsigned long long)seed, what, n,
                     (int)tree->parent[n], (int)immediate);
    }
}

static void test_dominators_of_random_graphs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        struct random_graph graph = random_graph_of(seed);
        struct analysed a;
        relation dominance = {{0}};
        analyse(&a, graph.nodes, graph.edges, graph.edge_count);
        naive_dominance(graph.nodes, graph.edges, graph.edge_count, 0, dominance);
        assert_tree(&a.dominators, graph.nodes, dominance, seed, "dominators");
        release(&a);
    }
}

/* The edges reversed, without those from a node that reaches the exit to one that does not. */
static uint32_t reverse_edges(const struct random_graph *graph, struct graph_edge *reversed) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        bool from[SMALL];
        bool to[SMALL];
        reach(graph->edges, graph->edge_count, graph->edges[i].from, NONE, from);
        reach(graph->edges, graph->edge_count, graph->edges[i].to, NONE, to);
        if (from[graph->nodes - 1] && !to[graph->nodes - 1]) continue;
        reversed[count++] = (struct graph_edge){graph->edges[i].to, graph->edges[i].from};
    }
    return count;
}

/* Adds the edge to the exit that the tree shows for the component of `node`, when control cannot leave it:
 * once a component, at its first node. Checks that it is one edge, and that it goes round in the component.
 */
static void add_exit(const struct random_graph *graph, const struct dominators *post, uint32_t node,
                     struct graph_edge *reversed, uint32_t *count) {
    const uint32_t exit = graph->nodes - 1;
    bool from_node[SMALL];
    reach(graph->edges, graph->edge_count, node, NONE, from_node);
    uint32_t ends = 0;
    uint32_t members = 0;
    uint32_t end = NONE;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        bool back[SMALL];
        if (!from_node[n]) continue;
        reach(graph->edges, graph->edge_count, n, NONE, back);
        if (n == exit || !back[node] || n < node) return;
        members++;
        if (post->parent[n] != exit) continue;
        ends++;
        end = n;
    }
    bool leads_back = members == 1;
    for (uint32_t i = 0; i < graph->edge_count; i++)
        leads_back |= graph->edges[i].from == end && from_node[graph->edges[i].to];
    if (ends != 1 || !leads_back)
        fail_msg("seed %llu: component of %u: %u ends", (unsigned long long)graph->seed, node, ends);
    reversed[(*count)++] = (struct graph_edge){exit, end};
}

static void test_post_dominators_of_random_graphs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        struct random_graph graph = random_graph_of(seed);
        struct graph_edge reversed[5 * SMALL];
        struct analysed a;
        relation dominance = {{0}};
        analyse(&a, graph.nodes, graph.edges, graph.edge_count);
        uint32_t count = reverse_edges(&graph, reversed);
        for (uint32_t n = 0; n + 1 < graph.nodes; n++)
            add_exit(&graph, &a.post, n, reversed, &count);
        naive_dominance(graph.nodes, reversed, count, graph.nodes - 1, dominance);
        for (uint32_t n = 0; n < graph.nodes; n++)
            assert_true(dominance[graph.nodes - 1][n]);
        assert_tree(&a.post, graph.nodes, dominance, seed, "post-dominators");
        release(&a);
    }
}

/* body[h][n]: n is in the natural loop of header h. */
static void naive_loops(const struct random_graph *graph, relation dominance, relation body) {
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        uint32_t latch = graph->edges[i].from;
        uint32_t header = graph->edges[i].to;
        if (!dominance[header][latch]) continue;
        body[header][header] = true;
        for (uint32_t n = 0; n < graph->nodes; n++) {
            bool reached[SMALL];
            reach(graph->edges, graph->edge_count, n, header, reached);
            if (dominance[0][n] && reached[latch]) body[header][n] = true;
        }
    }
}

static void assert_loop(const struct random_graph *graph, const struct loops *loops, uint32_t number,
                        relation body) {
    const struct loop *loop = &loops->items[number];
    uint32_t around = 0;
    uint32_t size = 0;
    uint32_t listed = 0;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        size += body[loop->header][n];
        if (body[n][n]) around += body[n][loop->header];
        if (loop_contains(loops, number, n) != body[loop->header][n])
            fail_msg("seed %llu: loop of %u: node %u", (unsigned long long)graph->seed, loop->header, n);
    }
    for (uint32_t m = 0; m < loop->member_count; m++)
        listed += body[loop->header][loops->members[loop->first_member + m]];
    if (size != loop->member_count || listed != size || around != loop->depth)
        fail_msg("seed %llu: loop of %u: %u members, depth %u", (unsigned long long)graph->seed, loop->header,
                 loop->member_count, loop->depth);
    if (loop->depth == 1) {
        assert_int_equal(loop->parent, NONE);
    } else {
        assert_true(loop->parent < number);
        assert_int_equal(loops->items[loop->parent].depth, loop->depth - 1);
        assert_true(body[loops->items[loop->parent].header][loop->header]);
    }
}

/* Regions: nodes that reach each other without back edges. */
static void assert_regions(const struct random_graph *graph, const struct loops *loops, relation dominance) {
    struct graph_edge forward[4 * SMALL];
    uint32_t count = 0;
    uint32_t members = 0;
    relation reached;
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        const struct graph_edge *edge = &graph->edges[i];
        if (dominance[0][edge->from] && !dominance[edge->to][edge->from]) forward[count++] = *edge;
    }
    for (uint32_t n = 0; n < graph->nodes; n++)
        reach(forward, count, n, NONE, reached[n]);
    for (uint32_t n = 0; n < graph->nodes; n++) {
        bool cyclic = false;
        for (uint32_t m = 0; m < graph->nodes; m++) {
            bool together = n != m && reached[n][m] && reached[m][n];
            cyclic |= together;
            bool same = n != m && loops->region_of[n] != NONE && loops->region_of[n] == loops->region_of[m];
            if (together != same)
                fail_msg("seed %llu: regions of %u, %u", (unsigned long long)graph->seed, n, m);
        }
        assert_int_equal(cyclic, loops->region_of[n] != NONE);
        members += cyclic;
    }
    for (uint32_t r = 0; r < loops->region_count; r++) {
        const struct irreducible_region *region = &loops->regions[r];
        for (uint32_t m = 0; m < region->member_count; m++)
            assert_int_equal(loops->region_of[loops->region_members[region->first_member + m]], r);
        members -= region->member_count;
    }
    assert_int_equal(members, 0);
}

static void test_loops_of_random_graphs(void **state) {
    (void)state;
    uint32_t nested = 0;
    uint32_t irreducible = 0;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        struct random_graph graph = random_graph_of(seed);
        struct analysed a;
        relation dominance = {{0}};
        relation body = {{0}};
        uint32_t expected = 0;
        analyse(&a, graph.nodes, graph.edges, graph.edge_count);
        naive_dominance(graph.nodes, graph.edges, graph.edge_count, 0, dominance);
        naive_loops(&graph, dominance, body);
        for (uint32_t n = 0; n < graph.nodes; n++)
            expected += body[n][n];
        if (a.loops.count != expected)
            fail_msg("seed %llu: %u loops", (unsigned long long)seed, a.loops.count);
        for (uint32_t l = 0; l < a.loops.count; l++) {
            assert_loop(&graph, &a.loops, l, body);
            nested += a.loops.items[l].depth > 1;
        }
        assert_regions(&graph, &a.loops, dominance);
        irreducible += a.loops.region_count;
        release(&a);
    }
    /* The graphs show what they are there to show. */
    assert_true(nested > 100);
    assert_true(irreducible > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph_keeps_order_and_parallel_edges),
        cmocka_unit_test(test_exhausted_memory_is_an_error),
        cmocka_unit_test(test_one_node),
        cmocka_unit_test(test_components_are_numbered_against_the_edges),
        cmocka_unit_test(test_nested_conditions),
        cmocka_unit_test(test_lengauer_and_tarjans_example),
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_irreducible_region),
        cmocka_unit_test(test_infinite_loop_leaves_the_other_side_alone),
        cmocka_unit_test(test_node_without_successors_leaves_the_other_side_alone),
        cmocka_unit_test(test_nothing_reaches_the_exit),
        cmocka_unit_test(test_unreachable_nodes),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_long_ladder),
        cmocka_unit_test(test_deep_nest_of_loops),
        cmocka_unit_test(test_many_jumps_into_a_chain_and_back),
        cmocka_unit_test(test_dominators_of_random_graphs),
        cmocka_unit_test(test_post_dominators_of_random_graphs),
        cmocka_unit_test(test_loops_of_random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The layered drawing: edges lead down but for those that close a cycle, and nothing stands on top of
 * anything else, on graphs of every shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/containers.h"
#include "report/html/page.h"

#define NODES_MAX 40u
#define EDGES_MAX 90u
#define ROUNDS 400u

struct drawn {
    struct arena *arena;
    const struct graph_edge *edges;
    uint32_t node_count, edge_count;
    struct layers layers;
};

static void draw(void *context) {
    struct drawn *drawn = context;
    drawn->layers = layers_place(drawn->arena, drawn->node_count, drawn->edges, drawn->edge_count);
}

/* Whether two ranges of places, given by their middles and widths, overlap. */
static bool overlap(double a, double a_width, double b, double b_width) {
    const double distance = a < b ? b - a : a - b;
    return distance < (a_width + b_width) / 2;
}

static void check_nodes(const struct layers *layers) {
    for (uint32_t a = 0; a < layers->node_count; a++) {
        assert_true(layers->nodes[a].layer < layers->layer_count);
        assert_true(layers->nodes[a].x >= 0.49 && layers->nodes[a].x <= layers->width - 0.49);
        for (uint32_t b = 0; b < a; b++)
            if (layers->nodes[a].layer == layers->nodes[b].layer)
                assert_false(overlap(layers->nodes[a].x, 1, layers->nodes[b].x, 1));
    }
}

static void check_edges(const struct layers *layers) {
    for (uint32_t e = 0; e < layers->edge_count; e++) {
        const struct layers_edge *edge = &layers->edges[e];
        const uint32_t top = layers->nodes[edge->from].layer, bottom = layers->nodes[edge->to].layer;
        if (edge->back) {
            assert_true(bottom <= top);
            assert_true(edge->lane < layers->lane_count);
            continue;
        }
        assert_int_equal(edge->bend_count + 1, bottom - top);
        for (uint32_t b = 0; b < edge->bend_count; b++)
            for (uint32_t n = 0; n < layers->node_count; n++)
                if (layers->nodes[n].layer == top + 1 + b)
                    assert_false(overlap(layers->nodes[n].x, 1, edge->bends[b], 0));
    }
}

/* Edges that lead back through the same layers have lanes of their own. */
static void check_lanes(const struct layers *layers) {
    for (uint32_t a = 0; a < layers->edge_count; a++) {
        for (uint32_t b = 0; b < a; b++) {
            const struct layers_edge *x = &layers->edges[a], *y = &layers->edges[b];
            if (!x->back || !y->back || x->lane != y->lane) continue;
            assert_true(layers->nodes[x->from].layer < layers->nodes[y->to].layer ||
                        layers->nodes[y->from].layer < layers->nodes[x->to].layer);
        }
    }
}

static void check(const struct graph_edge *edges, uint32_t node_count, uint32_t edge_count) {
    struct arena arena = {0};
    struct drawn drawn = {&arena, edges, node_count, edge_count, {0}};
    assert_int_equal(arena_protect(&arena, draw, &drawn), WB_OK);
    assert_int_equal(drawn.layers.edge_count, edge_count);
    check_nodes(&drawn.layers);
    check_edges(&drawn.layers);
    check_lanes(&drawn.layers);
    arena_free(&arena);
}

static void test_a_loop(void **state) {
    (void)state;
    static const struct graph_edge edges[] = {{0, 1}, {0, 3}, {1, 2}, {2, 1}, {2, 2}, {2, 3}};
    struct arena arena = {0};
    struct drawn drawn = {&arena, edges, 4, 6, {0}};
    assert_int_equal(arena_protect(&arena, draw, &drawn), WB_OK);
    for (uint32_t n = 0; n < 4; n++)
        assert_int_equal(drawn.layers.nodes[n].layer, n);
    static const bool back[] = {false, false, false, true, true, false};
    for (uint32_t e = 0; e < 6; e++)
        assert_int_equal(drawn.layers.edges[e].back, back[e]);
    assert_int_equal(drawn.layers.edges[1].bend_count, 2);
    assert_int_equal(drawn.layers.lane_count, 2);
    arena_free(&arena);
    check(edges, 4, 6);
    check(NULL, 1, 0);
}

static int by_start(const void *a, const void *b) {
    const struct graph_edge *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static void test_random_graphs(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct random_state random = random_seeded(seed);
        struct graph_edge edges[EDGES_MAX];
        const uint32_t nodes = 1 + (uint32_t)random_below(&random, NODES_MAX);
        const uint32_t count = (uint32_t)random_below(&random, EDGES_MAX + 1);
        for (uint32_t e = 0; e < count; e++)
            edges[e] = (struct graph_edge){(uint32_t)random_below(&random, nodes),
                                           (uint32_t)random_below(&random, nodes)};
        qsort(edges, count, sizeof *edges, by_start);
        check(edges, nodes, count);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_loop), cmocka_unit_test(test_random_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

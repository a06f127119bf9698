#include "flow/graph/graph.h"

#include <assert.h>
#include <string.h>

/* Sorts edges, stably, by the end that `incoming` chooses, and keeps the other end. */
static struct adjacency side_of(struct arena *arena, uint32_t node_count, const struct graph_edge *edges,
                                uint32_t edge_count, bool incoming) {
    uint32_t *first = arena_array(arena, (size_t)node_count + 2, sizeof *first);
    uint32_t *nodes = arena_array(arena, edge_count, sizeof *nodes);
    /* Counted two places behind, so that filling moves each start to where the next one belongs. */
    for (uint32_t i = 0; i < edge_count; i++) {
        assert(edges[i].from < node_count && edges[i].to < node_count);
        first[(size_t)(incoming ? edges[i].to : edges[i].from) + 2]++;
    }
    for (size_t n = 2; n <= node_count; n++)
        first[n + 1] += first[n];
    for (uint32_t i = 0; i < edge_count; i++) {
        size_t key = incoming ? edges[i].to : edges[i].from;
        nodes[first[key + 1]++] = incoming ? edges[i].from : edges[i].to;
    }
    return (struct adjacency){first, nodes};
}

struct graph graph_build(struct arena *arena, uint32_t node_count, const struct graph_edge *edges,
                         uint32_t edge_count) {
    assert(arena_is_protected(arena));
    return (struct graph){.node_count = node_count,
                          .edge_count = edge_count,
                          .out = side_of(arena, node_count, edges, edge_count, false),
                          .in = side_of(arena, node_count, edges, edge_count, true)};
}

uint32_t *graph_arrivals(struct arena *arena, const struct graph *graph) {
    uint32_t *next = arena_array(arena, (size_t)graph->node_count + 1, sizeof *next);
    uint32_t *arrivals = arena_array(arena, graph->edge_count, sizeof *arrivals);
    memcpy(next, graph->in.first, ((size_t)graph->node_count + 1) * sizeof *next);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        arrivals[e] = next[graph->out.nodes[e]]++;
    return arrivals;
}

struct graph_walk graph_walk_from(struct arena *arena, uint32_t node_count, const struct adjacency *side,
                                  uint32_t root) {
    assert(root < node_count);
    uint32_t *node = arena_array(arena, node_count, sizeof *node);
    uint32_t *parent = arena_array(arena, node_count, sizeof *parent);
    uint32_t *number = arena_array(arena, node_count, sizeof *number);
    uint32_t *next = arena_array(arena, node_count, sizeof *next);
    memset(number, 0xff, node_count * sizeof *number);
    node[0] = root;
    number[root] = 0;
    next[0] = side->first[root];
    uint32_t count = 1;
    uint32_t current = 0;
    for (;;) {
        if (next[current] == side->first[node[current] + 1]) {
            if (current == 0) break;
            current = parent[current];
            continue;
        }
        uint32_t neighbour = side->nodes[next[current]++];
        if (number[neighbour] != GRAPH_NONE) continue;
        number[neighbour] = count;
        node[count] = neighbour;
        parent[count] = current;
        next[count] = side->first[neighbour];
        current = count++;
    }
    return (struct graph_walk){count, node, parent, number};
}

/* The state of Tarjan's walk; arrays by node unless said otherwise. */
struct tarjan {
    const struct graph *graph;
    struct graph_components *components;
    uint32_t *low;    /* least number that the node's subtree reaches in an open component */
    uint32_t *number; /* order of being met, from 1; 0: not met */
    uint32_t *caller; /* the node it was met from */
    uint32_t *next;   /* position of the next edge to follow */
    uint32_t *open;   /* stack of nodes whose component is not complete */
    uint32_t open_count;
    uint32_t met;
};

static void tarjan_enter(struct tarjan *tarjan, uint32_t node, uint32_t caller) {
    tarjan->number[node] = tarjan->low[node] = ++tarjan->met;
    tarjan->caller[node] = caller;
    tarjan->next[node] = tarjan->graph->out.first[node];
    tarjan->open[tarjan->open_count++] = node;
}

/* Closes the component whose first node is `node`, if it is one's. */
static void tarjan_leave(struct tarjan *tarjan, uint32_t node) {
    struct graph_components *components = tarjan->components;
    if (tarjan->low[node] != tarjan->number[node]) return;
    uint32_t component = components->count++;
    uint32_t member;
    components->entry[component] = node;
    do {
        member = tarjan->open[--tarjan->open_count];
        components->of[member] = component;
        components->size[component]++;
    } while (member != node);
}

/* Follows the edges of everything that `root` reaches and that was not met before. */
static void tarjan_visit(struct tarjan *tarjan, uint32_t root) {
    const struct adjacency *out = &tarjan->graph->out;
    tarjan_enter(tarjan, root, GRAPH_NONE);
    for (uint32_t node = root; node != GRAPH_NONE;) {
        if (tarjan->next[node] < out->first[node + 1]) {
            uint32_t to = out->nodes[tarjan->next[node]++];
            if (tarjan->number[to] == 0) {
                tarjan_enter(tarjan, to, node);
                node = to;
            } else if (tarjan->components->of[to] == GRAPH_NONE && tarjan->number[to] < tarjan->low[node]) {
                tarjan->low[node] = tarjan->number[to];
            }
            continue;
        }
        tarjan_leave(tarjan, node);
        uint32_t caller = tarjan->caller[node];
        if (caller != GRAPH_NONE && tarjan->low[node] < tarjan->low[caller])
            tarjan->low[caller] = tarjan->low[node];
        node = caller;
    }
}

struct graph_components graph_find_components(struct arena *arena, const struct graph *graph) {
    size_t count = graph->node_count;
    struct graph_components found = {.of = arena_array(arena, count, sizeof(uint32_t)),
                                     .entry = arena_array(arena, count, sizeof(uint32_t)),
                                     .size = arena_array(arena, count, sizeof(uint32_t))};
    memset(found.of, 0xff, count * sizeof *found.of);
    uint32_t *scratch = arena_array(arena, count, 5 * sizeof *scratch);
    struct tarjan tarjan = {.graph = graph,
                            .components = &found,
                            .low = scratch,
                            .number = scratch + count,
                            .caller = scratch + 2 * count,
                            .next = scratch + 3 * count,
                            .open = scratch + 4 * count};
    for (uint32_t node = 0; node < count; node++) {
        if (tarjan.number[node] == 0) tarjan_visit(&tarjan, node);
    }
    assert(tarjan.open_count == 0 && tarjan.met == count);
    return found;
}

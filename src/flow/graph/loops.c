#include "flow/graph/graph.h"

#include <assert.h>
#include <string.h>

/* A loop while loops are being found: numbered as found, so that inner loops come first. */
struct found_loop {
    uint32_t header;
    uint32_t parent;
    uint32_t outermost;                 /* shortcut to a loop around it, or itself; see outermost_of */
    uint32_t size;                      /* loops inside it, itself included */
    uint32_t first_inside, next_beside; /* the tree by lists, siblings in the order of their headers */
    uint32_t number;                    /* the final one */
};

struct finder {
    const struct graph *graph;
    const struct dominators *dominators;
    struct found_loop *found;
    uint32_t count;
    uint32_t *innermost; /* by node: found loop */
    uint32_t *headed;    /* by node: the found loop whose header it is */
    uint32_t *pending;   /* stack of nodes to go on from, against the edges */
    uint32_t pending_count;
};

/* The outermost loop found so far around a loop. Halves the path on the way, so that deep nests stay cheap.
 */
static uint32_t outermost_of(struct found_loop *found, uint32_t loop) {
    while (found[loop].outermost != loop) {
        found[loop].outermost = found[found[loop].outermost].outermost;
        loop = found[loop].outermost;
    }
    return loop;
}

/* Makes pending the predecessors of `node`: those over back edges to it, or the others. */
static void push_predecessors(struct finder *finder, uint32_t node, bool over_back_edges) {
    const struct adjacency *in = &finder->graph->in;
    for (uint32_t i = in->first[node]; i < in->first[node + 1]; i++) {
        uint32_t from = in->nodes[i];
        if (finder->dominators->first[from] == 0) continue;
        if (loop_is_back_edge(finder->dominators, from, node) != over_back_edges) continue;
        finder->pending[finder->pending_count++] = from;
    }
}

/* Claims what reaches the pending nodes for the new loop. An inner loop is passed in one step, from its
 * header, so that every edge is followed once in all. */
static void claim(struct finder *finder, uint32_t loop) {
    struct found_loop *found = finder->found;
    uint32_t header = found[loop].header;
    finder->innermost[header] = loop;
    while (finder->pending_count > 0) {
        uint32_t node = finder->pending[--finder->pending_count];
        if (finder->innermost[node] == GRAPH_NONE) {
            finder->innermost[node] = loop;
            push_predecessors(finder, node, false);
            continue;
        }
        uint32_t inner = outermost_of(found, finder->innermost[node]);
        if (inner == loop) continue;
        found[inner].parent = found[inner].outermost = loop;
        found[loop].size += found[inner].size;
        push_predecessors(finder, found[inner].header, false);
    }
}

/* Finds the loops, inner ones first: headers in the reverse of a preorder of the dominator tree. */
static void find_loops(struct arena *scratch, struct finder *finder) {
    const struct dominators *dominators = finder->dominators;
    uint32_t node_count = finder->graph->node_count;
    uint32_t reached = dominators->descendants[dominators->root];
    uint32_t *preorder = arena_array(scratch, reached, sizeof *preorder);
    finder->found = arena_array(scratch, reached, sizeof *finder->found);
    finder->innermost = arena_array(scratch, node_count, sizeof(uint32_t));
    finder->headed = arena_array(scratch, node_count, sizeof(uint32_t));
    finder->pending = arena_array(scratch, finder->graph->edge_count, sizeof(uint32_t));
    memset(finder->innermost, 0xff, node_count * sizeof(uint32_t));
    memset(finder->headed, 0xff, node_count * sizeof(uint32_t));
    for (uint32_t node = 0; node < node_count; node++) {
        if (dominators->first[node] != 0) preorder[dominators->first[node] - 1] = node;
    }
    for (uint32_t i = reached; i-- > 0;) {
        push_predecessors(finder, preorder[i], true);
        if (finder->pending_count == 0) continue;
        uint32_t loop = finder->count++;
        finder->headed[preorder[i]] = loop;
        finder->found[loop] =
            (struct found_loop){preorder[i], GRAPH_NONE, loop, 1, GRAPH_NONE, GRAPH_NONE, 0};
        claim(finder, loop);
    }
}

/* Links each loop to those directly inside it; returns the first of those in no other loop. */
static uint32_t link_nesting(struct finder *finder) {
    uint32_t first = GRAPH_NONE;
    for (uint32_t node = finder->graph->node_count; node-- > 0;) {
        uint32_t loop = finder->headed[node];
        if (loop == GRAPH_NONE) continue;
        uint32_t parent = finder->found[loop].parent;
        uint32_t *list = parent == GRAPH_NONE ? &first : &finder->found[parent].first_inside;
        finder->found[loop].next_beside = *list;
        *list = loop;
    }
    return first;
}

/* Numbers the loops in a preorder of their nesting and makes the final items. */
static void number_loops(struct finder *finder, struct loops *loops) {
    struct found_loop *found = finder->found;
    uint32_t loop = link_nesting(finder);
    while (loop != GRAPH_NONE) {
        uint32_t number = loops->count++;
        uint32_t parent = found[loop].parent == GRAPH_NONE ? GRAPH_NONE : found[found[loop].parent].number;
        found[loop].number = number;
        loops->items[number] =
            (struct loop){.header = found[loop].header,
                          .parent = parent,
                          .depth = parent == GRAPH_NONE ? 1 : loops->items[parent].depth + 1,
                          .last_inside = number + found[loop].size - 1};
        if (found[loop].first_inside != GRAPH_NONE) {
            loop = found[loop].first_inside;
            continue;
        }
        while (found[loop].next_beside == GRAPH_NONE && found[loop].parent != GRAPH_NONE)
            loop = found[loop].parent;
        loop = found[loop].next_beside;
    }
}

/* Sorts the nodes by innermost loop; the loops inside a loop follow it, so its members are one range. */
static void collect_members(struct arena *arena, const struct finder *finder, struct loops *loops) {
    uint32_t node_count = finder->graph->node_count;
    uint32_t inside = 0;
    for (uint32_t node = 0; node < node_count; node++) {
        if (finder->innermost[node] == GRAPH_NONE) continue;
        loops->innermost[node] = finder->found[finder->innermost[node]].number;
        loops->items[loops->innermost[node]].member_count++;
        inside++;
    }
    loops->members = arena_array(arena, inside, sizeof *loops->members);
    uint32_t next = 0;
    for (uint32_t l = 0; l < loops->count; l++) {
        loops->items[l].first_member = next;
        next += loops->items[l].member_count;
        loops->items[l].member_count = 0;
    }
    for (uint32_t node = 0; node < node_count; node++) {
        if (loops->innermost[node] == GRAPH_NONE) continue;
        struct loop *loop = &loops->items[loops->innermost[node]];
        loops->members[loop->first_member + loop->member_count++] = node;
    }
    for (uint32_t l = loops->count; l-- > 0;) {
        const struct loop *loop = &loops->items[l];
        if (loop->parent != GRAPH_NONE) loops->items[loop->parent].member_count += loop->member_count;
    }
}

/* The graph of what the tree's root reaches, without back edges: acyclic when all cycles are natural loops.
 */
static struct graph without_back_edges(struct arena *scratch, const struct graph *graph,
                                       const struct dominators *dominators) {
    struct graph_edge *edges = arena_array(scratch, graph->edge_count, sizeof *edges);
    uint32_t count = 0;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (dominators->first[node] == 0) continue;
        for (uint32_t i = graph->out.first[node]; i < graph->out.first[node + 1]; i++) {
            uint32_t to = graph->out.nodes[i];
            if (!loop_is_back_edge(dominators, node, to)) edges[count++] = (struct graph_edge){node, to};
        }
    }
    return graph_build(scratch, graph->node_count, edges, count);
}

/* Makes a region of each component of more than one node, in the order of their first nodes. */
static void find_regions(struct arena *arena, struct arena *scratch, const struct finder *finder,
                         struct loops *loops) {
    uint32_t node_count = finder->graph->node_count;
    struct graph forward = without_back_edges(scratch, finder->graph, finder->dominators);
    struct graph_components components = graph_find_components(scratch, &forward);
    uint32_t *region_of_component = arena_array(scratch, components.count, sizeof(uint32_t));
    uint32_t inside = 0;
    uint32_t regions = 0;
    for (uint32_t c = 0; c < components.count; c++) {
        if (components.size[c] < 2) continue;
        regions++;
        inside += components.size[c];
    }
    loops->regions = arena_array(arena, regions, sizeof *loops->regions);
    loops->region_members = arena_array(arena, inside, sizeof *loops->region_members);
    memset(region_of_component, 0xff, components.count * sizeof(uint32_t));
    uint32_t next = 0;
    for (uint32_t node = 0; node < node_count; node++) {
        uint32_t c = components.of[node];
        if (components.size[c] < 2) continue;
        if (region_of_component[c] == GRAPH_NONE) {
            region_of_component[c] = loops->region_count;
            loops->regions[loops->region_count++].first_member = next;
            next += components.size[c];
        }
        struct irreducible_region *region = &loops->regions[region_of_component[c]];
        loops->region_of[node] = region_of_component[c];
        loops->region_members[region->first_member + region->member_count++] = node;
    }
}

struct loops loops_build(struct arena *arena, const struct graph *graph,
                         const struct dominators *dominators) {
    struct arena scratch = {0};
    struct finder finder = {.graph = graph, .dominators = dominators};
    const size_t nodes = graph->node_count;
    arena_bind(&scratch, arena);
    find_loops(&scratch, &finder);
    struct loops loops = {.items = arena_array(arena, finder.count, sizeof *loops.items),
                          .innermost = arena_array(arena, nodes, sizeof(uint32_t)),
                          .region_of = arena_array(arena, nodes, sizeof(uint32_t))};
    memset(loops.innermost, 0xff, nodes * sizeof(uint32_t));
    memset(loops.region_of, 0xff, nodes * sizeof(uint32_t));
    number_loops(&finder, &loops);
    collect_members(arena, &finder, &loops);
    find_regions(arena, &scratch, &finder, &loops);
    assert(loops.count == finder.count);
    arena_free(&scratch);
    return loops;
}

bool loop_contains(const struct loops *loops, uint32_t loop, uint32_t node) {
    uint32_t inner = loops->innermost[node];
    return inner != GRAPH_NONE && inner >= loop && inner <= loops->items[loop].last_inside;
}

#include "wings/gated_ssa/gates.h"

#include <string.h>

/* Ranks: the components of the graph without back edges, which are numbered against the edges. */
static void find_ranks(struct decisions *decisions) {
    const struct graph *graph = &decisions->cfg->graph;
    const struct dominators *dominators = decisions->dominators;
    struct arena *arena = decisions->arena;
    struct graph_edge *edges = arena_array(arena, graph->edge_count, sizeof *edges);
    uint32_t count = 0;
    for (uint32_t from = 0; from < graph->node_count; from++) {
        for (uint32_t e = graph->out.first[from]; e < graph->out.first[from + 1]; e++) {
            uint32_t to = graph->out.nodes[e];
            if (dominators->first[from] == 0 || loop_is_back_edge(dominators, from, to)) continue;
            edges[count++] = (struct graph_edge){from, to};
        }
    }
    const struct graph forward = graph_build(arena, graph->node_count, edges, count);
    const struct graph_components components = graph_find_components(arena, &forward);
    decisions->rank = arena_array(arena, graph->node_count, sizeof *decisions->rank);
    for (uint32_t node = 0; node < graph->node_count; node++)
        decisions->rank[node] = dominators->first[node] == 0 ? GRAPH_NONE : components.of[node];
}

void decisions_init(const struct cfg *cfg, const struct dominators *dominators, const struct loops *loops,
                    struct arena *arena, struct decisions *decisions) {
    const struct graph *graph = &cfg->graph;
    *decisions = (struct decisions){.arena = arena, .cfg = cfg, .dominators = dominators, .loops = loops};
    decisions->end = arena_array(arena, graph->edge_count, sizeof *decisions->end);
    decisions->met = arena_array(arena, graph->node_count, sizeof *decisions->met);
    decisions->label = arena_array(arena, graph->node_count, sizeof *decisions->label);
    memset(decisions->end, 0xff, graph->edge_count * sizeof *decisions->end);
    find_ranks(decisions);
}

void decisions_start(struct decisions *decisions) {
    for (size_t i = 0; i < decisions->ends.count; i++)
        decisions->end[decisions->ends.items[i]] = GRAPH_NONE;
    decisions->ends.count = decisions->nodes.count = decisions->deciders.count = 0;
    decisions->loops_deciding.count = decisions->regions_deciding.count = 0;
    decisions->search++;
}

void decisions_add_end(struct decisions *decisions, uint32_t edge, uint32_t end) {
    decisions->end[edge] = end;
    arena_push(decisions->arena, &decisions->ends, edge);
}

static void take(struct decisions *decisions, uint32_t node) {
    if (decisions->met[node] == decisions->search) return;
    decisions->met[node] = decisions->search;
    arena_push(decisions->arena, &decisions->nodes, ((struct ranked_node){decisions->rank[node], node}));
}

void decisions_take(struct decisions *decisions, const uint32_t *nodes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        take(decisions, nodes[i]);
}

/* The node that an edge comes from: the last one whose edges start no later. */
static uint32_t edge_source(const struct graph *graph, uint32_t edge) {
    uint32_t low = 0;
    uint32_t high = graph->node_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->out.first[middle] <= edge) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void decisions_take_between(struct decisions *decisions, uint32_t first) {
    const struct graph *graph = &decisions->cfg->graph;
    take(decisions, first);
    for (size_t i = 0; i < decisions->ends.count; i++)
        take(decisions, edge_source(graph, decisions->ends.items[i]));
    for (size_t done = 1; done < decisions->nodes.count; done++) {
        uint32_t node = decisions->nodes.items[done].node;
        for (uint32_t i = graph->in.first[node]; i < graph->in.first[node + 1]; i++) {
            uint32_t from = graph->in.nodes[i];
            if (decisions->rank[from] == GRAPH_NONE) continue;
            if (!loop_is_back_edge(decisions->dominators, from, node)) take(decisions, from);
        }
    }
}

uint32_t decisions_edge_label(const struct decisions *decisions, uint32_t from, uint32_t edge) {
    const struct cfg *cfg = decisions->cfg;
    uint32_t to = cfg->graph.out.nodes[edge];
    if (decisions->end[edge] != GRAPH_NONE) return decision_end_label(cfg, decisions->end[edge]);
    if (decisions->met[to] != decisions->search || loop_is_back_edge(decisions->dominators, from, to))
        return GRAPH_NONE;
    return decisions->label[to];
}

uint32_t decisions_loop_around(const struct loops *loops, uint32_t region) {
    uint32_t loop = loops->innermost[loops->region_members[loops->regions[region].first_member]];
    while (loop != GRAPH_NONE && loops->region_of[loops->items[loop].header] == region)
        loop = loops->items[loop].parent;
    return loop;
}

/* The one label that the edges of a node lead to, edges to nodes of rank `rank` left out: GRAPH_NONE when
 * there is none, `several` when there are more. */
static uint32_t common_label(const struct decisions *decisions, uint32_t node, uint32_t rank,
                             uint32_t several) {
    const struct adjacency *out = &decisions->cfg->graph.out;
    uint32_t common = GRAPH_NONE;
    for (uint32_t e = out->first[node]; e < out->first[node + 1]; e++) {
        if (decisions->end[e] == GRAPH_NONE && decisions->rank[out->nodes[e]] == rank) continue;
        uint32_t label = decisions_edge_label(decisions, node, e);
        if (label == GRAPH_NONE || label == common) continue;
        if (common != GRAPH_NONE) return several;
        common = label;
    }
    return common;
}

/* Notes that a loop is left to different ends: that is so if and only if the ways from its header part inside
 * it. `label` is the header's. */
static void note_loop(struct decisions *decisions, uint32_t loop, uint32_t label) {
    if (label >= decisions->cfg->graph.node_count || !loop_contains(decisions->loops, loop, label)) return;
    arena_push(decisions->arena, &decisions->loops_deciding, loop);
}

/* The loop directly inside `around` that a node is in, or GRAPH_NONE. */
static uint32_t loop_inside(const struct loops *loops, uint32_t around, uint32_t node) {
    uint32_t loop = loops->innermost[node];
    if (loop == around) return GRAPH_NONE;
    while (loop != GRAPH_NONE && loops->items[loop].parent != around)
        loop = loops->items[loop].parent;
    return loop;
}

/* Labels a node that is in no cycle of the search. */
static void label_node(struct decisions *decisions, uint32_t node, uint32_t around) {
    const struct loops *loops = decisions->loops;
    uint32_t label = common_label(decisions, node, GRAPH_NONE, node);
    decisions->label[node] = label;
    if (label == node) arena_push(decisions->arena, &decisions->deciders, node);
    uint32_t loop = loops->innermost[node];
    if (loop == GRAPH_NONE || loops->items[loop].header != node || loops->items[loop].parent != around)
        return;
    note_loop(decisions, loop, label);
}

/* Labels nodes of an irreducible region that stand for the whole of it. */
static void label_region(struct decisions *decisions, const struct ranked_node *nodes, size_t count) {
    const uint32_t several = GRAPH_NONE - 1;
    uint32_t common = GRAPH_NONE;
    for (size_t i = 0; i < count && common != several; i++) {
        uint32_t label = common_label(decisions, nodes[i].node, nodes[i].rank, several);
        if (label != GRAPH_NONE) common = common == GRAPH_NONE || common == label ? label : several;
    }
    for (size_t i = 0; i < count; i++)
        decisions->label[nodes[i].node] = common == several ? nodes[i].node : common;
    if (common != several) return;
    arena_push(decisions->arena, &decisions->regions_deciding, decisions->loops->region_of[nodes[0].node]);
}

/* The first node of a search can be inside a loop or an irreducible region of which the search does not see
 * the rest. All ways out of that to the ends lead through the node, so that it has the label of the whole. */
static void note_first(struct decisions *decisions, uint32_t first, uint32_t around) {
    const struct loops *loops = decisions->loops;
    uint32_t label = decisions->label[first];
    uint32_t loop = loop_inside(loops, around, first);
    if (loop != GRAPH_NONE) {
        if (loops->items[loop].header != first) note_loop(decisions, loop, label);
        return;
    }
    uint32_t region = loops->region_of[first];
    if (region == GRAPH_NONE || decisions_loop_around(loops, region) != around) return;
    if (label >= decisions->cfg->graph.node_count || loops->region_of[label] != region) return;
    arena_push(decisions->arena, &decisions->regions_deciding, region);
}

static int rank_order(const void *a, const void *b) {
    const struct ranked_node *x = a;
    const struct ranked_node *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

void decisions_find(struct decisions *decisions, uint32_t around) {
    const struct ranked_node *nodes = decisions->nodes.items;
    size_t count = decisions->nodes.count;
    decisions->work += count;
    if (decisions->work > DECISIONS_WORK_MAX) arena_fail(decisions->arena, WB_ERR_LIMIT);
    if (count > 0) qsort(decisions->nodes.items, count, sizeof *nodes, rank_order);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && nodes[end].rank == nodes[i].rank)
            end++;
        if (end == i + 1) {
            label_node(decisions, nodes[i].node, around);
        } else {
            label_region(decisions, nodes + i, end - i);
        }
        i = end;
    }
    /* What dominates all others has the highest rank. */
    if (count > 0) note_first(decisions, nodes[count - 1].node, around);
}

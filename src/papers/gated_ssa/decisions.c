#include "papers/gated_ssa/decisions.h"

#include <string.h>

/* Ranks: the components of the graph without back edges, which are numbered against the edges. */
static wb_status find_ranks(struct decisions *decisions, struct arena *arena) {
    const struct graph *graph = &decisions->cfg->graph;
    const struct dominators *dominators = decisions->dominators;
    struct arena scratch = {0};
    struct graph forward;
    struct graph_components components;
    struct graph_edge *edges = arena_array(&scratch, graph->edge_count, sizeof *edges);
    uint32_t count = 0;
    for (uint32_t from = 0; from < graph->node_count && edges != NULL; from++) {
        for (uint32_t e = graph->out.first[from]; e < graph->out.first[from + 1]; e++) {
            uint32_t to = graph->out.nodes[e];
            if (dominators->first[from] == 0 || loop_is_back_edge(dominators, from, to)) continue;
            edges[count++] = (struct graph_edge){from, to};
        }
    }
    wb_status status = edges == NULL ? WB_ERR_LIMIT : WB_OK;
    if (status == WB_OK) status = graph_build(&scratch, graph->node_count, edges, count, &forward);
    if (status == WB_OK) status = graph_find_components(&scratch, &forward, &components);
    decisions->rank = arena_array(arena, graph->node_count, sizeof *decisions->rank);
    if (decisions->rank == NULL) status = WB_ERR_LIMIT;
    for (uint32_t node = 0; status == WB_OK && node < graph->node_count; node++)
        decisions->rank[node] = dominators->first[node] == 0 ? GRAPH_NONE : components.of[node];
    arena_free(&scratch);
    return status;
}

wb_status decisions_init(const struct cfg *cfg, const struct dominators *dominators,
                         const struct loops *loops, struct arena *arena, struct decisions *decisions) {
    const struct graph *graph = &cfg->graph;
    *decisions = (struct decisions){.cfg = cfg, .dominators = dominators, .loops = loops};
    decisions->end = arena_array(arena, graph->edge_count, sizeof *decisions->end);
    decisions->met = arena_array(arena, graph->node_count, sizeof *decisions->met);
    decisions->label = arena_array(arena, graph->node_count, sizeof *decisions->label);
    if (decisions->end == NULL || decisions->met == NULL || decisions->label == NULL) return WB_ERR_LIMIT;
    memset(decisions->end, 0xff, graph->edge_count * sizeof *decisions->end);
    return find_ranks(decisions, arena);
}

void decisions_free(struct decisions *decisions) {
    vec_free(&decisions->ends);
    vec_free(&decisions->nodes);
    vec_free(&decisions->deciders);
    vec_free(&decisions->loops_deciding);
    vec_free(&decisions->regions_deciding);
}

void decisions_start(struct decisions *decisions) {
    for (size_t i = 0; i < decisions->ends.count; i++)
        decisions->end[decisions->ends.items[i]] = GRAPH_NONE;
    decisions->ends.count = decisions->nodes.count = decisions->deciders.count = 0;
    decisions->loops_deciding.count = decisions->regions_deciding.count = 0;
    decisions->search++;
}

wb_status decisions_add_end(struct decisions *decisions, uint32_t edge, uint32_t end) {
    decisions->end[edge] = end;
    return vec_push(&decisions->ends, edge);
}

static wb_status take(struct decisions *decisions, uint32_t node) {
    if (decisions->met[node] == decisions->search) return WB_OK;
    decisions->met[node] = decisions->search;
    return vec_push(&decisions->nodes, ((struct ranked_node){decisions->rank[node], node}));
}

wb_status decisions_take(struct decisions *decisions, const uint32_t *nodes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        WB_TRY(take(decisions, nodes[i]));
    return WB_OK;
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

wb_status decisions_take_between(struct decisions *decisions, uint32_t first) {
    const struct graph *graph = &decisions->cfg->graph;
    WB_TRY(take(decisions, first));
    for (size_t i = 0; i < decisions->ends.count; i++)
        WB_TRY(take(decisions, edge_source(graph, decisions->ends.items[i])));
    for (size_t done = 1; done < decisions->nodes.count; done++) {
        uint32_t node = decisions->nodes.items[done].node;
        for (uint32_t i = graph->in.first[node]; i < graph->in.first[node + 1]; i++) {
            uint32_t from = graph->in.nodes[i];
            if (decisions->rank[from] == GRAPH_NONE) continue;
            if (!loop_is_back_edge(decisions->dominators, from, node)) WB_TRY(take(decisions, from));
        }
    }
    return WB_OK;
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
static wb_status note_loop(struct decisions *decisions, uint32_t loop, uint32_t label) {
    if (label >= decisions->cfg->graph.node_count || !loop_contains(decisions->loops, loop, label))
        return WB_OK;
    return vec_push(&decisions->loops_deciding, loop);
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
static wb_status label_node(struct decisions *decisions, uint32_t node, uint32_t around) {
    const struct loops *loops = decisions->loops;
    uint32_t label = common_label(decisions, node, GRAPH_NONE, node);
    decisions->label[node] = label;
    if (label == node) WB_TRY(vec_push(&decisions->deciders, node));
    uint32_t loop = loops->innermost[node];
    if (loop == GRAPH_NONE || loops->items[loop].header != node || loops->items[loop].parent != around)
        return WB_OK;
    return note_loop(decisions, loop, label);
}

/* Labels nodes of an irreducible region that stand for the whole of it. */
static wb_status label_region(struct decisions *decisions, const struct ranked_node *nodes, size_t count) {
    const uint32_t several = GRAPH_NONE - 1;
    uint32_t common = GRAPH_NONE;
    for (size_t i = 0; i < count && common != several; i++) {
        uint32_t label = common_label(decisions, nodes[i].node, nodes[i].rank, several);
        if (label != GRAPH_NONE) common = common == GRAPH_NONE || common == label ? label : several;
    }
    for (size_t i = 0; i < count; i++)
        decisions->label[nodes[i].node] = common == several ? nodes[i].node : common;
    if (common != several) return WB_OK;
    return vec_push(&decisions->regions_deciding, decisions->loops->region_of[nodes[0].node]);
}

/* The first node of a search can be inside a loop or an irreducible region of which the search does not see
 * the rest. All ways out of that to the ends lead through the node, so that it has the label of the whole. */
static wb_status note_first(struct decisions *decisions, uint32_t first, uint32_t around) {
    const struct loops *loops = decisions->loops;
    uint32_t label = decisions->label[first];
    uint32_t loop = loop_inside(loops, around, first);
    if (loop != GRAPH_NONE)
        return loops->items[loop].header == first ? WB_OK : note_loop(decisions, loop, label);
    uint32_t region = loops->region_of[first];
    if (region == GRAPH_NONE || decisions_loop_around(loops, region) != around) return WB_OK;
    if (label >= decisions->cfg->graph.node_count || loops->region_of[label] != region) return WB_OK;
    return vec_push(&decisions->regions_deciding, region);
}

static int rank_order(const void *a, const void *b) {
    const struct ranked_node *x = a;
    const struct ranked_node *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

wb_status decisions_find(struct decisions *decisions, uint32_t around) {
    const struct ranked_node *nodes = decisions->nodes.items;
    size_t count = decisions->nodes.count;
    decisions->work += count;
    if (decisions->work > DECISIONS_WORK_MAX) return WB_ERR_LIMIT;
    if (count > 0) qsort(decisions->nodes.items, count, sizeof *nodes, rank_order);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && nodes[end].rank == nodes[i].rank)
            end++;
        if (end == i + 1) {
            WB_TRY(label_node(decisions, nodes[i].node, around));
        } else {
            WB_TRY(label_region(decisions, nodes + i, end - i));
        }
        i = end;
    }
    /* What dominates all others has the highest rank. */
    return count > 0 ? note_first(decisions, nodes[count - 1].node, around) : WB_OK;
}

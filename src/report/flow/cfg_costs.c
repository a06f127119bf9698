#include "report/flow/cfg.h"

/* ---- How often warps go along edges --------------------------------------------------------------------
 *
 * Through a block go as many warps as come into it, unless it is where parts of a divided warp meet again,
 * which come one after the other; and as many as leave it, unless it ends with a branch that may divide
 * them. */

/* The edges of a node on one side: their sum, and the one that is not known if it is the only one. */
struct edge_sum {
    uint64_t known;
    uint32_t unknown, unknown_count;
};

static void add_edge(struct edge_sum *sum, const struct cfg_costs *costs, uint32_t edge) {
    if (costs->edges[edge] == EDGE_UNKNOWN) {
        sum->unknown = edge;
        sum->unknown_count++;
    } else {
        sum->known += costs->edges[edge];
    }
}

/* Finds the only unknown edge of a sum; whether there was one. */
static bool solve(struct cfg_costs *costs, const struct edge_sum *sum, uint64_t warps) {
    if (sum->unknown_count != 1) return false;
    costs->edges[sum->unknown] = warps > sum->known ? warps - sum->known : 0;
    return true;
}

static bool solve_node(const struct cfg_report *report, struct cfg_costs *costs, const bool *meets,
                       uint32_t block) {
    const struct graph *graph = &report->cfg.graph;
    struct edge_sum out = {0}, in = {0};
    bool found = false;
    if (costs->warps[block] == WARPS_UNKNOWN) return false;
    for (uint32_t e = graph->out.first[block]; e < graph->out.first[block + 1]; e++)
        add_edge(&out, costs, e);
    if (!report->divergence.branches[block] || graph->out.first[block + 1] - graph->out.first[block] == 1)
        found |= solve(costs, &out, costs->warps[block]);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->out.nodes[e] == block) add_edge(&in, costs, e);
    if (block == CFG_ENTRY || (meets[block] && in.unknown_count + (in.known > 0) > 1)) return found;
    return found | solve(costs, &in, costs->warps[block]);
}

static void find_edges(const struct cfg_report *report, struct arena *arena, struct cfg_costs *costs) {
    const struct graph *graph = &report->cfg.graph;
    bool *meets = arena_array(arena, (size_t)report->cfg.block_count + 1, sizeof *meets);
    costs->edges = arena_array(arena, (size_t)graph->edge_count + 1, sizeof *costs->edges);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        costs->edges[e] = EDGE_UNKNOWN;
    for (uint32_t b = 0; b < report->cfg.block_count; b++)
        if (report->divergence.branches[b] && report->post_dominators.parent[b] < report->cfg.block_count)
            meets[report->post_dominators.parent[b]] = true; /* parts of a warp may meet there */
    for (bool found = true; found;) {
        found = false;
        for (uint32_t b = 0; b < report->cfg.block_count; b++)
            found |= solve_node(report, costs, meets, b);
    }
}

/* ---- The path with most cycles ------------------------------------------------------------------------- */

/* Whether the path may go along an edge: not round in loops, and not where no warp goes. */
static bool leads_on(const struct cfg_report *report, const struct cfg_costs *costs, uint32_t from,
                     uint32_t to) {
    if (cfg_is_back_edge(report, from, to)) return false;
    if (report->loops.region_of[from] != GRAPH_NONE && to <= from) return false;
    return to == report->cfg.exit || costs->warps[to] > 0;
}

/* The blocks in an order in which every forward edge goes to a later one. */
static uint32_t *sort_blocks(const struct cfg_report *report, struct arena *arena,
                             const struct cfg_costs *costs, uint32_t *count) {
    const struct graph *graph = &report->cfg.graph;
    uint32_t *order = arena_array(arena, (size_t)graph->node_count + 1, sizeof *order);
    uint32_t *missing = arena_array(arena, (size_t)graph->node_count + 1, sizeof *missing);
    *count = 0;
    for (uint32_t b = 0; b < report->cfg.block_count; b++)
        for (uint32_t e = graph->out.first[b]; e < graph->out.first[b + 1]; e++)
            missing[graph->out.nodes[e]] += leads_on(report, costs, b, graph->out.nodes[e]);
    for (uint32_t b = 0; b < graph->node_count; b++)
        if (missing[b] == 0) order[(*count)++] = b;
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t b = order[i];
        if (b == report->cfg.exit) continue;
        for (uint32_t e = graph->out.first[b]; e < graph->out.first[b + 1]; e++) {
            const uint32_t to = graph->out.nodes[e];
            if (leads_on(report, costs, b, to) && --missing[to] == 0) order[(*count)++] = to;
        }
    }
    return order;
}

/* Marks the path from the entry on which most cycles are spent; of loops every block is on it that has some.
 */
static void find_path(const struct cfg_report *report, struct arena *arena, struct cfg_costs *costs) {
    const struct graph *graph = &report->cfg.graph;
    uint32_t count;
    const uint32_t *order = sort_blocks(report, arena, costs, &count);
    uint64_t *most = arena_array(arena, (size_t)graph->node_count + 1, sizeof *most);
    uint32_t *next = arena_array(arena, (size_t)graph->node_count + 1, sizeof *next);
    costs->on_path = arena_array(arena, (size_t)graph->node_count + 1, sizeof *costs->on_path);
    costs->path_edge = arena_array(arena, (size_t)graph->edge_count + 1, sizeof *costs->path_edge);
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t b = order[i];
        next[b] = GRAPH_NONE;
        if (b == report->cfg.exit) continue;
        for (uint32_t e = graph->out.first[b]; e < graph->out.first[b + 1]; e++) {
            const uint32_t to = graph->out.nodes[e];
            if (!leads_on(report, costs, b, to)) continue;
            if (next[b] != GRAPH_NONE && most[to] <= most[graph->out.nodes[next[b]]]) continue;
            next[b] = e;
        }
        most[b] = costs->cycles[b] + (next[b] != GRAPH_NONE ? most[graph->out.nodes[next[b]]] : 0);
    }
    for (uint32_t b = CFG_ENTRY, steps = 0; steps < count; steps++) {
        costs->on_path[b] = true;
        if (b == report->cfg.exit || next[b] == GRAPH_NONE) break;
        costs->path_edge[next[b]] = true;
        b = graph->out.nodes[next[b]];
    }
    for (uint32_t b = 0; b < report->cfg.block_count; b++)
        for (uint32_t e = graph->out.first[b]; e < graph->out.first[b + 1]; e++)
            if (cfg_is_back_edge(report, b, graph->out.nodes[e]) && costs->on_path[b] &&
                costs->on_path[graph->out.nodes[e]] && costs->warps[b] > 0)
                costs->path_edge[e] = true;
}

void cfg_costs_complete(const struct cfg_report *report, struct arena *arena, struct cfg_costs *costs) {
    find_edges(report, arena, costs);
    find_path(report, arena, costs);
}

/* The control flow of a kernel for a picture and a table: the blocks that are executed and what they can lead
 * to, with how often they are executed and how many cycles are spent in them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "flow/graph/graph.h"
#include "report/html/page.h"

/* Most executed blocks that are drawn. */
#define BLOCKS_DRAWN_MAX 90u

struct flow_block {
    uint64_t executions, cycles;
    uint32_t node;                  /* in the drawing, or GRAPH_NONE */
    uint32_t first_line, last_line; /* of the source, of one file; 0: not known */
    const char *file;
};

struct flow {
    const wb_costs *costs;
    const struct html_code *code;
    struct arena *arena;
    struct cfg cfg;
    struct flow_block *blocks; /* per node of the cfg, exit included */
    uint32_t executed, drawn;
    uint64_t least;  /* cycles of the blocks that are drawn */
    uint32_t *nodes; /* the blocks in the drawing */
    bool *through;   /* per edge there: it stands for ways through skipped blocks */
    uint32_t node_count;
    struct layers layers;
};

/* ---- What is executed -----------------------------------------------------------------------------------
 */

/* Adds an instruction's row to its block. */
static void add_row(struct flow *flow, const wb_cost *row, uint32_t instruction) {
    struct flow_block *block = &flow->blocks[flow->cfg.block_of[instruction]];
    if (row->executions > block->executions) block->executions = row->executions;
    block->cycles = cycles_add(block->cycles, row->cycles);
    const uint32_t line = row->place.source_line;
    if (row->place.source_file == NULL || line == 0) return;
    if (block->file == NULL) {
        block->file = row->place.source_file;
        block->first_line = block->last_line = line;
    } else if (block->file == row->place.source_file) {
        if (line < block->first_line) block->first_line = line;
        if (line > block->last_line) block->last_line = line;
    }
}

/* Whether a block is executed, as far as rows say: `ret` is not counted. */
static bool is_executed(const struct flow_block *block) {
    return block->executions > 0 || block->cycles > 0;
}

static int compare_cycles(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Finds which blocks are drawn: of too many those with most cycles. */
static void choose_blocks(struct flow *flow) {
    uint64_t *sorted = arena_array(flow->arena, flow->cfg.block_count + 1, sizeof *sorted);
    for (uint32_t b = 0; b < flow->cfg.block_count; b++) {
        const struct flow_block *block = &flow->blocks[b];
        if (is_executed(block)) sorted[flow->executed++] = block->cycles;
    }
    qsort(sorted, flow->executed, sizeof *sorted, compare_cycles);
    if (flow->executed > BLOCKS_DRAWN_MAX) flow->least = sorted[BLOCKS_DRAWN_MAX] + 1;
}

static bool is_drawn(const struct flow *flow, uint32_t block) {
    return is_executed(&flow->blocks[block]) && flow->blocks[block].cycles >= flow->least;
}

/* Numbers the blocks that are drawn, and those next to them, in the order of the text. */
static void number_nodes(struct flow *flow) {
    const struct adjacency *out = &flow->cfg.graph.out;
    for (uint32_t b = 0; b <= flow->cfg.exit; b++)
        flow->blocks[b].node = GRAPH_NONE;
    for (uint32_t b = 0; b < flow->cfg.block_count; b++) {
        if (!is_drawn(flow, b)) continue;
        flow->drawn++;
        flow->blocks[b].node = 0;
        for (uint32_t e = out->first[b]; flow->least == 0 && e < out->first[b + 1]; e++)
            flow->blocks[out->nodes[e]].node = 0;
    }
    flow->nodes = arena_array(flow->arena, (size_t)flow->cfg.exit + 1, sizeof *flow->nodes);
    for (uint32_t b = 0; b <= flow->cfg.exit; b++) {
        if (flow->blocks[b].node == GRAPH_NONE) continue;
        flow->blocks[b].node = flow->node_count;
        flow->nodes[flow->node_count++] = b;
    }
}

/* The state of the search for the edges of one node. */
struct edge_search {
    struct graph_edge *edges;
    uint32_t count;
    uint32_t *seen;  /* per block the last node that it was seen from, from 1 */
    uint32_t *stack; /* skipped blocks that the node can reach */
    uint32_t depth;
};

/* A block that node `node` reaches, at once or through others: a drawn block gets an edge, a skipped but
 * executed one is passed through. */
static void meet_block(struct flow *flow, struct edge_search *search, uint32_t node, uint32_t block,
                       bool through) {
    const bool is_left_out = flow->blocks[block].node == GRAPH_NONE;
    if (search->seen[block] == node + 1) return;
    search->seen[block] = node + 1;
    if (!is_left_out) {
        flow->through[search->count] = through;
        search->edges[search->count++] = (struct graph_edge){node, flow->blocks[block].node};
    } else if (is_executed(&flow->blocks[block])) {
        search->stack[search->depth++] = block;
    }
}

/* Places the nodes. */
static void place_nodes(struct flow *flow) {
    const struct adjacency *out = &flow->cfg.graph.out;
    const size_t blocks = (size_t)flow->cfg.exit + 1, most = (size_t)flow->node_count * flow->node_count;
    struct edge_search search = {.edges = arena_array(flow->arena, most, sizeof *search.edges),
                                 .seen = arena_array(flow->arena, blocks, sizeof *search.seen),
                                 .stack = arena_array(flow->arena, blocks, sizeof *search.stack)};
    flow->through = arena_array(flow->arena, most, sizeof *flow->through);
    for (uint32_t n = 0; n < flow->node_count; n++) {
        const uint32_t from = flow->nodes[n];
        for (uint32_t e = out->first[from]; is_drawn(flow, from) && e < out->first[from + 1]; e++)
            meet_block(flow, &search, n, out->nodes[e], false);
        while (search.depth > 0) {
            const uint32_t block = search.stack[--search.depth];
            for (uint32_t e = out->first[block]; e < out->first[block + 1]; e++)
                meet_block(flow, &search, n, out->nodes[e], true);
        }
    }
    flow->layers = layers_place(flow->arena, flow->node_count, search.edges, search.count);
}

static void find_flow(void *context) {
    struct flow *flow = context;
    const struct html_code *code = flow->code;
    const struct ptx_function *function = kernel_function(code->kernel);
    const uint32_t first = code->code_first[function - code->kernel->module->functions];
    size_t count;
    const wb_cost *rows = wb_costs_rows(flow->costs, &count);
    flow->cfg = cfg_build(function, flow->arena);
    flow->blocks = arena_array(flow->arena, (size_t)flow->cfg.exit + 1, sizeof *flow->blocks);
    for (size_t i = 0; i < count; i++) {
        const wb_cost *row = &rows[i];
        if (row->instruction != WB_NO_INSTRUCTION && row->instruction >= first &&
            row->instruction - first < ptx_issued_count(function))
            add_row(flow, row, ptx_issued(function, (uint32_t)(row->instruction - first)));
    }
    choose_blocks(flow);
    number_nodes(flow);
    if (flow->node_count > 0) place_nodes(flow);
}

/* ---- What the script gets -------------------------------------------------------------------------------
 */

/* A block by its number; null: the end. */
static void put_number(struct json *json, const char *key, const struct flow *flow, uint32_t block) {
    json_put_count_if(json, key, block != flow->cfg.exit, block);
}

static void block_json(struct json *json, const struct flow *flow, uint32_t number) {
    const struct flow_block *block = &flow->blocks[number];
    const struct adjacency *out = &flow->cfg.graph.out;
    json_open_object(json, NULL);
    json_put(json, "block %u, executions %" PRIu64 ", cycles %" PRIu64, number, block->executions,
             block->cycles);
    if (block->first_line > 0)
        json_put_counts(json, "lines", (const uint32_t[]){block->first_line, block->last_line}, 2);
    json_open_array(json, "leads_to");
    for (uint32_t e = out->first[number]; e < out->first[number + 1]; e++)
        put_number(json, NULL, flow, out->nodes[e]);
    json_close(json);
    json_close(json);
}

/* A place in widths of a node: so exact that no pixel depends on more. */
static void put_place(struct json *json, const char *key, double x) {
    json_put_real(json, key, round(x * 1000) / 1000);
}

static void nodes_json(struct json *json, const struct flow *flow) {
    json_open_array(json, "nodes");
    for (uint32_t n = 0; n < flow->node_count; n++) {
        json_open_object(json, NULL);
        put_number(json, "block", flow, flow->nodes[n]);
        json_put_count(json, "layer", flow->layers.nodes[n].layer);
        put_place(json, "x", flow->layers.nodes[n].x);
        json_close(json);
    }
    json_close(json);
}

static void edges_json(struct json *json, const struct flow *flow) {
    json_open_array(json, "edges");
    for (uint32_t e = 0; e < flow->layers.edge_count; e++) {
        const struct layers_edge *edge = &flow->layers.edges[e];
        json_open_object(json, NULL);
        json_put(json, "from %u, to %u, through %d", edge->from, edge->to, flow->through[e]);
        json_put_count_if(json, "lane", edge->back, edge->lane); /* null: it leads down */
        json_open_array(json, "bends");
        for (uint32_t b = 0; b < edge->bend_count; b++)
            put_place(json, NULL, edge->bends[b]);
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

void page_flow_json(struct html_page *page, const wb_costs *costs, const struct html_code *code) {
    struct arena arena = {0};
    struct flow flow = {.costs = costs, .code = code, .arena = &arena};
    struct json *json = &page->json;
    json_open_object(json, "flow");
    if (arena_protect(&arena, find_flow, &flow) != WB_OK) {
        json->out->failed = true;
    } else {
        json_put(json, "drawn %u, least %" PRIu64 ", layers %u, lanes %u", flow.drawn, flow.least,
                 flow.layers.layer_count, flow.layers.lane_count);
        put_place(json, "width", flow.layers.width);
        nodes_json(json, &flow);
        edges_json(json, &flow);
        json_open_array(json, "blocks");
        for (uint32_t b = 0; b < flow.cfg.block_count; b++)
            if (is_executed(&flow.blocks[b])) block_json(json, &flow, b);
        json_close(json);
    }
    json_close(json);
    arena_free(&arena);
}

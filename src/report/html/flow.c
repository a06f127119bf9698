/* The control flow of a kernel as a picture: the blocks that are executed and what they can lead to, with how
 * often they are executed and how many cycles of the least proven bound are spent in them; and as a table. */
#include "report/html/costs.h"

#include <inttypes.h>
#include <stdlib.h>

#include "flow/graph/graph.h"
#include "report/html/layers.h"
#include "report/parts/bounds.h"
#include "report/write/output.h"

/* Most executed blocks that are drawn, and that are listed. */
#define BLOCKS_DRAWN_MAX 90u
#define BLOCKS_LISTED_MAX 1000u

/* Sizes in the picture. */
#define COLUMN 190
#define BOX_WIDTH 164
#define BOX_HEIGHT 58
#define LAYER 104
#define LANE 14
#define MARGIN 18

struct flow_block {
    uint64_t executions, cycles;
    uint32_t node;                  /* in the drawing, or GRAPH_NONE */
    uint32_t first_line, last_line; /* of the source, of one file; 0: not known */
    const char *file;
};

struct flow {
    struct html_page *page;
    const struct html_costs *costs;
    struct arena *arena;
    struct cfg cfg;
    struct flow_block *blocks; /* per node of the cfg, exit included */
    uint32_t executed, drawn;
    uint64_t hottest, least; /* cycles: of the hottest block; of those that are drawn */
    uint32_t *nodes;         /* the blocks in the drawing */
    bool *through;           /* per edge there: it stands for ways through blocks that are left out */
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
    flow->hottest = flow->executed > 0 ? sorted[0] : 0;
    if (flow->executed > BLOCKS_DRAWN_MAX) flow->least = sorted[BLOCKS_DRAWN_MAX] + 1;
}

static bool is_drawn(const struct flow *flow, uint32_t block) {
    return is_executed(&flow->blocks[block]) && flow->blocks[block].cycles >= flow->least;
}

static void add_node(struct flow *flow, uint32_t block) {
    if (flow->blocks[block].node == GRAPH_NONE) flow->blocks[block].node = 0;
}

/* Numbers the blocks that are drawn, and those next to them, in the order of the text. */
static void number_nodes(struct flow *flow) {
    const struct adjacency *out = &flow->cfg.graph.out;
    for (uint32_t b = 0; b <= flow->cfg.exit; b++)
        flow->blocks[b].node = GRAPH_NONE;
    for (uint32_t b = 0; b < flow->cfg.block_count; b++) {
        if (!is_drawn(flow, b)) continue;
        flow->drawn++;
        add_node(flow, b);
        for (uint32_t e = out->first[b]; flow->least == 0 && e < out->first[b + 1]; e++)
            add_node(flow, out->nodes[e]);
    }
    flow->nodes = arena_array(flow->arena, (size_t)flow->cfg.exit + 1, sizeof *flow->nodes);
    for (uint32_t b = 0; b <= flow->cfg.exit; b++) {
        if (flow->blocks[b].node == GRAPH_NONE) continue;
        flow->blocks[b].node = flow->node_count;
        flow->nodes[flow->node_count++] = b;
    }
}

/* What the edges of one node are found with. */
struct edge_search {
    struct graph_edge *edges;
    uint32_t count;
    uint32_t *seen;  /* per block the last node that it was seen from, from 1 */
    uint32_t *stack; /* blocks that are left out and that the node leads to */
    uint32_t depth;
};

/* A block that node `node` leads to, at once or through others: if it is drawn there is an edge, if it is
 * executed and left out it is gone through. */
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
    const struct html_code *code = &flow->costs->code;
    const struct ptx_function *function = kernel_function(code->kernel);
    const uint32_t first = code->code_first[function - code->kernel->module->functions];
    flow->cfg = cfg_build(function, flow->arena);
    flow->blocks = arena_array(flow->arena, (size_t)flow->cfg.exit + 1, sizeof *flow->blocks);
    for (size_t i = 0; i < flow->costs->count; i++) {
        const wb_cost *row = &flow->costs->rows[i];
        if (row->instruction != WB_NO_INSTRUCTION && row->instruction >= first &&
            row->instruction - first < ptx_issued_count(function))
            add_row(flow, row, ptx_issued(function, (uint32_t)(row->instruction - first)));
    }
    choose_blocks(flow);
    number_nodes(flow);
    if (flow->node_count > 0) place_nodes(flow);
}

/* ---- The picture ----------------------------------------------------------------------------------------
 */

static double middle_of(double x) {
    return MARGIN + x * COLUMN;
}

static double top_of(uint32_t layer) {
    return MARGIN + (double)layer * LAYER;
}

/* An edge that leads down, through the layers between. */
static void put_edge(struct flow *flow, const struct layers_edge *edge, bool through) {
    struct text *out = &flow->page->out;
    const struct layers_place *from = &flow->layers.nodes[edge->from], *to = &flow->layers.nodes[edge->to];
    double x = middle_of(from->x), y = top_of(from->layer) + BOX_HEIGHT;
    text_printf(out, "<path%s d=\"M%.0f %.0f", through ? " class=\"through\"" : "", x, y);
    for (uint32_t b = 0; b <= edge->bend_count; b++) {
        const double next = middle_of(b < edge->bend_count ? edge->bends[b] : to->x);
        const double top = top_of(from->layer + 1 + b), half = (top - y) / 2;
        text_printf(out, "C%.0f %.0f %.0f %.0f %.0f %.0f", x, y + half, next, top - half, next, top);
        x = next;
        y = top + BOX_HEIGHT;
        if (b < edge->bend_count) text_printf(out, "V%.0f", y);
    }
    text_string(out, "\" marker-end=\"url(#arrow)\"/>\n");
}

/* An edge that leads up: out below the node, to its lane on the right, and in above the other. */
static void put_back_edge(struct flow *flow, const struct layers_edge *edge) {
    const struct layers_place *from = &flow->layers.nodes[edge->from], *to = &flow->layers.nodes[edge->to];
    const double lane = middle_of(flow->layers.width) + LANE * (edge->lane + 1.0);
    const double shift = BOX_WIDTH / 4.0, bottom = top_of(from->layer) + BOX_HEIGHT;
    const double below = bottom + 12 + 3.0 * (edge->lane % 4),
                 above = top_of(to->layer) - 12 - 3.0 * (edge->lane % 4);
    text_printf(
        &flow->page->out,
        "<path class=\"back\" d=\"M%.0f %.0fV%.0fH%.0fV%.0fH%.0fV%.0f\" marker-end=\"url(#arrow)\"/>\n",
        middle_of(from->x) + shift, bottom, below, lane, above, middle_of(to->x) + shift, top_of(to->layer));
}

static void put_lines(struct text *out, const struct flow_block *block) {
    if (block->first_line == 0) return;
    text_printf(out, "line%s %u", block->first_line == block->last_line ? "" : "s", block->first_line);
    if (block->last_line != block->first_line) text_printf(out, "\xe2\x80\x93%u", block->last_line);
}

static void put_node(struct flow *flow, uint32_t node) {
    struct text *out = &flow->page->out;
    const uint32_t number = flow->nodes[node];
    const struct flow_block *block = &flow->blocks[number];
    const struct layers_place *place = &flow->layers.nodes[node];
    const double x = middle_of(place->x) - BOX_WIDTH / 2.0, y = top_of(place->layer);
    const bool is_exit = number == flow->cfg.exit;
    const double heat = flow->hottest > 0 ? (double)block->cycles / (double)flow->hottest : 0;
    text_printf(out,
                "<g class=\"node%s\"><rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" rx=\"5\" "
                "style=\"--h:%.2f\"/>",
                is_executed(block) ? "" : " quiet", x, y, BOX_WIDTH, BOX_HEIGHT, heat);
    if (is_exit) {
        text_printf(out, "<text x=\"%.0f\" y=\"%.0f\" class=\"mid\">end</text></g>\n", x + BOX_WIDTH / 2.0,
                    y + 34);
        return;
    }
    text_printf(out, "<text x=\"%.0f\" y=\"%.0f\"><tspan class=\"strong\">B%u</tspan>", x + 9, y + 17,
                number);
    if (block->executions > 0) text_printf(out, " \xc3\x97%" PRIu64, block->executions);
    text_string(out, "</text>");
    if (is_executed(block)) {
        text_printf(out, "<text x=\"%.0f\" y=\"%.0f\">%" PRIu64 " cycles, %.1f %%</text>", x + 9, y + 34,
                    block->cycles, report_percent(block->cycles, flow->costs->total));
        text_printf(out, "<text x=\"%.0f\" y=\"%.0f\" class=\"dim\">", x + 9, y + 50);
        put_lines(out, block);
        text_string(out, "</text>");
    }
    text_string(out, "</g>\n");
}

static void put_picture(struct flow *flow) {
    struct text *out = &flow->page->out;
    const struct layers *layers = &flow->layers;
    const double width = middle_of(layers->width) + LANE * (layers->lane_count + 1.0) + MARGIN;
    const double height = top_of(layers->layer_count) - (LAYER - BOX_HEIGHT) + MARGIN;
    text_printf(
        out,
        "<div class=\"graph scroll\"><svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
        "role=\"img\" aria-label=\"Control flow of %u blocks; the table below says the same\">\n"
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path class=\"head\" d=\"M0 0L8 4L0 8Z\"/></marker></defs>\n",
        width, height, width, height, flow->node_count);
    for (uint32_t e = 0; e < layers->edge_count; e++) {
        if (layers->edges[e].back)
            put_back_edge(flow, &layers->edges[e]);
        else
            put_edge(flow, &layers->edges[e], flow->through[e]);
    }
    for (uint32_t n = 0; n < flow->node_count; n++)
        put_node(flow, n);
    text_string(out, "</svg></div>\n");
}

/* ---- The table ------------------------------------------------------------------------------------------
 */

static void put_successors(struct flow *flow, uint32_t block) {
    const struct adjacency *out = &flow->cfg.graph.out;
    for (uint32_t e = out->first[block]; e < out->first[block + 1]; e++) {
        text_string(&flow->page->out, e > out->first[block] ? ", " : "");
        if (out->nodes[e] == flow->cfg.exit)
            text_string(&flow->page->out, "end");
        else
            text_printf(&flow->page->out, "B%u", out->nodes[e]);
    }
}

static void put_table(struct flow *flow) {
    struct html_page *page = flow->page;
    struct text *out = &page->out;
    uint32_t listed = 0;
    text_string(out,
                "<details><summary>The blocks as a table</summary>\n<div class=\"scroll\"><table><thead><tr>"
                "<th scope=\"col\">Block</th><th scope=\"col\">Executed</th><th scope=\"col\">Cycles</th>"
                "<th scope=\"col\">Share</th><th scope=\"col\">Source</th><th scope=\"col\">Leads to</th>"
                "</tr></thead><tbody>\n");
    for (uint32_t b = 0; b < flow->cfg.block_count && listed < BLOCKS_LISTED_MAX; b++) {
        const struct flow_block *block = &flow->blocks[b];
        if (!is_executed(block)) continue;
        listed++;
        text_printf(out, "<tr><td>B%u</td><td class=\"num\">", b);
        page_count(page, block->executions);
        text_string(out, "</td><td class=\"num\">");
        page_count(page, block->cycles);
        text_printf(out, "</td><td class=\"num\">%.1f %%</td><td>",
                    report_percent(block->cycles, flow->costs->total));
        put_lines(out, block);
        text_string(out, "</td><td>");
        put_successors(flow, b);
        text_string(out, "</td></tr>\n");
    }
    text_string(out, "</tbody></table></div>\n");
    if (listed < flow->executed)
        page_note(page, "The first %u of %u blocks that are executed.", listed, flow->executed);
    text_string(out, "</details>\n");
}

void html_flow(struct html_page *page, const struct html_costs *costs) {
    struct arena arena = {0};
    struct flow flow = {.page = page, .costs = costs, .arena = &arena};
    if (arena_protect(&arena, find_flow, &flow) != WB_OK) {
        page->out.failed = true;
    } else if (flow.node_count == 0) {
        page_note(page, "Nothing of the kernel's own function is executed.");
    } else {
        text_string(&page->out,
                    "<p>The basic blocks that are executed (\xc3\x97: by how many warps, how often in "
                    "all), and pale those that they could lead to. The darker, the more cycles; dashed "
                    "edges lead back to the start of a loop. Called functions are not drawn.</p>\n");
        if (flow.drawn < flow.executed)
            page_note(page,
                      "Drawn are %u of the %u blocks that are executed, those with at least %" PRIu64
                      " cycles; dotted edges lead through others.",
                      flow.drawn, flow.executed, flow.least);
        put_picture(&flow);
        put_table(&flow);
    }
    arena_free(&arena);
}

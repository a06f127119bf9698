/* The abstract warp of a kernel for Graphviz: time nodes as boxes, memory access nodes as ellipses, barrier
 * nodes as bars, as on slide 12 of WCET 2014. */
#include <inttypes.h>

#include "base/base.h"
#include "machine/machine.h"
#include "report/write/output.h"
#include "warpbound_abstract_cta.h"
#include "wings/abstract_cta/acta_code.h"

/* So many edges into one place that they meet in a point first. */
#define EDGES_APART_MAX 4u

/* Where control stands: edges that have left a node and not arrived at another. */
struct loose_edge {
    uint32_t from;     /* number of a node of the picture */
    const char *style; /* attributes of the edge */
};

struct loose_edges {
    VEC(struct loose_edge) items;
};

struct dot_writer {
    const struct acta_warp *warp;
    struct text *out;
    uint32_t nodes; /* of the picture, so far */
};

static void put_edges(struct dot_writer *writer, const struct loose_edges *edges, uint32_t to) {
    for (size_t i = 0; i < edges->items.count; i++)
        text_printf(writer->out, "    n%u -> n%u [%s];\n", edges->items.items[i].from, to,
                    edges->items.items[i].style);
}

/* Draws a node behind all loose edges, and continues from it. */
static uint32_t put_node(struct dot_writer *writer, struct loose_edges *edges, const char *style) {
    uint32_t node = writer->nodes++;
    text_printf(writer->out, "    n%u [%s];\n", node, style);
    put_edges(writer, edges, node);
    edges->items.count = 0;
    if (vec_push(&edges->items, ((struct loose_edge){node, ""})) != WB_OK) writer->out->failed = true;
    return node;
}

static void put_time(struct dot_writer *writer, struct loose_edges *edges, const struct acta_node *node) {
    struct text style = {0};
    text_printf(&style, "shape=box, label=\"T_instr = %" PRIu64 "\\nT_shift = %" PRIu64 "\"", node->instr,
                node->shift);
    (void)put_node(writer, edges, style.failed ? "" : style.data);
    writer->out->failed |= style.failed;
    text_free(&style);
}

static void put_sequence(struct dot_writer *writer, uint32_t first, struct loose_edges *edges);

/* Both sides begin where control stands, and control then stands behind both. */
static void put_branch(struct dot_writer *writer, struct loose_edges *edges, const struct acta_node *branch) {
    struct loose_edges other = {0};
    if (edges->items.count > EDGES_APART_MAX) (void)put_node(writer, edges, "shape=point");
    for (size_t i = 0; i < edges->items.count; i++) {
        struct loose_edge *edge = &edges->items.items[i];
        if (branch->diverges) edge->style = "style=dashed, color=red";
        if (vec_push(&other.items, *edge) != WB_OK) writer->out->failed = true;
    }
    put_sequence(writer, branch->side[0], edges);
    put_sequence(writer, branch->side[1], &other);
    for (size_t i = 0; i < other.items.count; i++)
        if (vec_push(&edges->items, other.items.items[i]) != WB_OK) writer->out->failed = true;
    vec_free(&other.items);
}

/* A loop is entered at a point to which its last part goes back; control leaves it behind its first part. */
static void put_loop(struct dot_writer *writer, struct loose_edges *edges, const struct acta_node *loop) {
    struct loose_edges back = {0};
    uint32_t entry = put_node(writer, edges, "shape=point, color=blue");
    put_sequence(writer, loop->side[0], edges);
    for (size_t i = 0; i < edges->items.count; i++)
        if (vec_push(&back.items, edges->items.items[i]) != WB_OK) writer->out->failed = true;
    put_sequence(writer, loop->side[1], &back);
    for (size_t i = 0; i < back.items.count; i++)
        back.items.items[i].style = "color=blue, constraint=false";
    put_edges(writer, &back, entry);
    vec_free(&back.items);
}

static void put_sequence(struct dot_writer *writer, uint32_t first, struct loose_edges *edges) {
    for (uint32_t i = first; i != ACTA_NONE; i = writer->warp->nodes.items[i].next) {
        const struct acta_node *node = &writer->warp->nodes.items[i];
        switch ((enum acta_kind)node->kind) {
        case ACTA_TIME: put_time(writer, edges, node); break;
        case ACTA_MEMORY:
            (void)put_node(writer, edges, node->is_store ? "label=\"store\"" : "label=\"memory\"");
            break;
        case ACTA_BARRIER:
            (void)put_node(writer, edges,
                           "shape=box, style=filled, fillcolor=black, fontcolor=white, label=\"barrier\"");
            break;
        case ACTA_BRANCH: put_branch(writer, edges, node); break;
        case ACTA_LOOP: put_loop(writer, edges, node); break;
        }
    }
}

/* Appends the graph. */
static void put_graph(const struct acta_warp *warp, const char *name, struct text *out) {
    struct dot_writer writer = {.warp = warp, .out = out};
    struct loose_edges edges = {0};
    text_printf(out,
                "digraph \"%s\" {\n"
                "    label=\"abstract warp of %s\\n"
                "box: time, ellipse: memory access, bar: barrier, dashed: divergent branch, blue: loop\";\n"
                "    labelloc=t; rankdir=LR; fontname=\"monospace\";\n"
                "    node [fontname=\"monospace\", fontsize=10];\n",
                name, name);
    (void)put_node(&writer, &edges, "shape=plaintext, label=\"start\"");
    put_sequence(&writer, warp->first, &edges);
    (void)put_node(&writer, &edges, "shape=plaintext, label=\"end\"");
    text_string(out, "}\n");
    vec_free(&edges.items);
}

wb_status wb_kernel_abstract_warp(const wb_kernel *kernel, wb_diagnostics *diagnostics, char **text) {
    static const struct acta_threads threads = {.warp_width = MACHINE_WARP_WIDTH};
    struct kernel_flow flow;
    struct acta_warp warp = {0};
    struct text out = {0};
    wb_status status = kernel_flow_make(kernel, diagnostics, &flow);
    if (status == WB_OK) status = acta_warp_of_kernel(&flow, &threads, false, diagnostics, &warp);
    if (status == WB_OK) put_graph(&warp, wb_kernel_name(kernel), &out);
    status = report_take(status, &out, diagnostics, text);
    acta_warp_free(&warp);
    kernel_flow_free(&flow);
    return status;
}

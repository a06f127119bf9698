/* A kernel's control flow for Graphviz: a box per block, loops as nested clusters. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/flow/cfg.h"
#include "report/parts/parts.h"

/* Instructions shown at the start and the end of a block that is too long to show whole. */
enum { SHOWN_FIRST = 3, SHOWN_LAST = 2, SHOWN_MAX = 6 };

/* Appends bytes inside a quoted string of the dot language. What is not printable ASCII becomes '?'. */
static void put_escaped(struct text *out, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        char c = bytes[i];
        if (c == '"' || c == '\\') text_char(out, '\\');
        text_char(out, c >= ' ' && c <= '~' ? c : '?');
    }
}

static void put_escaped_string(struct text *out, const char *string) {
    put_escaped(out, string, strlen(string));
}

/* Appends a text that is made for it, and frees that. */
static void put_escaped_text(struct text *out, struct text *made) {
    if (made->data != NULL) put_escaped(out, made->data, made->length);
    out->failed |= made->failed;
    text_free(made);
}

/* All instructions of a short block, the first and last ones of a long one. */
static void put_insts(struct text *out, const struct cfg_report *report, uint32_t block) {
    const struct ptx_function *function = report->cfg.function;
    uint32_t count;
    const uint32_t first = cfg_issued(report, block, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (count > SHOWN_MAX && i == SHOWN_FIRST) {
            text_printf(out, "  ... %u more\\l", count - SHOWN_FIRST - SHOWN_LAST);
            i = count - SHOWN_LAST;
        }
        struct text inst = {0};
        source_lines_put_inst(&inst, report->kernel->module, function,
                              &function->insts[ptx_issued(function, first + i)]);
        text_string(out, "  ");
        put_escaped_text(out, &inst);
        text_string(out, "\\l");
    }
}

/* The lines above the instructions: name and labels, size and source lines, where lanes meet again. */
static void put_caption(struct text *out, const struct cfg_report *report, uint32_t block) {
    uint32_t label, count;
    (void)cfg_issued(report, block, &count);
    uint32_t end = cfg_labels(report, block, &label);
    text_printf(out, "B%u", block);
    for (; label < end; label++) {
        text_char(out, ' ');
        put_escaped_string(out, report->cfg.function->labels[label].name);
    }
    text_printf(out, "\\l%u instruction%s, source ", count, plural(count));
    struct text lines = {0};
    cfg_put_source_lines(&lines, report, block);
    put_escaped_text(out, &lines);
    text_string(out, "\\l");
    if (cfg_decides(report, block)) {
        struct text decision = {0};
        divergence_put_decision(&decision, report, block);
        put_escaped_text(out, &decision);
        text_string(out, "\\l");
    }
    if (!cfg_divides(report, block)) return;
    text_string(out, "reconverges at ");
    cfg_put_block(out, report, report->post_dominators.parent[block]);
    text_string(out, "\\l");
}

/* Source lines of a block that are shown, and most characters of one. */
enum { LINES_MAX = 4, LINE_LENGTH_MAX = 56 };

/* Appends a line of the source without its indentation. */
static void put_line(struct text *out, const struct cfg_report *report, const struct ptx_location *location) {
    const char *file = ptx_location_file(report->kernel->module, location);
    size_t length;
    const char *line =
        file == NULL ? NULL : source_texts_line(report->costs->texts, file, location->line, &length);
    if (line == NULL) return;
    for (; length > 0 && (*line == ' ' || *line == '\t'); line++)
        length--;
    text_printf(out, "%5u  ", location->line);
    put_escaped(out, line, length < LINE_LENGTH_MAX ? length : LINE_LENGTH_MAX);
    text_printf(out, "%s\\l", length < LINE_LENGTH_MAX ? "" : "...");
}

/* How often warps go through a block, its cycles, and the source lines of it. */
static void put_costs(struct text *out, const struct cfg_report *report, uint32_t block) {
    const struct cfg_costs *costs = report->costs;
    const struct cfg_block *range = &report->cfg.blocks[block];
    uint32_t shown[LINES_MAX], count = 0;
    if (costs->warps[block] == 0) {
        text_string(out, "never executed\\l");
        return;
    }
    if (costs->warps[block] != WARPS_UNKNOWN)
        text_printf(out, "%" PRIu64 " warp%s, ", costs->warps[block], plural(costs->warps[block]));
    text_printf(out, "%" PRIu64 " cycles (%.1f %%)\\l", costs->cycles[block],
                report_percent(costs->cycles[block], costs->total));
    for (uint32_t i = range->first; i < range->first + range->count && count < LINES_MAX; i++) {
        const uint32_t location = report->cfg.function->insts[i].location;
        if (location == PTX_NO_INDEX || report->kernel->module->locations[location].line == 0) continue;
        const struct ptx_location *own = &report->kernel->module->locations[location];
        bool is_new = true;
        for (uint32_t s = 0; s < count; s++) {
            const struct ptx_location *other = &report->kernel->module->locations[shown[s]];
            is_new = is_new && (other->file != own->file || other->line != own->line);
        }
        if (!is_new) continue;
        shown[count++] = location;
        put_line(out, report, own);
    }
}

static void put_node(struct text *out, const struct cfg_report *report, size_t indent, uint32_t block) {
    const struct cfg_costs *costs = report->costs;
    text_pad(out, indent);
    text_printf(out, "B%u [label=\"", block);
    put_caption(out, report, block);
    if (costs != NULL) put_costs(out, report, block);
    put_insts(out, report, block);
    text_char(out, '"');
    if (costs != NULL) { /* the more of all cycles, the deeper; the path with most of them stands out */
        const double part = report_percent(costs->cycles[block], costs->total) / 100;
        text_printf(out, ", style=filled, fillcolor=\"0.08 %.2f 1.00\"", part > 0 ? sqrt(part) * 0.9 : 0);
    } else if (report->divergence.branches[block]) {
        text_string(out, ", style=filled, fillcolor=mistyrose");
    }
    if (costs != NULL ? costs->warps[block] == 0 : !report->cfg.blocks[block].reachable)
        text_string(out, ", color=gray, fontcolor=gray");
    if (costs != NULL && costs->on_path[block]) text_string(out, ", color=red, penwidth=3");
    if (costs == NULL && report->loops.region_of[block] != GRAPH_NONE)
        text_string(out, ", color=orange, penwidth=2");
    text_string(out, "];\n");
}

/* A loop's own blocks in a cluster that stays open for the loops inside it. */
static void open_loop(struct text *out, const struct cfg_report *report, uint32_t number) {
    const struct loops *loops = &report->loops;
    const struct loop *loop = &loops->items[number];
    size_t indent = (size_t)loop->depth * 4;
    text_pad(out, indent);
    text_printf(out, "subgraph cluster_L%u {\n", number);
    text_pad(out, indent + 4);
    text_printf(out, "label=\"loop L%u\"; labeljust=l; style=rounded; color=blue; fontcolor=blue;\n", number);
    for (uint32_t m = 0; m < loop->member_count; m++) {
        uint32_t block = loops->members[loop->first_member + m];
        if (loops->innermost[block] == number) put_node(out, report, indent + 4, block);
    }
}

/* Loops come in a preorder of their nesting, so clusters open and close as they do. */
static void put_loops(struct text *out, const struct cfg_report *report) {
    uint32_t depth = 0;
    for (uint32_t l = 0; l <= report->loops.count; l++) {
        uint32_t next = l < report->loops.count ? report->loops.items[l].depth : 0;
        for (; depth > 0 && depth >= next; depth--) {
            text_pad(out, (size_t)depth * 4);
            text_string(out, "}\n");
        }
        if (l == report->loops.count) return;
        open_loop(out, report, l);
        depth = next;
    }
}

/* An edge; of an execution with how often warps go along it. Back edges do not rank, so that a loop's header
 * stands above the rest of it. */
static void put_edge(struct text *out, const struct cfg_report *report, uint32_t from, uint32_t edge) {
    const struct cfg_costs *costs = report->costs;
    const uint32_t to = report->cfg.graph.out.nodes[edge];
    const bool falls = report->cfg.edge_kinds[edge] == CFG_FALL_THROUGH;
    text_printf(out, "    B%u -> ", from);
    cfg_put_block(out, report, to);
    text_string(out, costs == NULL ? (falls ? " [style=dashed" : " [label=\" ")
                     : falls       ? " [style=dashed, label=\" "
                                   : " [style=solid, label=\" ");
    if (!falls) source_lines_put_guard(out, report->cfg.function, cfg_last(&report->cfg, from));
    if (costs != NULL && costs->edges[edge] != EDGE_UNKNOWN)
        text_printf(out, " %" PRIu64, costs->edges[edge]);
    if (costs != NULL || !falls) text_char(out, '"');
    if (report->cfg.edge_kinds[edge] == CFG_INDIRECT) text_string(out, ", arrowhead=empty");
    if (cfg_is_back_edge(report, from, to))
        text_string(out,
                    costs == NULL ? ", color=red, fontcolor=red, constraint=false" : ", constraint=false");
    if (costs != NULL && costs->path_edge[edge])
        text_string(out, ", color=red, fontcolor=red, penwidth=3");
    else if (costs != NULL && costs->edges[edge] == 0)
        text_string(out, ", color=gray, fontcolor=gray");
    text_string(out, "];\n");
}

void cfg_report_dot(const struct cfg_report *report, struct text *out) {
    const struct cfg *cfg = &report->cfg;
    const uint32_t *first = cfg->graph.out.first;
    text_string(out, "digraph \"");
    put_escaped_string(out, wb_kernel_name(report->kernel));
    text_string(out, "\" {\n    label=\"");
    put_escaped_string(out, wb_kernel_name(report->kernel));
    if (report->costs != NULL) {
        text_string(out, "\\n");
        put_escaped_string(out, report->costs->number);
        text_printf(out,
                    ", %" PRIu64 " cycles; numbers: warps that go through a block or along an edge\\n"
                    "red: the path with most cycles, filled: the more of the cycles, the deeper, gray: never "
                    "executed",
                    report->costs->total);
    }
    text_string(
        out,
        report->costs != NULL
            ? "\\nsolid: taken, hollow arrow: indirect, dashed: fall-through\";\n"
            : "\\nsolid: taken, hollow arrow: indirect, dashed: fall-through, red: back edge\\n"
              "filled: its branch may divide a warp, orange: irreducible region, gray: unreachable\";\n");
    text_string(out, "    labelloc=t; fontname=\"monospace\";\n"
                     "    node [shape=box, fontname=\"monospace\", fontsize=10];\n"
                     "    edge [fontname=\"monospace\", fontsize=10];\n"
                     "    exit [shape=ellipse];\n");
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        if (report->loops.innermost[block] == GRAPH_NONE) put_node(out, report, 4, block);
    }
    put_loops(out, report);
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        for (uint32_t i = first[block]; i < first[block + 1]; i++)
            put_edge(out, report, block, i);
    }
    text_string(out, "}\n");
}

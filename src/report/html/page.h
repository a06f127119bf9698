/* What an HTML report shows beside the JSON document of its analysis: member "page" of that document, which
 * the script of the page draws (page/page.js). */
#ifndef WB_REPORT_HTML_PAGE_H
#define WB_REPORT_HTML_PAGE_H

#include "bound/analysis/analysis.h"
#include "flow/graph/graph.h"
#include "report/write/source.h"

struct html_page {
    struct json json; /* the document so far */
    struct text line; /* the verdict's */
    wb_report_options options;
    wb_html_options asked;
    size_t issues_most; /* instructions of a timeline */
    size_t launches;    /* of a stream: those with pictures */
    char *text;         /* the same as text, for who runs no scripts */
    wb_status status;   /* of making that */
    wb_diagnostics *diagnostics;
};

/* A page up to the line of its verdict, which begins with the name of the state and a colon; and from behind
 * what the section shows to the end of the document, without that of the page. */
void html_begin(struct text *out, const char *title, wb_state state, const struct text *line);
void html_end(struct text *out, const struct text *document);

/* Member `key`: `what` is so, for the reason that the first message of a collection gives, if it has one. */
void page_reason_json(struct html_page *page, const char *key, const char *what,
                      const wb_diagnostics *messages);

/* ---- The code that an analysis is of: code.c. */

/* Zero-initialised there is none. */
struct html_code {
    const struct wb_kernel *kernel; /* NULL: it was written by hand */
    const uint32_t *code_first;     /* as in struct wb_block */
    struct source_lines lines;
};

/* Closed with html_code_close, also after an error (WB_ERR_LIMIT, without a message). */
wb_status html_code_open(const struct wb_analysis *analysis, struct html_code *code);
void html_code_close(struct html_code *code);

/* An instruction, and the function that it is of. */
const struct ptx_inst *html_code_inst(const struct html_code *code, size_t index,
                                      const struct ptx_function **function);

/* Appends the instruction as it stands in the PTX; "instruction 3" of code written by hand. */
void html_code_put(struct text *out, const struct html_code *code, size_t index);

/* Appends "PTX line 12, saxpy.cu:4"; nothing of code written by hand. */
void html_code_put_place(struct text *out, const struct html_code *code, size_t index);

/* ---- A layered drawing of a small directed graph, as of control flow: edges lead down from layer to layer,
 * those that close a cycle lead up beside the nodes. Layers by longest paths, their order by averages of
 * neighbours, places by the same (Sugiyama, Tagawa and Toda 1981, in its simplest form). */

/* Where a node stands: its layer from the top, and its middle, in widths of a node from the left. */
struct layers_place {
    uint32_t layer;
    double x;
};

/* An edge from node to node. It goes through the layers between them at bends[0 ..], one each; `back`: it
 * leads up (or to its own node) in a lane of its own on the right, of which number 0 is next to the nodes. */
struct layers_edge {
    uint32_t from, to;
    bool back;
    uint32_t lane;
    const double *bends;
    uint32_t bend_count;
};

struct layers {
    struct layers_place *nodes;
    struct layers_edge *edges;
    uint32_t node_count, edge_count, layer_count, lane_count;
    double width; /* the right end of the last node or bend */
};

/* Places the nodes, of which number 0 is the first. Part of a pass (base/base.h); the result is in memory of
 * the arena. */
struct layers layers_place(struct arena *arena, uint32_t node_count, const struct graph_edge *edges,
                           uint32_t edge_count);

/* ---- The parts. */

/* costs.c: the costs of the least proven bound by line and by instruction, the source around those lines, and
 * the control flow; or why there are none. */
void page_costs_json(struct html_page *page, const struct wb_analysis *analysis);

/* flow.c: the blocks of the kernel that are executed, with these costs, and where they are drawn. */
void page_flow_json(struct html_page *page, const wb_costs *costs, const struct html_code *code);

/* timeline.c: the longest execution that is known: what the warps and units of an SM do, and which blocks the
 * SMs have when; or why there is none. */
void page_executions_json(struct html_page *page, const struct wb_analysis *analysis);

#endif

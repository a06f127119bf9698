/* A layered drawing of a small directed graph, such as control flow: edges go down from layer to layer; those
 * that close a cycle go up beside the nodes. Layers by longest paths, their order by averages of neighbours,
 * places by the same (Sugiyama, Tagawa and Toda 1981, in its simplest form). */
#ifndef WB_REPORT_HTML_LAYERS_H
#define WB_REPORT_HTML_LAYERS_H

#include "flow/graph/graph.h"

/* Where a node stands: its layer from the top, and its middle, in widths of a node from the left. */
struct layers_place {
    uint32_t layer;
    double x;
};

/* An edge from node to node. It goes through the layers between them at bends[0 ..], one each; `back`: it
 * goes up (or to its own node) in a lane of its own on the right; lane 0 is next to the nodes. */
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

#endif

/* A directed graph in four arrays, and walks over it. Nothing here knows what the nodes stand for.
 *
 * No walk recurses, so a chain of a million nodes needs no more stack than one of ten. */
#ifndef WB_FLOW_GRAPH_GRAPH_H
#define WB_FLOW_GRAPH_GRAPH_H

#include <stdint.h>

#include "base/arena.h"

#define GRAPH_NONE UINT32_MAX

struct graph_edge {
    uint32_t from, to;
};

/* The edges seen from one end: the neighbours of node n are nodes[first[n]] .. nodes[first[n + 1] - 1]. */
struct adjacency {
    uint32_t *first; /* node_count + 1 entries */
    uint32_t *nodes; /* edge_count entries */
};

struct graph {
    uint32_t node_count;
    uint32_t edge_count;
    struct adjacency out; /* successors, in the order of the edges that the graph was built from */
    struct adjacency in;  /* predecessors */
};

/* A depth-first walk from one node. Nodes are numbered in the order in which they are met. */
struct graph_walk {
    uint32_t count;   /* nodes met */
    uint32_t *node;   /* by number: the node */
    uint32_t *parent; /* by number: the number of the node it was met from; 0 for the first */
    uint32_t *number; /* by node: its number, or GRAPH_NONE when it was not met */
};

/* Strongly connected components, numbered such that an edge between two of them leads to the lower number. */
struct graph_components {
    uint32_t count;
    uint32_t *of;    /* by node: its component */
    uint32_t *entry; /* by component: the node of it that a depth-first walk from node 0 meets first */
    uint32_t *size;  /* by component: nodes */
};

/* The functions of flow/ are parts of a pass (base/arena.h): their arenas are protected, and the pass ends
 * when memory is exhausted. What they return is in memory of the arena. */

/* The graph of these edges; parallel edges and self-loops are kept. Edges that come sorted by `from` keep
 * their positions: edge i is then out.nodes[i]. */
struct graph graph_build(struct arena *arena, uint32_t node_count, const struct graph_edge *edges,
                         uint32_t edge_count);

/* Per entry of out.nodes its place in in.nodes, of a graph whose edges came sorted by `from`. */
uint32_t *graph_arrivals(struct arena *arena, const struct graph *graph);

/* Walks depth-first from `root` along `side`. */
struct graph_walk graph_walk_from(struct arena *arena, uint32_t node_count, const struct adjacency *side,
                                  uint32_t root);

/* The graph's strongly connected components (Tarjan, SIAM J. Comput. 1972). */
struct graph_components graph_find_components(struct arena *arena, const struct graph *graph);

#endif

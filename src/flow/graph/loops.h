/* The natural loops of a flow graph and their nesting, and cycles that are no natural loops. */
#ifndef WB_FLOW_GRAPH_LOOPS_H
#define WB_FLOW_GRAPH_LOOPS_H

#include <stdbool.h>

#include "flow/graph/dominators.h"

/* A natural loop: its header, which dominates all its nodes, and what reaches a back edge to the header
 * without passing the header. Back edges to one header make one loop. Two loops are nested or disjoint. */
struct loop {
    uint32_t header;
    uint32_t parent;       /* the innermost loop around it, or GRAPH_NONE */
    uint32_t depth;        /* 1: in no other loop */
    uint32_t first_member; /* into loops.members; loops inside it included */
    uint32_t member_count;
    uint32_t last_inside; /* the loops inside it are those with the numbers behind its own up to this one */
};

/* How often a loop runs. */
struct loop_bound {
    bool known;
    uint64_t headers; /* most executions of the header each time the loop is entered, by any one thread; at
                         least 1, also of a loop that cannot be entered */
};

/* Nodes that control goes round in without passing a header that dominates them: a strongly connected
 * component of the graph without its back edges. Edges from outside enter it at two nodes or more. */
struct irreducible_region {
    uint32_t first_member; /* into loops.region_members */
    uint32_t member_count;
};

/* Loops are numbered in the order of their headers, a loop before those inside it. */
struct loops {
    struct loop *items;
    uint32_t count;
    uint32_t *innermost; /* by node: the innermost loop that it is in, or GRAPH_NONE */
    uint32_t *members; /* the nodes of each loop, one loop's own nodes in order, then those of inner loops */
    struct irreducible_region *regions;
    uint32_t region_count;
    uint32_t *region_of; /* by node: the region that it is in, or GRAPH_NONE */
    uint32_t *region_members;
};

/* The loops among the nodes that the tree's root reaches, given the graph's dominators. Takes almost linear
 * time, however deep the loops are nested. */
struct loops loops_build(struct arena *arena, const struct graph *graph, const struct dominators *dominators);

/* Whether a node is in the loop, be it in one inside it. */
bool loop_contains(const struct loops *loops, uint32_t loop, uint32_t node);

/* Whether a node is the header of a loop, which then is its innermost one: a loop inside it has nodes that
 * its own header dominates, and that is not among them. */
static inline bool loop_is_header(const struct loops *loops, uint32_t node) {
    uint32_t loop = loops->innermost[node];
    return loop != GRAPH_NONE && loops->items[loop].header == node;
}

/* Whether the edge closes a natural loop: its target dominates its source. */
static inline bool loop_is_back_edge(const struct dominators *dominators, uint32_t from, uint32_t to) {
    return dominates(dominators, to, from);
}

#endif

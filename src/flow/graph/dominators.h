/* Dominator trees of graphs of any shape, and post-dominator trees of graphs with an exit. */
#ifndef WB_FLOW_GRAPH_DOMINATORS_H
#define WB_FLOW_GRAPH_DOMINATORS_H

#include <stdbool.h>

#include "flow/graph/graph.h"

/* A tree over the nodes of a graph. A node that the tree's root does not reach is in no tree: it dominates
 * nothing and nothing dominates it. */
struct dominators {
    uint32_t root;
    uint32_t *parent;      /* by node: its immediate dominator; GRAPH_NONE for the root and unreached nodes */
    uint32_t *first;       /* by node: its number in a preorder of the tree, from 1; 0: not reached */
    uint32_t *descendants; /* by node: nodes below it, itself included */
};

/* The dominator tree of what `root` reaches, by the algorithm of Lengauer and Tarjan (TOPLAS 1979, the simple
 * variant): O(edges * log nodes) for every graph, reducible or not. */
struct dominators dominators_build(struct arena *arena, const struct graph *graph, uint32_t root);

/* The post-dominator tree of all nodes, with the node `exit` (which has no successors) as its root.
 *
 * Node p post-dominates n when every path from n to `exit` passes p. Nodes that cannot reach `exit` (infinite
 * loops, nodes without successors) have no such path; so that they have post-dominators, too, an edge to
 * `exit` is added from one node of each component that control cannot leave: from the highest-numbered node
 * that leads back to the component's entry, or from the component's only node. What is added does not change
 * the tree of the other nodes: an edge from a node that reaches `exit` to one that does not is left out.
 */
struct dominators post_dominators_build(struct arena *arena, const struct graph *graph, uint32_t exit);

/* Whether every path from the root to `node` passes `dominator`; a reached node dominates itself. */
bool dominates(const struct dominators *tree, uint32_t dominator, uint32_t node);

#endif

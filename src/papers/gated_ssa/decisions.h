/* Which branches decide at which of several ends control arrives: the machinery of gates. */
#ifndef WB_PAPERS_GATED_SSA_DECISIONS_H
#define WB_PAPERS_GATED_SSA_DECISIONS_H

#include "base/arena.h"
#include "flow/graph/cfg.h"
#include "flow/graph/loops.h"

/* A node and its place in an order of the graph against its edges. */
struct ranked_node {
    uint32_t rank, node;
};

/* More nodes than this in all searches of a function are refused: where each of n branches decides at each of
 * n joins, as in no program that people write, searching takes n * n steps. */
#define DECISIONS_WORK_MAX ((uint64_t)1 << 24)

/* A search looks at a set of nodes, between a first one and edges that are its ends. Back edges are followed
 * only as ends: of every loop that lies between, it is the last iteration that decides.
 *
 * Each node has a label: the end, or the node, that all ways from it to the ends lead through first among
 * those where ways from elsewhere join or part for good. A node from which edges lead to different labels
 * *decides*, and is its own label. In a graph without cycles a node decides if and only if two paths that
 * share nothing but the node lead from it to different ends: labels are the children of the root in the
 * dominator tree of the reversed graph, with all ends for its root.
 *
 * Nodes are taken against the edges, so each one's successors have their labels before it. An irreducible
 * region, whose nodes have no such order, is taken as a whole: either everything that leaves it has one
 * label, or each of its nodes is a label of its own. */
struct decisions {
    struct arena *arena;
    const struct cfg *cfg;
    const struct dominators *dominators;
    const struct loops *loops;
    uint32_t *rank;  /* by node: every edge that is no back edge leads to a lower rank, or, within an
                        irreducible region, to the same; GRAPH_NONE: not reached */
    uint32_t *end;   /* by edge (its place in graph.out.nodes): the end that it is, or GRAPH_NONE */
    uint32_t *met;   /* by node: the search that it was last in */
    uint32_t *label; /* by node of the search: a node, decision_end_label of an end, or GRAPH_NONE: it leads
                        to none */
    uint32_t search; /* number of the search */
    VEC(uint32_t) ends;            /* edges that are ends */
    VEC(struct ranked_node) nodes; /* of the search; sorted once it is done */
    uint64_t work;                 /* nodes of all searches so far */
    /* What decides: single nodes, in the order of their ranks; loops from which different ends are reached;
     * irreducible regions likewise. */
    VEC(uint32_t) deciders;
    VEC(uint32_t) loops_deciding;
    VEC(uint32_t) regions_deciding;
};

/* The label of an end. */
static inline uint32_t decision_end_label(const struct cfg *cfg, uint32_t end) {
    return cfg->graph.node_count + end;
}

/* Prepares searches, with memory of the arena. */
void decisions_init(const struct cfg *cfg, const struct dominators *dominators, const struct loops *loops,
                    struct arena *arena, struct decisions *decisions);

/* Starts a search without ends and nodes. */
void decisions_start(struct decisions *decisions);

/* Makes an edge the end of this number; several edges can be one end. */
void decisions_add_end(struct decisions *decisions, uint32_t edge, uint32_t end);

/* Takes as nodes what lies on ways from `first` to the edges that are ends; `first` dominates their sources.
 */
void decisions_take_between(struct decisions *decisions, uint32_t first);

/* Takes these nodes. */
void decisions_take(struct decisions *decisions, const uint32_t *nodes, uint32_t count);

/* Finds the labels and what decides. `around` is the innermost loop around all that the search is about, or
 * GRAPH_NONE: the loops directly in it are what loops_deciding is made of. */
void decisions_find(struct decisions *decisions, uint32_t around);

/* The innermost loop around an irreducible region: one whose header is not in the region. */
uint32_t decisions_loop_around(const struct loops *loops, uint32_t region);

/* The label of where an edge leads, or GRAPH_NONE: away from the ends. */
uint32_t decisions_edge_label(const struct decisions *decisions, uint32_t from, uint32_t edge);

#endif

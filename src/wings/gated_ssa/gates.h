/* Gated SSA: which phis choose by which predicates (Ottenstein, Ballance, MacCabe, PLDI 1990; Havlak 1993).
 *
 *     mu(v1, v2)        at a loop header: v1 on entering the loop, v2 from the iteration before
 *     gamma(p, v1, v2)  at a join of branches: v1 if p is true, else v2
 *     eta(p, v)         behind a loop: what v was when the loop was left because of p
 *
 * Gammas nest to decision graphs: a node asks for one predicate, a leaf is a value. Asked for is the outcome
 * of a branch when it was last executed; of a loop that lies in between, its last iteration decides. */
#ifndef WB_GATED_SSA_GATES_H
#define WB_GATED_SSA_GATES_H

#include "base/base.h"
#include "flow/graph/graph.h"
#include "flow/values/values.h"

enum gate_kind {
    GATE_MU,
    GATE_GAMMA,
    GATE_OPAQUE /* a join whose choice no decision graph describes: of an irreducible region, or of indirect
                   branches; its predicates are listed all the same */
};

/* A node of a decision graph: the last instruction of `block` decides. */
struct gate_node {
    uint32_t block;         /* whose branch asks; of a leaf GRAPH_NONE */
    uint32_t predicate;     /* value of the branch's guard; of a leaf the value chosen */
    uint32_t taken, fallen; /* nodes: where the branch is taken, and where not */
};

/* How a phi chooses.
 *
 * Its predicates are complete in this sense: if two threads arrive at the phi in the same iteration of every
 * loop around it and take different values, then one of the predicates was different in them when both
 * evaluated it in the same iteration of every loop around its branch. gates.c has the proof. */
struct gate {
    uint8_t kind;             /* enum gate_kind */
    uint32_t root;            /* of GATE_GAMMA: into nodes */
    uint32_t first_predicate; /* into gates.predicates: guards (and indices of `brx.idx`) of all branches that
                                 can decide which argument it takes; of GATE_MU those that decide between
                                 back edges, and between edges that enter the loop */
    uint32_t predicate_count;
};

/* Uses of a value outside of the loop that it is defined in: the eta functions. A phi uses its arguments in
 * its own block. */
struct eta {
    uint32_t value;
    uint32_t loop;            /* the outermost one that is left */
    uint32_t first_predicate; /* into gates.predicates: those that can decide when, or by which edge, the
                                 loops are left that are left: the loop's exit branches, and branches that
                                 decide whether one of those is reached */
    uint32_t predicate_count;
};

struct gates {
    struct gate *phis; /* per value; meaningless of values that are no phis */
    struct gate_node *nodes;
    uint32_t node_count;
    uint32_t *predicates; /* values */
    struct eta *etas;     /* by value, then by loop */
    uint32_t eta_count;
};

/* The gates of all phis, as part of a pass that protects the arena. The pass ends (WB_ERR_LIMIT) also when
 * the function is beyond DECISIONS_WORK_MAX. */
struct gates gates_build(const struct ssa *ssa, const struct dominators *dominators,
                         const struct loops *loops, struct arena *arena);

/* ---- decisions.c: which branches decide at which of several ends control arrives -------------------- */

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

/* Gated SSA: which phis choose by which predicates (Ottenstein, Ballance, MacCabe, PLDI 1990; Havlak 1993).
 *
 *     mu(v1, v2)        at a loop header: v1 on entering the loop, v2 from the iteration before
 *     gamma(p, v1, v2)  at a join of branches: v1 if p is true, else v2
 *     eta(p, v)         behind a loop: what v was when the loop was left because of p
 *
 * Gammas nest to decision graphs: a node asks for one predicate, a leaf is a value. Asked for is the outcome
 * of a branch when it was last executed; of a loop that lies in between, its last iteration decides. */
#ifndef WB_PAPERS_GATED_SSA_GATES_H
#define WB_PAPERS_GATED_SSA_GATES_H

#include "flow/graph/loops.h"
#include "flow/values/ssa.h"

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
 * the function is beyond what decisions.h allows. */
struct gates gates_build(const struct ssa *ssa, const struct dominators *dominators,
                         const struct loops *loops, struct arena *arena);

#endif

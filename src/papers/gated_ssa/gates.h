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
#include "papers/gated_ssa/decisions.h"

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

/* The gates of all phis, in memory of the arena. WB_ERR_LIMIT, without a message, when memory is exhausted or
 * the function is beyond what flow/decisions.h allows. */
wb_status gates_build(const struct ssa *ssa, const struct dominators *dominators, const struct loops *loops,
                      struct arena *arena, struct gates *gates);

/* Lists of predicates: what decides a gate. */

/* A list: items[first] .. items[first + count - 1] of the lists it belongs to. */
struct predicate_list {
    uint32_t first, count;
};

struct predicate_lists {
    const struct ssa *ssa;
    const struct loops *loops;
    struct decisions *decisions;
    VEC(uint32_t) items; /* values */
    uint32_t *listed;    /* per value: the list it was added to last */
    uint32_t list;       /* number of the list that is being made, from 1 */
    /* What decides when and by which edge a loop, or an irreducible region, is left. */
    struct predicate_list *of_loops, *of_regions;
};

/* Makes the lists of all loops and regions. The predicates of a loop are the branches in it from which two
 * disjoint paths lead to different ones of its ends, which are the edges that leave it and going round again;
 * where a loop inside it is left to different ends, also that loop's predicates. Of an irreducible region all
 * its branches are taken, and those of the loops whose headers are in it. Afterwards, predicate_lists_free,
 * also after an error. */
wb_status predicate_lists_init(const struct ssa *ssa, const struct loops *loops, struct decisions *decisions,
                               struct arena *arena, struct predicate_lists *lists);
void predicate_lists_free(struct predicate_lists *lists);

/* Starts a list, behind all others. */
void predicate_list_start(struct predicate_lists *lists, struct predicate_list *list);

/* Adds what a list that is complete has. */
wb_status predicate_list_add(struct predicate_lists *lists, struct predicate_list from);

/* Adds what the last search found to decide. */
wb_status predicate_list_add_found(struct predicate_lists *lists);

/* Ends the list that was started last. WB_ERR_LIMIT when there are too many predicates for 32 bits. */
wb_status predicate_list_end(const struct predicate_lists *lists, struct predicate_list *list);

/* The eta functions of gated SSA: values that are used outside of the loop they are defined in. */

/* Fills gates->etas (memory of the arena) and adds their predicates to the lists. WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status etas_find(const struct ssa *ssa, const struct loops *loops, struct predicate_lists *lists,
                    struct arena *arena, struct gates *gates);

#endif

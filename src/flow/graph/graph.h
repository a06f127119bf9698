/* A directed graph in four arrays, and walks over it. Nothing here knows what the nodes stand for.
 *
 * No walk recurses, so a chain of a million nodes needs no more stack than one of ten. */
#ifndef WB_FLOW_GRAPH_GRAPH_H
#define WB_FLOW_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "ptx/ptx.h"

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

/* Strongly connected components, numbered such that an edge between two of them goes to the lower number. */
struct graph_components {
    uint32_t count;
    uint32_t *of;    /* by node: its component */
    uint32_t *entry; /* by component: the node of it that a depth-first walk from node 0 meets first */
    uint32_t *size;  /* by component: nodes */
};

/* The functions of flow/ are parts of a pass (base/base.h): their arenas are protected, and the pass ends
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

/* Dominator trees of graphs of any shape, and post-dominator trees of graphs with an exit. */

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

/* The control-flow graph of one PTX function. */

/* How control passes from one block to another. */
enum cfg_edge_kind {
    CFG_FALL_THROUGH, /* to the block behind, or off the function's end */
    CFG_TAKEN,        /* `bra` */
    CFG_INDIRECT,     /* `brx.idx`, one edge for each distinct target */
    CFG_EXIT          /* `ret` or `exit` */
};

/* Instructions that are executed one after another. A block ends with its first branch, `ret`, `exit` or
 * `trap`, guarded or not, and in front of a label that is branched to; a call does not end it. Of machine
 * code it also ends with what lanes wait at for others of their warp. */
struct cfg_block {
    uint32_t first; /* instruction */
    uint32_t count; /* instructions, at least 1 */
    bool reachable; /* from the function's entry */
};

/* Blocks in the order of the text. Node b of the graph is block b; node `exit`, behind the last, stands for
 * having left the function. `trap` leads nowhere: it ends the whole grid. */
struct cfg {
    const struct ptx_function *function;
    struct cfg_block *blocks;
    uint32_t block_count;
    uint32_t exit;       /* == block_count */
    uint32_t *block_of;  /* per instruction */
    struct graph graph;  /* successors of a block: targets in order, then the block behind */
    uint8_t *edge_kinds; /* enum cfg_edge_kind of each entry of graph.out.nodes */
};

/* Functions with more edges are refused: tables of `.branchtargets` can be named by any number of branches.
 */
#define CFG_EDGES_MAX ((uint32_t)1 << 24)

/* Node at which the function is entered: block 0, or `exit` when the function has no instructions. */
#define CFG_ENTRY 0u

/* The graph of a function with a body. The pass ends (WB_ERR_LIMIT) also when CFG_EDGES_MAX is exhausted. */
struct cfg cfg_build(const struct ptx_function *function, struct arena *arena);

/* The last instruction of a block: the one that decides where control goes. */
static inline const struct ptx_inst *cfg_last(const struct cfg *cfg, uint32_t block) {
    return &cfg->function->insts[cfg->blocks[block].first + cfg->blocks[block].count - 1];
}

/* Whether control can go on in more than one way behind a block's last instruction. */
bool cfg_has_choice(const struct cfg *cfg, uint32_t block);

/* Whether an instruction is `bra` or `brx.idx`. */
static inline bool cfg_is_branch(const struct ptx_inst *inst) {
    return inst->form->op == PTX_OP_BRA || inst->form->op == PTX_OP_BRX_IDX;
}

/* Where the lanes of a warp come together again after a branch that divided them: per instruction of the
 * function the instruction at which a branch reconverges: the first one of the block that is the immediate
 * post-dominator of the branch's block. PTX_NO_INDEX where that is the function's exit, and for instructions
 * that are no branches. The array has inst_count entries.
 *
 * Post-dominance counts only paths that reach the function's exit: a side that ends
 * in `trap` or loops for ever does not keep the other side from reconverging. A guarded `ret` or `exit` is a
 * path to the exit like any other. */
uint32_t *flow_reconvergence(const struct ptx_function *function, struct arena *arena);

/* The same from what was already computed of the function. */
uint32_t *reconvergence_of(const struct cfg *cfg, const struct dominators *post_dominators,
                           struct arena *arena);

/* The natural loops of a flow graph and their nesting, and cycles that are no natural loops. */

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

/* Where lanes of machine code meet that a branch has divided (docs/convergence.md): not at the branch's
 * post-dominator, but where hardware makes them wait for each other. */

/* Per block with a choice the node where all lanes go on together that its last instruction divides: the
 * block behind the BSYNC of a set that was opened (BSSY) on every way to the branch, and that all ways from
 * the branch pass which do not end before. The graph's exit: there is none that is known, the parts may go on
 * separately up to their ends. For a function of machine code. */
uint32_t *convergence_find(const struct cfg *cfg, const struct dominators *dominators, struct arena *arena);

/* The same as instructions: as reconvergence_of has them of PTX. */
uint32_t *convergence_points(const struct cfg *cfg, const struct dominators *dominators, struct arena *arena);

#endif

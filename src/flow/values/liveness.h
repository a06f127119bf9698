/* Which registers of a function are read later without being written before; and pairs of a register and a
 * node of the graph, in which that, and what is defined where, is counted. */
#ifndef WB_FLOW_VALUES_LIVENESS_H
#define WB_FLOW_VALUES_LIVENESS_H

#include <stdint.h>

#include "base/arena.h"
#include "flow/graph/cfg.h"

/* A node of the graph that reads, writes or joins a register. */
struct reg_pair {
    uint32_t reg, node;
};

struct reg_pairs {
    VEC(struct reg_pair) list; /* filled by arena_push */
};

enum reg_pair_key { REG_PAIR_REG, REG_PAIR_NODE };

/* Pairs, sorted by one of the two: those of key k are items[first[k]] .. items[first[k + 1] - 1]. */
struct sorted_pairs {
    uint32_t *first;
    struct reg_pair *items;
};

/* Sorts pairs, stably, by one of the two, which are below `keys`. */
struct sorted_pairs reg_pairs_sort(const struct reg_pairs *pairs, enum reg_pair_key by, uint32_t keys,
                                   struct arena *arena);

/* Registers of each node n of the graph: regs[first[n]] .. regs[first[n + 1] - 1]. */
struct node_regs {
    uint32_t *first; /* node_count + 1 entries */
    uint32_t *regs;
};

/* The registers that each of `nodes` nodes is paired with, in the order of the pairs. */
struct node_regs reg_pairs_by_node(const struct reg_pairs *pairs, uint32_t nodes, struct arena *arena);

/* The registers live at the start of every node, in order; of the exit, they are those that a caller reads
 * (.reg results). The carry flag is register reg_count of the function. A guarded instruction reads what it
 * writes. */
struct node_regs liveness_build(const struct cfg *cfg, struct arena *arena);

/* Whether a register is live at the start of a block. */
bool live_at_start(const struct node_regs *liveness, uint32_t block, uint32_t reg);

#endif

/* Pairs of a register and a node of the graph: which node reads, writes or joins which register. */
#ifndef WB_FLOW_VALUES_LIVENESS_H
#define WB_FLOW_VALUES_LIVENESS_H

#include <stdint.h>

#include "base/vec.h"
#include "flow/graph/cfg.h"

struct reg_pair {
    uint32_t reg, node;
};

/* Grown by vec_push, freed by vec_free. */
struct reg_pairs {
    struct reg_pair *items;
    size_t count;
    size_t capacity;
};

enum reg_pair_key { REG_PAIR_REG, REG_PAIR_NODE };

/* Sorts pairs, stably, by one of the two, which are below `keys`. `sorted` has room for all; the pairs of key
 * k become sorted[first[k]] .. sorted[first[k + 1] - 1], where `first` has `keys` + 1 entries, zeros before.
 */
void reg_pairs_sort(const struct reg_pairs *pairs, enum reg_pair_key by, uint32_t keys, uint32_t *first,
                    struct reg_pair *sorted);

/* Which registers of a function are read later without being written before. */

/* The registers live at the start of node n of the graph are regs[first[n]] .. regs[first[n + 1] - 1], in
 * order; of the exit, they are those that a caller reads (.reg results). The carry flag is register reg_count
 * of the function. */
struct liveness {
    uint32_t *first; /* node_count + 1 entries */
    uint32_t *regs;
};

/* The live registers of every block, in memory of the arena. A guarded instruction reads what it writes.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status liveness_build(const struct cfg *cfg, struct arena *arena, struct liveness *liveness);

/* Whether a register is live at the start of a block. */
bool live_at_start(const struct liveness *liveness, uint32_t block, uint32_t reg);

#endif

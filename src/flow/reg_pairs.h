/* Pairs of a register and a node of the graph: which node reads, writes or joins which register. */
#ifndef WB_FLOW_REG_PAIRS_H
#define WB_FLOW_REG_PAIRS_H

#include <stdint.h>

#include "base/vec.h"

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

#endif

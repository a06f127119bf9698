#include "flow/reg_pairs.h"

static uint32_t key_of(const struct reg_pair *pair, enum reg_pair_key by) {
    return by == REG_PAIR_REG ? pair->reg : pair->node;
}

void reg_pairs_sort(const struct reg_pairs *pairs, enum reg_pair_key by, uint32_t keys, uint32_t *first,
                    struct reg_pair *sorted) {
    for (size_t i = 0; i < pairs->count; i++)
        first[key_of(&pairs->items[i], by)]++;
    for (uint32_t k = 1; k <= keys; k++)
        first[k] += first[k - 1];
    for (size_t i = pairs->count; i-- > 0;)
        sorted[--first[key_of(&pairs->items[i], by)]] = pairs->items[i];
}

#include "cost/tally.h"

#include <stdlib.h>

wb_status tally_init(struct tally *tally, size_t instructions, struct arena *arena) {
    *tally = (struct tally){.instructions = instructions};
    tally->cycles = arena_array(arena, tally_rows(tally) * WB_PART_COUNT, sizeof *tally->cycles);
    return tally->cycles == NULL ? WB_ERR_LIMIT : WB_OK;
}

cycles tally_sum(const struct tally *tally) {
    cycles sum = 0;
    for (size_t i = 0; i < tally_rows(tally) * WB_PART_COUNT; i++)
        sum = cycles_add(sum, tally->cycles[i]);
    return sum;
}

void tally_add_all(struct tally *tally, const struct tally *other, uint64_t times) {
    for (size_t i = 0; i < tally_rows(tally) * WB_PART_COUNT; i++)
        tally->cycles[i] = cycles_add(tally->cycles[i], cycles_mul(other->cycles[i], times));
}

/* What rounding down has left. */
struct remainder {
    unsigned __int128 left;
    size_t weight; /* its number */
};

static int compare_remainders(const void *a, const void *b) {
    const struct remainder *x = a, *y = b;
    if (x->left != y->left) return x->left < y->left ? 1 : -1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

bool tally_divide(uint64_t total, const struct tally_weight *weights, size_t count, bool *no_memory) {
    unsigned __int128 sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += weights[i].weight;
    if (sum == 0) return false;
    struct remainder *remainders = calloc(count, sizeof *remainders);
    if (remainders == NULL) {
        *no_memory = true;
        return false;
    }
    uint64_t divided = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned __int128 product = (unsigned __int128)total * weights[i].weight;
        const uint64_t part = (uint64_t)(product / sum);
        remainders[i] = (struct remainder){product % sum, i};
        *weights[i].into += part;
        divided += part;
    }
    qsort(remainders, count, sizeof *remainders, compare_remainders);
    for (size_t i = 0; divided < total; i++, divided++)
        ++*weights[remainders[i].weight].into;
    free(remainders);
    return true;
}

wb_status tally_apportion(struct tally *tally, wb_part_kind what, uint64_t total, const struct tally *weights,
                          tally_filter filter, const void *user, enum cost_apart apart) {
    VEC(struct tally_weight) list = {0};
    bool no_memory = false;
    for (size_t row = 0; row < tally_rows(weights) && !no_memory && total > 0; row++) {
        for (wb_part_kind kind = 0; kind < WB_PART_COUNT && !no_memory; kind++) {
            const uint64_t weight = *tally_at(weights, row, kind);
            if (weight == 0 || !filter(user, row, kind)) continue;
            const struct tally_weight one = {weight,
                                             tally_at(tally, row, what == WB_PART_COUNT ? kind : what)};
            no_memory = vec_push(&list, one) != WB_OK;
        }
    }
    if (total > 0 && !no_memory && !tally_divide(total, list.items, list.count, &no_memory))
        tally_add(tally, tally_apart(tally, apart), what == WB_PART_COUNT ? WB_PART_BUSY : what, total);
    vec_free(&list);
    return no_memory ? WB_ERR_LIMIT : WB_OK;
}

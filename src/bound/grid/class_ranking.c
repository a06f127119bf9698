#include "bound/grid/grid_work.h"

#include <assert.h>

int ranked_classes_compare(const void *a, const void *b) {
    const struct ranked_class *x = a, *y = b;
    if (x->each != y->each) return x->each < y->each ? 1 : -1;
    return (x->class > y->class) - (x->class < y->class);
}

wb_status class_ranking_make(struct arena *arena, struct ranked_class *ranked, size_t count,
                             const uint64_t *blocks, struct class_ranking *ranking) {
    *ranking = (struct class_ranking){.count = count};
    ranking->classes = arena_array(arena, count + 1, sizeof *ranking->classes);
    ranking->blocks_before = arena_array(arena, count + 1, sizeof *ranking->blocks_before);
    ranking->sum_before = arena_array(arena, count + 1, sizeof *ranking->sum_before);
    if (ranking->classes == NULL || ranking->blocks_before == NULL || ranking->sum_before == NULL)
        return WB_ERR_LIMIT;
    qsort(ranked, count, sizeof *ranked, ranked_classes_compare);
    for (size_t k = 0; k < count; k++) {
        const uint64_t of_class = blocks[ranked[k].class];
        ranking->classes[k] = ranked[k].class;
        ranking->blocks_before[k + 1] = cycles_add(ranking->blocks_before[k], of_class);
        ranking->sum_before[k + 1] = cycles_add(ranking->sum_before[k], cycles_mul(of_class, ranked[k].each));
    }
    return WB_OK;
}

cycles class_ranking_sum_each(const struct class_ranking *ranking, uint64_t n) {
    size_t low = 0, high = ranking->count; /* the last k with blocks_before[k] <= n */
    if (n >= ranking->blocks_before[high]) return ranking->sum_before[high];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (ranking->blocks_before[middle] <= n)
            low = middle;
        else
            high = middle;
    }
    const cycles before = ranking->sum_before[low], next = ranking->sum_before[low + 1];
    if (next == CYCLES_SATURATED) return CYCLES_SATURATED;
    const uint64_t blocks = ranking->blocks_before[low + 1] - ranking->blocks_before[low];
    assert(before <= next && ranking->blocks_before[low] <= n && blocks > 0);
    return before + (next - before) / blocks * (n - ranking->blocks_before[low]);
}

cycles class_ranking_sum(const struct class_ranking *ranking, uint64_t n) {
    const cycles each = class_ranking_sum_each(ranking, n);
    if (ranking->without == NULL) return each;
    return cycles_min(each, cycles_add(class_ranking_sum_each(ranking->without, n), ranking->passes));
}

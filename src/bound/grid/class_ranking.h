/* Things that are there several times each, such as the blocks of a class, in the order of some cycles that
 * they take: what the first of them sum up to. All sums saturate. */
#ifndef WB_BOUND_GRID_CLASS_RANKING_H
#define WB_BOUND_GRID_CLASS_RANKING_H

#include "base/base.h"
#include "base/cycles.h"

/* A class and what classes are sorted by. */
struct ranked_class {
    cycles each;
    uint32_t class;
};

/* For qsort: the most cycles first, then the class that was added first. */
int ranked_classes_compare(const void *a, const void *b);

/* The classes in that order, and sums over the blocks of those in front. */
struct class_ranking {
    size_t count;
    uint32_t *classes;
    uint64_t *blocks_before; /* count + 1 */
    cycles *sum_before;      /* count + 1 */
};

/* Ranks `count` classes with blocks[k] blocks each, which `ranked` lists in any order and which is sorted by
 * this. WB_ERR_LIMIT when memory is exhausted; no message. */
wb_status class_ranking_make(struct arena *arena, struct ranked_class *ranked, size_t count,
                             const uint64_t *blocks, struct class_ranking *ranking);

/* The sum over the first n blocks; of all where there are fewer. */
cycles class_ranking_sum(const struct class_ranking *ranking, uint64_t n);

/* The sum over all of them. */
static inline cycles class_ranking_total(const struct class_ranking *ranking) {
    return ranking->sum_before[ranking->count];
}

#endif

/* Numbers for multisets of at most `size` items, each of one of `kinds` kinds, without gaps from 0. The order
 * is such that an item that moves from its kind to the next, or from the last kind out, lowers the number.
 *
 * A multiset is given by its counts per kind. With the cumulative counts c[k] = counts[0] + ... + counts[k]
 * its number is the sum of steps(k)[c[k]]: an item that moves from kind k to k + 1 changes c[k] alone. */
#ifndef WB_MAKESPAN_STATES_MULTISET_RANK_H
#define WB_MAKESPAN_STATES_MULTISET_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

struct multiset_rank {
    uint32_t kinds;
    uint32_t size;
    uint64_t count;  /* multisets */
    uint64_t *steps; /* per kind: per cumulative count from 0 to size */
    uint64_t *least; /* likewise: sum of the steps of this kind and all later ones */
};

/* How many multisets there are; UINT64_MAX when they are too many for 64 bits. */
uint64_t multiset_count(uint32_t kinds, uint32_t size);

/* Bytes that the numbers of multisets take. */
static inline uint64_t multiset_rank_bytes(uint32_t kinds, uint32_t size) {
    return 2 * (uint64_t)kinds * ((uint64_t)size + 1) * sizeof(uint64_t);
}

/* In a protected arena. The multisets must not be too many for 64 bits. */
void multiset_rank_make(uint32_t kinds, uint32_t size, struct arena *arena, struct multiset_rank *rank);

/* The summands of kind k, by cumulative count. */
static inline const uint64_t *multiset_steps(const struct multiset_rank *rank, uint32_t kind) {
    return rank->steps + (uint64_t)kind * (rank->size + 1);
}

uint64_t multiset_number(const struct multiset_rank *rank, const uint32_t *counts);

/* The multiset with this number, which must be below rank->count. */
void multiset_at(const struct multiset_rank *rank, uint64_t number, uint32_t *counts);

/* Goes to the multiset with the next number; false at the last. `rest` is size - (sum of counts). */
bool multiset_next(const struct multiset_rank *rank, uint32_t *counts, uint32_t *rest);

#endif

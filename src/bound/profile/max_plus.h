/* Repeated maps of times that consist of maxima and of sums with constants: the effect of a loop on the times
 * of a warp (Baccelli, Cohen, Olsder, Quadrat: Synchronization and Linearity, 1992). After some repetitions
 * every time grows by as much in each period as in the one before; the rest need not be done one by one
 * (docs/proofs.md, section 11). */
#ifndef WB_BOUND_PROFILE_MAX_PLUS_H
#define WB_BOUND_PROFILE_MAX_PLUS_H

#include "bound/profile/chain.h"

/* A sum of many times. */
typedef unsigned __int128 time_sum;
#define TIME_SUM_SATURATED (~(time_sum)0)

static inline time_sum time_sum_add(time_sum a, time_sum b) {
    time_sum sum;
    return __builtin_add_overflow(a, b, &sum) ? TIME_SUM_SATURATED : sum;
}

static inline time_sum time_sum_mul(time_sum a, time_sum b) {
    time_sum product;
    return __builtin_mul_overflow(a, b, &product) ? TIME_SUM_SATURATED : product;
}

/* A map of some times of its user to later ones. Counts to which every repetition adds the same are times,
 * too. So is the sum of differences between times that repetitions pass through, provided that `once` returns
 * a sum in which all of these times occur. */
struct max_plus_map {
    void *user;
    cycles *const *times;
    size_t time_count;
    /* Applies the map once. Returns that sum of times, or TIME_SUM_SATURATED where it may not fit. */
    time_sum (*once)(void *user);
    /* Chains (or NULL), and those of the times that have some. Between the first time and the last that are
       skipped over, every time is on a line, and so is each of those that it is the maximum of, where it is
       attained once: from where the times of one repetition come, those of all come (docs/proofs.md, section
       11). */
    struct chains *chains;
    struct chain_time *const *traced;
    size_t traced_count;
};

/* Applies the map `repetitions` times. The result is exact; the work grows with the logarithm of the
 * repetitions where times grow evenly after a while. No time may come to exceed 64 bits. *sum: of what all
 * repetitions return. WB_ERR_LIMIT when memory is exhausted. */
wb_status max_plus_repeat(const struct max_plus_map *map, uint64_t repetitions, time_sum *sum);

#endif

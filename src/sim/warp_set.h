/* Sets of warps as bits, 64 a word, so that a scheduler's choice is a few word operations. */
#ifndef WB_SIM_WARP_SET_H
#define WB_SIM_WARP_SET_H

#include <stdbool.h>
#include <stdint.h>

#define WARP_NONE UINT32_MAX

static inline uint32_t warp_set_words(uint32_t warps) {
    return warps / 64 + (warps % 64 != 0);
}

static inline void warp_set_add(uint64_t *set, uint32_t warp) {
    set[warp / 64] |= UINT64_C(1) << (warp % 64);
}

static inline void warp_set_remove(uint64_t *set, uint32_t warp) {
    set[warp / 64] &= ~(UINT64_C(1) << (warp % 64));
}

static inline bool warp_set_has(const uint64_t *set, uint32_t warp) {
    return (set[warp / 64] >> (warp % 64) & 1) != 0;
}

static inline bool warp_set_empty(const uint64_t *set, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        if (set[i] != 0) return false;
    }
    return true;
}

/* The first warp of both sets that is not below `first`, or WARP_NONE. */
static inline uint32_t warp_set_first_of_both(const uint64_t *a, const uint64_t *b, uint32_t words,
                                              uint32_t first) {
    uint64_t mask = UINT64_MAX << (first % 64);
    for (uint32_t i = first / 64; i < words; i++) {
        uint64_t both = a[i] & b[i] & mask;
        if (both != 0) return i * 64 + (uint32_t)__builtin_ctzll(both);
        mask = UINT64_MAX;
    }
    return WARP_NONE;
}

/* The same, going round: behind the last warp comes the first. */
static inline uint32_t warp_set_next_of_both(const uint64_t *a, const uint64_t *b, uint32_t words,
                                             uint32_t first) {
    uint32_t found = warp_set_first_of_both(a, b, words, first);
    return found != WARP_NONE ? found : warp_set_first_of_both(a, b, words, 0);
}

#endif

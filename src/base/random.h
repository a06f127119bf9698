/* Random numbers for tests, searches and buffer contents: the same seed gives the same numbers everywhere. */
#ifndef WB_BASE_RANDOM_H
#define WB_BASE_RANDOM_H

#include <stdint.h>

struct random_state {
    uint64_t state;
};

static inline struct random_state random_seeded(uint64_t seed) {
    return (struct random_state){seed};
}

/* The next 64 random bits (splitmix64: Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t random_next(struct random_state *random) {
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number below `bound` (at least 1), without modulo bias that a test of this size could see. */
static inline uint64_t random_below(struct random_state *random, uint64_t bound) {
    return (uint64_t)(((unsigned __int128)random_next(random) * bound) >> 64);
}

#endif

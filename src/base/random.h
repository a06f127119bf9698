/* Random numbers, and chances, for tests, searches and buffer contents: the same seed gives the same numbers
 * everywhere. */
#ifndef WB_BASE_RANDOM_H
#define WB_BASE_RANDOM_H

#include <assert.h>
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
    assert(bound > 0);
    return (uint64_t)(((unsigned __int128)random_next(random) * bound) >> 64);
}

/* Chances of simulated annealing: exp(-x) for x >= 0, the same on every machine, bit for bit, which a
 * library's is not, but for some 10^-12 of it: by its series where x is small, to which halving leads. Only
 * sums, products and quotients of doubles, each of which IEEE 754 determines. */
static inline double decay(double x) {
    unsigned halved = 0;
    if (!(x < 700)) return 0;
    for (; x > 0.125; halved++)
        x *= 0.5;
    double value = 1;
    for (unsigned term = 12; term > 0; term--)
        value = 1 - x / term * value;
    for (; halved > 0; halved--)
        value *= value;
    return value;
}

#endif

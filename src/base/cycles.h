/* Cycle counts: 64 bits, saturating, so that no bound can wrap round to a small number. */
#ifndef WB_BASE_CYCLES_H
#define WB_BASE_CYCLES_H

#include <assert.h>
#include <stdint.h>

typedef uint64_t cycles;

/* What a sum or product that does not fit becomes. A result of this value is never printed as a bound. */
#define CYCLES_SATURATED UINT64_MAX

/* a + b, saturated. */
static inline cycles cycles_add(cycles a, cycles b) {
    cycles sum;
    return __builtin_add_overflow(a, b, &sum) ? CYCLES_SATURATED : sum;
}

/* a * b, saturated. */
static inline cycles cycles_mul(cycles a, cycles b) {
    cycles product;
    return __builtin_mul_overflow(a, b, &product) ? CYCLES_SATURATED : product;
}

/* a - b, and 0 where b is larger. */
static inline cycles cycles_sub(cycles a, cycles b) {
    return a > b ? a - b : 0;
}

/* a / b, rounded up. */
static inline cycles cycles_ceiling(cycles a, cycles b) {
    assert(b != 0);
    return a / b + (a % b != 0);
}

static inline cycles cycles_max(cycles a, cycles b) {
    return a > b ? a : b;
}
static inline cycles cycles_min(cycles a, cycles b) {
    return a < b ? a : b;
}

/* The same of 32-bit counts. */
static inline uint32_t u32_sub(uint32_t a, uint32_t b) {
    return a > b ? a - b : 0;
}

static inline uint32_t u32_max(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static inline uint32_t u32_min(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

#endif

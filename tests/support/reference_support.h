/* What the references of kernels share: arguments by number, sizes of grid and block, and sums as a tree. */
#ifndef WB_TESTS_REFERENCE_SUPPORT_H
#define WB_TESTS_REFERENCE_SUPPORT_H

#include <string.h>

#include "kernel_references.h"

/* Buffer argument `i` as an array of whatever type it is assigned to. */
static inline void *buffer(const struct reference_case *test, size_t i) {
    return test->buffers[i];
}

static inline int32_t scalar_i32(const struct reference_case *test, size_t i) {
    return (int32_t)test->launch->arguments.items[i].bits;
}

static inline float scalar_f32(const struct reference_case *test, size_t i) {
    uint32_t bits = (uint32_t)test->launch->arguments.items[i].bits;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double scalar_f64(const struct reference_case *test, size_t i) {
    double value;
    memcpy(&value, &test->launch->arguments.items[i].bits, sizeof value);
    return value;
}

/* Blocks of the grid, threads of a block, and threads of the grid, in dimension x. */
static inline uint32_t blocks(const struct reference_case *test) {
    return test->launch->grid[0];
}
static inline uint32_t threads(const struct reference_case *test) {
    return test->launch->block[0];
}
static inline uint32_t width(const struct reference_case *test) {
    return blocks(test) * threads(test);
}

/* Sums `count` values, a power of two, as a tree of halves does: partial[i] += partial[i + half]. */
static inline float tree_sum(float *partial, uint32_t count) {
    for (uint32_t half = count / 2; half > 0; half /= 2)
        for (uint32_t i = 0; i < half; i++)
            partial[i] += partial[i + half];
    return partial[0];
}

#endif

#include "makespan/row_max.h"

#include <string.h>

/* What one vector register holds, with and without AVX2. */
#define LANES 16
#define LANES_HALF 8

/* Both are inlined into functions for different processors. */
#define ROW_INLINE static inline __attribute__((always_inline))

ROW_INLINE void max_lanes(int16_t *restrict to, const int16_t *restrict from, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* One row of at least `lanes` columns. The last vector overlaps the one before it; it is read before that is
 * written, because reading a place that has just been written in part is slow. */
ROW_INLINE void max_row(int16_t *restrict to, const int16_t *restrict from, size_t columns, size_t lanes) {
    int16_t end[LANES];
    memcpy(end, to + columns - lanes, lanes * sizeof *end);
    max_lanes(end, from + columns - lanes, lanes);
    for (size_t i = 0; i + lanes < columns; i += lanes)
        max_lanes(to + i, from + i, lanes);
    memcpy(to + columns - lanes, end, lanes * sizeof *end);
}

ROW_INLINE void max_box(int16_t *to, size_t to_stride, const struct number_box *box) {
    const int16_t *from = box->from;
    for (size_t row = 0; row < box->rows; row++, to += to_stride, from += box->stride) {
        if (box->step != 1 || box->columns < LANES_HALF)
            for (size_t i = 0; i < box->columns; i++)
                to[i] = from[i * box->step] > to[i] ? from[i * box->step] : to[i];
        else if (box->columns < LANES)
            max_row(to, from, box->columns, LANES_HALF);
        else
            max_row(to, from, box->columns, LANES);
    }
}

static void max_box_plain(int16_t *to, size_t to_stride, const struct number_box *box) {
    max_box(to, to_stride, box);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void max_box_avx2(int16_t *to, size_t to_stride,
                                                         const struct number_box *box) {
    max_box(to, to_stride, box);
}

row_max_function *row_max_best(void) {
    return __builtin_cpu_supports("avx2") ? max_box_avx2 : max_box_plain;
}
#else
row_max_function *row_max_best(void) {
    return max_box_plain;
}
#endif

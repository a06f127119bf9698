#include "wings/makespan/states/row_max.h"

#if defined(__x86_64__)
#    include <immintrin.h>
#endif

/* Rows of any length and step, one number at a time. */
static void max_numbers(int16_t *restrict to, size_t to_stride, const struct number_box *box) {
    const int16_t *restrict from = box->from;
    for (size_t row = 0; row < box->rows; row++, to += to_stride, from += box->stride)
        for (size_t i = 0; i < box->columns; i++) {
            int16_t number = from[i * box->step];
            to[i] = number > to[i] ? number : to[i];
        }
}

/* Rows without gaps; compilers make vector instructions of it. */
static void max_rows(int16_t *restrict to, size_t to_stride, const struct number_box *box) {
    const int16_t *restrict from = box->from;
    for (size_t row = 0; row < box->rows; row++, to += to_stride, from += box->stride)
        for (size_t i = 0; i < box->columns; i++)
            to[i] = from[i] > to[i] ? from[i] : to[i];
}

void row_max_plain(int16_t *to, size_t to_stride, const struct number_box *box) {
    if (box->step == 1)
        max_rows(to, to_stride, box);
    else
        max_numbers(to, to_stride, box);
}

#if defined(__x86_64__)

#    define AVX2 __attribute__((target("avx2")))
#    define AVX2_INLINE static inline __attribute__((target("avx2"), always_inline))

/* Numbers in a whole vector register of AVX2, and in half of one. */
#    define LANES 16u
#    define LANES_HALF 8u

AVX2_INLINE __m256i larger(const int16_t *a, const int16_t *b) {
    return _mm256_max_epi16(_mm256_loadu_si256((const __m256i *)(const void *)a),
                            _mm256_loadu_si256((const __m256i *)(const void *)b));
}

AVX2_INLINE __m128i larger_half(const int16_t *a, const int16_t *b) {
    return _mm_max_epi16(_mm_loadu_si128((const __m128i *)(const void *)a),
                         _mm_loadu_si128((const __m128i *)(const void *)b));
}

/* Rows of 8 to 16 columns: two halves that may overlap. Both are read before one is written, because reading
 * a place that has just been written in part is slow. */
AVX2_INLINE void max_short_rows(int16_t *to, size_t to_stride, const struct number_box *box) {
    const int16_t *from = box->from;
    size_t last = box->columns - LANES_HALF;
    for (size_t row = box->rows; row > 0; row--, to += to_stride, from += box->stride) {
        __m128i start = larger_half(to, from);
        __m128i end = larger_half(to + last, from + last);
        _mm_storeu_si128((__m128i *)(void *)to, start);
        _mm_storeu_si128((__m128i *)(void *)(to + last), end);
    }
}

/* Rows of at least 16 columns, covered by `vectors` vectors of which the last may overlap the one before it.
 * With a constant for `vectors` the inner loop is unrolled, which matters because rows are short. */
AVX2_INLINE void max_long_rows(int16_t *to, size_t to_stride, const struct number_box *box, size_t vectors) {
    const int16_t *from = box->from;
    size_t last = box->columns - LANES;
    for (size_t row = box->rows; row > 0; row--, to += to_stride, from += box->stride) {
        __m256i end = larger(to + last, from + last);
        for (size_t i = 0; i + 1 < vectors; i++)
            _mm256_storeu_si256((__m256i *)(void *)(to + i * LANES),
                                larger(to + i * LANES, from + i * LANES));
        _mm256_storeu_si256((__m256i *)(void *)(to + last), end);
    }
}

AVX2 static void max_box_avx2(int16_t *to, size_t to_stride, const struct number_box *box) {
    size_t vectors = (box->columns + LANES - 1) / LANES;
    if (box->step != 1 || box->columns < LANES_HALF)
        max_numbers(to, to_stride, box);
    else if (vectors == 1)
        max_short_rows(to, to_stride, box);
    else if (vectors == 2)
        max_long_rows(to, to_stride, box, 2);
    else if (vectors == 3)
        max_long_rows(to, to_stride, box, 3);
    else if (vectors == 4)
        max_long_rows(to, to_stride, box, 4);
    else
        max_long_rows(to, to_stride, box, vectors);
}

row_max_function *row_max_best(void) {
    return __builtin_cpu_supports("avx2") ? max_box_avx2 : row_max_plain;
}

#else

row_max_function *row_max_best(void) {
    return row_max_plain;
}

#endif

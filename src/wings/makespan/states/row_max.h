/* The one inner loop of the run table: element-wise maxima of rows of 16-bit numbers, as wide as the
 * processor can. */
#ifndef WB_MAKESPAN_STATES_ROW_MAX_H
#define WB_MAKESPAN_STATES_ROW_MAX_H

#include <stddef.h>
#include <stdint.h>

/* Numbers in rows and columns: neighbours in a row stand `step` apart, rows `stride`. */
struct number_box {
    const int16_t *from;
    size_t stride;
    size_t step;
    size_t rows;
    size_t columns;
};

/* Raises every number of `to`, which has step 1, to its counterpart in the box, if that is greater. Both have
 * nothing in common. */
typedef void row_max_function(int16_t *to, size_t to_stride, const struct number_box *box);

/* The version for any processor, and the fastest for this one. Both give the same results. */
row_max_function row_max_plain;
row_max_function *row_max_best(void);

#endif

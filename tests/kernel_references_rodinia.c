/* The kernels with the themes of Rodinia (Che et al., IISWC 2009). As in kernel_references.c there is an fma
 * where the PTX has one. */
#include <math.h>
#include <stddef.h>

#include "reference_support.h"

/* ---- Graphs and sparse matrices ------------------------------------------------------------------------ */

static void bfs_level(const struct reference_case *test) {
    const int32_t *starts = buffer(test, 0), *targets = buffer(test, 1), *levels = buffer(test, 2);
    uint8_t *reached = buffer(test, 3);
    int32_t vertices = scalar_i32(test, 4), level = scalar_i32(test, 5);
    for (int32_t vertex = 0; vertex < vertices; vertex++)
        for (int32_t edge = starts[vertex]; edge < starts[vertex + 1]; edge++)
            if (levels[vertex] == level && levels[targets[edge]] < 0) reached[targets[edge]] = 1;
}

static void sparse_matvec(const struct reference_case *test) {
    const int32_t *starts = buffer(test, 0), *columns = buffer(test, 1);
    const float *elements = buffer(test, 2), *x = buffer(test, 3);
    float *y = buffer(test, 4);
    int32_t rows = scalar_i32(test, 5);
    for (int32_t row = 0; row < rows; row++) {
        y[row] = 0.0f;
        for (int32_t i = starts[row]; i < starts[row + 1]; i++)
            y[row] = fmaf(elements[i], x[columns[i]], y[row]);
    }
}

const struct reference_entry rodinia_references[] = {
    {"bfs_level", bfs_level},
    {"sparse_matvec", sparse_matvec},
    {NULL, NULL},
};

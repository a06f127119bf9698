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

/* ---- Dense matrices ------------------------------------------------------------------------------------ */

static void backprop_layer(const struct reference_case *test) {
    const float *input = buffer(test, 0), *weights = buffer(test, 1);
    float *partial = buffer(test, 2);
    uint32_t units = (uint32_t)scalar_i32(test, 3), side = threads(test);
    float products[LAUNCH_THREADS_MAX] = {0};
    for (uint32_t part = 0; part < test->launch->grid[1]; part++) {
        for (uint32_t unit = 0; unit < units; unit++) {
            for (uint32_t i = 0; i < side; i++)
                products[i] = weights[(part * side + i) * units + unit] * input[part * side + i];
            partial[part * units + unit] = tree_sum(products, side);
        }
    }
}

static void gaussian_step(const struct reference_case *test) {
    float *matrix = buffer(test, 0);
    const float *multiples = buffer(test, 1);
    int32_t rows = scalar_i32(test, 2), columns = scalar_i32(test, 3), pivot = scalar_i32(test, 4);
    for (int32_t row = pivot + 1; row < rows; row++)
        for (int32_t column = pivot; column < columns; column++)
            matrix[row * columns + column] -= multiples[row] * matrix[pivot * columns + column];
}

static void lu_internal(const struct reference_case *test) {
    float *matrix = buffer(test, 0);
    int32_t columns = scalar_i32(test, 1), tile = (int32_t)threads(test);
    int32_t rows = ((int32_t)test->launch->grid[1] + 1) * tile;
    for (int32_t row = tile; row < rows; row++) {
        for (int32_t column = tile; column < columns; column++) {
            float sum = 0.0f;
            for (int32_t i = 0; i < tile; i++)
                sum = fmaf(matrix[row * columns + i], matrix[i * columns + column], sum);
            matrix[row * columns + column] -= sum;
        }
    }
}

const struct reference_entry rodinia_references[] = {
    {"backprop_layer", backprop_layer},
    {"bfs_level", bfs_level},
    {"gaussian_step", gaussian_step},
    {"lu_internal", lu_internal},
    {"sparse_matvec", sparse_matvec},
    {NULL, NULL},
};

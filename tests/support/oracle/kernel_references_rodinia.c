/* The kernels with the themes of Rodinia (Che et al., IISWC 2009). As in kernel_references.c there is an fma
 * where the PTX has one. */
#include <math.h>
#include <stddef.h>

#include "reference_support.h"

static int32_t min_i32(int32_t a, int32_t b) {
    return a < b ? a : b;
}
static int32_t max_i32(int32_t a, int32_t b) {
    return a > b ? a : b;
}

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

/* ---- Grids and images ---------------------------------------------------------------------------------- */

/* One step of the heat equation on the whole chip. */
static void heat_step(const struct reference_case *test, const float *before, float *after) {
    const float *power = buffer(test, 1);
    int32_t columns = scalar_i32(test, 3), rows = scalar_i32(test, 4);
    float conduction = scalar_f32(test, 5), loss = scalar_f32(test, 6), ambient = scalar_f32(test, 7);
    for (int32_t y = 0; y < rows; y++) {
        for (int32_t x = 0; x < columns; x++) {
            float own = before[y * columns + x];
            float west = before[y * columns + max_i32(x - 1, 0)];
            float east = before[y * columns + min_i32(x + 1, columns - 1)];
            float north = before[max_i32(y - 1, 0) * columns + x];
            float south = before[min_i32(y + 1, rows - 1) * columns + x];
            float inflow = fmaf(own, -4.0f, west + east + north + south);
            float change = fmaf(ambient - own, loss, inflow * conduction);
            after[y * columns + x] = own + (power[y * columns + x] + change);
        }
    }
}

/* The input is not needed again: it takes the result of the second step. */
static void hotspot(const struct reference_case *test) {
    float *temperature = buffer(test, 0), *result = buffer(test, 2);
    heat_step(test, temperature, result);
    heat_step(test, result, temperature);
    memcpy(result, temperature, (size_t)(scalar_i32(test, 3) * scalar_i32(test, 4)) * sizeof *result);
}

/* A pixel, or the outermost one of its row or column. */
static float pixel_near(const struct reference_case *test, int32_t x, int32_t y) {
    const float *pixels = buffer(test, 0);
    int32_t columns = scalar_i32(test, 2), rows = scalar_i32(test, 3);
    x = max_i32(min_i32(x, columns - 1), 0);
    y = max_i32(min_i32(y, rows - 1), 0);
    return pixels[y * columns + x];
}

/* What the neighbours differ by: north, south, west, east. */
static void pixel_differences(const struct reference_case *test, int32_t x, int32_t y, float differences[4]) {
    float own = pixel_near(test, x, y);
    differences[0] = pixel_near(test, x, y - 1) - own;
    differences[1] = pixel_near(test, x, y + 1) - own;
    differences[2] = pixel_near(test, x - 1, y) - own;
    differences[3] = pixel_near(test, x + 1, y) - own;
}

static float diffusion_coefficient(const struct reference_case *test, int32_t x, int32_t y, float speckle) {
    float d[4], own = pixel_near(test, x, y);
    pixel_differences(test, x, y, d);
    float gradient = fmaf(d[3], d[3], fmaf(d[2], d[2], fmaf(d[0], d[0], d[1] * d[1]))) / (own * own);
    float laplacian = (d[0] + d[1] + d[2] + d[3]) / own;
    float scale = fmaf(laplacian, 0.25f, 1.0f);
    float variation = (gradient * 0.5f - laplacian * (laplacian * 0.0625f)) / (scale * scale);
    float value = 1.0f / ((variation - speckle) / ((speckle + 1.0f) * speckle) + 1.0f);
    return fminf(fmaxf(value, 0.0f), 1.0f);
}

static void srad_diffuse(const struct reference_case *test) {
    float *result = buffer(test, 1);
    int32_t columns = scalar_i32(test, 2), rows = scalar_i32(test, 3);
    float speckle = scalar_f32(test, 4), step = scalar_f32(test, 5);
    for (int32_t y = 0; y < rows; y++) {
        for (int32_t x = 0; x < columns; x++) {
            float d[4];
            pixel_differences(test, x, y, d);
            float here = diffusion_coefficient(test, x, y, speckle);
            float south = diffusion_coefficient(test, x, min_i32(y + 1, rows - 1), speckle);
            float east = diffusion_coefficient(test, min_i32(x + 1, columns - 1), y, speckle);
            float divergence = fmaf(here, d[2], fmaf(here, d[0], south * d[1]));
            divergence = fmaf(east, d[3], divergence);
            result[y * columns + x] = fmaf(step * 0.25f, divergence, pixel_near(test, x, y));
        }
    }
}

/* ---- Clusters and places ------------------------------------------------------------------------------- */

/* Squared distance of two points, whose coordinates lie `stride_a` and `stride_b` elements apart. */
static float square_distance(const float *a, int32_t stride_a, const float *b, int32_t stride_b,
                             int32_t dimensions) {
    float sum = 0.0f;
    for (int32_t i = 0; i < dimensions; i++) {
        float difference = a[i * stride_a] - b[i * stride_b];
        sum = fmaf(difference, difference, sum);
    }
    return sum;
}

static void kmeans_distances(const struct reference_case *test) {
    const float *features = buffer(test, 0), *centres = buffer(test, 1);
    int32_t *membership = buffer(test, 2);
    float *distances = buffer(test, 3);
    int32_t points = scalar_i32(test, 4), clusters = scalar_i32(test, 5), dimensions = scalar_i32(test, 6);
    for (int32_t point = 0; point < points; point++) {
        distances[point] = INFINITY;
        for (int32_t cluster = 0; cluster < clusters; cluster++) {
            float distance =
                square_distance(&features[point], points, &centres[cluster * dimensions], 1, dimensions);
            if (distance < distances[point]) {
                distances[point] = distance;
                membership[point] = cluster;
            }
        }
    }
}

static void streamcluster_gain(const struct reference_case *test) {
    const float *coordinates = buffer(test, 0), *weights = buffer(test, 1), *costs = buffer(test, 2);
    const uint8_t *assigned = buffer(test, 3);
    float *gains = buffer(test, 4), *losses = buffer(test, 5);
    int32_t points = scalar_i32(test, 6), dimensions = scalar_i32(test, 7), candidate = scalar_i32(test, 8);
    for (int32_t point = 0; point < points; point++) {
        float distance =
            square_distance(&coordinates[point], points, &coordinates[candidate], points, dimensions);
        float gain = costs[point] - distance * weights[point];
        int32_t centre = point % 2 == 0 ? assigned[point / 2] & 15 : assigned[point / 2] >> 4;
        if (gain > 0.0f)
            gains[point] = gain;
        else
            losses[point * 16 + centre] = -gain;
    }
}

static void nearest_neighbour(const struct reference_case *test) {
    const float *records = buffer(test, 0), *targets = buffer(test, 1);
    float *distances = buffer(test, 2);
    int32_t record_count = scalar_i32(test, 3), target_count = scalar_i32(test, 4);
    for (int32_t target = 0; target < target_count; target++) {
        for (int32_t i = 0; i < record_count; i++) {
            float latitude = records[5 * i + 1] - targets[2 * target];
            float longitude = records[5 * i + 2] - targets[2 * target + 1];
            distances[target * record_count + i] = sqrtf(fmaf(latitude, latitude, longitude * longitude));
        }
    }
}

/* ---- Dynamic programming ------------------------------------------------------------------------------- */

/* The tiles of one diagonal only, as one block after the other makes them. */
static void needleman_wave(const struct reference_case *test) {
    float *scores = buffer(test, 0);
    const uint8_t *down = buffer(test, 1), *across = buffer(test, 2);
    const float *similarity = buffer(test, 3);
    int32_t columns = scalar_i32(test, 4), diagonal = scalar_i32(test, 5), tile = (int32_t)threads(test);
    float gap = scalar_f32(test, 6);
    for (int32_t row = 1; row < columns; row++) {
        for (int32_t column = 1; column < columns; column++) {
            if ((row - 1) / tile + (column - 1) / tile != diagonal) continue;
            float *cell = &scores[row * columns + column];
            float match = cell[-columns - 1] + similarity[down[row - 1] % 32 * 32 + across[column - 1] % 32];
            *cell = fmaxf(match, fmaxf(cell[-columns], cell[-1]) - gap);
        }
    }
}

/* Whole rows, one after the other. */
static void pathfinder(const struct reference_case *test) {
    const uint8_t *walls = buffer(test, 0);
    const int32_t *before = buffer(test, 1);
    int32_t *after = buffer(test, 2);
    int32_t columns = scalar_i32(test, 3), rows = scalar_i32(test, 4);
    memcpy(after, before, (size_t)columns * sizeof *after);
    for (int32_t row = 0; row < rows; row++) {
        int32_t west = INT32_MAX;
        for (int32_t column = 0; column < columns; column++) {
            int32_t own = after[column], east = column + 1 < columns ? after[column + 1] : INT32_MAX;
            after[column] = min_i32(own, min_i32(west, east)) + walls[row * columns + column];
            west = own;
        }
    }
}

const struct reference_entry rodinia_references[] = {
    {"backprop_layer", backprop_layer},
    {"bfs_level", bfs_level},
    {"gaussian_step", gaussian_step},
    {"hotspot", hotspot},
    {"kmeans_distances", kmeans_distances},
    {"lu_internal", lu_internal},
    {"nearest_neighbour", nearest_neighbour},
    {"needleman_wave", needleman_wave},
    {"pathfinder", pathfinder},
    {"sparse_matvec", sparse_matvec},
    {"srad_diffuse", srad_diffuse},
    {"streamcluster_gain", streamcluster_gain},
    {NULL, NULL},
};

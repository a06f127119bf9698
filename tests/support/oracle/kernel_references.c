/* The compiler contracts a * b + c of the kernels into one fused multiply-add; where the PTX has one, there
 * is an fma here, and the order of additions is that of the PTX. */
#include "kernel_references.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference_support.h"

/* ---- Vectors and matrices ------------------------------------------------------------------------------ */

static void vecadd(const struct reference_case *test) {
    const float *a = buffer(test, 0), *b = buffer(test, 1);
    float *c = buffer(test, 2);
    int32_t n = scalar_i32(test, 3);
    for (int32_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

static void saxpy(const struct reference_case *test) {
    int32_t n = scalar_i32(test, 0);
    float alpha = scalar_f32(test, 1);
    const float *x = buffer(test, 2);
    float *y = buffer(test, 3);
    for (int32_t i = 0; i < n; i++)
        y[i] = fmaf(x[i], alpha, y[i]);
}

/* C = alpha * A * B + beta * C of the first three buffers. */
static void sgemm(const struct reference_case *test, int32_t m, int32_t n, int32_t k, float alpha,
                  float beta) {
    const float *a = buffer(test, 0), *b = buffer(test, 1);
    float *c = buffer(test, 2);
    for (int32_t row = 0; row < m; row++) {
        for (int32_t column = 0; column < n; column++) {
            float sum = 0.0f;
            for (int32_t i = 0; i < k; i++)
                sum = fmaf(a[row * k + i], b[i * n + column], sum);
            float *element = &c[row * n + column];
            *element = fmaf(sum, alpha, *element * beta);
        }
    }
}

static void sgemm_naive(const struct reference_case *test) {
    sgemm(test, scalar_i32(test, 3), scalar_i32(test, 4), scalar_i32(test, 5), scalar_f32(test, 6),
          scalar_f32(test, 7));
}

static void sgemm_tiled(const struct reference_case *test) {
    int32_t m = (int32_t)(test->launch->grid[1] * test->launch->block[1]);
    sgemm(test, m, scalar_i32(test, 3), scalar_i32(test, 4), scalar_f32(test, 5), scalar_f32(test, 6));
}

static void transpose(const struct reference_case *test) {
    const float *in = buffer(test, 0);
    float *out = buffer(test, 1);
    int32_t columns = scalar_i32(test, 2), rows = scalar_i32(test, 3);
    for (int32_t y = 0; y < rows; y++)
        for (int32_t x = 0; x < columns; x++)
            out[x * rows + y] = in[y * columns + x];
}

static void stencil5(const struct reference_case *test) {
    const float *in = buffer(test, 0);
    float *out = buffer(test, 1);
    int32_t columns = scalar_i32(test, 2), rows = scalar_i32(test, 3);
    float centre = scalar_f32(test, 4), side = scalar_f32(test, 5);
    for (int32_t y = 0; y < rows; y++) {
        for (int32_t x = 0; x < columns; x++) {
            int32_t i = y * columns + x;
            bool border = x == 0 || x == columns - 1 || y == 0 || y == rows - 1;
            if (border) {
                out[i] = in[i];
            } else {
                float sum = in[i - columns] + in[i + columns] + in[i - 1] + in[i + 1];
                out[i] = fmaf(in[i], centre, sum * side);
            }
        }
    }
}

static void fir(const struct reference_case *test) {
    const float *in = buffer(test, 0);
    float *out = buffer(test, 1);
    int32_t n = scalar_i32(test, 2);
    const void *variable = test->variables[0];
    const float *taps = variable;
    for (int32_t i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int32_t tap = 0; tap < 16; tap++)
            sum = fmaf(taps[tap], i >= tap ? in[i - tap] : 0.0f, sum);
        out[i] = sum;
    }
}

static void horner_f32(const struct reference_case *test) {
    const float *coefficients = buffer(test, 0), *x = buffer(test, 1);
    float *y = buffer(test, 2);
    int32_t n = scalar_i32(test, 3);
    for (int32_t i = 0; i < n; i++) {
        y[i] = coefficients[7];
        for (int power = 6; power >= 0; power--)
            y[i] = fmaf(y[i], x[i], coefficients[power]);
    }
}

static void horner_f64(const struct reference_case *test) {
    const double *coefficients = buffer(test, 0), *x = buffer(test, 1);
    double *y = buffer(test, 2);
    int32_t n = scalar_i32(test, 3);
    for (int32_t i = 0; i < n; i++) {
        y[i] = coefficients[5];
        for (int power = 4; power >= 0; power--)
            y[i] = fma(y[i], x[i], coefficients[power]);
    }
}

/* ---- Reductions and scans ------------------------------------------------------------------------------ */

static void reduce(const struct reference_case *test) {
    const float *in = buffer(test, 0);
    float *out = buffer(test, 1);
    uint32_t n = (uint32_t)scalar_i32(test, 2);
    float partial[LAUNCH_THREADS_MAX] = {0};
    for (uint32_t block = 0; block < blocks(test); block++) {
        for (uint32_t thread = 0; thread < threads(test); thread++) {
            partial[thread] = 0.0f;
            for (uint32_t i = block * threads(test) + thread; i < n; i += width(test))
                partial[thread] += in[i];
        }
        out[block] = tree_sum(partial, threads(test));
    }
}

static void matvec(const struct reference_case *test) {
    const float *a = buffer(test, 0), *x = buffer(test, 1);
    float *y = buffer(test, 2);
    uint32_t columns = (uint32_t)scalar_i32(test, 3);
    float partial[LAUNCH_THREADS_MAX] = {0};
    for (uint32_t row = 0; row < blocks(test); row++) {
        for (uint32_t thread = 0; thread < threads(test); thread++) {
            partial[thread] = 0.0f;
            for (uint32_t i = thread; i < columns; i += threads(test))
                partial[thread] = fmaf(a[row * columns + i], x[i], partial[thread]);
        }
        y[row] = tree_sum(partial, threads(test));
    }
}

static void prefix_scan(const struct reference_case *test) {
    const uint32_t *in = buffer(test, 0);
    uint32_t *out = buffer(test, 1), *totals = buffer(test, 2);
    uint32_t elements = 2 * threads(test);
    for (uint32_t block = 0; block < blocks(test); block++) {
        uint32_t sum = 0;
        for (uint32_t i = block * elements; i < (block + 1) * elements; i++) {
            out[i] = sum;
            sum += in[i];
        }
        totals[block] = sum;
    }
}

static void triangle_sum(const struct reference_case *test) {
    const float *matrix = buffer(test, 0);
    float *sums = buffer(test, 1);
    int32_t pitch = scalar_i32(test, 2);
    for (int32_t thread = 0; thread < (int32_t)threads(test); thread++) {
        float sum = 1.0f; /* row 0 is the only row whose number thread + 1 divides */
        for (int32_t row = 1; row <= thread; row += 2)
            sum += matrix[row * pitch + thread];
        sums[thread] = sum;
    }
}

static void warp_reduce(const struct reference_case *test) {
    const int32_t extreme = (1 << 23) - (1 << 18);
    const int32_t *in = buffer(test, 0);
    int32_t *prefix = buffer(test, 1), *summary = buffer(test, 2);
    for (uint32_t warp = 0; warp < width(test) / WARP_LANES; warp++) {
        int32_t sum = 0, most = INT32_MIN, below = 0, any = 0, all = 1;
        uint32_t negative = 0;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            int32_t value = in[warp * WARP_LANES + lane] >> 8;
            sum += value;
            prefix[warp * WARP_LANES + lane] = sum;
            most = value > most ? value : most;
            negative |= (uint32_t)(value < 0) << lane;
            below += value < in[warp * WARP_LANES] >> 8;
            any |= value > extreme;
            all &= value > -extreme;
        }
        const int32_t row[] = {sum, most, (int32_t)negative, below, any, all};
        memcpy(&summary[warp * 6], row, sizeof row);
    }
}

/* ---- Control and addresses that depend on data --------------------------------------------------------- */

static void histogram(const struct reference_case *test) {
    const uint8_t *data = buffer(test, 0);
    uint32_t *counts = buffer(test, 1);
    int32_t n = scalar_i32(test, 2);
    for (int32_t i = 0; i < n; i++)
        counts[data[i] >> 2]++;
}

static int compare_i32(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void bitonic(const struct reference_case *test) {
    int32_t *keys = buffer(test, 0);
    size_t count = 2 * (size_t)threads(test);
    for (uint32_t block = 0; block < blocks(test); block++)
        qsort(&keys[block * count], count, sizeof *keys, compare_i32);
}

static void local_counts(const struct reference_case *test) {
    const uint32_t *words = buffer(test, 0);
    int32_t *most_frequent = buffer(test, 1);
    for (uint32_t thread = 0; thread < width(test); thread++) {
        uint8_t counts[16] = {0};
        for (uint32_t word = 0; word < 8; word++)
            for (uint32_t shift = 0; shift < 32; shift += 4)
                counts[words[word * width(test) + thread] >> shift & 15]++;
        int32_t best = 0;
        for (int32_t digit = 1; digit < 16; digit++)
            best = counts[digit] > counts[best] ? digit : best;
        most_frequent[thread] = best;
    }
}

/* Gives `label` to all set pixels that are connected to `pixel` and have none yet. */
static void flood(const uint8_t *pixels, int32_t *labels, int32_t pixel, int32_t label) {
    if (pixels[pixel] < 100 || labels[pixel] >= 0) return;
    labels[pixel] = label;
    int32_t x = pixel % 16, y = pixel / 16;
    if (x > 0) flood(pixels, labels, pixel - 1, label);
    if (x < 15) flood(pixels, labels, pixel + 1, label);
    if (y > 0) flood(pixels, labels, pixel - 16, label);
    if (y < 15) flood(pixels, labels, pixel + 16, label);
}

/* The least number of a component's pixels is its label: pixels are flooded in the order of their numbers. */
static void components(const struct reference_case *test) {
    const uint8_t *pixels = buffer(test, 0);
    int32_t *labels = buffer(test, 1);
    for (uint32_t block = 0; block < blocks(test); block++, pixels += 256, labels += 256) {
        for (int32_t pixel = 0; pixel < 256; pixel++)
            labels[pixel] = -1;
        for (int32_t pixel = 0; pixel < 256; pixel++)
            flood(pixels, labels, pixel, pixel);
    }
}

static void voronoi(const struct reference_case *test) {
    const float *site_x = buffer(test, 0), *site_y = buffer(test, 1);
    int32_t sites = scalar_i32(test, 2);
    int32_t *nearest = buffer(test, 3);
    float pixel = scalar_f32(test, 4);
    uint32_t rows = test->launch->grid[1] * test->launch->block[1];
    for (uint32_t i = 0; i < rows * width(test); i++) {
        uint32_t column = i % width(test), row = i / width(test);
        float x = (float)column * pixel, y = (float)row * pixel;
        float least = 8.0f;
        nearest[i] = -1;
        for (int32_t site = 0; site < sites; site++) {
            float dx = site_x[site] - x, dy = site_y[site] - y;
            float distance = fmaf(dx, dx, dy * dy);
            if (distance < least) {
                nearest[i] = site;
                least = distance;
            }
        }
    }
}

/* Of equally near sites the first. */
static void voronoi_case_study(const struct reference_case *test) {
    const float *sites = buffer(test, 0);
    int32_t last = scalar_i32(test, 1);
    uint32_t *cells = buffer(test, 2);
    for (uint32_t i = 0; i < width(test); i++) {
        float x = (float)(i % threads(test)) / 512.0f, y = (float)(i / threads(test)) / 4.0f;
        float least = INFINITY;
        for (int32_t site = 0; site <= last; site++) {
            float dx = sites[2 * site] - x, dy = sites[2 * site + 1] - y;
            float distance = fmaf(dx, dx, dy * dy);
            if (distance >= least) continue;
            cells[i] = (uint32_t)site;
            least = distance;
        }
    }
}

/* Steps until the point escapes; the squares are kept from step to step, as in the PTX. */
static int32_t escape_steps(float x, float y, int32_t limit) {
    float real = 0.0f, imaginary = 0.0f, real_square = 0.0f, imaginary_square = 0.0f;
    int32_t steps = 0;
    while (steps < limit && real_square + imaginary_square < 4.0f) {
        float next = real_square - imaginary_square + x;
        imaginary = fmaf(real + real, imaginary, y);
        real = next;
        real_square = real * real;
        imaginary_square = imaginary * imaginary;
        steps++;
    }
    return steps;
}

static void mandelbrot(const struct reference_case *test) {
    int32_t *steps = buffer(test, 0);
    int32_t limit = scalar_i32(test, 1);
    float left = scalar_f32(test, 2), top = scalar_f32(test, 3), pixel = scalar_f32(test, 4);
    uint32_t rows = test->launch->grid[1] * test->launch->block[1];
    for (uint32_t i = 0; i < rows * width(test); i++) {
        uint32_t column = i % width(test), row = i / width(test);
        float x = fmaf((float)column, pixel, left);
        float y = top - (float)row * pixel;
        steps[i] = escape_steps(x, y, limit);
    }
}

/* ---- Arithmetic ---------------------------------------------------------------------------------------- */

/* Correctly rounded but for the double rounding of the library's functions, which the tolerances dwarf. */
static void special_functions(const struct reference_case *test) {
    const float *in = buffer(test, 0);
    float scale = scalar_f32(test, 1);
    int32_t n = scalar_i32(test, 2);
    float *results[7];
    for (size_t i = 0; i < 7; i++)
        results[i] = buffer(test, 3 + i);
    for (int32_t i = 0; i < n; i++) {
        double x = (double)(scale * in[i]);
        results[0][i] = (float)sin(x);
        results[1][i] = (float)cos(x);
        results[2][i] = (float)exp2(x);
        results[3][i] = (float)log2(x);
        results[4][i] = (float)sqrt(x);
        results[5][i] = (float)(1.0 / sqrt(x));
        results[6][i] = (float)(1.0 / x);
    }
}

static void quantise(const struct reference_case *test) {
    const float *colours = buffer(test, 0);
    uint8_t *bytes = buffer(test, 1);
    int32_t *rounded = buffer(test, 2);
    int32_t n = scalar_i32(test, 3);
    float gain = scalar_f32(test, 4), offset = scalar_f32(test, 5);
    for (int32_t i = 0; i < 4 * n; i++) {
        float value = fmaf(colours[i], gain, offset);
        float percent = value * 100.0f;
        bytes[i] = (uint8_t)rintf(fminf(fmaxf(value, 0.0f), 1.0f) * 255.0f);
        const float directions[] = {floorf(percent), ceilf(percent), rintf(percent), truncf(percent)};
        rounded[i] = (int32_t)directions[i % 4];
    }
}

static void nbody_f64(const struct reference_case *test) {
    const double *x = buffer(test, 0), *y = buffer(test, 1), *mass = buffer(test, 2);
    int32_t n = scalar_i32(test, 3);
    double softening = scalar_f64(test, 4);
    double *ax = buffer(test, 5), *ay = buffer(test, 6);
    float *potential = buffer(test, 7);
    for (int32_t body = 0; body < n; body++) {
        double sum_x = 0.0, sum_y = 0.0, energy = 0.0;
        for (int32_t other = 0; other < n; other++) {
            double dx = x[other] - x[body], dy = y[other] - y[body];
            double square = fma(dx, dx, dy * dy) + softening;
            double pull = mass[other] / (sqrt(square) * square);
            sum_x = fma(dx, pull, sum_x);
            sum_y = fma(dy, pull, sum_y);
            energy -= square * pull;
        }
        ax[body] = sum_x;
        ay[body] = sum_y;
        potential[body] = (float)energy;
    }
}

/* PTX bfe: bits `start` to `start + length - 1`; what lies past bit 31 is zero, or the sign. */
static uint32_t extract_field(uint32_t word, uint32_t start, uint32_t length, bool is_signed) {
    uint32_t top = start + length - 1 < 31 ? start + length - 1 : 31;
    bool sign = is_signed && length > 0 && (word >> top & 1) != 0;
    uint32_t field = sign ? UINT32_MAX : 0;
    for (uint32_t i = 0; i < length && start + i < 32; i++)
        field = (field & ~(1u << i)) | (word >> (start + i) & 1) << i;
    return field;
}

/* PTX bfi: the lowest `length` bits of `field` at bit `start` of `word`, cut off at bit 31. */
static uint32_t insert_field(uint32_t field, uint32_t word, uint32_t start, uint32_t length) {
    for (uint32_t i = 0; i < length && start + i < 32; i++)
        word = (word & ~(1u << (start + i))) | (field >> i & 1) << (start + i);
    return word;
}

static uint64_t reverse_bits(uint64_t word, unsigned bits) {
    uint64_t reversed = 0;
    for (unsigned i = 0; i < bits; i++)
        reversed |= (word >> i & 1) << (bits - 1 - i);
    return reversed;
}

/* Sum of the products of the four pairs of signed bytes. */
static int32_t dot_bytes(uint32_t a, uint32_t b) {
    int32_t sum = 0;
    for (unsigned shift = 0; shift < 32; shift += 8)
        sum += (int8_t)(a >> shift) * (int8_t)(b >> shift);
    return sum;
}

/* The 16 narrow results of integer_mix for one pair of words. */
static void mix_narrow(int32_t p, int32_t q, uint32_t *row) {
    uint32_t up = (uint32_t)p, uq = (uint32_t)q, distance = uq >> 26;
    uint64_t funnel = (uint64_t)uq << 32 | up;
    row[0] = (uint32_t)(p / (q >> 8 | 1));
    row[1] = (uint32_t)(p % (q >> 7 | 1));
    row[2] = up / (uq >> 9 | 1);
    row[3] = up % (uq >> 10 | 1);
    row[4] = (uint32_t)(((int64_t)p * q) >> 32);
    row[5] = (uint32_t)(((uint64_t)up * uq) >> 32);
    row[6] = (uint32_t)(__builtin_popcount(up) + 100 * (p == 0 ? 32 : __builtin_clz(up)) +
                        10000 * __builtin_ffs(p >> 4));
    row[7] = (uint32_t)reverse_bits(up, 32);
    row[8] = extract_field(up, uq & 31, distance, false);
    row[9] = extract_field(up, uq & 31, distance, true);
    row[10] = insert_field(up, uq, distance & 31, 7);
    row[11] = (up & 0xff) | (uq & 0xff) << 8 | (up & 0xff0000) | (uq & 0xff0000) << 8;
    row[12] =
        (uint32_t)((funnel << (distance & 31)) >> 32) ^ (uint32_t)(funnel >> (distance < 32 ? distance : 32));
    row[13] = (up > uq ? up - uq : uq - up) + 5 +
              (uint32_t)((int32_t)(up << 8) >> 8) * (uint32_t)((int32_t)(uq << 8) >> 8);
    row[14] = up ^ uq ^ (uint32_t)abs(p >> 1);
    row[15] = (uint32_t)(dot_bytes(up, uq) + 1000) + (uint32_t)((int16_t)p * (int16_t)q) +
              (uint32_t)(int8_t)(p >> 3);
}

/* The 6 wide results of integer_mix for one pair of words. */
static void mix_wide(int32_t p, int32_t q, uint64_t *row) {
    uint32_t uq = (uint32_t)q, distance = uq >> 26;
    uint64_t joined = (uint64_t)(uint32_t)p << 32 | uq;
    int64_t signed_joined = (int64_t)joined;
    uint64_t other = joined ^ (uint32_t)p;
    row[0] = (uint64_t)(signed_joined / q);
    row[1] = (uint64_t)(signed_joined % (q >> 3 | 1));
    row[2] = joined / uq + joined % (uq >> 5 | 1);
    row[3] = (uint64_t)(((unsigned __int128)joined * other) >> 64) +
             (uint64_t)(((__int128)signed_joined * ~signed_joined) >> 64);
    row[4] = (uint64_t)(signed_joined >> distance) ^ joined << distance / 2;
    row[5] = ((joined + joined * uq) ^ reverse_bits(joined, 64)) + (uint64_t)__builtin_popcountll(joined) -
             (uint64_t)(joined == 0 ? 64 : __builtin_clzll(joined));
}

static void integer_mix(const struct reference_case *test) {
    const int32_t *a = buffer(test, 0), *b = buffer(test, 1);
    uint32_t *narrow = buffer(test, 2);
    uint64_t *wide = buffer(test, 3);
    int32_t n = scalar_i32(test, 4);
    for (int32_t i = 0; i < n; i++) {
        mix_narrow(a[i], b[i] | 1, &narrow[16 * i]);
        mix_wide(a[i], b[i] | 1, &wide[6 * i]);
    }
}

/* ---- The table and the memory of a case ---------------------------------------------------------------- */

static const struct reference_entry references[] = {
    {"bitonic", bitonic},
    {"components", components},
    {"fir", fir},
    {"histogram", histogram},
    {"horner_f32", horner_f32},
    {"horner_f64", horner_f64},
    {"integer_mix", integer_mix},
    {"local_counts", local_counts},
    {"mandelbrot", mandelbrot},
    {"matvec", matvec},
    {"nbody_f64", nbody_f64},
    {"prefix_scan", prefix_scan},
    {"quantise", quantise},
    {"reduce", reduce},
    {"saxpy", saxpy},
    {"sgemm_naive", sgemm_naive},
    {"sgemm_tiled", sgemm_tiled},
    {"special_functions", special_functions},
    {"stencil5", stencil5},
    {"transpose", transpose},
    {"triangle_sum", triangle_sum},
    {"vecadd", vecadd},
    {"voronoi", voronoi},
    {"voronoi_case_study", voronoi_case_study},
    {"warp_reduce", warp_reduce},
    {NULL, NULL},
};

static reference_function *find_in(const struct reference_entry *entries, const char *name) {
    while (entries->name != NULL && strcmp(entries->name, name) != 0)
        entries++;
    return entries->function;
}

reference_function *reference_find(const char *name) {
    reference_function *function = find_in(references, name);
    return function != NULL ? function : find_in(rodinia_references, name);
}

/* The contents in memory of their own, or NULL. */
static uint8_t *materialise(const struct launch_contents *contents) {
    uint64_t size = launch_contents_size(contents);
    uint8_t *bytes = calloc(size > 0 ? size : 1, 1);
    if (bytes) launch_contents_fill(contents, bytes);
    return bytes;
}

bool reference_case_open(const struct wb_launch *launch, struct reference_case *test) {
    *test = (struct reference_case){.launch = launch};
    test->buffers = calloc(launch->arguments.count + 1, sizeof *test->buffers);
    test->variables = calloc(launch->variables.count + 1, sizeof *test->variables);
    bool complete = test->buffers && test->variables;
    for (size_t i = 0; complete && i < launch->arguments.count; i++) {
        const struct launch_argument *argument = &launch->arguments.items[i];
        if (argument->is_buffer) complete = (test->buffers[i] = materialise(&argument->contents)) != NULL;
    }
    for (size_t i = 0; complete && i < launch->variables.count; i++)
        complete = (test->variables[i] = materialise(&launch->variables.items[i].contents)) != NULL;
    if (!complete) reference_case_close(test);
    return complete;
}

void reference_case_close(struct reference_case *test) {
    for (size_t i = 0; test->buffers && i < test->launch->arguments.count; i++)
        free(test->buffers[i]);
    for (size_t i = 0; test->variables && i < test->launch->variables.count; i++)
        free(test->variables[i]);
    free(test->buffers);
    free(test->variables);
    *test = (struct reference_case){0};
}

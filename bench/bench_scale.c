/* What a default `warpbound analyze` costs against the size of its data, N x N numbers: processor time and
 * memory, as a table and as pictures, build/bench/scale-*.svg. Work grows with N^2, that of the product of
 * matrices with N^3 (docs/block-classes.md). */
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_support.h"
#include "report/write/svg_chart.h"

#define SIZES 7u
#define SIZE_LEAST 256u
#define ARGUMENTS_MAX 12u
#define MEGABYTE 1024.0 /* in the unit of ru_maxrss */

/* A kernel for N x N numbers. */
struct scale_kernel {
    const char *name, *of, *block; /* a name for the picture; of the file, and of the kernel */
    uint32_t numbers, wide,
        tall; /* of a block; tall 0: the grid has one row, for `wide` numbers or columns */
    const char *arguments[ARGUMENTS_MAX]; /* B: a buffer of all numbers; N: the size; M: its square */
};

static const struct scale_kernel gemm = {
    "GEMM", "sgemm_tiled", "16,16", 0, 16, 16, {"B", "B", "B", "N", "N", "f32:1", "f32:0"}};
static const struct scale_kernel vecadd = {"vecadd", "vecadd", "256", 256, 0, 0, {"B", "B", "B", "M"}};
static const struct scale_kernel stencil = {
    "stencil", "stencil5", "32,8", 0, 32, 0, {"B", "B", "N", "N", "f32:0.6", "f32:0.1"}};
static const struct scale_kernel reduction = {"reduction", "reduce", "256", 256, 0, 0, {"B", "B", "M"}};

static const struct scale_case {
    const struct scale_kernel *kernel;
    const char *name, *machine;
    bool is_code; /* of the machine: dashes */
    unsigned colour;
} cases[] = {
    {&gemm, "GEMM, PTX", "ecrts2025-orin", false, 0},
    {&gemm, "GEMM, cubin", "jetson-agx-orin", true, 0},
    {&gemm, "GEMM, PTX, caches", "jcse2017", false, 1},
    {&vecadd, "vecadd, PTX", "ecrts2025-orin", false, 2},
    {&vecadd, "vecadd, cubin", "jetson-agx-orin", true, 2},
    {&stencil, "stencil, PTX", "ecrts2025-orin", false, 3},
    {&stencil, "stencil, cubin", "jetson-agx-orin", true, 3},
    {&reduction, "reduction, PTX", "ecrts2025-orin", false, 4},
    {&reduction, "reduction, cubin", "jetson-agx-orin", true, 4},
};
#define CASES (sizeof cases / sizeof *cases)

struct cost {
    double seconds[SIZES], megabytes[SIZES];
};

static void put_grid(struct text *line, const struct scale_kernel *kernel, uint32_t n) {
    if (kernel->numbers != 0)
        text_printf(line, " -g %u", n / kernel->numbers * n);
    else
        text_printf(line, " -g %u,%u", n / kernel->wide, kernel->tall != 0 ? n / kernel->tall : 1);
}

static void put_argument(struct text *line, const char *given, uint32_t n) {
    if (given[0] == 'B')
        text_printf(line, " -a 'buf:f32[%u]'", n * n);
    else if (given[0] == 'N' || given[0] == 'M')
        text_printf(line, " -a i32:%u", given[0] == 'N' ? n : n * n);
    else
        text_printf(line, " -a %s", given);
}

/* Becomes the command. */
static void analyze(const struct scale_case *test, uint32_t n) {
    const struct scale_kernel *kernel = test->kernel;
    struct text line = {0};
    text_printf(&line, "exec build/warpbound analyze kernels/%s%s%s", test->is_code ? "cubin/" : "",
                kernel->of, test->is_code ? ".sm_87.cubin" : ".ptx");
    text_printf(&line, " -m %s -b %s", test->machine, kernel->block);
    put_grid(&line, kernel, n);
    for (uint32_t a = 0; a < ARGUMENTS_MAX && kernel->arguments[a] != NULL; a++)
        put_argument(&line, kernel->arguments[a], n);
    char *command = text_take(&line);
    if (command != NULL && freopen("/dev/null", "w", stdout) != NULL)
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    perror("bench_scale");
    _exit(1);
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void bench_case(const struct scale_case *test, uint32_t size, struct cost *cost) {
    const uint32_t n = SIZE_LEAST << size;
    struct rusage usage;
    int ended = 0;
    (void)fflush(stdout); /* or the child prints it, too */
    const pid_t child = fork();
    if (child == 0) analyze(test, n);
    if (child < 0 || wait4(child, &ended, 0, &usage) != child || ended != 0) {
        (void)fputs("bench_scale: the analysis failed\n", stderr);
        exit(1);
    }
    cost->seconds[size] = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    cost->megabytes[size] = (double)usage.ru_maxrss / MEGABYTE;
    printf("scale %-18s N = %5u: %5.2f s, %4.0f MB\n", test->name, n, cost->seconds[size],
           cost->megabytes[size]);
}

/* Writes a picture of all cases. */
static void draw(const char *path, const char *title, const char *what, const struct cost *costs,
                 bool of_memory) {
    static const char *const sizes[SIZES] = {"256", "512", "1024", "2048", "4096", "8192", "16384"};
    struct svg_series series[CASES];
    struct text out = {0};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (size_t i = 0; i < CASES; i++)
        series[i] = (struct svg_series){.name = cases[i].name,
                                        .values = of_memory ? costs[i].megabytes : costs[i].seconds,
                                        .colour = cases[i].colour,
                                        .dashed = cases[i].is_code};
    const struct svg_chart chart = {.title = title,
                                    .x_title = "N, of N x N numbers",
                                    .y_title = what,
                                    .x_labels = sizes,
                                    .point_count = SIZES,
                                    .series = series,
                                    .series_count = CASES};
    svg_chart(&out, &chart);
    char *picture = text_take(&out);
    require(picture == NULL ? WB_ERR_LIMIT : wb_file_write(path, picture, diagnostics), diagnostics);
    free(picture);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    struct cost costs[CASES];
    for (size_t i = 0; i < CASES; i++)
        for (uint32_t size = 0; size < SIZES; size++)
            bench_case(&cases[i], size, &costs[i]);
    draw("build/bench/scale-time.svg", "Processor time of a default analysis", "seconds", costs, false);
    draw("build/bench/scale-memory.svg", "Memory of a default analysis", "megabytes", costs, true);
    return EXIT_SUCCESS;
}

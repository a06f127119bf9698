/* Speed of the interpreter on the kernels of kernels/, and of writing and reading a path. */
#include "index_support.h"
#include "warp/path/path.h"

/* Each kernel runs for at least this long, in processor seconds. */
#define SECONDS_MIN 0.3

#define PATH_STEPS 100000000u

static void bench_kernel(const struct index_kernel *kernel) {
    const wb_trace_options options = {.size = sizeof options};
    printf("interpreter %-24s %7.2f million warp instructions/s\n", kernel->name,
           index_rate(kernel, &options, SECONDS_MIN));
}

/* A loop of ten instructions with a branch in it, written and read. */
static void bench_path(void) {
    struct path_writer writer = {0};
    struct path path = {0};
    double start = seconds();
    for (uint32_t i = 0; i < PATH_STEPS / 10; i++)
        for (uint32_t k = 0; k < 10; k++)
            (void)path_append(&writer, k < 7 ? k : k + 5, k < 7 ? UINT32_MAX : 1);
    (void)path_finish(&writer, &path);
    double middle = seconds();
    struct path_cursor cursor = path_begin(&path);
    struct path_step step;
    uint64_t sum = 0;
    while (path_next(&cursor, &step))
        sum += step.instruction;
    double end = seconds();
    printf("path        %.2f ns to append, %.2f ns to read (%u instructions, %zu entries, sum %llu)\n",
           (middle - start) * 1e9 / PATH_STEPS, (end - middle) * 1e9 / PATH_STEPS, PATH_STEPS,
           path.entries.count, (unsigned long long)sum);
    path_free(&path);
}

int main(void) {
    index_each(bench_kernel);
    bench_path();
    return EXIT_SUCCESS;
}

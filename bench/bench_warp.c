/* Speed of the interpreter on the kernels of kernels/, and of writing and reading a path. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_support.h"
#include "warp/block.h"

/* Each kernel runs for at least this long, in processor seconds. */
#define SECONDS_MIN 0.3

#define PATH_STEPS 100000000u

struct bench_case {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    const wb_kernel *kernel;
};

static wb_status load(const char *ptx, const char *launch, struct bench_case *bench) {
    char path[256];
    (void)snprintf(path, sizeof path, "kernels/%s", ptx);
    WB_TRY(wb_module_read(path, bench->diagnostics, &bench->module));
    (void)snprintf(path, sizeof path, "kernels/%s", launch);
    WB_TRY(wb_launch_read(path, bench->diagnostics, &bench->launch));
    return wb_module_find_kernel(bench->module, wb_launch_kernel(bench->launch), bench->diagnostics,
                                 &bench->kernel);
}

/* Executes block 0 again and again; counts its warp instructions, and the time of all but the first run. */
static wb_status measure(const struct bench_case *bench, uint64_t *instructions, double *spent) {
    const wb_trace_options options = {0};
    *instructions = 0;
    *spent = 0.0;
    while (*spent < SECONDS_MIN) {
        wb_block *block = NULL;
        double start = seconds();
        WB_TRY(wb_block_trace(bench->kernel, bench->launch, &options, bench->diagnostics, &block));
        *spent += seconds() - start;
        for (uint32_t w = 0; w < wb_block_warp_count(block); w++)
            *instructions += wb_block_warp_instructions(block, w);
        wb_block_free(block);
    }
    return WB_OK;
}

static void bench_kernel(const char *name, const char *ptx, const char *launch) {
    struct bench_case bench = {.diagnostics = wb_diagnostics_new()};
    uint64_t instructions = 0;
    double spent = 0.0;
    wb_status status = load(ptx, launch, &bench);
    if (status == WB_OK) status = measure(&bench, &instructions, &spent);
    if (status != WB_OK)
        (void)fputs(wb_diagnostics_text(bench.diagnostics), stderr);
    else
        printf("interpreter %-24s %7.2f million warp instructions/s\n", name,
               (double)instructions / spent / 1e6);
    wb_launch_free(bench.launch);
    wb_module_free(bench.module);
    wb_diagnostics_free(bench.diagnostics);
}

/* Every case of the index. */
static void bench_kernels(FILE *index) {
    char line[512], name[128], ptx[128], launch[128];
    while (fgets(line, sizeof line, index) != NULL) {
        if (line[0] == '#' || sscanf(line, "%127s %127s %127s", name, ptx, launch) != 3) continue;
        bench_kernel(name, ptx, launch);
    }
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
    FILE *index = fopen("kernels/index.txt", "r");
    if (index == NULL) {
        perror("kernels/index.txt");
        return EXIT_FAILURE;
    }
    bench_kernels(index);
    (void)fclose(index);
    bench_path();
    return EXIT_SUCCESS;
}

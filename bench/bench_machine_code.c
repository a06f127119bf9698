/* Executing a kernel's machine code instead of its PTX: how much longer block 0 takes, for every case of the
 * index and some architectures. */
#include <math.h>

#include "index_support.h"
#include "warp/path/block.h"

/* Each kernel runs for at least this long, in processor seconds. */
#define SECONDS_MIN 0.1

/* Processor seconds of one execution of block 0. */
static double execution_seconds(const struct index_kernel *kernel) {
    const wb_trace_options options = {.size = sizeof options};
    double spent = 0.0;
    int executions = 0;
    for (; spent < SECONDS_MIN; executions++) {
        wb_block *block = NULL;
        const double start = seconds();
        require(wb_block_trace(kernel->kernel, kernel->launch, &options, kernel->diagnostics, &block),
                kernel->diagnostics);
        spent += seconds() - start;
        wb_block_free(block);
    }
    return spent / executions;
}

static double log_sum;
static int compared;

static void bench_kernel(const struct index_kernel *ptx) {
    static const int architectures[] = {75, 86, 90};
    const double of_ptx = execution_seconds(ptx);
    printf("execution   %-24s PTX %9.1f us; machine code, times that:", ptx->name, of_ptx * 1e6);
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        char code[160];
        const char *end = strstr(ptx->code, ".ptx");
        (void)snprintf(code, sizeof code, "%.*s.sm_%d.cubin", (int)(end - ptx->code), ptx->code,
                       architectures[a]);
        char path[200];
        (void)snprintf(path, sizeof path, "kernels/%s", code);
        FILE *there = fopen(path, "rb");
        if (there == NULL) continue;
        (void)fclose(there);
        struct index_kernel machine = {.name = ptx->name};
        index_open(code, ptx->launch_file, &machine);
        const double times = execution_seconds(&machine) / of_ptx;
        index_close(&machine);
        printf("  sm_%d %.2f", architectures[a], times);
        log_sum += log(times);
        compared++;
    }
    printf("\n");
}

int main(void) {
    index_each(bench_kernel);
    if (compared > 0) printf("execution   machine code takes %.2f times as long as PTX (geometric mean)\n", exp(log_sum / compared));
    return 0;
}

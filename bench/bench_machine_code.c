/* Executing a kernel's machine code instead of its PTX: how much longer block 0 takes, and as many times as
 * long each instruction, for every case of the index, or those whose name begins as the argument says, and
 * some architectures. */
#include <math.h>

#include "index_support.h"
#include "warp/path/path.h"

/* Each kernel runs for at least this long, in processor seconds. */
#define SECONDS_MIN 0.1

/* Processor seconds of one execution of block 0, and of a warp instruction. */
struct spent {
    double block, instruction;
};

static struct spent execution_seconds(const struct index_kernel *kernel) {
    const wb_trace_options options = {.size = sizeof options};
    double spent = 0.0;
    uint64_t instructions = 0;
    int executions = 0;
    for (; spent < SECONDS_MIN; executions++) {
        wb_block *block = NULL;
        const double start = seconds();
        require(wb_block_trace(kernel->kernel, kernel->launch, &options, kernel->diagnostics, &block),
                kernel->diagnostics);
        spent += seconds() - start;
        for (uint32_t w = 0; w < wb_block_warp_count(block); w++)
            instructions += wb_block_warp_instructions(block, w);
        wb_block_free(block);
    }
    return (struct spent){spent / executions, spent / (double)instructions};
}

static const char *wanted = "";
static double log_sum, log_sum_each;
static int compared;

static void bench_kernel(const struct index_kernel *ptx) {
    static const int architectures[] = {75, 86, 90};
    if (strncmp(ptx->name, wanted, strlen(wanted)) != 0) return;
    const struct spent of_ptx = execution_seconds(ptx);
    printf("execution   %-24s PTX %9.1f us; machine code, times that:", ptx->name, of_ptx.block * 1e6);
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        struct index_kernel machine;
        if (!index_open_code(ptx, architectures[a], &machine)) continue;
        const struct spent spent = execution_seconds(&machine);
        const double times = spent.block / of_ptx.block, each = spent.instruction / of_ptx.instruction;
        index_close(&machine);
        printf("  sm_%d %.2f (each %.2f)", architectures[a], times, each);
        log_sum += log(times);
        log_sum_each += log(each);
        compared++;
    }
    printf("\n");
}

int main(int argc, char **argv) {
    if (argc > 1) wanted = argv[1];
    index_each(bench_kernel);
    if (compared > 0)
        printf("execution   machine code takes %.2f times as long as PTX, each instruction %.2f times "
               "(geometric "
               "means)\n",
               exp(log_sum / compared), exp(log_sum_each / compared));
    return 0;
}

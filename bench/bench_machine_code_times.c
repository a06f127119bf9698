/* What an analysis of block 0 takes from machine code and from PTX, part by part: execution, bounds (sum of
 * holds, filtered sum, longest event chain) and simulation, for every case of the index, or those whose name
 * begins as the argument says, and some architectures. */
#include <math.h>

#include "index_support.h"

/* Each part runs for at least this long, in processor seconds. */
#define SECONDS_MIN 0.03

enum part { EXECUTION, BOUNDS, SIMULATION, PARTS };

static const char *const part_names[PARTS] = {"execution", "bounds", "simulation"};

/* Processor seconds of each part for a block, and the instructions that its warps execute. */
struct spent {
    double seconds[PARTS];
    uint64_t instructions;
};

static void simulate(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics,
                     struct spent *spent) {
    double taken = 0.0;
    uint32_t runs = 0;
    for (; taken < SECONDS_MIN; runs++) {
        wb_analysis *analysis = NULL;
        require(wb_analysis_new(block, machine, diagnostics, &analysis), diagnostics);
        const double start = seconds();
        require(wb_analysis_simulate(analysis, "lrr,gto", NULL, diagnostics), diagnostics);
        taken += seconds() - start;
        wb_analysis_free(analysis);
    }
    spent->seconds[SIMULATION] = taken / runs;
}

static void bound(const wb_block *block, const wb_machine *machine, const char *methods,
                  wb_diagnostics *diagnostics, struct spent *spent) {
    double taken = 0.0;
    uint32_t runs = 0;
    for (; taken < SECONDS_MIN; runs++) {
        wb_analysis *analysis = NULL;
        const double start = seconds();
        require(wb_analysis_new(block, machine, diagnostics, &analysis), diagnostics);
        require(wb_analysis_bound(analysis, methods, NULL, diagnostics), diagnostics);
        taken += seconds() - start;
        wb_analysis_free(analysis);
    }
    spent->seconds[BOUNDS] = taken / runs;
}

static struct spent measure(const struct index_kernel *kernel, const char *machine_name,
                            const char *methods) {
    const wb_trace_options options = {.size = sizeof options, .record_accesses = true};
    struct spent spent = {0};
    wb_machine *machine = NULL;
    wb_block *block = NULL;
    double taken = 0.0;
    uint32_t runs = 0;
    require(wb_machine_load(machine_name, kernel->diagnostics, &machine), kernel->diagnostics);
    for (; taken < SECONDS_MIN; runs++) {
        wb_block_free(block);
        const double start = seconds();
        require(wb_block_trace(kernel->kernel, kernel->launch, &options, kernel->diagnostics, &block),
                kernel->diagnostics);
        taken += seconds() - start;
    }
    spent.seconds[EXECUTION] = taken / runs;
    for (uint32_t w = 0; w < wb_block_warp_count(block); w++)
        spent.instructions += wb_block_warp_instructions(block, w);
    bound(block, machine, methods, kernel->diagnostics, &spent);
    simulate(block, machine, kernel->diagnostics, &spent);
    wb_block_free(block);
    wb_machine_free(machine);
    return spent;
}

static const char *wanted = "";
static double log_sums[PARTS + 1];
static double log_sums_each[PARTS];
static int compared;

static double total(const struct spent *spent) {
    return spent->seconds[EXECUTION] + spent->seconds[BOUNDS] + spent->seconds[SIMULATION];
}

static void compare(const struct spent *code, const struct spent *ptx) {
    for (int p = 0; p < PARTS; p++) {
        const double times = code->seconds[p] / ptx->seconds[p];
        printf(" %5.2f", times);
        log_sums[p] += log(times);
        log_sums_each[p] += log(times * (double)ptx->instructions / (double)code->instructions);
    }
    printf(" all %5.2f", total(code) / total(ptx));
    log_sums[PARTS] += log(total(code) / total(ptx));
    compared++;
}

static void bench_kernel(const struct index_kernel *ptx) {
    static const struct {
        int architecture;
        const char *machine;
    } targets[] = {{75, "turing-rtx2080"}, {86, "rtx-a6000"}, {90, "h100"}};
    if (strncmp(ptx->name, wanted, strlen(wanted)) != 0) return;
    const struct spent of_ptx = measure(ptx, "ecrts2025-orin", "sib,fib,elb");
    printf("%-24s PTX %7.0f %6.0f %6.0f us, %5.1f M/s;", ptx->name, of_ptx.seconds[EXECUTION] * 1e6,
           of_ptx.seconds[BOUNDS] * 1e6, of_ptx.seconds[SIMULATION] * 1e6,
           2e-6 * (double)of_ptx.instructions / of_ptx.seconds[SIMULATION]);
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        struct index_kernel machine;
        if (!index_open_code(ptx, targets[t].architecture, &machine)) continue;
        const struct spent spent = measure(&machine, targets[t].machine, "code-sib,code-fib,code-elb");
        printf("  sm_%d", targets[t].architecture);
        compare(&spent, &of_ptx);
        printf(" %5.1f M/s", 2e-6 * (double)spent.instructions / spent.seconds[SIMULATION]);
        index_close(&machine);
    }
    printf("\n");
}

int main(int argc, char **argv) {
    if (argc > 1) wanted = argv[1];
    index_each(bench_kernel);
    if (compared == 0) return 0;
    printf("machine code over PTX, geometric means of %d:", compared);
    for (int p = 0; p < PARTS; p++)
        printf(" %s %.2f (each instruction %.2f),", part_names[p], exp(log_sums[p] / compared),
               exp(log_sums_each[p] / compared));
    printf(" all %.2f\n", exp(log_sums[PARTS] / compared));
    return 0;
}

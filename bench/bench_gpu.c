/* Speed of the GPU simulator with its whole memory system, on one thread and on two. */
#include <stdio.h>
#include <stdlib.h>

#include "grid_support.h"
#include "sim/gpu/gpu.h"

/* Each simulation is repeated this often, and the quickest counts: others use the machine, too. */
#define ROUNDS 3

/* Elapsed seconds of the quickest round. */
static double simulate_grid(const struct timed_grid *grid, const struct gpu_scheme *scheme, uint32_t threads,
                            const struct bench_run *run, wb_gpu_simulation *result) {
    double quickest = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct arena arena = {0};
        const struct gpu_options options = {.threads = threads};
        double start = clock_elapsed();
        require(gpu_simulate(grid, scheme, &options, run->diagnostics, &arena, result), run->diagnostics);
        double spent = clock_elapsed() - start;
        quickest = round == 0 || spent < quickest ? spent : quickest;
        arena_free(&arena);
    }
    return quickest;
}

static void bench_grid(const struct bench_case *bench, struct bench_run *run) {
    struct timed_grid grid;
    bench_trace(bench, run);
    require(timed_grid_make(run->grid, run->machine, run->diagnostics, &grid), run->diagnostics);
    for (size_t s = 0; gpu_scheme_at(s) != NULL; s++) {
        wb_gpu_simulation result;
        double one = simulate_grid(&grid, gpu_scheme_at(s), 1, run, &result);
        double two = simulate_grid(&grid, gpu_scheme_at(s), 2, run, &result);
        printf("gpu %-12s %-8s %6.2f million warp instructions/s, %5.2f million requests/s; on two threads "
               "%.2f times that (%llu instructions, %llu cycles)\n",
               bench->kernel, result.scheme, (double)result.warp_instructions / one * 1e-6,
               (double)(result.loads + result.stores + result.atomics) / one * 1e-6, one / two,
               (unsigned long long)result.warp_instructions, (unsigned long long)result.cycles);
    }
    timed_grid_free(&grid);
    bench_untrace(run);
}

int main(void) {
    return bench_all(bench_grid);
}

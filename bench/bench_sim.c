/* Speed of simulator, phases and bounds on blocks like those of kernels, a path of 10^8 instructions, and
 * loops of 10^9 repetitions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench_support.h"
#include "bound/analysis/analysis.h"
#include "warp/synthetic/synthetic.h"

/* Units as those of the ecrts2025-orin machine. */
#define UNITS "I(2,6) F(1,7) M(1,203) S(1,5) X(8,17) i(1,4)@I"

/* The body of a loop like that of a tiled matrix product: loads, a barrier, multiplications, a branch. */
#define LOADS "i M M.0 S.1 S.2 i "
#define PRODUCTS "S S F.5 F.6 S F.7 F.9 I.4 i.13 F.12 F.10 S F.17 I.14 i.19 F.18 i.20 "
#define BODY LOADS "| " PRODUCTS

#define LOOP_REPETITIONS 1000000000u

/* Replaces the only path of the block by `repetitions` of it. */
static void repeat_path(struct synthetic_block *block, uint64_t repetitions,
                        const wb_diagnostics *diagnostics) {
    struct path_writer writer = {0};
    struct path *path = &block->paths.items[0];
    uint32_t length = (uint32_t)path->length;
    for (uint64_t i = 0; i < repetitions; i++) {
        for (uint32_t k = 0; k < length; k++)
            require(path_append(&writer, k, UINT32_MAX), diagnostics);
        /* A different mask now and then, as divergence gives it. */
        if (i % 64 == 0) require(path_append(&writer, 0, 1), diagnostics);
    }
    path_free(path);
    require(path_finish(&writer, path), diagnostics);
}

static struct synthetic_block *make_block(uint32_t warps, uint64_t repetitions, wb_diagnostics *diagnostics) {
    struct synthetic_block *block = calloc(1, sizeof *block);
    char text[sizeof BODY + 32];
    (void)snprintf(text, sizeof text, "%ux %s", warps, BODY);
    if (block == NULL) exit(1);
    require(synthetic_block_parse(UNITS, text, diagnostics, block), diagnostics);
    repeat_path(block, repetitions, diagnostics);
    return block;
}

static void free_block(struct synthetic_block *block) {
    synthetic_block_free(block);
    free(block);
}

static void bench_simulation(uint32_t warps, uint32_t depth, wb_diagnostics *diagnostics) {
    struct synthetic_block *block = make_block(warps, 3200000 / 24 / warps, diagnostics);
    wb_analysis *analysis = NULL;
    block->machine.dispatch_depth = depth;
    require(analysis_of_timed(&block->timed, diagnostics, &analysis), diagnostics);
    require(wb_analysis_simulate(analysis, "all", NULL, diagnostics), diagnostics);
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++)
        printf("simulate %-7s %2u warps, depth %2d: %6.1f million warp instructions/s\n",
               simulations[i].policy, warps, (int)depth,
               (double)simulations[i].warp_instructions / simulations[i].seconds * 1e-6);
    wb_analysis_free(analysis);
    free_block(block);
}

/* Phases and bounds. `distinct` warps with paths of their own: none is computed for another. */
static void bench_bounds(uint32_t distinct, uint64_t repetitions, const char *methods,
                         wb_diagnostics *diagnostics) {
    struct synthetic_block *block = make_block(distinct, repetitions, diagnostics);
    struct timed_block timed = block->timed;
    struct path *paths = calloc(distinct, sizeof *paths);
    wb_analysis *analysis = NULL;
    if (paths == NULL) exit(1);
    for (uint32_t w = 0; w < distinct; w++) {
        paths[w] = block->paths.items[0];
        timed.warp_path[w] = w;
    }
    timed.paths = paths;
    timed.path_count = distinct;
    double start = seconds();
    require(analysis_of_timed(&timed, diagnostics, &analysis), diagnostics);
    require(wb_analysis_bound(analysis, methods, NULL, diagnostics), diagnostics);
    double taken = seconds() - start;
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    uint64_t walked = paths[0].length * distinct;
    printf("bounds %-11s %2u paths of %9" PRIu64 ": %6.1f million warp instructions/s, %.2f s, peak %ld MB\n",
           methods, distinct, paths[0].length, (double)walked / taken * 1e-6, taken, usage.ru_maxrss / 1024);
    wb_analysis_free(analysis);
    free(paths);
    free_block(block);
}

/* Bounds of warps that all repeat `body`. */
static void bench_loop(const char *body, const char *methods, wb_diagnostics *diagnostics) {
    struct synthetic_block block;
    wb_analysis *analysis = NULL;
    struct text warps = {0};
    text_printf(&warps, "8x %s; 8x %s S S", body, body);
    if (warps.failed) exit(1);
    require(synthetic_block_parse(UNITS, warps.data, diagnostics, &block), diagnostics);
    for (size_t p = 0; p < block.paths.count; p++) {
        const struct path_entry fold = {1, PATH_REPEAT, LOOP_REPETITIONS - 1};
        require(vec_push(&block.paths.items[p].entries, fold), diagnostics);
        block.paths.items[p].length *= LOOP_REPETITIONS;
    }
    double start = seconds();
    require(analysis_of_timed(&block.timed, diagnostics, &analysis), diagnostics);
    require(wb_analysis_bound(analysis, methods, NULL, diagnostics), diagnostics);
    double taken = seconds() - start;
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    printf("bounds %-11s loop of 10^9%s: %.6f s, %s %" PRIu64 " cycles\n", methods,
           strchr(body, '|') != NULL ? " with barriers" : "", taken, bounds[0].method, bounds[0].cycles);
    wb_analysis_free(analysis);
    synthetic_block_free(&block);
    text_free(&warps);
}

int main(void) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (diagnostics == NULL) return 1;
    bench_simulation(8, DEPTH_UNLIMITED, diagnostics);
    bench_simulation(32, DEPTH_UNLIMITED, diagnostics);
    bench_simulation(32, 0, diagnostics);
    bench_bounds(1, 400000, "sib,elb,gub", diagnostics);
    bench_bounds(32, 20000, "sib,elb,gub", diagnostics);
    bench_bounds(1, 100000000 / 24 + 1, "sib,elb,gub", diagnostics);
    bench_bounds(1, 100000000 / 24 + 1, "all", diagnostics);
    bench_loop(LOADS PRODUCTS, "sib,elb,gub", diagnostics);
    bench_loop(LOADS PRODUCTS, "all", diagnostics);
    bench_loop(BODY, "sib,elb,gub", diagnostics);
    bench_loop(BODY, "all", diagnostics);
    wb_diagnostics_free(diagnostics);
    return 0;
}

/* The long form of test_steered_caches: goes through kernels steered by data on machines with caches, seed by
 * seed, and ends at the first violation with the smallest case of it that was found, as files in a folder.
 *
 * usage: steered_campaign FOLDER [SEEDS] [FIRST_SEED]
 * Goes through SEEDS seeds (default 10000) from FIRST_SEED (default 1) on. FOLDER takes the files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "counts.h"
#include "steered_check.h"

static int fail(struct steered_case *input_dependent, const char *folder) {
    struct steered_census census = {0};
    struct text text = {0};
    steered_case_shrink(input_dependent);
    (void)steered_check(input_dependent, &census, &text);
    const bool written = steered_case_write(input_dependent, folder, &text);
    printf("VIOLATION: %s", text.failed ? "out of memory\n" : text.data);
    text_free(&text);
    return written ? 1 : 2;
}

static void print_census(const struct steered_census *census) {
    printf("%" PRIu64 " kernels, %" PRIu64 " covered, %" PRIu64 " with bounds of the grid; %" PRIu64
           " bounds of grids, %" PRIu64 " of blocks; %" PRIu64 " executions, %" PRIu64 " simulations\n",
           census->kernels, census->covered, census->bounded, census->bounds, census->block_bounds,
           census->executions, census->simulations);
    printf("%" PRIu64 " requests of loads, %" PRIu64 " said to hit; %" PRIu64 " orders known\n",
           census->loads, census->sure_loads, census->ordered);
    if (census->ratios > 0)
        printf("simulated time over bound: mean %.3f, most %.3f\n",
               (double)census->ratio_sum / 1000 / (double)census->ratios,
               (double)census->tightest_per_mille / 1000);
}

/* For those of other shards to be added to. */
static bool write_counts(uint64_t first, uint64_t seeds, const struct steered_census *census) {
    FILE *counts = counts_begin(first, seeds);
    counts_add(counts, "kernels", "made", census->kernels);
    counts_add(counts, "kernels", "covered", census->covered);
    counts_add(counts, "kernels", "with bounds of the grid", census->bounded);
    counts_add(counts, "kernels", "with a known order of accesses", census->ordered);
    counts_add(counts, "bounds", "of grids", census->bounds);
    counts_add(counts, "bounds", "of blocks", census->block_bounds);
    counts_add(counts, "runs", "executions", census->executions);
    counts_add(counts, "runs", "simulations", census->simulations);
    counts_add(counts, "requests of loads", "all", census->loads);
    counts_add(counts, "requests of loads", "said to hit", census->sure_loads);
    counts_most(counts, "simulated time over bound, in thousandths", "most", census->tightest_per_mille);
    return counts_end(counts);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: steered_campaign FOLDER [SEEDS] [FIRST_SEED]\n");
        return 2;
    }
    const uint64_t seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000;
    const uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    struct steered_census census = {0};
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        struct steered_case input_dependent = {.seed = seed};
        struct text violation = {0};
        const bool holds = steered_check(&input_dependent, &census, &violation);
        text_free(&violation);
        if (!holds) return fail(&input_dependent, argv[1]);
    }
    print_census(&census);
    return write_counts(first, seeds, &census) ? 0 : 2;
}

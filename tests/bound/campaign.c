/* The long form of the random checks: goes through blocks and grids seed by seed until it is stopped,
 * remembers where it was, and ends at the first violation with the block or grid as a YAML file.
 *
 * usage: campaign STATE_FILE [SEEDS] [FIRST_SEED]
 * Goes on from the seed in STATE_FILE, if it exists and FIRST_SEED is not given, for SEEDS seeds (default
 * 1000000). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "counts.h"
#include "exact_check.h"
#include "kernel_check.h"
#include "random_check.h"
#include "sass_check.h"

/* Seeds between two looks at the state file; every one of so many blocks is annealed, too, and of so many
 * grids searched a second time. */
#define CAMPAIGN_STEP 1000u
#define CAMPAIGN_ANNEALED 200u
#define CAMPAIGN_TWICE 20u

/* Candidates of the search for long executions of a large grid, for one in CAMPAIGN_ANNEALED. */
#define CAMPAIGN_CANDIDATES 1000u

/* States after which the search of a grid of machine code is given up. */
#define CAMPAIGN_STATES 400u

/* What was seen, family by family. */
struct campaign_census {
    struct random_census blocks[RANDOM_FAMILIES];
    struct kernel_census grids[KERNEL_FAMILIES];
    struct exact_census exact[EXACT_FAMILIES];
    struct sass_census machine_code[SASS_FAMILIES];
};

static uint64_t saved_seed(const char *path) {
    uint64_t seed = 1;
    FILE *file = fopen(path, "r");
    if (file == NULL) return seed;
    if (fscanf(file, "%" SCNu64, &seed) != 1) seed = 1;
    (void)fclose(file);
    return seed;
}

static bool save_seed(const char *path, uint64_t seed) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRIu64 "\n", seed);
    bool saved = diagnostics != NULL && wb_file_write(path, text, diagnostics) == WB_OK;
    if (!saved && diagnostics != NULL) fputs(wb_diagnostics_text(diagnostics), stderr);
    wb_diagnostics_free(diagnostics);
    return saved;
}

/* All families at one seed. */
static bool check_seed(uint64_t seed, struct campaign_census *census) {
    struct text violation = {0};
    bool holds = true;
    for (size_t f = 0; holds && f < RANDOM_FAMILIES; f++)
        holds = random_check(&random_families[f], seed, seed % CAMPAIGN_ANNEALED == 0, &census->blocks[f],
                             &violation);
    for (size_t f = 0; holds && f < KERNEL_FAMILIES; f++)
        holds = kernel_check(&kernel_families[f], seed, seed % CAMPAIGN_TWICE == 0, &census->grids[f],
                             &violation);
    for (size_t f = 0; holds && f < EXACT_FAMILIES; f++)
        holds =
            exact_check(&exact_families[f], seed, seed % CAMPAIGN_TWICE == 0, &census->exact[f], &violation);
    for (size_t f = 0; holds && f < SASS_FAMILIES; f++)
        holds = sass_check(&sass_families[f], seed, seed % CAMPAIGN_TWICE == 0, CAMPAIGN_STATES,
                           &census->machine_code[f], &violation);
    holds =
        holds && large_grid_check(seed, seed % CAMPAIGN_ANNEALED == 0 ? CAMPAIGN_CANDIDATES : 0, &violation);
    if (!holds) printf("VIOLATION: %s\n", violation.failed ? "out of memory" : violation.data);
    text_free(&violation);
    return holds;
}

static double percent_of(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : 100 * (double)part / (double)whole;
}

/* What was executed, and what of it the searches covered: where none ended, a bound was held against
 * simulations only. */
static void print_census(uint64_t first, uint64_t seeds, const struct campaign_census *census) {
    printf("seeds %" PRIu64 " to %" PRIu64 ", nothing beyond a proven bound\n%-66s %10s %9s\n", first,
           first + seeds - 1, "family", "executions", "searched");
    for (size_t f = 0; f < RANDOM_FAMILIES; f++)
        printf("%-66s %10" PRIu64 " %7.1f %%, %" PRIu64 " beyond GUB\n", random_families[f].name, seeds,
               percent_of(census->blocks[f].searched, seeds), census->blocks[f].beyond_gub);
    for (size_t f = 0; f < KERNEL_FAMILIES; f++) {
        const struct kernel_census *grids = &census->grids[f];
        printf("%-66s %10" PRIu64 " %7.1f %%, the least bound attained in %.1f %%\n", kernel_families[f].name,
               seeds, percent_of(grids->searched, seeds),
               percent_of(grids->attained_by_least, grids->searched));
    }
    for (size_t f = 0; f < EXACT_FAMILIES; f++) {
        struct text shown = {0};
        exact_census_print(&census->exact[f], &shown);
        printf("%s: %s\n", exact_families[f].name, shown.failed ? "" : shown.data);
        text_free(&shown);
    }
    for (size_t f = 0; f < SASS_FAMILIES; f++) {
        const struct sass_census *grids = &census->machine_code[f];
        printf("machine code, %-52s %10" PRIu64 " %7.1f %%, the least bound attained in %.1f %%\n",
               sass_families[f].name, seeds, percent_of(grids->searched, seeds),
               percent_of(grids->attained, grids->searched));
    }
}

/* The same for other shards' to be added to. */
static bool write_counts(uint64_t first, uint64_t seeds, const struct campaign_census *census) {
    FILE *counts = counts_begin(first, seeds);
    for (size_t f = 0; f < RANDOM_FAMILIES; f++) {
        counts_add(counts, random_families[f].name, "executions searched", census->blocks[f].searched);
        counts_add(counts, random_families[f].name, "beyond GUB", census->blocks[f].beyond_gub);
    }
    for (size_t f = 0; f < KERNEL_FAMILIES; f++) {
        counts_add(counts, kernel_families[f].name, "grids searched", census->grids[f].searched);
        counts_add(counts, kernel_families[f].name, "least bound attained",
                   census->grids[f].attained_by_least);
    }
    for (size_t f = 0; f < EXACT_FAMILIES; f++)
        exact_census_count(&census->exact[f], exact_families[f].name, counts);
    for (size_t f = 0; f < SASS_FAMILIES; f++)
        sass_census_count(&census->machine_code[f], sass_families[f].name, counts);
    return counts_end(counts);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: campaign STATE_FILE [SEEDS] [FIRST_SEED]\n");
        return 2;
    }
    uint64_t seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : saved_seed(argv[1]);
    struct campaign_census census = {0};
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        if (!check_seed(seed, &census)) return 1;
        if (seed % CAMPAIGN_STEP != 0) continue;
        if (!save_seed(argv[1], seed + 1)) return 2;
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[Kseed %" PRIu64, seed);
    }
    print_census(first, seeds, &census);
    return write_counts(first, seeds, &census) && save_seed(argv[1], first + seeds) ? 0 : 2;
}

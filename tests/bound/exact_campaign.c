/* Climbs from random grids on several sub-cores towards the largest worst case over a proven bound of the
 * library, whichever there are, with the library's own search: larger grids than the other climbs reach. Ends
 * at the first worst case above a bound, with the grid as it is stated and as it turns out.
 *
 * usage: exact_campaign FIRST_SEED SEEDS [STEPS]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "grid_bounds.h"
#include "large_grid.h"
#include "sub_core_climb.h"
#include "synthetic_text.h"

/* States after which a search is given up, and steps of a climb unless asked. */
#define STATES 30000
#define STEPS 250

static const uint32_t depths[] = {0, 0, 1, 2, 3, DEPTH_UNLIMITED};

#define CLIMB(kinds_, variants_, warps_, insts_, blocks_, sub_cores_, rooms_, sms_, sections_)               \
    .kinds = (kinds_), .variants = (variants_), .warps = (warps_), .insts = (insts_), .blocks = (blocks_),   \
    .sub_cores = (sub_cores_), .rooms = (rooms_), .sms = (sms_), .sections = (sections_), .depths = depths,  \
    .depth_count = sizeof depths / sizeof *depths

/* Many blocks in few slots, where the bounds of several sub-cores are most involved; many sections; several
 * SMs; a dispatcher that takes time. */
static const struct climb_limits families[] = {
    {CLIMB(1, 2, 2, 3, 6, 2, 2, 1, 1), .init = 4, .latency = 8},
    {CLIMB(2, 2, 2, 5, 3, 2, 2, 1, 3), .init = 5, .latency = 6},
    {CLIMB(1, 2, 3, 4, 4, 3, 2, 1, 2), .init = 4, .latency = 6},
    {CLIMB(1, 2, 3, 3, 5, 3, 3, 1, 2), .init = 3, .latency = 5},
    {CLIMB(2, 2, 2, 4, 3, 2, 2, 2, 2), .init = 4, .latency = 5},
    {CLIMB(2, 2, 2, 3, 3, 2, 2, 2, 1), .init = 3, .latency = 4, .dispatcher = true},
};

/* A grid in the library's form, with its bounds. */
static void grid_of(const struct sub_core_grid *from, struct random_grid *made) {
    struct text units = {0}, blocks = {0};
    memset(made, 0, sizeof *made);
    sub_core_grid_write(from, &units, &blocks);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (units.failed || blocks.failed ||
        synthetic_grid_parse(units.data, blocks.data, diagnostics, &made->block) != WB_OK)
        abort();
    wb_diagnostics_free(diagnostics);
    text_free(&units);
    text_free(&blocks);
    struct wb_machine *machine = &made->block.machine;
    machine->dispatch_depth = from->depth;
    machine->sub_cores = from->sub_cores;
    machine->issue_width = from->width;
    machine->barrier_release = from->release;
    machine->limits.blocks = from->rooms;
    machine->memory.sms = from->sms;
    machine->memory.dispatch = from->is_static ? DISPATCH_STATIC : DISPATCH_ANY;
    machine->memory.dispatch_latency = from->delay;
    machine->memory.dispatch_service = from->service;
    random_grid_make_times(made);
}

/* What was seen. */
static uint64_t searched, unsearched, attained[FORMULAS_MAX];

static void print_grid(const char *what, const struct sub_core_grid *from) {
    struct random_grid *grid = malloc(sizeof *grid);
    struct text text = {0};
    if (grid == NULL) abort();
    grid_of(from, grid);
    synthetic_block_print(&grid->block, &text);
    printf("# %s\n%s\n", what, text.failed ? "" : text.data);
    text_free(&text);
    random_grid_free(grid);
    free(grid);
}

/* The worst case of the grid as it turns out, 0: not found. */
static cycles worst_case(const struct sub_core_grid *actual, struct random_grid *grid) {
    struct grid_bounds bounds;
    grid_of(actual, grid);
    grid_bounds_begin(&bounds, grid);
    const cycles exact = grid_bounds_exact(&bounds, STATES);
    grid_bounds_end(&bounds);
    random_grid_free(grid);
    searched += exact != 0;
    unsearched += exact == 0;
    return exact;
}

/* How near the worst case comes to a bound, or to the least where that one is not for the grid; the program
 * ends where it is above any. */
static double nearness(const struct climb_case *at, size_t formula, uint64_t seed) {
    static struct sub_core_grid stated, actual;
    static struct random_grid grid;
    struct proven_bounds proven;
    climb_case_build(at, &stated, &actual);
    const cycles exact = worst_case(&actual, &grid);
    if (exact == 0) return 0;
    grid_of(&stated, &grid);
    proven_bounds_make(&grid, &proven);
    random_grid_free(&grid);
    for (size_t i = 0; i < proven.count; i++) {
        attained[i] += proven.cycles[i] == exact;
        if (proven.cycles[i] >= exact) continue;
        printf("VIOLATION, seed %" PRIu64 ": %s is %" PRIu64 ", but exact is %" PRIu64 "\n", seed,
               grid_formula_at(i)->name, proven.cycles[i], exact);
        print_grid("as stated", &stated);
        print_grid("as it turns out", &actual);
        exit(1);
    }
    cycles aim = proven.cycles[formula];
    for (size_t i = 0; aim == CYCLES_SATURATED && i < proven.count; i++)
        aim = cycles_min(aim, proven.cycles[i]);
    return (double)exact / (double)cycles_max(aim, 1);
}

/* Towards one of the bounds, whichever it is. */
static void climb(uint64_t seed, uint32_t steps) {
    struct random_state random = random_seeded(seed);
    const struct climb_limits *limits = &families[seed % (sizeof families / sizeof *families)];
    size_t formulas = 0;
    struct climb_case best_case;
    while (grid_formula_at(formulas) != NULL)
        formulas++;
    const size_t formula = random_below(&random, formulas);
    climb_case_make(&random, limits, &best_case);
    double best = nearness(&best_case, formula, seed);
    for (uint32_t step = 0; step < steps; step++) {
        struct climb_case next = best_case;
        for (uint64_t changes = 1 + random_below(&random, 3); changes > 0; changes--)
            climb_case_change(&random, limits, &next);
        const double near = nearness(&next, formula, seed);
        if (near < best) continue;
        best = near;
        best_case = next;
    }
}

/* For those of other shards to be added to. */
static bool write_counts(uint64_t first, uint64_t seeds) {
    FILE *counts = counts_begin(first, seeds);
    counts_add(counts, "grids", "searched", searched);
    counts_add(counts, "grids", "not searched", unsearched);
    for (size_t i = 0; grid_formula_at(i) != NULL; i++)
        counts_add(counts, grid_formula_at(i)->name, "attained", attained[i]);
    return counts_end(counts);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: exact_campaign FIRST_SEED SEEDS [STEPS]\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10), seeds = strtoull(argv[2], NULL, 10);
    const uint32_t steps = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : STEPS;
    for (uint64_t seed = first; seed < first + seeds; seed++)
        climb(seed, steps);
    printf("%" PRIu64 " grids searched, %" PRIu64 " not; worst case equal to", searched, unsearched);
    for (size_t i = 0; grid_formula_at(i) != NULL; i++)
        printf(" %s %" PRIu64, grid_formula_at(i)->name, attained[i]);
    printf("; none above\n");
    return write_counts(first, seeds) ? 0 : 2;
}

#include "random_check.h"

#include <inttypes.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "explorer.h"

/* States after which the tests' own search gives a block up. */
#define SEARCH_STATES 20000

static const uint32_t every_depth[] = {0, 1, 2, 3, DEPTH_UNLIMITED};
static const uint32_t proven_depths[] = {0, 1, DEPTH_UNLIMITED};

const struct random_family random_families[RANDOM_FAMILIES] = {
    {.name = "plain blocks",
     .shape = {SHAPE_BLOCK(3, 5, 2, 3, 7), SHAPE_SM(1, 1, 1)},
     .depths = every_depth,
     .depth_count = 5},
    {.name = "blocks with barriers",
     .shape = {SHAPE_BLOCK(3, 5, 5, 3, 6), .barrier_percent = 20, .real_percent = 10, .alias_percent = 40,
               SHAPE_SM(1, 1, 1), .release = 4},
     .depths = proven_depths,
     .depth_count = 3},
    {.name = "wide machines",
     .shape = {SHAPE_BLOCK(3, 4, 4, 5, 4), .barrier_percent = 10, .real_percent = 5, .alias_percent = 40,
               SHAPE_SM(2, 2, 2), .release = 2},
     .depths = proven_depths,
     .depth_count = 3},
    {.name = "blocks that wait for copies and accesses",
     .shape = {SHAPE_BLOCK(3, 5, 9, 3, 7), .barrier_percent = 8, .alias_percent = 30, SHAPE_SM(2, 2, 2),
               .copy_percent = 60, .fence_percent = 15},
     .depths = every_depth,
     .depth_count = 5},
    {.name = "two instructions of a warp",
     .shape = {SHAPE_BLOCK(3, 4, 5, 4, 7), .barrier_percent = 10, .real_percent = 5, .alias_percent = 40,
               SHAPE_SM(2, 2, 2), .release = 2, .per_warp = 3},
     .depths = every_depth,
     .depth_count = 5},
};

/* Shortens some initiations and latencies, as a machine may that is faster than stated. */
static void shorten(struct timed_code *code, uint64_t seed) {
    struct random_state random = random_seeded(seed);
    for (uint32_t i = 0; i < code->inst_count; i++) {
        struct timed_inst *inst = &code->insts[i];
        if (inst->unit == UNIT_NONE || random_below(&random, 2) == 0) continue;
        inst->init -= (uint32_t)random_below(&random, inst->init);
        inst->latency -= (uint32_t)random_below(&random, inst->latency + 1);
    }
}

static bool report(struct text *violation, const char *what, cycles value, const char *relation, cycles exact,
                   const char *label) {
    text_printf(violation, "%s %" PRIu64 " %s exact %" PRIu64 "\n%s", what, value, relation, exact, label);
    return false;
}

/* Whether every bound keeps its word. A block that is faster than stated is only bounded from above. */
static bool bounds_hold(const wb_analysis *analysis, cycles exact, bool as_stated, const char *label,
                        struct text *violation) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        const wb_bound *bound = &bounds[i];
        if (bound->kind == WB_UPPER && bound->cycles < exact)
            return report(violation, bound->method, bound->cycles, "<", exact, label);
        if (as_stated && bound->kind == WB_EXACT && bound->cycles != exact)
            return report(violation, bound->method, bound->cycles, "is not", exact, label);
        if (as_stated && bound->kind == WB_LOWER && bound->cycles > exact)
            return report(violation, bound->method, bound->cycles, ">", exact, label);
    }
    return true;
}

static bool simulations_hold(const wb_analysis *analysis, cycles exact, const char *label,
                             struct text *violation) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (simulations[i].work_conserving && simulations[i].cycles > exact)
            return report(violation, simulations[i].policy, simulations[i].cycles, ">", exact, label);
    return true;
}

static cycles value_of(const wb_analysis *analysis, const char *method) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(bounds[i].method, method) == 0) return bounds[i].cycles;
    return 0;
}

/* ALN and FIFO are no looser than FIB, FIB than SIB. */
static bool bounds_are_ordered(const wb_analysis *analysis, const char *label, struct text *violation) {
    cycles sib = value_of(analysis, "sib"), fib = value_of(analysis, "fib"), aln = value_of(analysis, "aln");
    cycles fifo = value_of(analysis, "fifo");
    if (aln <= fib && fifo <= fib && fib <= sib) return true;
    text_printf(violation, "sib %" PRIu64 ", fib %" PRIu64 ", aln %" PRIu64 ", fifo %" PRIu64 "\n%s", sib,
                fib, aln, fifo, label);
    return false;
}

/* Bounds and simulations of the block; false when the library refuses it. */
static bool analyse(const struct timed_block *timed, bool adversary, wb_diagnostics *diagnostics,
                    wb_analysis **analysis) {
    return analysis_of_timed(timed, diagnostics, analysis) == WB_OK &&
           wb_analysis_bound(*analysis, "sib,fib,aln,fifo,elb,gub,exhaustive", NULL, diagnostics) == WB_OK &&
           (!adversary || wb_analysis_bound(*analysis, "adversary", NULL, diagnostics) == WB_OK) &&
           wb_analysis_simulate(*analysis, "all", NULL, diagnostics) == WB_OK;
}

static bool check_searched(struct random_block *random, uint64_t seed, cycles exact, bool adversary,
                           struct random_census *census, struct text *violation) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_analysis *analysis = NULL;
    bool holds = analyse(&random->block.timed, adversary, diagnostics, &analysis);
    if (!holds) text_printf(violation, "%s%s", wb_diagnostics_text(diagnostics), random->label);
    holds = holds && simulations_hold(analysis, exact, random->label, violation) &&
            bounds_hold(analysis, exact, true, random->label, violation) &&
            bounds_are_ordered(analysis, random->label, violation);
    if (holds) {
        census->searched++;
        census->beyond_gub += exact > value_of(analysis, "gub");
        shorten(&random->block.timed.code, seed);
        cycles faster = explore(&random->block.timed, SEARCH_STATES);
        holds = bounds_hold(analysis, faster, false, random->label, violation);
    }
    wb_analysis_free(analysis);
    wb_diagnostics_free(diagnostics);
    return holds;
}

bool random_check(const struct random_family *family, uint64_t seed, bool adversary,
                  struct random_census *census, struct text *violation) {
    struct random_block random;
    random_block_make(seed, &family->shape, family->depths, family->depth_count, &random);
    cycles exact = explore(&random.block.timed, SEARCH_STATES);
    bool holds = exact == 0 || check_searched(&random, seed, exact, adversary, census, violation);
    synthetic_block_free(&random.block);
    return holds;
}

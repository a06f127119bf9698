/* Covering paths of random kernels: what the kernels execute on random data is part of them and takes no
 * longer than their bounds; knowing more never raises these. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "bound/analysis/analysis.h"
#include "launch/launch.h"
#include "launch_text.h"
#include "random_block.h"
#include "random_trial.h"
#include "warp/trace/blocks.h"

#define KERNELS 2100u

/* Instructions of all warps after which covering is given up, and those of one path up to which the quadratic
 * bound is computed. */
#define COVERING_INSTRUCTIONS 30000u
#define ALIGNED_INSTRUCTIONS 300u

/* Iterations that covering runs do not all execute; kernels that are tried with so many, which takes long,
 * and what covering them may take. */
#define RAISED_FACT (1u << 20)
#define RAISED_KERNELS 40u
#define RAISED_INSTRUCTIONS 1000000u

/* ---- Machines ----------------------------------------------------------------------------------------- */

static const char *const presets[] = {"ecrts2025-orin", "kepler-sm35", "hopper-sm90"};
static const char *const depths[] = {"dispatch_depth=0", "dispatch_depth=1", "dispatch_depth=unlimited"};
static const char *const requests[] = {"requests=ideal", "requests=fermi", "requests=volta"};
static const char *const sms[] = {"sms=1", "sms=2", "sms=3", "sms=4"};
static const char *const rooms[] = {"limits.blocks=2", "limits.blocks=8"};
static const char *const first_levels[] = {"l1_size=512", "l1_size=2048", "l1_size=16384"};

/* Without caches, with caches. */
enum { PLAIN_MACHINES = 27, MACHINES = PLAIN_MACHINES + 9 };

static wb_machine *machines[MACHINES];

static bool make_machine(uint32_t i, wb_diagnostics *diagnostics) {
    const bool plain = i < PLAIN_MACHINES;
    wb_machine **machine = &machines[i];
    return wb_machine_load(plain ? presets[i % 3] : "jcse2017", diagnostics, machine) == WB_OK &&
           wb_machine_set(*machine, depths[i / 3 % 3], diagnostics) == WB_OK &&
           wb_machine_set(*machine, plain ? "l1_size=0" : first_levels[i % 3], diagnostics) == WB_OK &&
           (!plain || wb_machine_set(*machine, requests[i / 9], diagnostics) == WB_OK) &&
           (!plain || wb_machine_set(*machine, sms[i % 4], diagnostics) == WB_OK) &&
           (!plain || wb_machine_set(*machine, rooms[i % 2], diagnostics) == WB_OK) &&
           wb_machine_check(*machine, diagnostics) == WB_OK;
}

static int make_machines(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (uint32_t i = 0; i < MACHINES; i++)
        if (!make_machine(i, diagnostics)) fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    return 0;
}

static int free_machines(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MACHINES; i++)
        wb_machine_free(machines[i]);
    return 0;
}

static uint32_t machine_number(const struct trial *trial) {
    struct random_state random = random_seeded(trial->kernel.seed);
    return (uint32_t)random_below(&random, MACHINES);
}

static const wb_machine *machine_of(const struct trial *trial) {
    return machines[machine_number(trial)];
}

/* ---- Covering paths ----------------------------------------------------------------------------------- */

/* What a covering run is told. */
struct knowledge {
    uint32_t buffers; /* whose contents are known, as bits */
    bool other_loops; /* facts about loops that the data does not decide, besides those about the others */
    size_t lowered;   /* 1 + the index of a loop whose fact is one less than what is true; 0: none */
    size_t raised;    /* 1 + the index of one whose fact is far more; 0: none */
    bool assumed;     /* what the PTX ISA leaves open is what is computed */
};

static bool make_facts(struct trial *trial, const struct knowledge *known, wb_facts **facts) {
    struct text text = {0};
    uint64_t checksum;
    if (facts_checksum(trial->parsed, &checksum) != WB_OK) return trial_violated(trial, "has no checksum");
    facts_put_header(trial->parsed, checksum, &text);
    random_kernel_together(&trial->kernel, &text);
    for (size_t i = 0; i < trial->kernel.loops.count; i++) {
        const struct random_loop *loop = &trial->kernel.loops.items[i];
        const uint32_t lower = i + 1 == known->lowered && loop->headers > 1 ? 1 : 0;
        const uint32_t more = i + 1 == known->raised ? RAISED_FACT : 0;
        if (loop->by_data || known->other_loops)
            random_kernel_fact(loop, loop->headers + more - lower, &text);
    }
    wb_status status = text.failed ? WB_ERR_LIMIT
                                   : wb_facts_parse("random.facts", text.data, text.length, trial->parsed,
                                                    trial->diagnostics, facts);
    text_free(&text);
    return status == WB_OK || trial_violated(trial, "has facts that are not read");
}

/* Whether a covering run was declined for what no fact can say: lanes that unknown values part meet too late,
 * or warps perhaps wait at several barriers in one iteration. */
static bool is_beyond_facts(const struct trial *trial, wb_status status) {
    const char *messages = wb_diagnostics_text(trial->diagnostics);
    return status == WB_ERR_DECLINED &&
           (strstr(messages, "too many paths") != NULL || strstr(messages, "which of them meet") != NULL);
}

/* The covering paths; *block is NULL when they are too long to be looked at, or when a lowered fact was found
 * to be wrong. */
static bool cover(struct trial *trial, const struct knowledge *known, wb_block **block) {
    wb_facts *facts = NULL;
    *block = NULL;
    if (!make_facts(trial, known, &facts)) return false;
    const bool forget = known->buffers == 0 && trial->kernel.seed % 2 == 0; /* two ways to the same */
    const wb_trace_options options = {.size = sizeof options,
                                      .record_accesses = true,
                                      .cover = true,
                                      .unknown_contents = forget,
                                      .facts = facts,
                                      .instruction_limit =
                                          known->raised ? RAISED_INSTRUCTIONS : COVERING_INSTRUCTIONS};
    wb_launch *launch = forget ? trial_launch(trial, 0) : trial_launch_unknown(trial, known->buffers);
    if (known->assumed) (void)wb_launch_assume(launch, WB_TAKE_ALL, trial->diagnostics);
    wb_status status = wb_block_trace(trial->parsed, launch, &options, trial->diagnostics, block);
    wb_launch_free(launch);
    wb_facts_free(facts);
    if (status == WB_OK || status == WB_ERR_LIMIT || is_beyond_facts(trial, status)) return true;
    if (status == WB_ERR_INPUT && known->lowered != 0) return true;
    return trial_violated(trial, "is not covered: status %d", status);
}

static bool paths_are_covered(struct trial *trial, const wb_block *covering) {
    for (uint32_t d = 0; d < TRIAL_DATA_SEEDS; d++) {
        const wb_block *real = trial->blocks[d];
        for (uint32_t w = 0; w < real->warp_count; w++) {
            uint64_t step;
            if (!path_is_covered(&covering->paths.items[covering->warp_path[w]],
                                 &real->paths.items[real->warp_path[w]], &step))
                return trial_violated(trial, "data %u, warp %u: step %" PRIu64 " of its path is not covered",
                                      d, w, step);
        }
    }
    return true;
}

/* ---- Bounds ------------------------------------------------------------------------------------------- */

static bool analyse(struct trial *trial, const wb_block *block, wb_analysis **analysis) {
    if (wb_analysis_new(block, machine_of(trial), trial->diagnostics, analysis) != WB_OK)
        return trial_violated(trial, "is not analysed");
    return true;
}

static uint64_t longest_path(const wb_block *block) {
    uint64_t longest = 0;
    for (size_t p = 0; p < block->paths.count; p++)
        if (block->paths.items[p].length > longest) longest = block->paths.items[p].length;
    return longest;
}

static bool analyse_covering(struct trial *trial, const wb_block *covering, wb_analysis **analysis) {
    const char *methods = longest_path(covering) <= ALIGNED_INSTRUCTIONS ? "all" : "sib,fib,elb";
    return analyse(trial, covering, analysis) &&
           (wb_analysis_bound(*analysis, methods, NULL, trial->diagnostics) == WB_OK ||
            trial_violated(trial, "is not bounded"));
}

/* Every simulation of a real run against every proven bound of the covering paths. */
static bool bounds_hold(struct trial *trial, const wb_analysis *covering, const wb_analysis *real,
                        uint32_t d) {
    size_t bound_count, count;
    const wb_bound *bounds = wb_analysis_bounds(covering, &bound_count);
    const wb_simulation *simulations = wb_analysis_simulations(real, &count);
    for (size_t b = 0; b < bound_count; b++)
        for (size_t s = 0; s < count; s++)
            if (bounds[b].kind == WB_UPPER && simulations[s].work_conserving &&
                simulations[s].cycles > bounds[b].cycles)
                return trial_violated(trial, "%s: data %u takes %" PRIu64 " under %s, %s is %" PRIu64,
                                      wb_machine_name(machine_of(trial)), d, simulations[s].cycles,
                                      simulations[s].policy, bounds[b].method, bounds[b].cycles);
    return true;
}

static bool runs_are_bounded(struct trial *trial, const wb_analysis *covering) {
    for (uint32_t d = 0; d < TRIAL_DATA_SEEDS; d++) {
        wb_analysis *real = NULL;
        bool holds = analyse(trial, trial->blocks[d], &real) &&
                     (wb_analysis_simulate(real, "all", NULL, trial->diagnostics) == WB_OK ||
                      trial_violated(trial, "is not simulated")) &&
                     bounds_hold(trial, covering, real, d);
        wb_analysis_free(real);
        if (!holds) return false;
    }
    return true;
}

/* Kernels whose covering paths were looked at. */
static uint32_t covered;

static bool covers(struct trial *trial, const struct knowledge *known) {
    wb_block *covering;
    wb_analysis *analysis = NULL;
    if (!cover(trial, known, &covering)) return false;
    if (covering == NULL) return true;
    bool holds = paths_are_covered(trial, covering) && analyse_covering(trial, covering, &analysis) &&
                 runs_are_bounded(trial, analysis);
    wb_analysis_free(analysis);
    wb_block_free(covering);
    covered++;
    return holds;
}

static bool covering_paths_cover(struct trial *trial) {
    const struct knowledge known = {.buffers = trial->given};
    return covers(trial, &known);
}

/* With a limit that is far too high for some loop that the data decides. Machines with caches decline paths
 * whose iterations were not all run. */
static bool long_loops_are_covered(struct trial *trial) {
    const size_t count = trial->kernel.loops.count;
    if (count == 0 || machine_number(trial) >= PLAIN_MACHINES) return true;
    const struct knowledge known = {.raised = 1 + trial->kernel.seed % count};
    return !trial->kernel.loops.items[known.raised - 1].by_data || covers(trial, &known);
}

static void test_long_loops(void **state) {
    (void)state;
    covered = 0;
    assert_true(trials_hold(RAISED_KERNELS, long_loops_are_covered));
    assert_true(covered >= random_rounds(RAISED_KERNELS) / 10);
}

static void test_covering(void **state) {
    (void)state;
    covered = 0;
    assert_true(trials_hold(KERNELS, covering_paths_cover));
    assert_true(covered >= random_rounds(KERNELS) * 9 / 10);
}

/* ---- Knowing more ------------------------------------------------------------------------------------- */

/* Whether `more` is known: no proven bound may be above its value for `less`. (Estimates may: the segments of
 * JCSE'17 are cut where registers are read, and a side less can cut them elsewhere.) */
static bool knowing_more_helps(struct trial *trial, const wb_analysis *less, const struct knowledge *known,
                               const char *what) {
    wb_block *covering;
    wb_analysis *more = NULL;
    if (!cover(trial, known, &covering)) return false;
    if (covering == NULL) return true;
    bool holds = analyse_covering(trial, covering, &more);
    size_t less_count = 0, more_count = 0;
    const wb_bound *before = wb_analysis_bounds(less, &less_count);
    const wb_bound *after = holds ? wb_analysis_bounds(more, &more_count) : NULL;
    for (size_t i = 0; i < less_count; i++)
        for (size_t k = 0; k < more_count; k++)
            if (before[i].kind == WB_UPPER && strcmp(before[i].method, after[k].method) == 0 &&
                after[k].cycles > before[i].cycles)
                holds = trial_violated(trial, "%s: %s raises %s from %" PRIu64 " to %" PRIu64,
                                       wb_machine_name(machine_of(trial)), what, before[i].method,
                                       before[i].cycles, after[k].cycles);
    wb_analysis_free(more);
    wb_block_free(covering);
    return holds;
}

static bool every_knowledge_helps(struct trial *trial, const wb_analysis *less) {
    const uint32_t given = trial->given, every = (1u << RANDOM_BUFFERS) - 1;
    const struct knowledge all_facts = {.buffers = given, .assumed = true, .other_loops = true};
    const struct knowledge another_buffer = {.buffers = given | (given + 1), .assumed = true};
    const struct knowledge all_buffers = {.buffers = every, .assumed = true};
    const struct knowledge lowered = {.buffers = given,
                                      .assumed = true,
                                      .lowered = 1 + trial->kernel.seed % (trial->kernel.loops.count + 1)};
    return knowing_more_helps(trial, less, &all_facts, "a fact") &&
           knowing_more_helps(trial, less, &lowered, "a lower fact") &&
           (given == every || knowing_more_helps(trial, less, &another_buffer, "data of a buffer")) &&
           knowing_more_helps(trial, less, &all_buffers, "all data");
}

static bool knowledge_lowers_bounds(struct trial *trial) {
    const struct knowledge known = {.buffers = trial->given, .assumed = true};
    wb_block *covering;
    wb_analysis *analysis = NULL;
    if (!cover(trial, &known, &covering)) return false;
    if (covering == NULL) return true;
    bool holds = analyse_covering(trial, covering, &analysis) && every_knowledge_helps(trial, analysis);
    wb_analysis_free(analysis);
    wb_block_free(covering);
    return holds;
}

static void test_knowing_more(void **state) {
    (void)state;
    assert_true(trials_hold(KERNELS / 6, knowledge_lowers_bounds));
}

/* ---- Grids -------------------------------------------------------------------------------------------- */

/* Blocks of a grid, all of which store to the same buffers; kernels that are tried as one. */
#define BLOCKS "5"
#define GRID_KERNELS 300u

/* The grid of a launch, which is used up; *grid is NULL when that takes too long or cannot be covered. */
static bool trace_grid(struct trial *trial, wb_launch *launch, const wb_grid_options *options,
                       wb_grid **grid) {
    *grid = NULL;
    wb_status status = launch_grid_text(launch, BLOCKS, trial->diagnostics);
    if (status == WB_OK) status = wb_grid_trace(trial->parsed, launch, options, trial->diagnostics, grid);
    wb_launch_free(launch);
    if (status == WB_OK || status == WB_ERR_LIMIT || is_beyond_facts(trial, status)) return true;
    return trial_violated(trial, "%s grid: status %d", options->cover ? "covering" : "real", status);
}

static bool analyse_grid(struct trial *trial, const wb_grid *grid, const wb_machine *machine,
                         wb_analysis **analysis) {
    return analysis_new_kernel(grid, machine, NULL, NULL, trial->diagnostics, analysis) == WB_OK ||
           trial_violated(trial, "is not analysed as a grid");
}

static bool block_is_covered(struct trial *trial, const wb_grid *covering, const wb_grid *real, uint32_t b) {
    const struct wb_block *whole = covering->covering.items[covering->blocks.items[b].covering].block;
    wb_block *block = NULL;
    if (grid_block_make(real, b, trial->diagnostics, &block) != WB_OK)
        return trial_violated(trial, "has no block %u", b);
    bool covered_all = true;
    for (uint32_t w = 0; covered_all && w < block->warp_count; w++) {
        uint64_t step;
        covered_all = path_is_covered(&whole->paths.items[whole->warp_path[w]],
                                      &block->paths.items[block->warp_path[w]], &step);
        if (!covered_all)
            (void)trial_violated(trial, "block %u, warp %u: step %" PRIu64 " is not covered", b, w, step);
    }
    wb_block_free(block);
    return covered_all;
}

/* The grid on the data of one seed, its blocks one after another: paths and simulations. */
static bool grid_is_covered(struct trial *trial, const wb_grid *covering, const wb_analysis *bounded,
                            uint32_t d) {
    static const wb_grid_options options = {.size = sizeof options,
                                            .instruction_limit = COVERING_INSTRUCTIONS};
    wb_grid *real;
    wb_analysis *analysis = NULL;
    if (!trace_grid(trial, trial_execution(trial, d), &options, &real)) return false;
    if (real == NULL) return true;
    bool holds = true;
    for (uint32_t b = 0; holds && b < real->blocks.count; b++)
        holds = block_is_covered(trial, covering, real, b);
    holds = holds && analyse_grid(trial, real, bounded->machine, &analysis) &&
            (wb_analysis_simulate(analysis, "all", NULL, trial->diagnostics) == WB_OK ||
             trial_violated(trial, "is not simulated as a grid")) &&
            bounds_hold(trial, bounded, analysis, d);
    wb_analysis_free(analysis);
    wb_grid_free(real);
    return holds;
}

static bool grids_are_covered(struct trial *trial) {
    const struct knowledge known = {.buffers = trial->given};
    const wb_machine *machine = machines[trial->kernel.seed % MACHINES];
    wb_facts *facts = NULL;
    wb_grid *covering = NULL;
    wb_analysis *analysis = NULL;
    if (!make_facts(trial, &known, &facts)) return false;
    const wb_grid_options options = {.size = sizeof options,
                                     .cover = true,
                                     .record_accesses = true,
                                     .facts = facts,
                                     .instruction_limit = UINT64_C(10) * COVERING_INSTRUCTIONS};
    bool holds = trace_grid(trial, trial_launch_unknown(trial, known.buffers), &options, &covering);
    if (holds && covering != NULL) {
        holds = analyse_grid(trial, covering, machine, &analysis);
        const bool dynamic =
            holds && analysis->kind == SUBJECT_KERNEL && grid_work_is_dynamic(&analysis->work);
        const char *methods = dynamic ? "k-area,k-bal,k-sm,k-chain-area,k-chain-bal,k-chain" : "k-sm,k-chain";
        if (holds && analysis_has_caches(analysis)) methods = "segment-sum";
        if (holds && wb_analysis_bound(analysis, methods, NULL, trial->diagnostics) != WB_OK)
            holds = trial_violated(trial, "is not bounded as a grid");
        for (uint32_t d = 0; holds && d < TRIAL_DATA_SEEDS; d++)
            holds = grid_is_covered(trial, covering, analysis, d);
        covered++;
    }
    wb_analysis_free(analysis);
    wb_grid_free(covering);
    wb_facts_free(facts);
    return holds;
}

static void test_grids(void **state) {
    (void)state;
    covered = 0;
    assert_true(trials_hold(GRID_KERNELS, grids_are_covered));
    assert_true(covered >= random_rounds(GRID_KERNELS) * 8 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_covering),
        cmocka_unit_test(test_long_loops),
        cmocka_unit_test(test_knowing_more),
        cmocka_unit_test(test_grids),
    };
    return cmocka_run_group_tests_name("covering paths of random kernels", tests, make_machines,
                                       free_machines);
}

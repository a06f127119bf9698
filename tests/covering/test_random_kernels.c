/* Random structured kernels on random data: what the analyses of their control flow say of them, against
 * what they execute. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/values/divergence.h"
#include "ptx_equal.h"
#include "random_trial.h"
#include "warp/cover/launch_environment.h"

#define KERNELS 2100u

/* ---- The generator ------------------------------------------------------------------------------------ */

/* Printing what was parsed and parsing that gives the same again. */
static bool prints_as_itself(struct trial *trial) {
    char *text = NULL;
    wb_module *again = NULL;
    ptx_difference difference = "nothing";
    if (wb_module_print(trial->module, trial->diagnostics, &text) == WB_OK &&
        wb_module_parse("again.ptx", text, strlen(text), trial->diagnostics, &again) == WB_OK)
        difference = ptx_compare_module(trial->module, again);
    wb_module_free(again);
    free(text);
    return difference == NULL || trial_violated(trial, "'%s' differs after printing", difference);
}

/* Which loop of the graph is the generator's with this label; GRAPH_NONE: its back edge was left out. */
static uint32_t loop_with_label(const struct trial *trial, uint32_t number) {
    const struct ptx_function *function = kernel_function(trial->parsed);
    const struct observed_flow *flow = &trial->flow;
    char name[24];
    snprintf(name, sizeof name, "$L%u", number);
    for (uint32_t i = 0; i < function->label_count; i++) {
        if (strcmp(function->labels[i].name, name) != 0) continue;
        for (uint32_t l = 0; l < flow->loops.count; l++)
            if (flow->cfg.blocks[flow->loops.items[l].header].first == function->labels[i].target) return l;
    }
    return GRAPH_NONE;
}

/* What the generator promises: whole warps at barriers, loops as long as it says. */
static bool generator_keeps_its_word(struct trial *trial) {
    uint64_t most[RANDOM_STATEMENTS_MAX] = {0};
    for (uint32_t d = 0; d < TRIAL_DATA_SEEDS; d++) {
        if (trial->blocks[d]->notes.assumed & assumed_bit(ASSUMED_WHOLE_WARP_BARRIERS))
            return trial_violated(trial, "threads are apart at a barrier");
        for (uint32_t w = 0; w < trial->blocks[d]->warp_count; w++)
            observe_headers(trial->blocks[d], w, &trial->flow, most);
    }
    for (size_t i = 0; i < trial->kernel.loops.count; i++) {
        const struct random_loop *loop = &trial->kernel.loops.items[i];
        const uint32_t found = loop->in_function ? GRAPH_NONE : loop_with_label(trial, loop->label);
        if (found != GRAPH_NONE && most[found] > loop->headers)
            return trial_violated(trial, "$L%u runs %" PRIu64 " times, not %u", loop->label, most[found],
                                  loop->headers);
    }
    return prints_as_itself(trial);
}

/* ---- Divergence --------------------------------------------------------------------------------------- */

static void build_ssa(struct observed_flow *flow, struct ssa *ssa) {
    struct liveness liveness;
    assert_int_equal(liveness_build(&flow->cfg, &flow->arena, &liveness), WB_OK);
    assert_int_equal(ssa_build(&flow->cfg, &flow->dominators, &liveness, &flow->arena, ssa), WB_OK);
}

static bool uniform_branches_never_part(struct trial *trial) {
    struct observed_flow *flow = &trial->flow;
    struct ssa ssa;
    struct divergence divergence;
    bool *parted = arena_array(&flow->arena, (size_t)flow->cfg.block_count + 1, sizeof *parted);
    assert_non_null(parted);
    build_ssa(flow, &ssa);
    assert_int_equal(
        divergence_analyse(&ssa, &flow->dominators, &flow->post_dominators, NULL, &flow->arena, &divergence),
        WB_OK);
    for (uint32_t d = 0; d < TRIAL_DATA_SEEDS; d++)
        observe_partings(trial->blocks[d], flow, parted);
    for (uint32_t b = 0; b < flow->cfg.block_count; b++)
        if (parted[b] && !divergence.branches[b])
            return trial_violated(trial, "threads part behind block %u, which is said to be uniform", b);
    return true;
}

/* ---- Bounds of loops ---------------------------------------------------------------------------------- */

/* Loops looked at, and those that have bounds. */
static uint64_t loops, bounded_loops;

/* Whether the threads of a warp, or of the block when `span` is NULL, run no header more often than found. */
static bool loops_keep_to(struct trial *trial, const struct ssa *ssa, const struct thread_span *span,
                          const uint64_t *most) {
    struct observed_flow *flow = &trial->flow;
    const struct launch_scope scope = {NULL, span};
    struct launch_environment filled;
    struct loop_bound *bounds;
    wb_launch *launch = trial_launch(trial, 0);
    launch_environment_fill(trial->parsed, launch, &scope, &filled);
    assert_int_equal(
        loop_bounds_find(ssa, &flow->dominators, &flow->loops, &filled.environment, &flow->arena, &bounds),
        WB_OK);
    wb_launch_free(launch);
    for (uint32_t l = 0; l < flow->loops.count; l++) {
        loops++;
        bounded_loops += bounds[l].known;
        if (bounds[l].known && most[l] > bounds[l].headers)
            return trial_violated(trial, "loop at block %u runs %" PRIu64 " times, not %" PRIu64,
                                  flow->loops.items[l].header, most[l], bounds[l].headers);
    }
    return true;
}

/* For the block, and for each warp by itself. */
static bool loop_bounds_hold(struct trial *trial) {
    const uint32_t warps = trial->blocks[0]->warp_count;
    uint64_t of_block[RANDOM_STATEMENTS_MAX] = {0};
    struct ssa ssa;
    build_ssa(&trial->flow, &ssa);
    for (uint32_t w = 0; w < warps; w++) {
        const uint32_t first = w * WARP_LANES, behind = first + WARP_LANES, threads = trial->kernel.threads;
        const struct thread_span span = {first, (behind < threads ? behind : threads) - 1};
        uint64_t of_warp[RANDOM_STATEMENTS_MAX] = {0};
        for (uint32_t d = 0; d < TRIAL_DATA_SEEDS; d++)
            observe_headers(trial->blocks[d], w, &trial->flow, of_warp);
        for (uint32_t l = 0; l < trial->flow.loops.count; l++)
            if (of_warp[l] > of_block[l]) of_block[l] = of_warp[l];
        if (!loops_keep_to(trial, &ssa, &span, of_warp)) return false;
    }
    return loops_keep_to(trial, &ssa, NULL, of_block);
}

/* ---- All of it, kernel by kernel ---------------------------------------------------------------------- */

static bool everything_holds(struct trial *trial) {
    return generator_keeps_its_word(trial) && uniform_branches_never_part(trial) && loop_bounds_hold(trial);
}

static void test_kernels(void **state) {
    (void)state;
    loops = bounded_loops = 0;
    assert_true(trials_hold(KERNELS, everything_holds));
    /* The analysis is worth something: half of the loops have bounds although data decides most. */
    assert_true(bounded_loops * 2 > loops);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests_name("random kernels", tests, NULL, NULL);
}

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

#include "flow/values/values.h"
#include "ptx_equal.h"
#include "random_trial.h"
#include "warp/cover/cover.h"

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

/* What is computed on the flow of a trial. */
struct values_pass {
    struct observed_flow *flow;
    const struct loop_environment *environment;
    struct ssa ssa;
    struct divergence divergence;
    struct loop_bound *bounds;
};

static void build_ssa(void *context) {
    struct values_pass *pass = context;
    struct observed_flow *flow = pass->flow;
    const struct node_regs liveness = liveness_build(&flow->cfg, &flow->arena);
    pass->ssa = ssa_build(&flow->cfg, &flow->dominators, &liveness, &flow->arena);
    pass->divergence =
        divergence_analyse(&pass->ssa, &flow->dominators, &flow->post_dominators, NULL, &flow->arena);
}

static void bound_loops(void *context) {
    struct values_pass *pass = context;
    struct observed_flow *flow = pass->flow;
    pass->bounds =
        loop_bounds_find(&pass->ssa, &flow->dominators, &flow->loops, pass->environment, &flow->arena);
}

static bool uniform_branches_never_part(struct trial *trial) {
    struct observed_flow *flow = &trial->flow;
    struct values_pass pass = {.flow = flow};
    bool *parted = arena_array(&flow->arena, (size_t)flow->cfg.block_count + 1, sizeof *parted);
    assert_non_null(parted);
    assert_int_equal(arena_protect(&flow->arena, build_ssa, &pass), WB_OK);
    for (uint32_t d = 0; d < TRIAL_DATA_SEEDS; d++)
        observe_partings(trial->blocks[d], flow, parted);
    for (uint32_t b = 0; b < flow->cfg.block_count; b++)
        if (parted[b] && !pass.divergence.branches[b])
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
    struct values_pass pass = {.flow = flow, .environment = &filled.environment, .ssa = *ssa};
    wb_launch *launch = trial_launch(trial, 0);
    launch_environment_fill(trial->parsed, launch, &scope, &filled);
    assert_int_equal(arena_protect(&flow->arena, bound_loops, &pass), WB_OK);
    const struct loop_bound *bounds = pass.bounds;
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
    struct values_pass pass = {.flow = &trial->flow};
    assert_int_equal(arena_protect(&trial->flow.arena, build_ssa, &pass), WB_OK);
    for (uint32_t w = 0; w < warps; w++) {
        const uint32_t first = w * WARP_LANES, behind = first + WARP_LANES, threads = trial->kernel.threads;
        const struct thread_span span = {first, (behind < threads ? behind : threads) - 1};
        uint64_t of_warp[RANDOM_STATEMENTS_MAX] = {0};
        for (uint32_t d = 0; d < TRIAL_DATA_SEEDS; d++)
            observe_headers(trial->blocks[d], w, &trial->flow, of_warp);
        for (uint32_t l = 0; l < trial->flow.loops.count; l++)
            if (of_warp[l] > of_block[l]) of_block[l] = of_warp[l];
        if (!loops_keep_to(trial, &pass.ssa, &span, of_warp)) return false;
    }
    return loops_keep_to(trial, &pass.ssa, NULL, of_block);
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

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

#include "flow/divergence.h"
#include "ptx_equal.h"
#include "random_trial.h"

#define KERNELS 2400u

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
        if (trial->blocks[d]->divergent_barrier)
            return trial_violated(trial, "threads are apart at a barrier");
        observe_headers(trial->blocks[d], &trial->flow, most);
    }
    for (size_t i = 0; i < trial->kernel.loops.count; i++) {
        const struct random_loop *loop = &trial->kernel.loops.items[i];
        const uint32_t found = loop_with_label(trial, loop->label);
        if (found != GRAPH_NONE && most[found] > loop->headers)
            return trial_violated(trial, "$L%u runs %" PRIu64 " times, not %u", loop->label, most[found],
                                  loop->headers);
    }
    return prints_as_itself(trial);
}

static void test_generator(void **state) {
    (void)state;
    assert_true(trials_hold(KERNELS, generator_keeps_its_word));
}

/* ---- Divergence --------------------------------------------------------------------------------------- */

static bool uniform_branches_never_part(struct trial *trial) {
    struct observed_flow *flow = &trial->flow;
    struct liveness liveness;
    struct ssa ssa;
    struct divergence divergence;
    bool *parted = arena_array(&flow->arena, (size_t)flow->cfg.block_count + 1, sizeof *parted);
    assert_non_null(parted);
    assert_int_equal(liveness_build(&flow->cfg, &flow->arena, &liveness), WB_OK);
    assert_int_equal(ssa_build(&flow->cfg, &flow->dominators, &liveness, &flow->arena, &ssa), WB_OK);
    assert_int_equal(
        divergence_analyse(&ssa, &flow->dominators, &flow->post_dominators, &flow->arena, &divergence),
        WB_OK);
    for (uint32_t d = 0; d < TRIAL_DATA_SEEDS; d++)
        observe_partings(trial->blocks[d], flow, parted);
    for (uint32_t b = 0; b < flow->cfg.block_count; b++)
        if (parted[b] && !divergence.branches[b])
            return trial_violated(trial, "threads part behind block %u, which is said to be uniform", b);
    return true;
}

static void test_divergence(void **state) {
    (void)state;
    assert_true(trials_hold(KERNELS, uniform_branches_never_part));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generator),
        cmocka_unit_test(test_divergence),
    };
    return cmocka_run_group_tests_name("random kernels", tests, NULL, NULL);
}

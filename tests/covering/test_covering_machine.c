/* Covering paths of random machine code, held to what it executes on random data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "covering_check.h"
#include "flow/values/values.h"
#include "machine_text.h"
#include "random_block.h"
#include "random_machine.h"

#define DATA_SEEDS 6u

static wb_launch *launch_on(const char *data, wb_diagnostics *d) {
    wb_launch *launch = wb_launch_new();
    if (wb_launch_set_grid(launch, (const uint32_t[3]){1, 1, 1}, d) != WB_OK ||
        wb_launch_set_block(launch, (const uint32_t[3]){64, 1, 1}, d) != WB_OK ||
        wb_launch_add_argument(launch, data, d) != WB_OK ||
        wb_launch_add_argument(launch, "buf:u64[64]=zero", d) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(d));
    return launch;
}

static wb_block *trace(const wb_kernel *kernel, const char *data, bool cover, wb_diagnostics *d) {
    const wb_trace_options options = {.size = sizeof options, .cover = cover, .instruction_limit = 300000};
    wb_launch *launch = launch_on(data, d);
    wb_block *block = NULL;
    const wb_status status = wb_block_trace(kernel, launch, &options, d, &block);
    wb_launch_free(launch);
    return status == WB_OK ? block : NULL;
}

/* Divergence analysis of the kernel. */
struct analysed {
    struct observed_flow flow;
    struct divergence divergence;
    bool *parted;
};

static void analyse(void *context) {
    struct analysed *a = context;
    struct arena *arena = &a->flow.arena;
    const struct node_regs liveness = liveness_build(&a->flow.cfg, arena);
    const struct ssa ssa = ssa_build(&a->flow.cfg, &a->flow.dominators, &liveness, arena);
    a->divergence = divergence_analyse(&ssa, &a->flow.dominators, &a->flow.post_dominators,
                                       (const uint32_t[3]){64, 1, 1}, arena);
    a->parted = arena_array(arena, (size_t)a->flow.cfg.block_count + 1, sizeof *a->parted);
}

/* Lanes that execute a branch together part there only if it is found to be divergent. */
static void expect_uniform(struct analysed *a, const wb_block *block, uint64_t seed, const char *text) {
    observe_partings(block, &a->flow, a->parted);
    for (uint32_t b = 0; b < a->flow.cfg.block_count; b++) {
        if (!a->parted[b] || a->divergence.branches[b]) continue;
        (void)fputs(text, stdout);
        fail_msg("seed %u: lanes part behind block %u (instruction %u), which is said to be uniform",
                 (unsigned)seed, b, a->flow.cfg.blocks[b].first);
    }
}

static void expect_covered(const wb_block *covering, const wb_kernel *kernel, uint64_t seed,
                           const char *text) {
    struct analysed analysed = {0};
    observed_flow_make(kernel_function(kernel), &analysed.flow);
    assert_int_equal(arena_protect(&analysed.flow.arena, analyse, &analysed), WB_OK);
    for (uint32_t s = 0; s < DATA_SEEDS; s++) {
        wb_diagnostics *d = wb_diagnostics_new();
        char data[64];
        (void)snprintf(data, sizeof data, "buf:u32[256]=random(%u)", (unsigned)(seed * DATA_SEEDS + s));
        wb_block *real = trace(kernel, data, false, d);
        if (real == NULL) fail_msg("seed %u\n%s\n%s", (unsigned)seed, text, wb_diagnostics_text(d));
        assert_non_null(real);
        for (uint32_t w = 0; covering != NULL && w < real->warp_count; w++) {
            uint64_t step;
            const struct path *real_path = &real->paths.items[real->warp_path[w]];
            if (!path_is_covered(&covering->paths.items[covering->warp_path[w]], real_path, &step)) {
                (void)fputs(text, stdout);
                fail_msg("seed %u data %u warp %u step %u", (unsigned)seed, s, w, (unsigned)step);
            }
        }
        expect_uniform(&analysed, real, seed, text);
        wb_block_free(real);
        wb_diagnostics_free(d);
    }
    observed_flow_free(&analysed.flow);
}

/* Whether the kernel of a seed has covering paths; they hold. */
static bool check(uint64_t seed) {
    struct random_state random = random_seeded(~seed);
    const struct random_machine_shape shape = {.depth = 1 + (uint32_t)random_below(&random, 3),
                                               .statements = 1 + (uint32_t)random_below(&random, 3),
                                               .naked = random_below(&random, 3) == 0 ? 20 : 0,
                                               .ends = random_below(&random, 3) == 0 ? 10 : 0,
                                               .known = (uint32_t)random_below(&random, 3) * 20,
                                               .uniform = (uint32_t)random_below(&random, 3) * 20,
                                               .votes = random_below(&random, 3) == 0 ? 20 : 0};
    struct text text = {0};
    random_machine_put(seed, &shape, &text);
    wb_module *module = machine_text_parse(text.data);
    wb_diagnostics *d = wb_diagnostics_new();
    const wb_kernel *kernel = NULL;
    assert_int_equal(wb_module_find_kernel(module, "k", d, &kernel), WB_OK);
    wb_block *covering = trace(kernel, "buf:u32[256]", true, d);
    if (covering != NULL && covering->notes.unmodelled != NULL) { /* analyses decline it */
        wb_block_free(covering);
        covering = NULL;
    }
    if (covering == NULL && getenv("WB_VERBOSE") != NULL) print_message("%s", wb_diagnostics_text(d));
    expect_covered(covering, kernel, seed, text.data);
    const bool covered = covering != NULL;
    wb_block_free(covering);
    wb_module_free(module);
    wb_diagnostics_free(d);
    text_free(&text);
    return covered;
}

static void executions_are_covered(void **state) {
    (void)state;
    const uint32_t kernels = random_rounds(6000);
    uint32_t covered = 0;
    for (uint64_t seed = 0; seed < kernels; seed++)
        covered += check(seed);
    assert_true(covered > kernels / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(executions_are_covered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

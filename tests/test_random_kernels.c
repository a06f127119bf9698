/* Random structured kernels on random data: what analyses of their control flow and covering paths say of
 * them, against what they execute. A kernel that fails is made smaller and printed. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "covering_check.h"
#include "flow/divergence.h"
#include "ptx_equal.h"
#include "random_block.h"
#include "random_kernel.h"

#define KERNELS 2400u
#define DATA_SEEDS 2u

static const struct random_kernel_shape shapes[] = {
    {.length = 4, .depth = 2, .trips = 3, .warps = 2},
    {.length = 8, .depth = 2, .trips = 7, .warps = 4},
    {.length = 5, .depth = 3, .trips = 3, .warps = 8},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* A kernel at hand, with what is wrong with it if something is. */
struct trial {
    struct random_kernel kernel;
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *parsed;
    struct observed_flow flow;
    wb_block *blocks[DATA_SEEDS]; /* what it executes on the data of each seed */
    struct text violation;
};

static bool violated(struct trial *trial, const char *format, ...) {
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_printf(&trial->violation, "%s\n%s", message, wb_diagnostics_text(trial->diagnostics));
    return false;
}

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
    return difference == NULL || violated(trial, "'%s' differs after printing", difference);
}

static bool executes(struct trial *trial) {
    for (uint64_t data = 0; data < DATA_SEEDS; data++) {
        const wb_trace_options options = {.record_accesses = true, .instruction_limit = 1000000};
        wb_launch *launch =
            random_kernel_launch(&trial->kernel, trial->kernel.seed + data, RANDOM_KERNEL_ALL);
        wb_status status =
            wb_block_trace(trial->parsed, launch, &options, trial->diagnostics, &trial->blocks[data]);
        wb_launch_free(launch);
        if (status != WB_OK) return violated(trial, "is not executed: status %d", status);
        if (trial->blocks[data]->divergent_barrier) return violated(trial, "parts a warp at a barrier");
    }
    return true;
}

/* Which loop of the graph is the generator's with this label; GRAPH_NONE: it was omitted with its back edge,
 * or another with the same header is around it. */
static uint32_t loop_with_label(const struct trial *trial, uint32_t number) {
    const struct ptx_function *function = kernel_function(trial->parsed);
    char name[24];
    snprintf(name, sizeof name, "$L%u", number);
    for (uint32_t i = 0; i < function->label_count; i++) {
        if (strcmp(function->labels[i].name, name) != 0) continue;
        for (uint32_t l = 0; l < trial->flow.loops.count; l++)
            if (trial->flow.cfg.blocks[trial->flow.loops.items[l].header].first == function->labels[i].target)
                return l;
    }
    return GRAPH_NONE;
}

/* What the generator promises of its loops. */
static bool loops_keep_to(struct trial *trial) {
    uint64_t most[RANDOM_STATEMENTS_MAX] = {0};
    for (size_t d = 0; d < DATA_SEEDS; d++)
        observe_headers(trial->blocks[d], &trial->flow, most);
    for (size_t i = 0; i < trial->kernel.loops.count; i++) {
        const struct random_loop *loop = &trial->kernel.loops.items[i];
        const uint32_t found = loop_with_label(trial, loop->label);
        if (found != GRAPH_NONE && most[found] > loop->headers)
            return violated(trial, "$L%u runs %" PRIu64 " times, not %u", loop->label, most[found],
                            loop->headers);
    }
    return true;
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
    for (size_t d = 0; d < DATA_SEEDS; d++)
        observe_partings(trial->blocks[d], flow, parted);
    for (uint32_t b = 0; b < flow->cfg.block_count; b++)
        if (parted[b] && !divergence.branches[b])
            return violated(trial, "threads part behind block %u, said to be uniform", b);
    return true;
}

/* ---- Running the checks ------------------------------------------------------------------------------- */

/* Makes a kernel and checks it. */
static bool holds(uint64_t seed, const struct random_kernel_shape *shape, const bool *omitted,
                  struct trial *trial) {
    *trial = (struct trial){.diagnostics = wb_diagnostics_new()};
    random_kernel_make(seed, shape, omitted, &trial->kernel);
    const char *ptx = trial->kernel.ptx;
    if (wb_module_parse("random.ptx", ptx, strlen(ptx), trial->diagnostics, &trial->module) != WB_OK ||
        wb_module_find_kernel(trial->module, "k", trial->diagnostics, &trial->parsed) != WB_OK)
        return violated(trial, "does not parse");
    observed_flow_make(kernel_function(trial->parsed), &trial->flow);
    return prints_as_itself(trial) && executes(trial) && loops_keep_to(trial) &&
           uniform_branches_never_part(trial);
}

static void forget(struct trial *trial) {
    for (size_t d = 0; d < DATA_SEEDS; d++)
        wb_block_free(trial->blocks[d]);
    observed_flow_free(&trial->flow);
    wb_module_free(trial->module);
    wb_diagnostics_free(trial->diagnostics);
    random_kernel_free(&trial->kernel);
    text_free(&trial->violation);
}

/* Leaves out every statement without which the kernel still fails, and fails. */
static void fail_smallest(uint64_t seed, const struct random_kernel_shape *shape, uint32_t statements) {
    bool omitted[RANDOM_STATEMENTS_MAX] = {false};
    struct trial trial;
    for (uint32_t i = 0; i < statements && i < RANDOM_STATEMENTS_MAX; i++) {
        omitted[i] = true;
        if (holds(seed, shape, omitted, &trial)) omitted[i] = false;
        forget(&trial);
    }
    (void)holds(seed, shape, omitted, &trial);
    /* cmocka cuts long messages. */
    fprintf(stderr, "seed %" PRIu64 ", %u threads, n %u, m %u: %s\n%s", seed, trial.kernel.threads,
            trial.kernel.scalars[0], trial.kernel.scalars[1], trial.violation.data, trial.kernel.ptx);
    fail_msg("kernel of seed %" PRIu64, seed);
}

static void test_kernels(void **state) {
    (void)state;
    for (uint32_t i = 0; i < random_rounds(KERNELS); i++) {
        const struct random_kernel_shape *shape = &shapes[i % SHAPES];
        struct trial trial;
        const bool held = holds(i, shape, NULL, &trial);
        const uint32_t statements = trial.kernel.statements;
        forget(&trial);
        if (!held) fail_smallest(i, shape, statements);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests_name("random kernels", tests, NULL, NULL);
}

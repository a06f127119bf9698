#include "divergence_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_function.h"

static void build(void *context) {
    struct analysed_function *analysed = context;
    struct arena *arena = &analysed->arena;
    const struct graph *graph = &analysed->cfg.graph;
    analysed->cfg = cfg_build(analysed->function, arena);
    analysed->dominators = dominators_build(arena, graph, CFG_ENTRY);
    analysed->post_dominators = post_dominators_build(arena, graph, analysed->cfg.exit);
    analysed->liveness = liveness_build(&analysed->cfg, arena);
    analysed->ssa = ssa_build(&analysed->cfg, &analysed->dominators, &analysed->liveness, arena);
    analysed->divergence =
        divergence_analyse(&analysed->ssa, &analysed->dominators, &analysed->post_dominators, NULL, arena);
}

void analysed_function_open(const struct ptx_function *function, struct analysed_function *analysed) {
    *analysed = (struct analysed_function){.function = function};
    assert_int_equal(arena_protect(&analysed->arena, build, analysed), WB_OK);
}

void analysed_function_close(struct analysed_function *analysed) {
    arena_free(&analysed->arena);
}

/* The block that ends with the instruction, or GRAPH_NONE. */
static uint32_t block_ending_with(const struct cfg *cfg, uint32_t inst) {
    uint32_t block = cfg->block_of[inst];
    return inst == cfg->blocks[block].first + cfg->blocks[block].count - 1 ? block : GRAPH_NONE;
}

bool may_part(const struct analysed_function *analysed, uint32_t inst) {
    uint32_t block = block_ending_with(&analysed->cfg, inst);
    return block != GRAPH_NONE && analysed->divergence.branches[block];
}

bool has_choice_behind(const struct analysed_function *analysed, uint32_t inst) {
    uint32_t block = block_ending_with(&analysed->cfg, inst);
    return block != GRAPH_NONE && cfg_has_choice(&analysed->cfg, block);
}

/* Follows a reason to its end, which must come before all values have been passed. */
static void check_chain(const struct analysed_function *analysed, struct divergence_reason reason) {
    for (uint32_t steps = 0; reason.cause == DIVERGENCE_DATA || reason.cause == DIVERGENCE_GATE; steps++) {
        assert_true(reason.from < analysed->ssa.value_count);
        assert_true(steps <= analysed->ssa.value_count);
        if (reason.branch != GRAPH_NONE) assert_true(analysed->divergence.branches[reason.branch]);
        reason = analysed->divergence.values[reason.from];
    }
    assert_true(reason.cause == DIVERGENCE_SOURCE || reason.cause == DIVERGENCE_MEMORY);
    assert_int_equal(reason.from, SSA_NONE);
}

void check_reasons(const struct analysed_function *analysed) {
    const struct divergence *divergence = &analysed->divergence;
    for (uint32_t v = 0; v < analysed->ssa.value_count; v++)
        if (divergence->values[v].cause != DIVERGENCE_NONE) check_chain(analysed, divergence->values[v]);
    for (uint32_t b = 0; b < analysed->cfg.block_count; b++)
        if (divergence->branches[b]) check_chain(analysed, divergence->decisions[b]);
}

void each_random_function(uint64_t first, uint32_t count,
                          void (*check)(const struct analysed_function *analysed, uint64_t seed,
                                        const char *text, void *counts),
                          void *counts) {
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct text text = {0};
        wb_module *module = NULL;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct analysed_function analysed;
        random_function_put(seed, &text);
        assert_false(text.failed);
        if (wb_module_parse("random.ptx", text.data, text.length, diagnostics, &module) != WB_OK)
            fail_msg("seed %llu:\n%s\n%s", (unsigned long long)seed, text.data,
                     wb_diagnostics_text(diagnostics));
        analysed_function_open(&module->functions[0], &analysed);
        check(&analysed, seed, text.data, counts);
        analysed_function_close(&analysed);
        wb_module_free(module);
        wb_diagnostics_free(diagnostics);
        text_free(&text);
    }
}

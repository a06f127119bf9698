/* Control flow of a synthetic function of the size of the largest that compilers make of real kernels, and of
 * one a hundred times as large. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "flow/divergence.h"
#include "flow/loops.h"
#include "flow/reconvergence.h"
#include "ptx/ptx.h"

/* What one iteration of the text below becomes. */
enum { REPEAT_BLOCKS = 5, REPEAT_INSTS = 58 };

/* Loops in loops with a condition in each, `repeats` times one after another. */
static void write_function(struct text *out, unsigned repeats) {
    text_string(out, ".version 8.0\n.target sm_80\n.entry k () {\n.reg .pred %p<3>;\n.reg .b32 %r<3>;\n");
    for (unsigned i = 0; i < repeats; i++) {
        text_printf(out, "OUTER%u:\nmov.u32 %%r0, 0;\nINNER%u:\nadd.u32 %%r0, %%r0, 1;\n@%%p0 bra SKIP%u;\n",
                    i, i, i);
        for (int k = 0; k < REPEAT_INSTS - 6; k++)
            text_string(out, "add.u32 %r1, %r1, %r0;\n");
        text_printf(out, "SKIP%u:\n@%%p1 bra INNER%u;\nadd.u32 %%r2, %%r2, 1;\n@%%p2 bra OUTER%u;\n", i, i,
                    i);
    }
    text_string(out, "ret;\n}\n");
}

/* Everything that is computed of a function; false when memory is exhausted. */
static bool analyse(const struct ptx_function *function, struct arena *arena, uint32_t counts[2]) {
    struct cfg cfg;
    struct dominators dominators;
    struct dominators post_dominators;
    struct loops loops;
    struct liveness liveness;
    struct ssa ssa;
    struct divergence divergence;
    uint32_t *reconvergence;
    if (cfg_build(function, arena, &cfg) != WB_OK ||
        dominators_build(arena, &cfg.graph, CFG_ENTRY, &dominators) != WB_OK ||
        post_dominators_build(arena, &cfg.graph, cfg.exit, &post_dominators) != WB_OK ||
        loops_build(arena, &cfg.graph, &dominators, &loops) != WB_OK ||
        reconvergence_of(&cfg, &post_dominators, arena, &reconvergence) != WB_OK ||
        liveness_build(&cfg, arena, &liveness) != WB_OK ||
        ssa_build(&cfg, &dominators, &liveness, arena, &ssa) != WB_OK ||
        divergence_analyse(&ssa, &dominators, &post_dominators, arena, &divergence) != WB_OK)
        return false;
    counts[0] = cfg.block_count;
    counts[1] = loops.count;
    return true;
}

static bool measure(unsigned repeats, unsigned runs) {
    struct text text = {0};
    write_function(&text, repeats);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    uint32_t counts[2] = {0};
    bool fine = wb_module_parse("bench.ptx", text.data, text.length, diagnostics, &module) == WB_OK;
    clock_t start = clock();
    for (unsigned run = 0; fine && run < runs; run++) {
        struct arena arena = {0};
        fine = analyse(kernel_function(wb_module_kernel(module, 0)), &arena, counts);
        arena_free(&arena);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC / runs;
    if (fine)
        printf("flow: %8.3f ms for %u instructions, %u blocks, %u loops (CFG, both dominator trees, loops, "
               "reconvergence, SSA form, divergence)\n",
               seconds * 1e3, kernel_function(wb_module_kernel(module, 0))->inst_count, counts[0], counts[1]);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    text_free(&text);
    return fine;
}

int main(void) {
    return measure(600 / REPEAT_BLOCKS, 200) && measure(60000 / REPEAT_BLOCKS, 5) ? EXIT_SUCCESS
                                                                                  : EXIT_FAILURE;
}

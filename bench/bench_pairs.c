/* Speed of the methods that look at pairs of instructions or at all schedules: ALN on a block of identical
 * warps, the search on a chain of dependent instructions. */
#include <inttypes.h>

#include "bench_support.h"
#include "bound/analysis/analysis.h"
#include "warp/synthetic/synthetic.h"

#define ALN_INSTRUCTIONS 10000u
#define ALN_WARPS 32u
#define CHAIN_INSTRUCTIONS 16u
#define CHAIN_WARPS 8u

/* `count` instructions on units A, B and C in turn, each reading a result up to 16 instructions back. */
static void write_mixed(struct text *out, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        text_printf(out, " %c", "ABC"[i * 7 % 3]);
        if (i >= 16) text_printf(out, ".%u", i - 1 - i * 5 % 16);
    }
}

/* A chain that goes back and forth between two units. */
static void write_chain(struct text *out, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        text_printf(out, " %c", "AB"[i % 2]);
        if (i > 0) text_printf(out, ".%u", i - 1);
    }
}

/* Prints what one method says of `warps` identical warps, and how long it took. */
static void bench_method(const char *method, const char *units, uint32_t warps, uint32_t instructions,
                         uint32_t depth, void (*write)(struct text *, uint32_t),
                         wb_diagnostics *diagnostics) {
    struct text program = {0};
    struct synthetic_block block;
    wb_analysis *analysis = NULL;
    text_printf(&program, "%ux", warps);
    write(&program, instructions);
    if (program.failed) exit(1);
    require(synthetic_block_parse(units, program.data, diagnostics, &block), diagnostics);
    block.machine.dispatch_depth = depth;
    require(analysis_of_timed(&block.timed, diagnostics, &analysis), diagnostics);
    require(wb_analysis_bound(analysis, method, NULL, diagnostics), diagnostics);
    size_t count;
    const wb_bound *bound = wb_analysis_bounds(analysis, &count);
    printf("%-10s %2u warps x %5u, depth %2d: %" PRIu64 " cycles in %.2f s\n", method, warps, instructions,
           (int)depth, bound->cycles, bound->seconds);
    wb_analysis_free(analysis);
    synthetic_block_free(&block);
    text_free(&program);
}

int main(void) {
    static const uint32_t depths[] = {0, 1, DEPTH_UNLIMITED};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (diagnostics == NULL) return 1;
    for (size_t d = 0; d < 3; d++)
        bench_method("aln", "A(2,2) B(2,2) C(8,13)", ALN_WARPS, ALN_INSTRUCTIONS, depths[d], write_mixed,
                     diagnostics);
    for (size_t d = 0; d < 3; d++)
        bench_method("exhaustive", "A(2,2) B(2,2)", CHAIN_WARPS, CHAIN_INSTRUCTIONS, depths[d], write_chain,
                     diagnostics);
    wb_diagnostics_free(diagnostics);
    return 0;
}

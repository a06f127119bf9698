/* Any bytes as a block file: an error with a message, or a block or a grid whose proven bounds hold for what
 * is simulated, and that prints as a file which reads back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "fuzz_bounds.h"
#include "synthetic_text.h"
#include "warp/synthetic/synthetic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Longer blocks are not analysed, to keep the runs fast. */
#define INSTRUCTIONS_MAX 400u
#define BLOCKS_MAX 100u

/* Of all blocks. */
static uint64_t instructions_of(const struct synthetic_block *block) {
    uint64_t count = 0;
    for (size_t k = 0; k < block->classes.count; k++) {
        const struct timed_block *timed = &block->classes.items[k].timed;
        for (uint32_t w = 0; w < timed->warp_count; w++)
            count += timed->paths[timed->warp_path[w]].length * block->classes.items[k].count;
    }
    return count;
}

static void check_block(const struct timed_block *timed, wb_diagnostics *diagnostics) {
    wb_analysis *analysis = NULL;
    if (analysis_of_timed(timed, diagnostics, &analysis) != WB_OK) return;
    require_bounds(analysis, "sib,aln,elb", "lrr,gto", diagnostics);
    wb_analysis_free(analysis);
}

static void check_grid(const uint8_t *data, size_t size, wb_diagnostics *diagnostics) {
    wb_analysis *analysis = NULL;
    if (analysis_parse("fuzz.yaml", (const char *)data, size, diagnostics, &analysis) != WB_OK) return;
    require_bounds(analysis, "sib,elb,k-sm", "lrr,gto", diagnostics);
    wb_analysis_free(analysis);
}

static void check_print(const struct synthetic_block *block, wb_diagnostics *diagnostics) {
    struct text printed = {0}, again = {0};
    struct synthetic_block read;
    synthetic_block_print(block, &printed);
    if (synthetic_file_parse("again", printed.data, printed.length, diagnostics, &read) != WB_OK) abort();
    synthetic_block_print(&read, &again);
    if (strcmp(printed.data, again.data) != 0) abort();
    synthetic_block_free(&read);
    text_free(&printed);
    text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct synthetic_block block;
    wb_status status = synthetic_file_parse("fuzz.yaml", (const char *)data, size, diagnostics, &block);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if (status == WB_OK) {
        uint64_t instructions = instructions_of(&block);
        if (block.is_grid && block.block_count <= BLOCKS_MAX && instructions <= INSTRUCTIONS_MAX)
            check_grid(data, size, diagnostics);
        else if (!block.is_grid && instructions > 0 && instructions <= INSTRUCTIONS_MAX)
            check_block(&block.timed, diagnostics);
        if (instructions <= INSTRUCTIONS_MAX && strlen(block.machine.name) > 0)
            check_print(&block, diagnostics);
        synthetic_block_free(&block);
    }
    wb_diagnostics_free(diagnostics);
    return 0;
}

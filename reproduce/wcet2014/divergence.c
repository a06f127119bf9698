#include "divergence.h"

#include <stdlib.h>

#include "base/diagnostics.h"
#include "example.h"
#include "papers/abstract_cta/acta_code.h"
#include "warp/path/block.h"

#define DIVERGENCE_PTX "reproduce/wcet2014/divergence.ptx"
#define THREADS 8u

/* What a warp executed: blocks with the threads that execute them together. */
#define STEPS 4u

struct parted_warp {
    const struct kernel_flow *flow;
    uint32_t blocks[STEPS], masks[STEPS];
};

/* The label of a block. */
static const char *name_of(const struct parted_warp *parted, uint32_t block) {
    const struct ptx_function *function = parted->flow->cfg.function;
    for (uint32_t l = 0; l < function->label_count; l++)
        if (function->labels[l].target == parted->flow->cfg.blocks[block].first)
            return function->labels[l].name;
    return "";
}

static void put_mask(uint32_t mask, struct text *page) {
    for (uint32_t thread = 0; thread < THREADS; thread++)
        text_char(page, (mask >> thread & 1) != 0 ? '1' : '0');
}

/* A row of a stack: where its threads meet others, where they go on, and which they are. */
static void put_row(const char *when, const char *meet, const char *next, uint32_t mask, struct text *page) {
    text_printf(page, "| %s | %s | %s | `", when, meet, next);
    put_mask(mask, page);
    text_string(page, "` |\n");
}

/* The stacks before the branch, behind it, when the first side has been executed, and when both have. */
static void put_stacks(const struct parted_warp *parted, struct text *page) {
    const uint32_t meeting = parted->flow->post_dominators.parent[parted->blocks[0]];
    const char *names[STEPS], *meet = name_of(parted, meeting);
    const uint32_t *masks = parted->masks;
    for (uint32_t s = 0; s < STEPS; s++)
        names[s] = name_of(parted, parted->blocks[s]);
    text_string(page, "| stack | reconvergence | next | mask |\n| --- | --- | --- | --- |\n");
    put_row("at the start", "", names[0], masks[0], page);
    put_row("behind the branch", "", meet, masks[0], page);
    put_row("", meet, names[2], masks[2], page);
    put_row("(top)", meet, names[1], masks[1], page);
    put_row("when the first side has been executed", "", meet, masks[0], page);
    put_row("(top)", meet, names[2], masks[2], page);
    put_row("when both have", "", names[3], masks[3], page);
    text_char(page, '\n');
}

/* The blocks of the only path. */
static wb_status read_steps(const struct wb_block *block, wb_diagnostics *diagnostics,
                            struct parted_warp *parted) {
    struct path_cursor cursor = path_begin(&block->paths.items[0]);
    uint32_t count = 0;
    for (; path_next_run(&cursor) && count < STEPS; cursor.left = 0) {
        parted->blocks[count] = parted->flow->cfg.block_of[cursor.instruction];
        parted->masks[count++] = cursor.mask;
    }
    if (count == STEPS) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, DIVERGENCE_PTX, "expected four blocks");
    return WB_ERR_INPUT;
}

static wb_status put_execution(const struct wb_block *block, wb_diagnostics *diagnostics, struct text *page) {
    struct kernel_flow flow;
    struct parted_warp parted = {.flow = &flow};
    char *printed = NULL;
    wb_status status = kernel_flow_make(block->kernel, diagnostics, &flow);
    if (status == WB_OK) status = read_steps(block, diagnostics, &parted);
    if (status == WB_OK) status = wb_block_report(block, WB_REPORT_TEXT, diagnostics, &printed);
    if (status == WB_OK) {
        put_stacks(&parted, page);
        text_string(page, "    $ warpbound path " DIVERGENCE_PTX " -g 1 -b 8 -a \"buf:u32[8]=zero\"\n");
        example_put_block(printed, page);
    }
    free(printed);
    kernel_flow_free(&flow);
    return status;
}

wb_status divergence_put(wb_diagnostics *diagnostics, struct text *page) {
    wb_module *module = NULL;
    wb_launch *launch = wb_launch_new();
    wb_block *block = NULL;
    wb_status status = launch == NULL ? diagnose_out_of_memory(diagnostics, DIVERGENCE_PTX) : WB_OK;
    if (status == WB_OK) status = wb_module_read(DIVERGENCE_PTX, diagnostics, &module);
    if (status == WB_OK) status = wb_launch_set_grid(launch, (const uint32_t[3]){1, 1, 1}, diagnostics);
    if (status == WB_OK) status = wb_launch_set_block(launch, (const uint32_t[3]){8, 1, 1}, diagnostics);
    if (status == WB_OK) status = wb_launch_add_argument(launch, "buf:u32[8]=zero", diagnostics);
    const wb_trace_options options = {.size = sizeof options};
    if (status == WB_OK)
        status = wb_block_trace(wb_module_kernel(module, 0), launch, &options, diagnostics, &block);
    if (status == WB_OK) status = put_execution(block, diagnostics, page);
    wb_block_free(block);
    wb_launch_free(launch);
    wb_module_free(module);
    return status;
}

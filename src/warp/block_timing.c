#include "warp/block_timing.h"

#include "warp/code_timing.h"
#include "warp/timed_variants.h"

static wb_status block_code(const struct wb_block *block, const struct wb_machine *machine,
                            const struct execution_cost *costs, wb_diagnostics *diagnostics,
                            struct timed_block *timed) {
    const char *name = wb_kernel_name(block->kernel);
    if (block->notes.unmodelled != NULL) {
        ptx_diagnose(diagnostics, SEVERITY_ERROR, block->kernel->module,
                     block_inst(block, block->notes.unmodelled_index, NULL), "%s", block->notes.unmodelled);
        return WB_ERR_DECLINED;
    }
    uint32_t inst_count = block->code_first[block->kernel->module->function_count];
    const bool *used =
        executed_instructions(block->paths.items, block->paths.count, inst_count, &timed->arena);
    if (used == NULL) return diagnose_out_of_memory(diagnostics, name);
    const struct executed_code executed = {block->kernel, block->code_first, block->size, block->warp_width,
                                           used,          &block->notes};
    WB_TRY(timed_code_from(&executed, machine, diagnostics, &timed->arena, &timed->code));
    if (costs == NULL || timed_variants_make(block, costs, timed) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(diagnostics, name);
}

wb_status timed_block_from(const struct wb_block *block, const struct wb_machine *machine,
                           const struct execution_cost *costs, wb_diagnostics *diagnostics,
                           struct timed_block *timed) {
    struct timed_block made = {.machine = machine,
                               .traced = block,
                               .paths = block->paths.items,
                               .path_count = (uint32_t)block->paths.count,
                               .warp_path = block->warp_path,
                               .warp_count = block->warp_count};
    wb_status status = block_code(block, machine, costs, diagnostics, &made);
    if (status == WB_OK) {
        *timed = made;
    } else {
        timed_block_free(&made);
    }
    return status;
}

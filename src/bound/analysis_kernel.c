#include "bound/analysis_kernel.h"

#include "memory/abstract_grid.h"
#include "warp/grid_block.h"

/* The kind whose block alone is bounded by most cycles. */
static size_t longest_kind(const struct grid_work *work) {
    size_t longest = 0;
    for (size_t k = 1; k < work->kinds.count; k++)
        if (work->kinds.items[k].alone > work->kinds.items[longest].alone) longest = k;
    return longest;
}

/* The block of the grid with the most initiations, on a machine with caches. */
static uint32_t busiest_block(const struct memory_work *work) {
    uint32_t busiest = 0;
    for (uint32_t b = 1; b < work->block_count; b++)
        if (memory_work_of(work, b)->initiations > memory_work_of(work, busiest)->initiations) busiest = b;
    return busiest;
}

/* Analyses block number `number` of the grid by itself, too. */
static wb_status analyse_block(wb_analysis *made, const struct wb_grid *grid, uint32_t number,
                               wb_diagnostics *diagnostics) {
    WB_TRY(grid_block_make(grid, number, diagnostics, &made->longest_block));
    return wb_analysis_new(made->longest_block, made->machine, diagnostics, &made->longest);
}

wb_status analysis_of_grid(wb_analysis *made, const struct wb_grid *grid, const struct wb_machine *machine,
                           const wb_watch *watch, wb_diagnostics *diagnostics) {
    made->machine = machine;
    WB_TRY(timed_grid_make(grid, machine, diagnostics, &made->grid_times));
    if (memory_has_hierarchy(&machine->memory)) {
        made->has_memory = true;
        WB_TRY(memory_work_make(&made->grid_times, gpu_scheme_at(0), diagnostics, &made->memory));
        return analyse_block(made, grid, busiest_block(&made->memory), diagnostics);
    }
    made->has_work = true;
    WB_TRY(grid_kinds_make(&made->grid_times, watch, diagnostics, &made->kinds, &made->work));
    const struct block_kind *kind = &made->work.kinds.items[longest_kind(&made->work)];
    return analyse_block(made, grid, kind->first, diagnostics);
}

wb_status analysis_of_hand_grid(wb_analysis *made, wb_diagnostics *diagnostics) {
    made->machine = &made->by_hand.machine;
    made->has_work = true;
    WB_TRY(abstract_grid_make(&made->by_hand, diagnostics, &made->lone, &made->grid_times));
    WB_TRY(grid_kinds_by_hand(&made->by_hand, NULL, diagnostics, &made->work));
    const struct block_kind *kind = &made->work.kinds.items[longest_kind(&made->work)];
    return analysis_of_timed(kind->timed, diagnostics, &made->longest);
}

#include "memory/timed_grid.h"

#include "warp/timed/code_timing.h"

static wb_status make_code(struct timed_grid *timed, wb_diagnostics *diagnostics) {
    const struct wb_grid *grid = timed->grid;
    bool *used =
        executed_instructions(grid->paths.items, grid->paths.count, grid->instruction_count, &timed->arena);
    if (used == NULL) return diagnose_out_of_memory(diagnostics, wb_kernel_name(grid->kernel));
    const struct executed_code executed = {grid->kernel, grid->code_first, grid->block_size, grid->warp_width,
                                           used,         &grid->notes};
    return timed_code_from(&executed, timed->machine, diagnostics, &timed->arena, &timed->code);
}

wb_status timed_grid_make(const struct wb_grid *grid, const struct wb_machine *machine,
                          wb_diagnostics *diagnostics, struct timed_grid *timed) {
    *timed = (struct timed_grid){.grid = grid, .machine = machine};
    WB_TRY(wb_machine_check(machine, diagnostics));
    WB_TRY(grid_decline_clusters(grid, diagnostics));
    WB_TRY(traffic_make(grid, machine, diagnostics, &timed->traffic));
    return make_code(timed, diagnostics);
}

void timed_grid_free(struct timed_grid *timed) {
    traffic_free(&timed->traffic);
    arena_free(&timed->arena);
}

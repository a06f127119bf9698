#include "bound/grid/contended_block.h"

#include "warp/path/block.h"
#include "warp/trace/grid_block.h"

/* Counts what the grid of the block alone asks for. */
static wb_status count(wb_diagnostics *diagnostics, struct contended_block *made) {
    if (request_load_alone(&made->timed, &made->load) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(diagnostics, made->timed.machine->name);
}

wb_status contended_block_make(const struct wb_block *block, const struct wb_machine *machine,
                               wb_diagnostics *diagnostics, struct contended_block *made) {
    if (block->covering && block->repeats) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "a loop has so many iterations that their accesses were not counted, which a memory that "
                 "all SMs share needs; --set service=0 leaves that out");
        return WB_ERR_DECLINED;
    }
    if (block->covering) {
        request_load_of_covering(block, machine, &made->load);
        return WB_OK;
    }
    WB_TRY(grid_from_block(block, diagnostics, &made->grid));
    WB_TRY(timed_grid_make(&made->grid, machine, diagnostics, &made->timed));
    return count(diagnostics, made);
}

wb_status contended_block_by_hand(const struct synthetic_block *block, size_t kind,
                                  wb_diagnostics *diagnostics, struct contended_block *made) {
    WB_TRY(synthetic_grid_make_block(block, kind, diagnostics, &made->grid, &made->timed));
    return count(diagnostics, made);
}

void contended_block_free(struct contended_block *block) {
    timed_grid_free(&block->timed);
    grid_clear(&block->grid);
}

void contended_block_add(const struct bound_method *method, const struct wb_machine *machine,
                         const struct request_load *load, wb_bound *bound) {
    const cycles stalls = request_stalls(&machine->memory, load, load->in_flight, 0);
    const cycles services = cycles_mul(load->requests, machine->memory.service);
    bound->cycles = cycles_add(bound->cycles, cycles_add(services, stalls));
    if (bound->kind != WB_UPPER || method->any_order || stalls == 0) return;
    if (!request_ports_several(machine, load->units)) return;
    bound->kind = WB_ESTIMATE;
    bound->reason =
        "requests of several units hold each other back at the limit on outstanding ones, which no "
        "proof for this method covers";
}

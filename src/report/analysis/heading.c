/* The subject of an analysis: the kernel, its launch, the machine. */
#include "report/analysis/analysis.h"

#include <inttypes.h>

#include "report/parts/cover.h"
#include "report/parts/heading.h"
#include "report/write/output.h"
#include "warp/interpret/execute.h"

uint64_t report_count_instructions(const struct wb_block *block) {
    uint64_t instructions = 0;
    for (uint32_t warp = 0; warp < block->warp_count; warp++)
        instructions = cycles_add(instructions, wb_block_warp_instructions(block, warp));
    return instructions;
}

const struct wb_block *report_covering_block(const struct wb_analysis *analysis) {
    if (analysis->block != NULL) return analysis->block;
    return analysis->grid_times.grid->covering.items[0].block;
}

const struct wb_analysis *report_block_of(const struct wb_analysis *analysis) {
    return analysis->longest != NULL ? analysis->longest : analysis;
}

/* The block that was traced from PTX: nothing for one written by hand. */
static void put_block(struct text *out, const struct wb_block *block, const struct wb_machine *machine) {
    if (block == NULL) return;
    heading_put_kernel(out, "kernel   ", block->kernel);
    text_printf(out, "block    (%u,%u,%u) of grid %ux%ux%u, %ux%ux%u threads: ", block->index[0],
                block->index[1], block->index[2], block->grid[0], block->grid[1], block->grid[2],
                block->size[0], block->size[1], block->size[2]);
    text_printf(out, "%u warp%s, %zu distinct path%s, %" PRIu64 " warp instructions\n", block->warp_count,
                plural(block->warp_count), block->paths.count, plural(block->paths.count),
                report_count_instructions(block));
    const struct block_demand demand = block_demand_of(block);
    heading_put_launch(out, &block->inputs, machine, &demand);
}

static void put_grid_launch(struct text *out, const struct wb_analysis *analysis) {
    const struct wb_grid *grid = analysis->grid_times.grid;
    const struct block_demand demand = grid_block_demand(grid);
    if (grid->kernel != NULL) heading_put_launch(out, &grid->inputs, analysis->machine, &demand);
}

void report_heading_put(struct text *out, const struct wb_analysis *analysis, bool all) {
    static const char *const cores[] = {
        [ISA_PTX] = ", dispatch depth ", [ISA_SASS] = ", machine code of sm_"};
    const struct wb_machine *machine = analysis->machine;
    const uint32_t numbers[] = {[ISA_PTX] = machine->dispatch_depth, [ISA_SASS] = machine->sass.sm};
    const enum isa isa = machine_isa(machine);
    if (analysis->kind == SUBJECT_OF_WING) {
        analysis->reader->put_heading(out, analysis->subject);
        text_printf(out, "machine  %s at %g MHz\n\n", machine->name, machine->clock_mhz);
        return;
    }
    if (analysis->longest != NULL) {
        kernel_put_heading(out, analysis, all);
        return;
    }
    if (analysis->timed == NULL) {
        heading_put_gpu(out, &analysis->grid_times);
        put_grid_launch(out, analysis);
        if (wb_analysis_is_covering(analysis)) cover_put_heading(out, report_covering_block(analysis));
        text_printf(out, "scheme   %s\n\n", analysis->scheme->name);
        return;
    }
    put_block(out, analysis->block, machine);
    if (wb_analysis_is_covering(analysis)) cover_put_heading(out, analysis->block);
    text_printf(out, "machine  %s at %g MHz, global memory latency ", machine->name, machine->clock_mhz);
    heading_put_memory_latency(out, machine);
    text_string(out, cores[isa]);
    if (numbers[isa] == DEPTH_UNLIMITED)
        text_string(out, "unlimited");
    else
        text_printf(out, "%u", numbers[isa]);
    if (analysis->block != NULL) text_printf(out, ", requests %s", memory_requests_name(&machine->memory));
    heading_put_fetch(out, &machine->fetch);
    text_string(out, "\n\n");
}

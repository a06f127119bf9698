/* Of a kernel that is too large to be simulated unasked, its first blocks are, without the others: as many as
 * the GPU holds at a time, or fewer. That is an execution of these blocks, and bounds the kernel from no
 * side.
 */
#include "analyze/request.h"
#include "bound/analysis/analysis.h"
#include "bound/analysis/verdict.h"
#include "launch/launch.h"
#include "machine/occupancy.h"
#include "warp/trace/blocks.h"
#include "warp/trace/trace.h"

/* Most warp instructions that they execute, which nobody asked for. */
#define INSTRUCTIONS_MAX UINT64_C(1000000)

/* What is executed, beside covering paths or alone. */
static const struct wb_analysis *executed_of(const struct wb_analysis *analysis) {
    return analysis->owned.given != NULL ? analysis->owned.given : analysis;
}

/* How many they are; 0: even one is too long. */
static uint64_t how_many(const struct wb_analysis *executed, wb_diagnostics *messages) {
    const struct wb_machine *machine = machine_as_stated(executed->machine);
    const struct wb_grid *grid = executed->grid_times.grid;
    const struct block_demand demand = grid_block_demand(grid);
    const uint64_t blocks = grid_block_count(grid), each = analysis_instructions(executed) / blocks + 1;
    struct resident_range resident;
    if (machine_resident_range(machine, &demand, false, messages, &resident) != WB_OK) return 0;
    const uint64_t wave = cycles_min((uint64_t)resident.most * machine->memory.sms, blocks);
    return cycles_min(wave, INSTRUCTIONS_MAX / each);
}

/* The analysis of them alone. */
static wb_status analyse(const struct request *request, const struct wb_analysis *executed, uint64_t blocks,
                         wb_diagnostics *messages, wb_analysis **made) {
    wb_grid_options trace = request_given_grid(request);
    wb_grid *grid = NULL;
    trace.first_blocks = (uint32_t)blocks;
    trace.until_unknown = true;
    trace.instruction_limit = 2 * INSTRUCTIONS_MAX;
    WB_TRY(wb_grid_trace(request->kernel, request->launch, &trace, messages, &grid));
    wb_status status = analysis_new_kernel(grid, machine_as_stated(executed->machine), NULL,
                                           &request->asked.watch, messages, made);
    if (status == WB_OK)
        (*made)->owned.grid = grid;
    else
        wb_grid_free(grid);
    return status;
}

/* Simulates them; what cannot be is left out. */
static wb_status simulate_first(const struct request *request, wb_diagnostics *messages, void *made) {
    wb_analysis *analysis = made, *part = NULL;
    const struct wb_analysis *executed = executed_of(analysis);
    const uint64_t blocks = how_many(executed, messages);
    wb_status status = blocks == 0 ? WB_ERR_DECLINED : analyse(request, executed, blocks, messages, &part);
    if (status == WB_OK) status = wb_analysis_simulate(part, NULL, &request->asked.watch, messages);
    if (status == WB_OK) {
        const wb_slowest found = analysis_found(part, false);
        const uint32_t last = (uint32_t)part->owned.grid->blocks.count - 1;
        wb_first_blocks *first = &analysis->first_blocks;
        *first = (wb_first_blocks){.cycles = found.cycles,
                                   .policy = found.name,
                                   .blocks = last + 1,
                                   .with_zeros = request->launch->with_zeros};
        grid_block_index(part->owned.grid, last, first->last);
    }
    wb_analysis_free(part);
    return status;
}

wb_status request_find_first_blocks(const struct request *request, wb_analysis *analysis,
                                    wb_diagnostics *diagnostics) {
    const struct wb_analysis *executed = executed_of(analysis);
    const struct wb_grid *grid = executed->grid_times.grid;
    const bool is_covering = executed->facts != NULL; /* the whole with its data, or zeros, is too long */
    struct wb_diagnostics messages = {0};
    if (request->asked.policies != NULL || request->asked.scheme != NULL) return WB_OK;
    if (wb_analysis_scope(analysis) != WB_SCOPE_KERNEL) return WB_OK;
    if (grid == NULL || analysis_found(executed, false).cycles > 0) return WB_OK;
    if (!is_covering && !executed->too_large && !grid_is_counted(grid)) return WB_OK;
    (void)simulate_first(request, &messages, analysis);
    request_settle(&messages, messages.no_memory, diagnostics);
    if (messages.no_memory) return WB_ERR_LIMIT;
    return analysis->first_blocks.cycles > 0
               ? WB_OK
               : request_use_zeros(request, simulate_first, diagnostics, analysis);
}

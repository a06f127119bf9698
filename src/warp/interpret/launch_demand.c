#include "warp/interpret/execute.h"

#include "sass/sass.h"
#include "warp/interpret/warp.h"

/* Threads of a block of these dimensions, where trailing ones may be missing; 0: none are given. */
static uint32_t threads_of(const uint32_t dimensions[3]) {
    uint64_t threads = dimensions[0];
    for (int axis = 1; axis < 3 && threads <= UINT32_MAX; axis++)
        threads *= dimensions[axis] == 0 ? 1 : dimensions[axis];
    return threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
}

struct register_facts launch_registers(const struct wb_kernel *kernel, const struct wb_launch *launch) {
    const struct ptx_tuning *tuning = &kernel_function(kernel)->tuning;
    const uint32_t required = threads_of(tuning->reqntid);
    const uint32_t of_code = wb_kernel_registers(kernel);
    return (struct register_facts){
        .exact = of_code != 0 ? of_code : launch->registers,
        .of_code = of_code != 0,
        .most = tuning->maxnreg,
        .bound_threads = required != 0 ? required : threads_of(tuning->maxntid),
        .bound_blocks = tuning->minnctapersm,
    };
}

/* Lays out the shared memory of the kernel. */
static wb_status find_shared(const struct wb_kernel *kernel, const struct wb_launch *launch,
                             struct arena *arena, wb_diagnostics *diagnostics, uint64_t *bytes) {
    struct program program = {0};
    uint32_t *code_first;
    WB_TRY(code_number(kernel->module, arena, &code_first));
    wb_status status = program_scan(&program, kernel, arena, code_first, diagnostics);
    if (status == WB_OK)
        *bytes = machine_code_shared(kernel->module->code, program_shared_bytes(&program, launch));
    program_free(&program);
    return status;
}

wb_status launch_demand(const struct wb_kernel *kernel, const struct wb_launch *launch, uint32_t warp_width,
                        wb_diagnostics *diagnostics, struct block_demand *demand) {
    struct arena arena = {0};
    const size_t errors = wb_diagnostics_errors(diagnostics);
    WB_TRY(launch_check_block(kernel, launch, diagnostics));
    *demand = (struct block_demand){.threads = threads_of(launch->block),
                                    .registers = launch_registers(kernel, launch)};
    demand->warps = (demand->threads + warp_width - 1) / warp_width;
    wb_status status = find_shared(kernel, launch, &arena, diagnostics, &demand->shared_bytes);
    arena_free(&arena);
    if (status == WB_ERR_LIMIT && wb_diagnostics_errors(diagnostics) == errors)
        return diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
    return status;
}

wb_status wb_occupancy_find(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                            wb_diagnostics *diagnostics, wb_occupancy *occupancy) {
    struct block_demand demand;
    wb_occupancy found = {.kernel = kernel, .launch = launch};
    WB_TRY(launch_demand(kernel, launch, machine->warp_width, diagnostics, &demand));
    memcpy(found.block, launch->block, sizeof found.block);
    machine_occupancy(machine, &demand, &found);
    if (found.blocks_most == WB_UNLIMITED) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "the machine does not state how much of anything an SM has (limits)");
        return WB_ERR_DECLINED;
    }
    *occupancy = found;
    return WB_OK;
}

struct block_demand block_demand_of(const struct wb_block *block) {
    return (struct block_demand){.warps = block->warp_count,
                                 .threads = threads_of(block->size),
                                 .shared_bytes = block->shared_bytes,
                                 .registers = block->registers};
}

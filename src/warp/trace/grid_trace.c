/* The kernel analyzer (JCSE'17, algorithms 1 and 2): executes the blocks of a launch and adds each to a grid.
 */
#include "warp/interpret/execute.h"
#include "warp/interpret/footprint.h"
#include "warp/interpret/launch_demand.h"
#include "warp/interpret/run.h"
#include "warp/path/access_list.h"
#include "warp/path/grid.h"
#include "warp/timed/wait_role.h"
#include "warp/trace/block_trace.h"

/* What is executed, and room for the block at hand. */
struct grid_trace {
    struct run run;
    struct wb_grid *grid;
    struct path *paths;           /* per warp */
    struct access_list *accesses; /* per warp */
};

wb_status grid_find_barriers(struct wb_grid *grid) {
    const struct wb_module *module = grid->kernel->module;
    grid->instruction_count = grid->code_first[module->function_count];
    grid->is_barrier = arena_array(&grid->arena, (size_t)grid->instruction_count + 1, sizeof(bool));
    if (grid->is_barrier == NULL) return WB_ERR_LIMIT;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        bool *is_barrier = grid->is_barrier + grid->code_first[f];
        for (uint32_t i = 0; i < function->inst_count; i++)
            is_barrier[i] = barrier_scope_of(function, &function->insts[i], grid->block_size,
                                             grid->warp_width) == BARRIER_WHOLE;
    }
    return WB_OK;
}

/* The end of what the lanes of `mask` access of local memory. */
static uint64_t local_end(const struct access_stream *stream, const struct access *access, uint32_t mask) {
    uint64_t end = 0;
    uint32_t rank = 0;
    FOR_LANES_OF(l, access->mask) {
        uint64_t address = access->table == ACCESS_AFFINE ? access->base + (uint64_t)access->stride * l
                                                          : stream->tables[access->table + rank++];
        if ((mask >> l & 1) != 0 && address + access->bytes > end) end = address + access->bytes;
    }
    return end;
}

void grid_find_local_bytes(struct wb_grid *grid) {
    uint64_t end = 0, sure_end = 0;
    for (size_t s = 0; s < grid->streams.count; s++) {
        const struct access_stream *stream = &grid->streams.items[s];
        for (uint32_t i = 0; i < stream->access_count; i++) {
            const struct access *access = &stream->accesses[i];
            if (access->space != PTX_SPACE_LOCAL) continue;
            grid->cover.local_open |= access->table == ACCESS_UNKNOWN;
            if (access->table == ACCESS_UNKNOWN) continue;
            const uint64_t all = local_end(stream, access, access->mask);
            const uint64_t sure = local_end(stream, access, access->mask & ~access->unsure);
            end = all > end ? all : end;
            sure_end = sure > sure_end ? sure : sure_end;
        }
    }
    grid->cover.local_open |= sure_end != end;
    grid->local_bytes = (end + 3) / 4 * 4;
}

static wb_status trace_begin(struct grid_trace *trace) {
    struct run *run = &trace->run;
    struct wb_grid *grid = trace->grid;
    WB_TRY(run_number_code(run->kernel->module, &grid->arena, &grid->code_first));
    WB_TRY(run_begin(run, &grid->arena, grid->code_first));
    memcpy(grid->dimensions, run->grid, sizeof grid->dimensions);
    memcpy(grid->block_size, run->size, sizeof grid->block_size);
    memcpy(grid->first_index, run->index, sizeof grid->first_index);
    grid->shared_bytes = run->shared_bytes;
    grid->registers = launch_registers(run->kernel, run->launch);
    if (launch_inputs_of(run->launch, run->unknown_contents, &grid->arena, &grid->inputs) != WB_OK)
        return run_no_memory(run);
    grid->warp_count = run->warp_count;
    grid->warp_width = run->warp_width;
    trace->paths = calloc((size_t)run->warp_count + 1, sizeof *trace->paths);
    trace->accesses = calloc((size_t)run->warp_count + 1, sizeof *trace->accesses);
    if (trace->paths == NULL || trace->accesses == NULL) return run_no_memory(run);
    return grid_find_barriers(grid);
}

/* Notes that a warp of the next block was steered. */
static wb_status keep_steering(struct wb_grid *grid, const struct warp *warp) {
    const struct steering *steering = &warp->steering;
    struct steered_warp steered = {
        .block = (uint32_t)grid->blocks.count,
        .warp = warp->number,
        .instruction = steering->instruction,
        .origin = steering->origin == ORIGIN_UNWRITTEN ? PTX_NO_INDEX : steering->origin,
        .branch = steering->branch,
    };
    return vec_push(&grid->steered, steered);
}

static wb_status trace_block(struct grid_trace *trace) {
    struct run *run = &trace->run;
    for (uint32_t w = 0; w < run->warp_count; w++)
        trace->accesses[w].items.count = trace->accesses[w].tables.count = 0;
    WB_TRY(run_block(run, trace->accesses));
    for (uint32_t w = 0; w < run->warp_count; w++) {
        WB_TRY(path_hand_over(&run->warps[w].path, &trace->paths[w]));
        if (run->warps[w].steered) WB_TRY(keep_steering(trace->grid, &run->warps[w]));
    }
    WB_TRY(grid_add_block(trace->grid, trace->paths, trace->accesses));
    run->kept = footprint_of_grid(trace->grid);
    return footprint_check(run);
}

/* Whether a warp was perhaps steered by what the PTX ISA leaves open: it is assumed then, all over again. */
static bool needs_assumptions(const struct grid_trace *trace) {
    return trace->grid->steered.count > 0 && (trace->run.left_open & ~trace->run.assumptions) != 0;
}

static wb_status trace_blocks(struct grid_trace *trace, bool one_block) {
    WB_TRY(trace_begin(trace));
    do {
        WB_TRY(trace_block(trace));
    } while (!one_block && !needs_assumptions(trace) && run_next_block(&trace->run));
    if (memory_objects_of(&trace->run, &trace->grid->cover.objects) != WB_OK)
        return run_no_memory(&trace->run);
    trace->grid->notes = trace->run.notes;
    grid_find_local_bytes(trace->grid);
    return WB_OK;
}

static void trace_end(struct grid_trace *trace) {
    for (uint32_t w = 0; w < trace->run.warp_count; w++) {
        if (trace->paths != NULL) path_free(&trace->paths[w]);
        if (trace->accesses == NULL) continue;
        access_list_free(&trace->accesses[w]);
    }
    free(trace->paths);
    free(trace->accesses);
    run_end(&trace->run);
}

/* Executes what the options ask for into a grid that is empty but for its kernel. *assumptions (bits of enum
 * launch_assumption) are made; it becomes larger when more are needed. */
static wb_status trace_grid(struct wb_grid *grid, const wb_launch *launch, const wb_grid_options *options,
                            wb_diagnostics *diagnostics, uint32_t *assumptions) {
    if (options->cover) return grid_trace_covering(grid, launch, options, diagnostics);
    struct grid_trace trace = {.run = {.kernel = grid->kernel,
                                       .launch = launch,
                                       .diagnostics = diagnostics,
                                       .steers = true,
                                       .allow_unmapped = options->allow_unmapped,
                                       .warp_width = options->warp_width,
                                       .assumptions = *assumptions,
                                       .watch = &options->watch,
                                       .instruction_limit = options->instruction_limit,
                                       .memory_limit = options->memory_limit},
                               .grid = grid};
    if (options->one_block) memcpy(trace.run.index, options->block, sizeof trace.run.index);
    wb_status status = trace_blocks(&trace, options->one_block);
    if (status == WB_OK && needs_assumptions(&trace)) *assumptions |= trace.run.left_open;
    trace_end(&trace);
    return status;
}

wb_status wb_grid_trace(const wb_kernel *kernel, const wb_launch *launch, const wb_grid_options *options,
                        wb_diagnostics *diagnostics, wb_grid **grid) {
    static const wb_grid_options defaults = {0};
    size_t errors = wb_diagnostics_errors(diagnostics);
    struct wb_grid *made = NULL;
    wb_status status = WB_OK;
    uint32_t assumed, assumptions = 0;
    do {
        assumed = assumptions;
        wb_grid_free(made);
        made = calloc(1, sizeof *made);
        if (made == NULL) {
            status = WB_ERR_LIMIT;
        } else {
            made->kernel = kernel;
            status =
                trace_grid(made, launch, options == NULL ? &defaults : options, diagnostics, &assumptions);
        }
    } while (status == WB_OK && assumptions != assumed);
    if (status == WB_OK) {
        *grid = made;
        return WB_OK;
    }
    if (wb_diagnostics_errors(diagnostics) == errors)
        (void)diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
    wb_grid_free(made);
    return status;
}

/* Copies of the paths of a block's warps. */
static wb_status copy_paths(const struct wb_block *block, struct path *paths) {
    for (uint32_t w = 0; w < block->warp_count; w++)
        WB_TRY(path_copy(&block->paths.items[block->warp_path[w]], &paths[w]));
    return WB_OK;
}

/* Fills a grid of one block; `paths` has room for those of its warps. */
static wb_status fill_from_block(const struct wb_block *block, struct path *paths, struct wb_grid *grid) {
    const struct wb_module *module = block->kernel->module;
    grid->kernel = block->kernel;
    memcpy(grid->dimensions, block->grid, sizeof grid->dimensions);
    memcpy(grid->block_size, block->size, sizeof grid->block_size);
    memcpy(grid->first_index, block->index, sizeof grid->first_index);
    grid->shared_bytes = block->shared_bytes;
    grid->registers = block->registers;
    grid->notes = block->notes;
    if (block->covering) WB_TRY(grid_note_covering(grid, block));
    grid->warp_count = block->warp_count;
    grid->warp_width = block->warp_width;
    WB_TRY(run_number_code(module, &grid->arena, &grid->code_first));
    WB_TRY(grid_find_barriers(grid));
    WB_TRY(copy_paths(block, paths));
    WB_TRY(grid_add_block(grid, paths, block->accesses));
    grid_find_local_bytes(grid);
    return WB_OK;
}

wb_status grid_from_block(const struct wb_block *block, wb_diagnostics *diagnostics, struct wb_grid *grid) {
    if (block->unrecorded != PTX_NO_INDEX && !block->covering) {
        ptx_diagnose(diagnostics, SEVERITY_ERROR, block->kernel->module,
                     block_inst(block, block->unrecorded, NULL),
                     "which memory this instruction accesses is not known");
        return WB_ERR_DECLINED;
    }
    struct path *paths = calloc((size_t)block->warp_count + 1, sizeof *paths);
    wb_status status = paths == NULL ? WB_ERR_LIMIT : fill_from_block(block, paths, grid);
    for (uint32_t w = 0; paths != NULL && w < block->warp_count; w++)
        path_free(&paths[w]);
    free(paths);
    if (status != WB_OK) return diagnose_out_of_memory(diagnostics, wb_kernel_name(block->kernel));
    return WB_OK;
}

bool wb_grid_is_steered(const wb_grid *grid) {
    return grid->steered.count > 0;
}

/* Says what of the first steered warp is not known, and where that comes from. */
static void explain_steering(const struct wb_grid *grid, const struct steered_warp *first,
                             wb_diagnostics *diagnostics) {
    const struct wb_module *module = grid->kernel->module;
    const char *what = first->origin == first->instruction ? "which memory this instruction accesses"
                       : first->branch                     ? "whether this is executed"
                                                           : "the address";
    uint32_t index[3];
    grid_block_index(grid, first->block, index);
    ptx_diagnose(diagnostics, SEVERITY_ERROR, module, grid_inst(grid, first->instruction, NULL),
                 "%s depends on a value that is not known (block %u,%u,%u, warp %u; %zu warps in all)", what,
                 index[0], index[1], index[2], first->warp, grid->steered.count);
    if (first->origin != PTX_NO_INDEX && first->origin != first->instruction)
        ptx_diagnose(diagnostics, SEVERITY_NOTE, module, grid_inst(grid, first->origin, NULL),
                     "the value comes from here");
}

wb_status grid_decline_covering(const struct wb_grid *grid, wb_diagnostics *diagnostics) {
    if (!grid->cover.covers) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, wb_kernel_name(grid->kernel),
             "these are covering paths: no warp executes all of them, so that they can be bounded, but not "
             "simulated");
    return WB_ERR_DECLINED;
}

/* Declines covering paths some of whose accesses are not recorded. */
static wb_status decline_uncounted(const struct wb_grid *grid, wb_diagnostics *diagnostics) {
    if (!grid->cover.covers) return WB_OK;
    if (grid->cover.uncounted != PTX_NO_INDEX) {
        ptx_diagnose(diagnostics, SEVERITY_ERROR, grid->kernel->module,
                     grid_inst(grid, grid->cover.uncounted, NULL),
                     "which memory this instruction accesses is not known, so that its requests cannot be "
                     "counted; a machine with requests: ideal (--memory ideal) does not count them");
        return WB_ERR_DECLINED;
    }
    if (grid->cover.repeats) {
        diagnose(
            diagnostics, SEVERITY_ERROR, wb_kernel_name(grid->kernel),
            "a loop has so many iterations that their accesses were not counted, which a machine with caches "
            "needs; --memory requests leaves the caches out");
        return WB_ERR_DECLINED;
    }
    if (grid->shapes.count == 0 && grid->blocks.count > 0) {
        diagnose(diagnostics, SEVERITY_ERROR, wb_kernel_name(grid->kernel),
                 "the blocks were executed without recording their accesses");
        return WB_ERR_DECLINED;
    }
    return WB_OK;
}

wb_status grid_decline_steered(const struct wb_grid *grid, wb_diagnostics *diagnostics) {
    WB_TRY(decline_uncounted(grid, diagnostics));
    if (grid->kernel != NULL && grid->notes.unmodelled != NULL) {
        ptx_diagnose(diagnostics, SEVERITY_ERROR, grid->kernel->module,
                     grid_inst(grid, grid->notes.unmodelled_index, NULL), "%s", grid->notes.unmodelled);
        return WB_ERR_DECLINED;
    }
    if (grid->steered.count == 0) return WB_OK;
    if (grid->kernel == NULL)
        diagnose(diagnostics, SEVERITY_ERROR, "grid", "warps are steered by values that are not known");
    else
        explain_steering(grid, &grid->steered.items[0], diagnostics);
    return WB_ERR_DECLINED;
}

wb_status grid_decline_clusters(const struct wb_grid *grid, wb_diagnostics *diagnostics) {
    if (grid->kernel == NULL || grid->blocks.count < 2 || !ptx_in_clusters(kernel_function(grid->kernel)))
        return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, wb_kernel_name(grid->kernel),
             "its blocks start in clusters, on SMs that have room for all of one: that is not modelled; one "
             "block can be bounded (-i 0,0,0)");
    return WB_ERR_DECLINED;
}

const struct ptx_inst *grid_inst(const struct wb_grid *grid, uint32_t index,
                                 const struct ptx_function **function) {
    return code_inst(grid->kernel->module, grid->code_first, index, function);
}

void grid_block_index(const struct wb_grid *grid, uint32_t block, uint32_t index[3]) {
    uint64_t number = block;
    memcpy(index, grid->first_index, sizeof grid->first_index);
    for (uint32_t axis = 0; axis < 3; axis++) {
        index[axis] += (uint32_t)(number % grid->dimensions[axis]);
        number /= grid->dimensions[axis];
    }
}

void wb_grid_free(wb_grid *grid) {
    if (grid == NULL) return;
    grid_clear(grid);
    free(grid);
}

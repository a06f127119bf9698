#include "warp/block.h"

#include "warp/barrier.h"
#include "warp/execute.h"
#include "warp/image.h"

#define DEFAULT_INSTRUCTION_LIMIT UINT64_C(100000000000)

/* Instruction indices of paths: functions one after another. */
static uint32_t *number_code(struct arena *arena, const struct wb_module *module) {
    uint32_t *first = arena_array(arena, (size_t)module->function_count + 1, sizeof *first);
    for (uint32_t f = 0; first != NULL && f < module->function_count; f++)
        first[f + 1] = first[f] + module->functions[f].inst_count;
    return first;
}

/* Everything that does not depend on the block: checks the launch, decodes the code, fills the memory. */
static wb_status run_begin(struct run *run, const struct wb_kernel *kernel, const struct wb_launch *launch,
                           const wb_trace_options *options, struct arena *arena, const uint32_t *code_first,
                           wb_diagnostics *diagnostics) {
    run->module = kernel->module;
    run->kernel = kernel;
    run->launch = launch;
    run->diagnostics = diagnostics;
    run->watch = &options->watch;
    run->instruction_limit =
        options->instruction_limit != 0 ? options->instruction_limit : DEFAULT_INSTRUCTION_LIMIT;
    memcpy(run->grid, launch->grid, sizeof run->grid);
    memcpy(run->size, launch->block, sizeof run->size);
    memcpy(run->index, options->block, sizeof run->index);
    WB_TRY(image_check(run));
    run->warp_count = (run->size[0] * run->size[1] * run->size[2] + WARP_LANES - 1) / WARP_LANES;
    WB_TRY(program_scan(&run->program, kernel, arena, code_first, diagnostics));
    WB_TRY(image_load(run, arena));
    struct region shared;
    uint64_t bytes = run->program.shared_dynamic_base + launch->shared_bytes;
    if (launch->shared_bytes == 0) bytes = run->program.shared_static;
    WB_TRY(memory_add(&run->memory, PTX_SPACE_SHARED, true, bytes, "shared memory", false, diagnostics,
                      &shared));
    run->shared_bytes = bytes;
    return program_decode(&run->program, diagnostics);
}

static void free_warps(struct run *run) {
    for (uint32_t w = 0; run->warps != NULL && w < run->warp_count; w++)
        warp_free(&run->warps[w]);
    free(run->warps);
    run->warps = NULL;
}

static void run_end(struct run *run) {
    free_warps(run);
    program_free(&run->program);
    memory_free(&run->memory);
}

/* Fresh warps and unknown shared memory for the next block. */
static wb_status block_begin(struct run *run, struct access_list *accesses) {
    uint32_t threads = run->size[0] * run->size[1] * run->size[2];
    struct region *shared = &run->memory.regions.items[0]; /* its window is the lowest */
    free_warps(run);
    run->warps = calloc(run->warp_count, sizeof *run->warps);
    if (run->warps == NULL || region_set_known(shared, 0, shared->size, false) != WB_OK)
        return run_no_memory(run);
    memset(run->barriers, 0, sizeof run->barriers);
    for (uint32_t w = 0; w < run->warp_count; w++) {
        uint32_t left = threads - w * WARP_LANES;
        uint32_t live = left >= WARP_LANES ? LANES_ALL : (1u << left) - 1;
        WB_TRY(warp_begin(&run->warps[w], run, w, live));
        run->warps[w].accesses = accesses == NULL ? NULL : &accesses[w];
    }
    return WB_OK;
}

/* Runs the warps in turn, each to its next barrier, until all are done. */
static wb_status block_run(struct run *run) {
    for (bool done = false, progress = true; !done;) {
        if (!progress) return barrier_deadlock(run);
        done = true;
        progress = false;
        for (uint32_t w = 0; w < run->warp_count; w++) {
            struct warp *warp = &run->warps[w];
            if (warp->state == WARP_RELEASED) warp->state = WARP_READY;
            if (warp->state == WARP_READY) {
                WB_TRY(warp_run(warp));
                progress = true;
                if (warp->state == WARP_DONE) barrier_warp_done(run);
            }
            done = done && warp->state == WARP_DONE;
        }
    }
    return WB_OK;
}

/* Hands the paths over to the block: equal ones once. */
static wb_status collect_paths(struct wb_block *block, struct run *run) {
    for (uint32_t w = 0; w < run->warp_count; w++) {
        struct path path;
        size_t known = 0;
        if (path_finish(&run->warps[w].path, &path) != WB_OK) return WB_ERR_LIMIT;
        while (known < block->paths.count && !path_equal(&block->paths.items[known], &path))
            known++;
        block->warp_path[w] = (uint32_t)known;
        if (known < block->paths.count) {
            path_free(&path);
        } else if (vec_push(&block->paths, path) != WB_OK) {
            path_free(&path);
            return WB_ERR_LIMIT;
        }
    }
    return WB_OK;
}

/* Room for what is kept of each warp. */
static wb_status block_allocate(struct wb_block *block, const struct run *run, bool record_accesses) {
    block->warp_count = run->warp_count;
    block->warp_path = arena_array(&block->arena, run->warp_count, sizeof *block->warp_path);
    if (record_accesses)
        block->accesses = arena_array(&block->arena, run->warp_count, sizeof *block->accesses);
    bool failed = block->warp_path == NULL || (record_accesses && block->accesses == NULL);
    return failed ? run_no_memory(run) : WB_OK;
}

static wb_status trace(struct wb_block *block, struct run *run, const struct wb_launch *launch,
                       const wb_trace_options *options, wb_diagnostics *diagnostics) {
    block->code_first = number_code(&block->arena, block->kernel->module);
    if (block->code_first == NULL) return WB_ERR_LIMIT;
    WB_TRY(run_begin(run, block->kernel, launch, options, &block->arena, block->code_first, diagnostics));
    WB_TRY(block_allocate(block, run, options->record_accesses));
    memcpy(block->grid, run->grid, sizeof block->grid);
    memcpy(block->size, run->size, sizeof block->size);
    memcpy(block->index, run->index, sizeof block->index);
    block->shared_bytes = run->shared_bytes;
    WB_TRY(block_begin(run, block->accesses));
    WB_TRY(block_run(run));
    block->divergent_barrier = run->divergent_barrier;
    return collect_paths(block, run);
}

wb_status wb_block_trace(const wb_kernel *kernel, const wb_launch *launch, const wb_trace_options *options,
                         wb_diagnostics *diagnostics, wb_block **block) {
    static const wb_trace_options defaults = {0};
    struct run run = {0};
    struct wb_block *made = calloc(1, sizeof *made);
    if (made == NULL) return WB_ERR_LIMIT;
    size_t errors = wb_diagnostics_errors(diagnostics);
    made->kernel = kernel;
    wb_status status = trace(made, &run, launch, options != NULL ? options : &defaults, diagnostics);
    run_end(&run);
    if (status == WB_OK) {
        *block = made;
        return WB_OK;
    }
    if (wb_diagnostics_errors(diagnostics) == errors)
        diagnose(diagnostics, SEVERITY_ERROR, wb_kernel_name(kernel), "memory is exhausted");
    wb_block_free(made);
    return status;
}

void wb_block_free(struct wb_block *block) {
    if (block == NULL) return;
    for (uint32_t w = 0; block->accesses != NULL && w < block->warp_count; w++) {
        vec_free(&block->accesses[w].items);
        vec_free(&block->accesses[w].tables);
    }
    for (size_t i = 0; i < block->paths.count; i++)
        path_free(&block->paths.items[i]);
    vec_free(&block->paths);
    arena_free(&block->arena);
    free(block);
}

/* Executes all blocks, x first. */
static wb_status grid_run(struct run *run) {
    for (uint32_t z = 0; z < run->grid[2]; z++) {
        for (uint32_t y = 0; y < run->grid[1]; y++) {
            for (uint32_t x = 0; x < run->grid[0]; x++) {
                run->index[0] = x;
                run->index[1] = y;
                run->index[2] = z;
                WB_TRY(block_begin(run, NULL));
                WB_TRY(block_run(run));
            }
        }
    }
    return WB_OK;
}

/* Copies a buffer and its bitmap of known bytes. */
static wb_status copy_buffer(const struct run *run, size_t argument, uint8_t **bytes, uint8_t **known,
                             size_t *size) {
    const struct region *region = image_buffer(run, argument);
    if (region == NULL) {
        diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel), "argument %zu is no buffer",
                 argument + 1);
        return WB_ERR_INPUT;
    }
    size_t bitmap = region->size / 8 + 1;
    uint8_t *contents = malloc(region->size + 1), *bits = malloc(bitmap);
    if (contents == NULL || bits == NULL) {
        free(contents);
        free(bits);
        return run_no_memory(run);
    }
    memcpy(contents, region->bytes, region->size);
    if (region->known == NULL)
        memset(bits, 0xff, bitmap);
    else
        memcpy(bits, region->known, bitmap);
    *bytes = contents;
    *known = bits;
    *size = region->size;
    return WB_OK;
}

wb_status wb_grid_execute(const wb_kernel *kernel, const wb_launch *launch, size_t argument,
                          wb_diagnostics *diagnostics, uint8_t **bytes, uint8_t **known, size_t *size) {
    static const wb_trace_options options = {0};
    struct run run = {0};
    struct arena arena = {0};
    size_t errors = wb_diagnostics_errors(diagnostics);
    uint32_t *code_first = number_code(&arena, kernel->module);
    wb_status status = code_first == NULL ? WB_ERR_LIMIT : WB_OK;
    if (status == WB_OK) status = run_begin(&run, kernel, launch, &options, &arena, code_first, diagnostics);
    if (status == WB_OK) status = grid_run(&run);
    if (status == WB_OK) status = copy_buffer(&run, argument, bytes, known, size);
    run_end(&run);
    arena_free(&arena);
    if (status != WB_OK && wb_diagnostics_errors(diagnostics) == errors)
        diagnose(diagnostics, SEVERITY_ERROR, wb_kernel_name(kernel), "memory is exhausted");
    return status;
}

uint32_t wb_block_warp_count(const struct wb_block *block) {
    return block->warp_count;
}

const struct ptx_inst *block_inst(const struct wb_block *block, uint32_t index,
                                  const struct ptx_function **function) {
    const struct wb_module *module = block->kernel->module;
    uint32_t low = 0, high = module->function_count;
    while (high - low > 1) { /* code_first[low] <= index < code_first[high] */
        uint32_t middle = low + (high - low) / 2;
        if (block->code_first[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    const struct ptx_function *found = &module->functions[low];
    if (function != NULL) *function = found;
    return &found->insts[index - block->code_first[low]];
}

/* Whether an instruction ends lanes of the kernel: those are steps of a path, but not counted. */
static bool is_end(const struct wb_block *block, uint32_t index) {
    return block_inst(block, index, NULL)->form->class_ == PTX_CLASS_EXIT;
}

uint64_t wb_block_warp_instructions(const struct wb_block *block, uint32_t warp) {
    const struct path *path = &block->paths.items[block->warp_path[warp]];
    uint64_t count = path->length;
    for (size_t i = 0; i < path->entries.count; i++) {
        const struct path_entry *entry = &path->entries.items[i];
        if (entry->count == PATH_REPEAT) {
            for (size_t j = i - entry->first; j < i; j++) {
                const struct path_entry *body = &path->entries.items[j];
                for (uint32_t k = 0; k < body->count; k++)
                    if (is_end(block, body->first + k)) count -= entry->mask;
            }
            continue;
        }
        for (uint32_t k = 0; k < entry->count; k++)
            if (is_end(block, entry->first + k)) count--;
    }
    return count;
}

#include "warp/interpret/run.h"

#include "warp/cover/cover.h"
#include "warp/interpret/barrier.h"
#include "warp/interpret/execute.h"
#include "warp/interpret/image.h"
#include "warp/interpret/launch_check.h"

#define DEFAULT_INSTRUCTION_LIMIT UINT64_C(100000000000)
#define DEFAULT_MEMORY_LIMIT (UINT64_C(2) << 30)

wb_status run_number_code(const struct wb_module *module, struct arena *arena, uint32_t **code_first) {
    uint32_t *first = arena_array(arena, (size_t)module->function_count + 1, sizeof *first);
    if (first == NULL) return WB_ERR_LIMIT;
    for (uint32_t f = 0; f < module->function_count; f++)
        first[f + 1] = first[f] + module->functions[f].inst_count;
    *code_first = first;
    return WB_OK;
}

void run_forget_notes(struct run *run) {
    run->notes = (struct execution_notes){0};
    run->unrecorded = run->uncounted = PTX_NO_INDEX;
}

wb_status run_begin(struct run *run, struct arena *arena, const uint32_t *code_first) {
    const struct wb_launch *launch = run->launch;
    run->module = run->kernel->module;
    run->assumptions |= launch->assumptions;
    if (run->instruction_limit == 0) run->instruction_limit = DEFAULT_INSTRUCTION_LIMIT;
    if (run->memory_limit == 0) run->memory_limit = DEFAULT_MEMORY_LIMIT;
    memcpy(run->grid, launch->grid, sizeof run->grid);
    memcpy(run->size, launch->block, sizeof run->size);
    run_forget_notes(run);
    if (run->warp_width == 0) run->warp_width = WARP_LANES;
    if (run->warp_width > WARP_LANES) {
        diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel),
                 "warps have at most %u threads, not %u", WARP_LANES, run->warp_width);
        return WB_ERR_INPUT;
    }
    WB_TRY(launch_check(run->kernel, launch, run->index, run->diagnostics));
    uint32_t threads = run->size[0] * run->size[1] * run->size[2];
    uint32_t warp_count = (threads + run->warp_width - 1) / run->warp_width;
    WB_TRY(program_scan(&run->program, run->kernel, arena, code_first, run->diagnostics));
    WB_TRY(image_load(run, arena));
    struct region shared;
    const uint64_t bytes = program_shared_bytes(&run->program, launch);
    WB_TRY(memory_add(&run->memory, PTX_SPACE_SHARED, true, bytes, "shared memory", false, run->diagnostics,
                      &shared));
    run->shared_bytes = bytes;
    WB_TRY(program_decode(&run->program, run->diagnostics));
    run->warps = calloc((size_t)warp_count + 1, sizeof *run->warps);
    if (run->warps == NULL) return run_no_memory(run);
    run->warp_count = warp_count;
    return WB_OK;
}

void run_end(struct run *run) {
    cover_end(run);
    for (uint32_t w = 0; w < run->warp_count; w++)
        warp_free(&run->warps[w]);
    free(run->warps);
    program_free(&run->program);
    memory_free(&run->memory);
    fact_needs_free(&run->needs);
}

/* Notes what special registers that the code uses are taken to be. */
static void assume_registers(struct run *run) {
    for (size_t i = 0; i < run->program.sregs.count; i++)
        if (run->program.sregs.items[i] == PTX_SREG_WARPID) run_assume(run, ASSUMED_WARP_NUMBERS);
}

/* Fresh warps and unknown shared memory for the next block. */
static wb_status block_begin(struct run *run, struct access_list *accesses) {
    uint32_t threads = run->size[0] * run->size[1] * run->size[2];
    struct region *shared = &run->memory.regions.items[0]; /* its window is the lowest */
    if (region_set_known(shared, 0, shared->size, false) != WB_OK) return run_no_memory(run);
    memset(run->barriers, 0, sizeof run->barriers);
    assume_registers(run);
    for (uint32_t w = 0; w < run->warp_count; w++) {
        uint32_t left = threads - w * run->warp_width;
        uint32_t live = lanes_first(left < run->warp_width ? left : run->warp_width);
        WB_TRY(warp_begin(&run->warps[w], run, w, live));
        run->warps[w].accesses = accesses == NULL ? NULL : &accesses[w];
    }
    return WB_OK;
}

/* Runs a warp to its next barrier, or its end. */
static wb_status run_warp(struct run *run, struct warp *warp) {
    wb_status status = run->cover != NULL ? cover_run_warp(warp) : warp_run(warp);
    if (status == WB_ERR_DECLINED && warp->steered) {
        warp->state = WARP_DONE;
        status = WB_OK;
    }
    if (status == WB_OK && warp->state == WARP_DONE) barrier_warp_done(run);
    return status;
}

/* No warp can go on. Those that wait are steered by what steered the first warp that others were to meet;
 * when there is none it is an error. */
static wb_status end_waiting(struct run *run) {
    const struct warp *cause = NULL;
    for (uint32_t w = run->warp_count; w-- > 0;)
        if (run->warps[w].steered) cause = &run->warps[w];
    if (cause == NULL && run->needs.items.count > 0) return WB_ERR_DECLINED;
    if (cause == NULL) return barrier_deadlock(run);
    for (uint32_t w = 0; w < run->warp_count; w++) {
        struct warp *warp = &run->warps[w];
        if (warp->state != WARP_WAITING) continue;
        (void)warp_steer(warp, warp->waiting_for->index, cause->steering.origin, true);
        warp->state = WARP_DONE;
    }
    return WB_OK;
}

wb_status run_block(struct run *run, struct access_list *accesses) {
    WB_TRY(block_begin(run, accesses));
    for (bool done = false, progress = true; !done;) {
        if (!progress) return end_waiting(run);
        done = true;
        progress = false;
        for (uint32_t w = 0; w < run->warp_count; w++) {
            struct warp *warp = &run->warps[w];
            if (warp->state == WARP_RELEASED) warp->state = WARP_READY;
            if (warp->state == WARP_READY) {
                WB_TRY(run_warp(run, warp));
                progress = true;
            }
            done = done && warp->state == WARP_DONE;
        }
    }
    return WB_OK;
}

bool run_next_block(struct run *run) {
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (++run->index[axis] < run->grid[axis]) return true;
        run->index[axis] = 0;
    }
    return false;
}

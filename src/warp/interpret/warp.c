/* The main loop: one warp from its start, or from a barrier, to the next. */
#include "warp/interpret/warp.h"

#include <inttypes.h>

#include "warp/interpret/control.h"
#include "warp/interpret/execute.h"
#include "warp/interpret/footprint.h"

/* Warp instructions between two questions to the watch: they may add some 20 MB of addresses. */
#define POLL_INTERVAL ((uint64_t)1 << 16)

/* What a warp keeps from block to block: its room for frames and special registers. */
static wb_status allocate(struct warp *warp, struct run *run) {
    warp->banks[BANK_SPECIAL] = calloc(run->program.sregs.count + 1, sizeof(struct lanes));
    warp->frames = calloc(CALL_DEPTH_MAX, sizeof *warp->frames);
    if (warp->banks[BANK_SPECIAL] == NULL || warp->frames == NULL) return run_no_memory(run);
    warp_fill_special(warp);
    return WB_OK;
}

wb_status warp_begin(struct warp *warp, struct run *run, uint32_t number, uint32_t live) {
    warp->run = run;
    warp->number = number;
    warp->live = live;
    warp->state = WARP_READY;
    warp->replayed = warp->steered = false;
    warp->depth = 0;
    warp->stack.count = 0;
    warp->local.size = 0;
    warp->thinned = 0;
    path_restart(&warp->path);
    warp->banks[BANK_CONSTANT] = run->program.constants.items;
    if (warp->frames == NULL) WB_TRY(allocate(warp, run));
    warp_move_special(warp);
    return frame_push(warp, NULL, &run->program.functions[run->kernel->function], live);
}

wb_status run_check_limits(struct run *run) {
    run->next_poll = run->instructions + POLL_INTERVAL;
    if (run->next_poll > run->instruction_limit) run->next_poll = run->instruction_limit;
    const char *kernel = wb_kernel_name(run->kernel);
    if (run->instructions >= run->instruction_limit) {
        run->diagnostics->over_limit = true;
        diagnose(run->diagnostics, SEVERITY_ERROR, kernel,
                 "more than %" PRIu64 " warp instructions; is there a loop without end?",
                 run->instruction_limit);
        return WB_ERR_LIMIT;
    }
    WB_TRY(footprint_check(run));
    const wb_watch *watch = run->watch;
    if (watch == NULL || watch->poll == NULL || watch->poll(watch->user, "execute", run->instructions, 0))
        return WB_OK;
    diagnose(run->diagnostics, SEVERITY_ERROR, kernel, "interrupted");
    return WB_ERR_LIMIT;
}

/* Executes an instruction whose guard is not known in the lanes of `unsure`. */
static wb_status execute_unsure(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    if (!op->accesses_memory) return op->unsure(warp, op, mask, unsure);
    if (warp->run->steers) return warp_decline(warp, op, op->guard, unsure, NEED_GUARD);
    return unsure_access(warp, op, mask, unsure);
}

/* Executes one instruction whose guard is not true in all lanes, or not known. */
static wb_status execute_guarded(struct warp *warp, const struct micro *op, uint32_t active) {
    uint32_t known = warp_slot(warp, op->guard)->known;
    uint32_t mask = active & known & warp_predicate(warp, op->guard);
    uint32_t unsure = active & ~known;
    if (unsure != 0) return execute_unsure(warp, op, mask, unsure);
    if (mask != 0) return op->execute(warp, op, mask);
    if (op->execute == group_execute) return group_execute(warp, op, mask);
    if (op->execute == barrier_execute) notes_unmodelled(&warp->run->notes, op->index, SKIPPED_BARRIER);
    return WB_OK;
}

/* Executes the instruction at the top of the SIMT stack. */
static inline wb_status warp_step(struct warp *warp, struct simt_entry *top) {
    const struct micro *op = &warp->frame->code->micros[top->pc];
    uint32_t active = top->mask, index = op->index;
    top->pc++;
    WB_TRY(op->has_guard ? execute_guarded(warp, op, active) : op->execute(warp, op, active));
    if (warp->replayed) {
        warp->replayed = false;
        return WB_OK;
    }
    warp->run->instructions++;
    if (op->inst != NULL && path_append(&warp->path, index, active) != WB_OK) return warp_no_memory(warp, op);
    return WB_OK;
}

wb_status warp_run(struct warp *warp) {
    struct run *run = warp->run;
    while (warp->state == WARP_READY) {
        if (warp->stack.count == warp->frame->stack_base) {
            simt_settle(warp);
            continue;
        }
        struct simt_entry *top = &warp->stack.items[warp->stack.count - 1];
        if (top->mask == 0 || top->pc == top->reconvergence) {
            simt_settle(warp);
            continue;
        }
        if (run->instructions >= run->next_poll) WB_TRY(run_check_limits(run));
        WB_TRY(warp_step(warp, top));
    }
    return WB_OK;
}

void warp_free(struct warp *warp) {
    for (uint32_t i = 0; warp->frames != NULL && i < CALL_DEPTH_MAX; i++)
        free(warp->frames[i].registers);
    free(warp->frames);
    free(warp->banks[BANK_SPECIAL]);
    vec_free(&warp->stack);
    path_writer_free(&warp->path);
    local_free(&warp->local);
    memset(warp, 0, sizeof *warp);
}

/* The main loop: one warp from its start, or from a barrier, to the next. */
#include "warp/warp.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "warp/control.h"

#define MESSAGE_MAX 500

/* Warp instructions between two questions to the watch. */
#define POLL_INTERVAL ((uint64_t)1 << 20)

wb_status warp_fail(const struct warp *warp, const struct micro *op, wb_status status, const char *format,
                    ...) {
    char message[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ptx_diagnose(warp->run->diagnostics, SEVERITY_ERROR, warp->run->module, op->inst, "%s", message);
    return status;
}

wb_status run_no_memory(const struct run *run) {
    diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel), "memory is exhausted");
    return WB_ERR_LIMIT;
}

wb_status warp_no_memory(const struct warp *warp, const struct micro *op) {
    if (op == NULL || op->inst == NULL) return run_no_memory(warp->run);
    return warp_fail(warp, op, WB_ERR_LIMIT, "memory is exhausted");
}

wb_status warp_decline(const struct warp *warp, const struct micro *op, struct slot slot, uint32_t lanes,
                       const char *what) {
    const struct run *run = warp->run;
    uint32_t origin = warp_origin(warp_slot(warp, slot), op);
    ptx_diagnose(run->diagnostics, SEVERITY_ERROR, run->module, op->inst,
                 "%s depends on a value that is not known (lane %u of warp %u)", what,
                 (uint32_t)__builtin_ctz(lanes), warp->number);
    const struct ptx_inst *from = origin == ORIGIN_UNWRITTEN ? NULL : program_inst(&run->program, origin);
    if (from == NULL)
        ptx_diagnose(run->diagnostics, SEVERITY_NOTE, run->module, op->inst,
                     "it comes from a register that was never written");
    else
        ptx_diagnose(run->diagnostics, SEVERITY_NOTE, run->module, from, "the value comes from here");
    return WB_ERR_DECLINED;
}

void warp_forget_outputs(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t origin) {
    for (uint32_t i = 0; i < op->output_count; i++)
        lanes_forget(warp_slot(warp, op->outputs[i]), mask, origin);
    if (op->form->carry_out) lanes_forget(warp_slot(warp, op->destination2), mask, origin);
}

wb_status warp_begin(struct warp *warp, struct run *run, uint32_t number, uint32_t live) {
    warp->run = run;
    warp->number = number;
    warp->live = live;
    warp->state = WARP_READY;
    warp->banks[BANK_CONSTANT] = run->program.constants.items;
    warp->banks[BANK_SPECIAL] = calloc(run->program.sregs.count + 1, sizeof(struct lanes));
    warp->frames = calloc(CALL_DEPTH_MAX, sizeof *warp->frames);
    if (warp->banks[BANK_SPECIAL] == NULL || warp->frames == NULL) return run_no_memory(run);
    warp_fill_special(warp);
    return frame_push(warp, NULL, &run->program.functions[run->kernel->function], live);
}

/* Asks whether to go on, and checks the limit of instructions. */
static wb_status check_limits(struct run *run) {
    run->next_poll = run->instructions + POLL_INTERVAL;
    if (run->next_poll > run->instruction_limit) run->next_poll = run->instruction_limit;
    const char *kernel = wb_kernel_name(run->kernel);
    if (run->instructions >= run->instruction_limit) {
        diagnose(run->diagnostics, SEVERITY_ERROR, kernel,
                 "more than %" PRIu64 " warp instructions; is there a loop without end?",
                 run->instruction_limit);
        return WB_ERR_LIMIT;
    }
    const wb_watch *watch = run->watch;
    if (watch == NULL || watch->poll == NULL || watch->poll(watch->user, "execute", run->instructions, 0))
        return WB_OK;
    diagnose(run->diagnostics, SEVERITY_ERROR, kernel, "interrupted");
    return WB_ERR_LIMIT;
}

/* Executes one instruction whose guard is not true in all lanes, or not known. */
static wb_status execute_guarded(struct warp *warp, const struct micro *op, uint32_t active) {
    uint32_t known = warp_slot(warp, op->guard)->known;
    uint32_t mask = active & known & warp_predicate(warp, op->guard);
    uint32_t unsure = active & ~known;
    if (unsure != 0) return op->unsure(warp, op, mask, unsure);
    return mask == 0 ? WB_OK : op->execute(warp, op, mask);
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
        if (run->instructions >= run->next_poll) WB_TRY(check_limits(run));
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

/* The main loop of covering runs. */
#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"
#include "warp/path/access_list.h"

/* Most instructions of groups none of whose lanes is certain to be there. */
#define PERHAPS_MAX (UINT64_C(1) << 27)

/* WB_ERR_DECLINED with a message when sides of branches that may not be taken are executed for too long: each
 * branch doubles the sides behind it that do not meet before the next one. */
static wb_status check_perhaps(const struct warp *warp) {
    const struct cover_group *group = cover_top(warp)->group;
    const struct run *run = warp->run;
    if (run->cover->perhaps <= PERHAPS_MAX || group == NULL) return WB_OK;
    const struct ptx_inst *branch = program_inst(&run->program, group->branch);
    diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel),
             "too many paths to be covered: sides of branches that unknown values decide have more than %llu "
             "warp instructions, as they meet too late",
             (unsigned long long)PERHAPS_MAX);
    diagnose(
        run->diagnostics, SEVERITY_NOTE, wb_kernel_name(run->kernel),
        "flow facts can make them fewer: 'never LABEL' where a side is not taken, 'at most N of LABEL per "
        "LABEL' where it is rarely, smaller limits of loops ('warpbound facts' lists them)");
    if (branch != NULL) ptx_diagnose(run->diagnostics, SEVERITY_NOTE, run->module, branch, "one of them");
    return WB_ERR_DECLINED;
}

/* Executes by kind: `mask` are the lanes of the top entry whose guard holds, `unsure` those whose guard is
 * not known. */
static wb_status execute_kind(struct warp *warp, const struct micro *op, enum cover_kind kind, uint32_t mask,
                              uint32_t unsure) {
    const struct simt_entry *top = cover_top(warp);
    const uint32_t doubtful = unsure | (mask & warp->unsure);
    warp->run->cover->perhaps += (top->mask & ~top->group->maybe) == 0;
    switch (kind) {
    case COVER_KIND_PLAIN:
        if (unsure != 0) return op->unsure(warp, op, mask, unsure);
        return mask != 0 ? op->execute(warp, op, mask) : WB_OK;
    case COVER_KIND_EXCHANGE:
        if (doubtful != 0) return op->unsure(warp, op, mask & ~doubtful, doubtful);
        return mask != 0 ? op->execute(warp, op, mask) : WB_OK;
    case COVER_KIND_MEMORY: return cover_access(warp, op, mask, unsure);
    case COVER_KIND_BRANCH: return cover_branch(warp, op, mask, unsure);
    case COVER_KIND_RETURN: return cover_return(warp, op, mask, unsure);
    case COVER_KIND_EXIT: return cover_exit(warp, op, mask, unsure);
    case COVER_KIND_TRAP: return cover_trap(warp, op, mask);
    case COVER_KIND_BARRIER: return cover_barrier(warp, op, mask, unsure);
    case COVER_KIND_CALL: break;
    }
    return unsure != 0 ? op->unsure(warp, op, mask, unsure) : op->execute(warp, op, mask);
}

/* Notes that no lane is certain to execute the next step. */
static wb_status note_perhaps(struct warp *warp, const struct micro *op) {
    if (warp->accesses == NULL || op->inst == NULL) return WB_OK;
    const uint64_t step = warp->path.path.length;
    const struct step_range range = {step, step + 1};
    return step_range_add(warp->accesses, &range) == WB_OK ? WB_OK : warp_no_memory(warp, op);
}

/* Executes the next instruction of the top entry. */
static wb_status cover_step(struct warp *warp) {
    const struct cover_function *function = cover_function_of(warp);
    if (cover_top(warp)->group == NULL) WB_TRY(cover_group_open(warp, warp->stack.count - 1));
    struct simt_entry *top = cover_top(warp);
    uint32_t pc = top->pc;
    if (function->marks[pc] != 0) {
        WB_TRY(cover_arrive(warp, pc));
        if (top->mask == 0) return WB_OK;
    }
    const struct micro *op = &warp->frame->code->micros[pc];
    uint32_t active = top->mask, mask = active, unsure = 0;
    if (op->has_guard) {
        uint32_t known = warp_slot(warp, op->guard)->known;
        mask = active & known & warp_predicate(warp, op->guard);
        unsure = active & ~known;
    }
    warp->unsure = cover_unsure(top->group);
    const bool perhaps = (active & ~warp->unsure) == 0;
    top->pc++;
    top->group->from = pc;
    top->group->replays = false;
    WB_TRY(execute_kind(warp, op, (enum cover_kind)function->kinds[pc], mask, unsure));
    if (warp->replayed) {
        warp->replayed = false;
        return WB_OK;
    }
    warp->run->instructions++;
    if (perhaps) WB_TRY(note_perhaps(warp, op));
    if (op->inst != NULL && path_append(&warp->path, op->index, active) != WB_OK)
        return warp_no_memory(warp, op);
    return WB_OK;
}

wb_status cover_run_warp(struct warp *warp) {
    struct run *run = warp->run;
    while (warp->state == WARP_READY) {
        const struct simt_entry *top = warp->stack.count == warp->frame->stack_base ? NULL : cover_top(warp);
        if (top == NULL || top->mask == 0 || top->pc == top->reconvergence || run->cover->settles ||
            cover_leaves_region(warp)) {
            WB_TRY(cover_settle(warp));
            continue;
        }
        if (run->instructions >= run->next_poll) {
            WB_TRY(check_perhaps(warp));
            WB_TRY(run_check_limits(run));
        }
        WB_TRY(cover_step(warp));
    }
    return WB_OK;
}

wb_status cover_note(struct warp *warp, const struct micro *op, enum cover_need need, struct slot slot) {
    struct cover *cover = warp->run->cover;
    uint8_t bit = (uint8_t)(1u << need);
    if ((cover->caused[op->index] & bit) != 0) return WB_OK;
    cover->caused[op->index] |= bit;
    struct cover_cause cause = {op->index, warp_origin(warp_slot(warp, slot), op), need};
    return vec_push(&cover->causes, cause) == WB_OK ? WB_OK : warp_no_memory(warp, op);
}

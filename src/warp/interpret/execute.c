/* Shared execution code of all kinds of instructions, and instructions that compute nothing. */
#include "warp/interpret/execute.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/base.h"

#define MESSAGE_MAX 500

/* Warp instructions between two questions to the watch: they may add some 20 MB of addresses. */
#define POLL_INTERVAL ((uint64_t)1 << 16)

wb_status warp_fail(const struct warp *warp, const struct micro *op, wb_status status, const char *format,
                    ...) {
    char message[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(message, sizeof message, format, arguments);
    va_end(arguments);
    ptx_diagnose(warp->run->diagnostics, SEVERITY_ERROR, warp->run->module, op->inst, "%s", message);
    return status;
}

bool open_is_assumed(struct run *run, enum launch_assumption what) {
    static const enum assumed noted[] = {
        [LAUNCH_ASSUME_APPROX] = ASSUMED_APPROXIMATE_RESULTS,
        [LAUNCH_ASSUME_DIV_ZERO] = ASSUMED_DIVISION_BY_ZERO,
        [LAUNCH_ASSUME_POINTER_ORDER] = ASSUMED_POINTER_ORDER,
        [OPEN_ATOMIC_ORDER] = ASSUMED_ATOMIC_ORDER,
        [LAUNCH_ASSUME_NO_CONTRACTION] = ASSUMED_NO_CONTRACTION,
    };
    if ((run->assumptions >> what & 1) == 0) return false;
    run_assume(run, noted[what]);
    return true;
}

wb_status run_no_memory(const struct run *run) {
    return diagnose_out_of_memory(run->diagnostics, wb_kernel_name(run->kernel));
}

wb_status warp_no_memory(const struct warp *warp, const struct micro *op) {
    if (op == NULL || op->inst == NULL) return run_no_memory(warp->run);
    warp->run->diagnostics->no_memory = true;
    return warp_fail(warp, op, WB_ERR_LIMIT, "memory is exhausted");
}

wb_status warp_steer(struct warp *warp, uint32_t instruction, uint32_t origin, bool branch) {
    warp->input_dependent = true;
    warp->steering = (struct steering){instruction, origin, branch};
    return WB_ERR_DECLINED;
}

wb_status warp_decline(struct warp *warp, const struct micro *op, struct slot slot, uint32_t lanes,
                       enum need need) {
    static const char *const names[] = {
        [NEED_ADDRESS] = "the address",
        [NEED_SIZE] = "the number of bytes",
        [NEED_CONDITION] = "the condition of this branch",
        [NEED_GUARD] = "the guard of this instruction",
        [NEED_TARGET] = "the index of this branch",
        [NEED_CALLEE] = "the function that is called",
        [NEED_BARRIER] = "the number of the barrier",
        [NEED_THREADS] = "the number of threads",
    };
    const struct run *run = warp->run;
    uint32_t origin = warp_origin(warp_slot(warp, slot), op);
    if (run->steers) return warp_steer(warp, op->index, origin, need > NEED_SIZE);
    ptx_diagnose(run->diagnostics, SEVERITY_ERROR, run->module, op->inst,
                 "%s depends on an unknown value (lane %u of warp %u)", names[need],
                 (uint32_t)__builtin_ctz(lanes), warp->number);
    if (need == NEED_CALLEE)
        diagnose(run->diagnostics, SEVERITY_NOTE, wb_kernel_name(run->kernel),
                 "flow facts cannot say which function that is: give the arguments and contents of buffers "
                 "that decide it or, if the call is never reached, the fact 'never LABEL' (--facts)");
    const struct ptx_inst *from = origin == ORIGIN_UNWRITTEN ? NULL : program_inst(&run->program, origin);
    if (from == NULL)
        ptx_diagnose(run->diagnostics, SEVERITY_NOTE, run->module, op->inst,
                     "it comes from a register that was never written");
    else
        ptx_diagnose(run->diagnostics, SEVERITY_NOTE, run->module, from, "the value comes from here");
    for (int what = 0; what < LAUNCH_ASSUMPTIONS; what++)
        if ((run->left_open >> what & 1) != 0)
            ptx_diagnose(run->diagnostics, SEVERITY_NOTE, run->module, from == NULL ? op->inst : from,
                         "results that the PTX ISA leaves open are unknown too: --assume %s takes those "
                         "computed here (docs/execution.md)",
                         launch_assumption_name((enum launch_assumption)what));
    return WB_ERR_DECLINED;
}

void warp_forget_outputs(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t origin) {
    for (uint32_t i = 0; i < op->output_count; i++)
        lanes_forget(warp_slot(warp, op->outputs[i]), mask, origin);
    if (op->form->carry_out) lanes_forget(warp_slot(warp, op->destination2), mask, origin);
}

wb_status nothing_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    (void)warp, (void)op, (void)mask;
    return WB_OK;
}

wb_status opaque_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    warp_forget_outputs(warp, op, mask, op->index);
    return WB_OK;
}

wb_status group_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    (void)op;
    if (mask != warp->live) run_assume(warp->run, ASSUMED_WARP_GROUPS);
    return WB_OK;
}

wb_status unsure_group(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    (void)unsure;
    return group_execute(warp, op, mask);
}

wb_status sleep_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes *argument = warp_slot(warp, op->source[0]);
    uint32_t *longest = &warp->run->notes.longest_sleep;
    warp->run->guessed |= (mask & ~argument->known) != 0;
    FOR_LANES_OF(l, mask) {
        uint64_t asked = (argument->known >> l & 1) != 0 ? argument->value[l] & UINT32_MAX : SLEEP_MAX;
        if (asked > SLEEP_MAX) asked = SLEEP_MAX;
        if (asked > *longest) *longest = (uint32_t)asked;
    }
    return WB_OK;
}

wb_status unsure_sleep(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    return sleep_execute(warp, op, mask | unsure);
}

wb_status refuse_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    if (mask == 0) return WB_OK;
    return warp_fail(warp, op, WB_ERR_DECLINED, "the memory that '%s' writes is unknown", op->form->name);
}

void run_note_uncounted(struct run *run, const struct micro *op) {
    if (op->form->requests != PTX_REQUESTS_COUNTED) return;
    run->unrecorded = run->uncounted = op->index;
}

wb_status unrecorded_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct run *run = warp->run;
    if (mask == 0) return op->unrecorded(warp, op, mask);
    const bool known = op->form->requests != PTX_REQUESTS_COUNTED && op->unrecorded != refuse_execute;
    if (run->steers && !known) return warp_steer(warp, op->index, op->index, false);
    run_note_uncounted(run, op);
    return op->unrecorded(warp, op, mask);
}

wb_status unsure_outputs(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    if (mask != 0) WB_TRY(op->execute(warp, op, mask));
    warp_forget_outputs(warp, op, unsure, warp_origin(warp_slot(warp, op->guard), op));
    return WB_OK;
}

wb_status unsure_exchange(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    if (op->form->sync) run_assume(warp->run, ASSUMED_MEMBERS_TOGETHER);
    warp_forget_outputs(warp, op, mask | unsure, warp_origin(warp_slot(warp, op->guard), op));
    return WB_OK;
}

wb_status unsure_control(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    (void)mask;
    return warp_decline(warp, op, op->guard, unsure,
                        op->form->op == PTX_OP_BRA ? NEED_CONDITION : NEED_GUARD);
}

/* ---- Limits -------------------------------------------------------------------------------------------- */

/* The cases of the message about the limit. */
struct footprint {
    uint64_t contents, registers, local, paths, accesses, kept;
};

static struct footprint footprint_of_run(const struct run *run) {
    struct footprint footprint = {
        .contents = run->contents_bytes, .registers = run->register_bytes, .kept = run->kept};
    for (uint32_t w = 0; w < run->warp_count; w++) {
        const struct warp *warp = &run->warps[w];
        footprint.local += local_bytes(&warp->local);
        footprint.paths += path_bytes(&warp->path.path);
        if (warp->accesses != NULL) footprint.accesses += access_list_bytes(warp->accesses);
    }
    return footprint;
}

static uint64_t megabytes(uint64_t bytes) {
    return bytes >> 20;
}

wb_status run_check_memory(const struct run *run) {
    const struct footprint footprint = footprint_of_run(run);
    const struct {
        const char *what;
        uint64_t bytes;
    } parts[] = {{"paths", footprint.paths},
                 {"addresses", footprint.accesses},
                 {"contents of buffers", footprint.contents},
                 {"registers", footprint.registers},
                 {"local memory", footprint.local},
                 {"blocks executed before", footprint.kept}};
    uint64_t sum = 0;
    size_t most = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sum += parts[i].bytes;
        if (parts[i].bytes > parts[most].bytes) most = i;
    }
    if (sum <= run->memory_limit) return WB_OK;
    run->diagnostics->over_limit = true;
    diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel),
             "after %" PRIu64 " warp instructions the execution exceeds its limit of %" PRIu64
             " MB of memory (%s: %" PRIu64
             " MB); is there an endless loop? Otherwise execute less (one block with -i, a smaller grid or "
             "problem), or allow more (--memory-limit)",
             run->instructions, megabytes(run->memory_limit), parts[most].what, megabytes(parts[most].bytes));
    return WB_ERR_LIMIT;
}

/* Too many registers. */
static wb_status refuse_registers(const struct run *run, const struct ptx_function *function) {
    run->diagnostics->over_limit = true;
    diagnose(run->diagnostics, SEVERITY_ERROR, function->name,
             "its %" PRIu32 " registers, of %" PRIu32 " threads, exceed the limit of %" PRIu64
             " MB of memory; declare fewer registers, use smaller blocks, or allow more (--memory-limit)",
             function->reg_count, run->size[0] * run->size[1] * run->size[2], megabytes(run->memory_limit));
    return WB_ERR_LIMIT;
}

wb_status run_check_registers(const struct run *run, const struct function_code *code) {
    const uint64_t of_warp = code->slot_count * (uint64_t)sizeof(struct lanes);
    return of_warp <= run->memory_limit / run->warp_count ? WB_OK : refuse_registers(run, code->function);
}

wb_status run_count_registers(struct run *run, const struct ptx_function *function, uint64_t size) {
    if (size > run->memory_limit || run->register_bytes > run->memory_limit - size)
        return refuse_registers(run, function);
    run->register_bytes += size;
    return run_check_memory(run);
}

wb_status run_count_contents(struct run *run, const char *name, uint64_t size) {
    if (size <= run->memory_limit - run->contents_bytes) {
        run->contents_bytes += size;
        return WB_OK;
    }
    run->diagnostics->over_limit = true;
    diagnose(run->diagnostics, SEVERITY_ERROR, name,
             "with its contents of %" PRIu64 " MB the execution exceeds its limit of %" PRIu64
             " MB of memory; use a smaller problem, or allow more (--memory-limit)",
             megabytes(size), megabytes(run->memory_limit));
    return WB_ERR_LIMIT;
}

/* Whether the caller wants it to go on; it learns how many blocks of the grid are done, or, for one block,
 * instructions. */
static bool ask_watch(const struct run *run) {
    const wb_watch *watch = run->watch;
    const uint64_t blocks = (uint64_t)run->grid[0] * run->grid[1] * run->grid[2];
    const uint64_t done =
        run->index[0] + run->grid[0] * (run->index[1] + (uint64_t)run->grid[1] * run->index[2]);
    if (watch == NULL || watch->poll == NULL) return true;
    return run->all_blocks && blocks > 1
               ? watch->poll(watch->user, "executing blocks", done, blocks)
               : watch->poll(watch->user, "executing instructions", run->instructions, 0);
}

wb_status run_check_limits(struct run *run) {
    run->next_poll = run->instructions + (run->poll_interval != 0 ? run->poll_interval : POLL_INTERVAL);
    const uint64_t limit = run->instruction_limit, charged = run->charged;
    const uint64_t most = limit > charged ? limit - charged : 0;
    if (run->next_poll > most) run->next_poll = most;
    const char *kernel = wb_kernel_name(run->kernel);
    if (run->instructions >= most) {
        run->diagnostics->over_limit = true;
        diagnose(run->diagnostics, SEVERITY_ERROR, kernel,
                 "more than %" PRIu64 " warp instructions, up to block %u,%u,%u; is there an endless loop? "
                 "Otherwise allow more (--instruction-limit)",
                 run->asked_limit, run->index[0], run->index[1], run->index[2]);
        return WB_ERR_LIMIT;
    }
    WB_TRY(run_check_memory(run));
    if (ask_watch(run)) return WB_OK;
    diagnose(run->diagnostics, SEVERITY_ERROR, kernel, "interrupted");
    return WB_ERR_LIMIT;
}

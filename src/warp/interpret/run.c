#include "sass/sass.h"
#include "warp/interpret/execute.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "warp/alu/lanes.h"

/* Some ten seconds. */
#define DEFAULT_INSTRUCTION_LIMIT UINT64_C(100000000)
/* The cost of beginning a block, in instructions. */
#define BLOCK_CHARGE 32u
#define DEFAULT_MEMORY_LIMIT (UINT64_C(2) << 30)

/* ---- Special registers: what a launch determines is known, what a run of the hardware does is not --- */

/* Which dimension a component of a vector register is; w is always 0. */
static uint64_t component(const uint32_t *dimensions, uint32_t axis) {
    return axis < 3 ? dimensions[axis] : 0;
}

/* %tid of a lane; threads are numbered along x first. */
static uint64_t thread_index(const struct warp *warp, uint32_t lane, uint32_t axis) {
    const uint32_t *size = warp->run->size;
    uint32_t thread = warp->number * warp->run->warp_width + lane;
    if (axis == 0) return thread % size[0];
    if (axis == 1) return thread / size[0] % size[1];
    return axis == 2 ? thread / size[0] / size[1] : 0;
}

static uint64_t lane_mask(uint32_t sreg, uint32_t lane) {
    uint32_t own = 1u << lane;
    switch (sreg) {
    case PTX_SREG_LANEMASK_EQ: return own;
    case PTX_SREG_LANEMASK_LT: return own - 1;
    case PTX_SREG_LANEMASK_LE: return own | (own - 1);
    case PTX_SREG_LANEMASK_GT: return ~(own | (own - 1));
    default: return ~(own - 1);
    }
}

/* A register of four components that stand together from `first` on. */
static bool is_component(uint32_t sreg, uint32_t first, uint32_t *axis) {
    *axis = sreg - first;
    return sreg >= first && sreg < first + 4;
}

/* The value of a register in a lane; false when it is not known. A launch without clusters is one of clusters
 * of one block; the number of a warp is its place in the block. */
static bool special_value(const struct warp *warp, uint32_t sreg, uint32_t lane, uint64_t *value) {
    const struct run *run = warp->run;
    static const uint32_t ones[3] = {1, 1, 1};
    uint32_t axis;
    *value = 0;
    if (sreg >= PTX_SREG_CLUSTERID_X && sreg <= PTX_SREG_IS_EXPLICIT_CLUSTER &&
        ptx_in_clusters(kernel_function(run->kernel)))
        return false;
    if (is_component(sreg, PTX_SREG_TID_X, &axis))
        *value = thread_index(warp, lane, axis);
    else if (is_component(sreg, PTX_SREG_NTID_X, &axis))
        *value = component(run->size, axis);
    else if (is_component(sreg, PTX_SREG_CTAID_X, &axis) || is_component(sreg, PTX_SREG_CLUSTERID_X, &axis))
        *value = component(run->index, axis);
    else if (is_component(sreg, PTX_SREG_NCTAID_X, &axis) || is_component(sreg, PTX_SREG_NCLUSTERID_X, &axis))
        *value = component(run->grid, axis);
    else if (is_component(sreg, PTX_SREG_CLUSTER_NCTAID_X, &axis))
        *value = component(ones, axis);
    else if (is_component(sreg, PTX_SREG_CLUSTER_CTAID_X, &axis))
        *value = 0;
    else if (sreg >= PTX_SREG_LANEMASK_EQ && sreg <= PTX_SREG_LANEMASK_GT)
        *value = lane_mask(sreg, lane) & lanes_first(run->warp_width);
    else if (sreg == PTX_SREG_LANEID)
        *value = lane;
    else if (sreg == PTX_SREG_WARPID)
        *value = warp->number;
    else if (sreg == PTX_SREG_CLUSTER_NCTARANK)
        *value = 1;
    else if (sreg == PTX_SREG_DYNAMIC_SMEM_SIZE)
        *value = run->launch->shared_bytes;
    else
        return sreg == PTX_SREG_CLUSTER_CTARANK || sreg == PTX_SREG_IS_EXPLICIT_CLUSTER;
    return true;
}

bool special_counts_blocks(uint32_t sreg, uint32_t *axis) {
    return is_component(sreg, PTX_SREG_CTAID_X, axis) || is_component(sreg, PTX_SREG_CLUSTERID_X, axis);
}

static void fill(struct warp *warp, uint32_t sreg, struct lanes *lanes) {
    lanes->known = LANES_ALL;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        if (special_value(warp, sreg, l, &lanes->value[l])) continue;
        lanes_forget(lanes, 1u << l, ORIGIN_READER);
    }
}

static void warp_fill_special(struct warp *warp) {
    const struct program *program = &warp->run->program;
    for (size_t i = 0; i < program->sregs.count; i++)
        fill(warp, program->sregs.items[i], &warp->banks[BANK_SPECIAL][i]);
}

static void warp_move_special(struct warp *warp) {
    const struct program *program = &warp->run->program;
    for (size_t i = 0; i < program->sregs.count; i++) {
        uint64_t value;
        uint32_t axis;
        if (special_counts_blocks(program->sregs.items[i], &axis) &&
            special_value(warp, program->sregs.items[i], 0, &value))
            lanes_broadcast(&warp->banks[BANK_SPECIAL][i], value);
    }
}

/* ---- A warp, from its start or a barrier to the next ------------------------------------------------ */

/* Memory that a warp keeps from block to block: its room for frames and special registers. */
static wb_status allocate(struct warp *warp, struct run *run) {
    warp->banks[BANK_SPECIAL] = calloc(run->program.sregs.count + 1, sizeof(struct lanes));
    warp->frames = calloc(CALL_DEPTH_MAX, sizeof *warp->frames);
    if (warp->banks[BANK_SPECIAL] == NULL || warp->frames == NULL) return run_no_memory(run);
    warp_fill_special(warp);
    return WB_OK;
}

/* Prepares a warp of the block at the kernel's first instruction; `live` lanes exist. It may have been a warp
 * of an earlier block of the run: its room is used again. */
static wb_status warp_begin(struct warp *warp, struct run *run, uint32_t number, uint32_t live) {
    warp->run = run;
    warp->number = number;
    warp->live = live;
    warp->state = WARP_READY;
    warp->replayed = warp->input_dependent = false;
    warp->unsure = 0;
    memset(warp->sets, 0, sizeof warp->sets);
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
    assert(top->pc <= warp->frame->code->function->inst_count && (top->mask & ~warp->live) == 0);
    const struct micro *op = &warp->frame->code->micros[top->pc];
    uint32_t active = top->mask, index = op->index;
    top->pc++;
    WB_TRY(op->has_guard ? execute_guarded(warp, op, active) : op->execute(warp, op, active));
    if (warp->replayed) {
        warp->replayed = false;
        return WB_OK;
    }
    if (!op->issued) return WB_OK;
    warp->run->instructions++;
    if (path_append(&warp->path, index, active) != WB_OK) return warp_no_memory(warp, op);
    return WB_OK;
}

/* The entry that executes the next instruction; NULL: the stack has to be settled first. */
static inline struct simt_entry *warp_top(struct warp *warp) {
    if (warp->stack.count == warp->frame->stack_base) return NULL;
    struct simt_entry *top = &warp->stack.items[warp->stack.count - 1];
    return top->mask == 0 || top->pc == top->reconvergence || top->wait != SIMT_RUNS ? NULL : top;
}

const struct micro *warp_next(struct warp *warp, uint32_t *active) {
    const struct simt_entry *top = warp_top(warp);
    if (top == NULL) return NULL;
    *active = top->mask;
    return &warp->frame->code->micros[top->pc];
}

/* Goes on by an instruction, or by settling the stack. */
static inline wb_status advance(struct warp *warp) {
    struct run *run = warp->run;
    struct simt_entry *top = warp_top(warp);
    if (top == NULL) return simt_settle(warp);
    if (run->instructions >= run->next_poll) {
        WB_TRY(run_check_limits(run));
        if (run->skip != NULL) return run->skip(warp);
    }
    return warp_step(warp, top);
}

wb_status warp_advance(struct warp *warp) {
    return advance(warp);
}

/* Runs until the warp waits or is done. */
static wb_status warp_run(struct warp *warp) {
    while (warp->state == WARP_READY)
        WB_TRY(advance(warp));
    return WB_OK;
}

static void warp_free(struct warp *warp) {
    for (uint32_t i = 0; warp->frames != NULL && i < CALL_DEPTH_MAX; i++)
        free(warp->frames[i].registers);
    free(warp->frames);
    free(warp->banks[BANK_SPECIAL]);
    vec_free(&warp->stack);
    path_writer_free(&warp->path);
    local_free(&warp->local);
    memset(warp, 0, sizeof *warp);
}

/* ---- Barriers --------------------------------------------------------------------------------------- */

/* Hands the result of bar.red to a warp that waited for it. */
static void deliver(struct warp *warp, const struct barrier *barrier) {
    const struct micro *op = warp->waiting_for;
    if (op->form->mode != PTX_MODE_RED) return;
    struct lanes *out = warp_slot(warp, op->destination);
    uint32_t mask = warp->waiting_mask;
    bool holds = op->form->mode2 == PTX_MODE_AND ? barrier->trues == barrier->lanes : barrier->trues != 0;
    if (op->form->mode2 == PTX_MODE_POPC) {
        FOR_LANES_OF(l, mask) out->value[l] = barrier->trues;
    } else {
        out->value[0] = holds ? out->value[0] | mask : out->value[0] & ~(uint64_t)mask;
    }
    out->known |= mask;
    if (!barrier->known) lanes_forget(out, mask, barrier->origin);
}

/* The warps of the block have met, or begin: atomics on its shared memory so far come before all others. */
static void forget_shared_modes(struct run *run) {
    for (size_t i = 0; i < run->memory.regions.count; i++) {
        struct region *region = &run->memory.regions.items[i];
        if (address_in_space(region->base, PTX_SPACE_SHARED)) region->modes = 0;
    }
}

/* Lets the waiting warps go on when all threads that the barrier expects have arrived. */
static void release_if_complete(struct run *run, struct barrier *barrier) {
    uint32_t needed = barrier->expected;
    assert(barrier->arrived % run->warp_width == 0 && (barrier->trues <= barrier->lanes));
    if (barrier->arrived == 0) return;
    if (needed == 0) {
        for (uint32_t w = 0; w < run->warp_count; w++)
            needed += run->warps[w].state != WARP_DONE ? run->warp_width : 0;
    }
    if (barrier->arrived < needed) return;
    for (uint32_t w = 0; w < run->warp_count; w++) {
        struct warp *warp = &run->warps[w];
        if (warp->state != WARP_WAITING || &run->barriers[warp->waiting_at] != barrier) continue;
        deliver(warp, barrier);
        warp->state = WARP_RELEASED;
    }
    if (barrier->expected == 0) forget_shared_modes(run);
    *barrier = (struct barrier){0};
}

/* The value of a source that all lanes of `mask` have to agree on. */
static wb_status uniform_source(struct warp *warp, const struct micro *op, uint32_t source, uint32_t mask,
                                enum need need, const char *what, uint32_t *value) {
    const struct lanes *lanes = warp_slot(warp, op->source[source]);
    if ((mask & ~lanes->known) != 0)
        return warp_decline(warp, op, op->source[source], mask & ~lanes->known, need);
    *value = (uint32_t)lanes->value[__builtin_ctz(mask)];
    FOR_LANES_OF(l, mask) {
        if (lanes->value[l] == *value) continue;
        return warp_fail(warp, op, WB_ERR_INPUT, "%s differs between the lanes of warp %u", what,
                         warp->number);
    }
    return WB_OK;
}

/* Takes the predicates of one warp into bar.red. */
static void contribute(const struct warp *warp, const struct micro *op, uint32_t mask,
                       struct barrier *barrier) {
    if (op->form->mode != PTX_MODE_RED) return;
    const struct lanes *predicate = warp_slot(warp, op->source[2]);
    barrier->trues += (uint32_t)__builtin_popcount(warp_predicate(warp, op->source[2]) & mask);
    barrier->lanes += (uint32_t)__builtin_popcount(mask);
    uint32_t doubtful = mask & warp->unsure;
    if ((mask & ~predicate->known) == 0 && doubtful == 0) return;
    barrier->known = false;
    barrier->origin = warp_origin(predicate, op);
}

wb_status barrier_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const uint32_t width = warp->run->warp_width;
    uint32_t number = 0, count = 0;
    if (mask == 0) return WB_OK;
    if (warp_is_machine_code(warp) && warp->run->cover == NULL) {
        bool waits;
        WB_TRY(meeting_before_barrier(warp, op, mask, &waits));
        if (waits) return WB_OK;
    }
    WB_TRY(uniform_source(warp, op, 0, mask, NEED_BARRIER, "the number of the barrier", &number));
    WB_TRY(uniform_source(warp, op, 1, mask, NEED_THREADS, "the number of threads", &count));
    if (number >= BARRIER_COUNT || count % width != 0)
        return warp_fail(
            warp, op, WB_ERR_INPUT,
            "barrier %u for %u threads: there are %u barriers, and threads are counted by warps of %u",
            number, count, BARRIER_COUNT, width);
    struct barrier *barrier = &warp->run->barriers[number];
    if (barrier->arrived == 0) {
        barrier->expected = count;
        barrier->known = true;
    }
    if (barrier->expected != count)
        return warp_fail(warp, op, WB_ERR_INPUT,
                         "warp %u expects %u threads at barrier %u, others %u (0: all)", warp->number, count,
                         number, barrier->expected);
    if (mask != warp->live) run_assume(warp->run, ASSUMED_WHOLE_WARP_BARRIERS);
    if (op->immediate != 0 && count != 0 && count != warp->run->warp_count * width)
        notes_unmodelled(&warp->run->notes, op->index, PARTIAL_BARRIER);
    barrier->arrived += width;
    contribute(warp, op, mask, barrier);
    if (op->form->mode != PTX_MODE_ARRIVE) {
        warp->state = WARP_WAITING;
        warp->waiting_at = number;
        warp->waiting_mask = mask;
        warp->waiting_for = op;
    }
    release_if_complete(warp->run, barrier);
    return WB_OK;
}

void barrier_warp_done(struct run *run) {
    for (uint32_t i = 0; i < BARRIER_COUNT; i++)
        if (run->barriers[i].expected == 0) release_if_complete(run, &run->barriers[i]);
}

/* Reports which warps wait for which barrier when none can go on; returns WB_ERR_INPUT. */
static wb_status barrier_deadlock(const struct run *run) {
    const struct warp *first = NULL;
    for (uint32_t w = 0; w < run->warp_count; w++) {
        const struct warp *warp = &run->warps[w];
        if (warp->state != WARP_WAITING) continue;
        if (first == NULL) {
            const struct barrier *barrier = &run->barriers[warp->waiting_at];
            (void)warp_fail(warp, warp->waiting_for, WB_ERR_INPUT,
                            "deadlock: warp %u waits here for ever, %u threads have arrived at barrier %u",
                            warp->number, barrier->arrived, warp->waiting_at);
            first = warp;
        } else if (warp->waiting_for != first->waiting_for) {
            ptx_diagnose(run->diagnostics, SEVERITY_NOTE, run->module, warp->waiting_for->inst,
                         "warp %u waits here, at barrier %u", warp->number, warp->waiting_at);
        }
    }
    return WB_ERR_INPUT;
}

/* ---- Blocks ----------------------------------------------------------------------------------------- */

void run_forget_notes(struct run *run) {
    run->notes = (struct execution_notes){0};
    run->unrecorded = run->uncounted = PTX_NO_INDEX;
}

wb_status run_begin(struct run *run, struct arena *arena, const uint32_t *code_first) {
    const struct wb_launch *launch = run->launch;
    run->module = run->kernel->module;
    run->assumptions |= launch->assumptions;
    if (run->instruction_limit == 0) run->instruction_limit = DEFAULT_INSTRUCTION_LIMIT;
    run->asked_limit = run->instruction_limit;
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
    const char *name = run->program.has_dynamic_shared && launch->shared_bytes == 0
                           ? "shared memory without a dynamic part (--shared BYTES gives it one)"
                           : "shared memory";
    WB_TRY(memory_add(&run->memory, PTX_SPACE_SHARED, true, bytes, name, false, run->diagnostics, &shared));
    run->shared_bytes = machine_code_shared(run->kernel->module->code, bytes);
    WB_TRY(program_decode(&run->program, run->diagnostics));
    run->warps = calloc((size_t)warp_count + 1, sizeof *run->warps);
    if (run->warps == NULL) return run_no_memory(run);
    run->warp_count = warp_count;
    return WB_OK;
}

void run_end(struct run *run) {
    assert(run->cover == NULL);
    for (uint32_t w = 0; w < run->warp_count; w++)
        warp_free(&run->warps[w]);
    free(run->warps);
    program_free(&run->program);
    memory_free(&run->memory);
    free(run->products.slots);
    fact_needs_free(&run->needs);
}

/* Notes what special registers and variables that the code uses are taken to be. */
static void assume_registers(struct run *run) {
    if (run->initial_variables) run_assume(run, ASSUMED_INITIAL_VARIABLES);
    for (size_t i = 0; i < run->program.sregs.count; i++)
        if (run->program.sregs.items[i] == PTX_SREG_WARPID) run_assume(run, ASSUMED_WARP_NUMBERS);
}

wb_status run_begin_block(struct run *run, struct access_list *accesses) {
    uint32_t threads = run->size[0] * run->size[1] * run->size[2];
    struct region *shared = &run->memory.regions.items[0]; /* its window is the lowest */
    if (region_set_known(shared, 0, shared->size, false) != WB_OK) return run_no_memory(run);
    memset(run->barriers, 0, sizeof run->barriers);
    run->charged += BLOCK_CHARGE;
    products_begin(&run->products);
    forget_shared_modes(run);
    assume_registers(run);
    WB_TRY(run_check_registers(run, &run->program.functions[run->kernel->function]));
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
    wb_status status = run->run_warp != NULL ? run->run_warp(warp) : warp_run(warp);
    if (status == WB_ERR_DECLINED && warp->input_dependent) {
        warp->state = WARP_DONE;
        status = WB_OK;
    }
    if (status == WB_OK && warp->state == WARP_DONE) barrier_warp_done(run);
    return status;
}

/* No warp can go on. The waiting ones depend on the unknown value that the first warp that others were to
 * meet depends on; without one it is an error. */
static wb_status end_waiting(struct run *run) {
    const struct warp *cause = NULL;
    for (uint32_t w = run->warp_count; w-- > 0;)
        if (run->warps[w].input_dependent) cause = &run->warps[w];
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
    WB_TRY(run_begin_block(run, accesses));
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

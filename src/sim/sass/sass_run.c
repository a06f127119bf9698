/* An SM from its first to its last cycle: what is due happens, blocks start and end, what can start does,
 * then every sub-core issues. */
#include "sim/sass/sass_simulate.h"

#include <assert.h>
#include <stdlib.h>

/* ---- Parts --------------------------------------------------------------------------------------------- */

static void init_warps(struct sass_sm *sm) {
    const uint32_t units = sm->machine->unit_count;
    sm->warps = arena_array(&sm->arena, sm->warp_count, sizeof *sm->warps);
    sm->places = arena_array(&sm->arena, sm->warp_count, sizeof *sm->places);
    sm->ready = arena_array(&sm->arena, sm->words, sizeof *sm->ready);
    sm->running = arena_array(&sm->arena, sm->words, sizeof *sm->running);
    for (uint32_t w = 0; w < sm->warp_count; w++) {
        struct sass_warp *warp = &sm->warps[w];
        warp->slot = w / sm->program->warp_count;
        warp->sub_core = w % sm->machine->sub_cores;
        warp->core = &sm->cores[warp->sub_core];
        warp->taken = arena_array(&sm->arena, units, sizeof *warp->taken);
        warp->served = arena_array(&sm->arena, units, sizeof *warp->served);
    }
}

static void init_cores(struct sass_sm *sm) {
    const uint32_t sub_cores = sm->machine->sub_cores;
    for (uint32_t c = 0; c < sub_cores; c++) {
        uint64_t *members = arena_array(&sm->arena, sm->words, sizeof *members);
        for (uint32_t w = c; w < sm->warp_count; w += sub_cores)
            warp_set_add(members, w);
        sm->cores[c].no_room = FLIGHT_END;
        sm->cores[c].allowed = arena_array(&sm->arena, sm->words, sizeof *sm->cores[c].allowed);
        sm->cores[c].view = (struct policy_view){.ready = sm->ready,
                                                 .running = sm->running,
                                                 .members = members,
                                                 .words = sm->words,
                                                 .policy = sm->run->policy,
                                                 .oldest_first = sm->host.oldest_first,
                                                 .blocks = sm->host.slot_count,
                                                 .block_warps = sm->program->warp_count,
                                                 .last = WARP_NONE,
                                                 .warps = sm->places};
    }
}

/* ---- Issue --------------------------------------------------------------------------------------------- */

static void fill_waits(const struct sass_warp *warp, struct sim_waits *waits) {
    *waits = (struct sim_waits){.from = warp->from,
                                .barrier = warp->released,
                                .operands = cycles_max(warp->paced, warp->allowed),
                                .producer = STEP_NONE,
                                .fetched = warp->fetched,
                                .open = warp->opened};
    for (uint32_t counters = warp->head->waits; counters != 0 && warp->allowed > 0;
         counters &= counters - 1) {
        const uint32_t counter = (uint32_t)__builtin_ctz(counters);
        if (warp->counted_at[counter] == warp->allowed) waits->producer = warp->counted_by[counter];
    }
}

static void tell(struct sass_sm *sm, uint32_t index, struct sim_event *event) {
    const struct sass_warp *warp = &sm->warps[index];
    event->instance = 0;
    event->block = sass_slot_of(sm, index)->block;
    event->slot = warp->slot;
    event->warp = index - warp->slot * sm->program->warp_count;
    event->sub_core = warp->sub_core;
    event->step = warp->step;
    event->instruction = warp->entry;
    event->unit = warp->head->stage_count == 0 ? sm->machine->unit_count : warp->head->stages[0].unit;
    event->issue = sm->now;
    fill_waits(warp, &event->waits);
    const wb_status status = sm->host.sink->event(sm->host.sink->user, event);
    sm->host.stopped_by_sink = status != WB_OK;
    if (sm->host.stopped_by_sink) arena_fail(&sm->arena, status);
}

/* Issues the next instruction of a warp in this cycle. */
static void issue(struct sass_sm *sm, struct sass_core *core, uint32_t index) {
    struct sass_warp *warp = &sm->warps[index];
    struct sim_event event;
    if (sm->keeps_registers) warp->saved = sass_bubbles_saved(sm, core, index);
    const uint32_t slot = sass_take(sm, 1, u32_max(1, warp->head->slot - warp->probe - warp->saved));
    sass_disallow(sm, index);
    core->view.last = index;
    core->view.issued++;
    core->hold_until = sm->now + slot;
    sass_lasts(sass_slot_of(sm, index), core->hold_until);
    sass_count_up(sm, warp);
    sass_enter(sm, core, index, &event);
    if (sm->host.sink != NULL) tell(sm, index, &event);
    sm->host.executed++;
    sm->host.warp_instructions += !sm->code->insts[warp->entry].uncounted;
    sm->host.last_issue = sm->now;
    sass_advance(sm, index);
}

/* The warp, whose constant is there at `until`, holds the issue stage for `probe`. */
static void tell_missed(const struct sass_sm *sm, uint32_t index, cycles until, cycles probe) {
    const struct sim_moment moment = {
        .kind = SIM_MISSED, .step = sm->warps[index].step, .until = until, .probe = probe};
    sass_tell_moment(sm, index, moment);
}

/* Whether the warp that is to be issued has its constant; otherwise it waits for it, and its sub-core has
 * looked for it. */
static bool has_constant(struct sass_sm *sm, struct sass_core *core, uint32_t index) {
    struct sass_warp *warp = &sm->warps[index];
    const struct sass_timed *timed = warp->head;
    if (timed->constant_line != SASS_NO_LINE) {
        bool missed;
        const cycles there = sass_constant_there(sm, warp->sub_core, timed->constant_line, &missed);
        if (missed) core->hold_until = sm->now + sm->code->footprint.constants.hold;
        if (there > sm->now) {
            tell_missed(sm, index, there, missed ? sm->code->footprint.constants.hold : 0);
            sass_put_off(sm, index, there);
            return false;
        }
    }
    if (timed->operand == 0 || warp->probed) return true;
    const uint32_t delay = sass_take(sm, 0, timed->operand);
    warp->probed = true;
    if (delay == 0) return true;
    warp->probe = u32_min(u32_min(delay, timed->slot - 1), sm->machine->sass.constant_probe);
    core->hold_until = sm->now + warp->probe;
    tell_missed(sm, index, sm->now + delay, warp->probe);
    sass_put_off(sm, index, sm->now + delay);
    return false;
}

/* Whether a warp that may be issued otherwise finds room in its unit; those that do not may do so when that
 * is free. */
static bool finds_room(struct sass_sm *sm, uint32_t index) {
    struct sass_warp *warp = &sm->warps[index];
    if (warp->before_visible && sm->now >= warp->visible_at) {
        sass_disallow(sm, index);
        sass_await(sm, index);
        if (warp->held) return false;
    }
    if (sass_unit_open(sm, warp)) {
        if (warp->unit_full) warp->opened = sm->now;
        warp->unit_full = false;
        return true;
    }
    const cycles free_at = warp->unit->free_at;
    warp->unit_full = true;
    if (free_at > sm->now) sm->look_at = cycles_min(sm->look_at, free_at);
    return false;
}

/* Finds out which warps of the sub-core can issue in this cycle; false when none can. */
static bool find_ready(struct sass_sm *sm, const struct sass_core *core) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < sm->words; i++) {
        uint64_t ready = 0;
        for (uint64_t left = core->allowed[i]; left != 0; left &= left - 1)
            if (finds_room(sm, i * 64 + (uint32_t)__builtin_ctzll(left))) ready |= left & -left;
        sm->ready[i] = ready;
        any |= ready;
    }
    return any != 0;
}

static void issue_slot(struct sass_sm *sm, struct sass_core *core) {
    while (core->no_room == FLIGHT_END && core->hold_until <= sm->now && find_ready(sm, core)) {
        const uint32_t index = core->view.policy->pick(&core->view);
        if (index == WARP_NONE) return;
        if (has_constant(sm, core, index)) issue(sm, core, index);
    }
    if (core->no_room == FLIGHT_END && core->hold_until > sm->now && core->allowed_count > 0)
        sm->look_at = cycles_min(sm->look_at, core->hold_until);
}

/* ---- Cycles -------------------------------------------------------------------------------------------- */

static void handle_event(struct sass_sm *sm, uint32_t id) {
    if (id >= SASS_COUNT_DOWN)
        sass_count_down(sm, id);
    else if (id >= SASS_UNIT_FREE)
        sass_unit_freed(sm, id - SASS_UNIT_FREE);
    else
        sass_flight_moves(sm, id);
}

/* Everything that is due in this cycle but for what warps do by themselves. */
static inline void begin_cycle(struct sass_sm *sm) {
    wheel_advance(&sm->events, sm->now);
    wheel_advance(&sm->wakes, sm->now);
    while (sm->events.first <= sm->now)
        handle_event(sm, wheel_take(&sm->events));
    while (sm->host.slot_event <= sm->now) {
        struct sm_slot *starts = sm_host_change(&sm->host);
        if (starts != NULL) sass_begin(sm, starts);
    }
}

static void run_cycle(struct sass_sm *sm) {
    sm->look_at = CYCLES_SATURATED;
    begin_cycle(sm);
    if (sm->dirty_count > 0) sass_serve(sm);
    while (sm->wakes.first <= sm->now) {
        const uint32_t index = wheel_take(&sm->wakes);
        sm->warps[index].asleep = false;
        sass_await(sm, index);
    }
    for (uint32_t c = 0; sm->waiting >> c != 0; c++)
        if ((sm->waiting >> c & 1) != 0) issue_slot(sm, &sm->cores[c]);
}

static cycles next_cycle(const struct sm_host *host) {
    const struct sass_sm *sm = (const struct sass_sm *)host;
    const cycles next = cycles_min(sm->look_at, cycles_min(sm->events.first, sm->wakes.first));
    return cycles_min(next, host->slot_event);
}

/* The cycles before `until`. */
struct span {
    struct sass_sm *sm;
    cycles until;
};

static void run_span(void *context) {
    const struct span *span = context;
    struct sass_sm *sm = span->sm;
    for (cycles next; (next = next_cycle(&sm->host)) < span->until;) {
        sm->now = next;
        run_cycle(sm);
    }
}

static wb_status run(struct sm_host *host, cycles until) {
    struct span span = {(struct sass_sm *)host, until};
    if (next_cycle(host) >= until) return WB_OK;
    return arena_protect(&span.sm->arena, run_span, &span);
}

static void begin_next(void *context) {
    const struct span *span = context;
    struct sass_sm *sm = span->sm;
    assert(next_cycle(&sm->host) >= span->until);
    sm->now = sm->look_at = span->until;
    begin_cycle(sm);
}

static wb_status catch_up(struct sm_host *host, cycles now) {
    struct span span = {(struct sass_sm *)host, now};
    if (cycles_min(span.sm->events.first, host->slot_event) > now) return WB_OK;
    return arena_protect(&span.sm->arena, begin_next, &span);
}

static const struct sm_model sass_model = {run, next_cycle, catch_up};

/* ---- SMs ----------------------------------------------------------------------------------------------- */

static void init_parts(void *context) {
    struct sass_sm *sm = context;
    sm_host_init(&sm->host, &sass_model, sm->host.slot_count, &sm->arena);
    sm->cores = arena_array(&sm->arena, sm->machine->sub_cores, sizeof *sm->cores);
    wheel_init(&sm->events, &sm->arena);
    wheel_init(&sm->wakes, &sm->arena);
    sm->keeps_registers = sm->machine->sass.register_cache == SASS_REGISTERS_KEPT;
    init_warps(sm);
    init_cores(sm);
    sass_registers_forget(sm, 0, sm->warp_count);
    sass_units_init(sm);
    sass_code_lines_init(sm);
    sass_fills_init(sm);
}

wb_status sass_sm_make(const struct sass_sm_program *program, const struct sass_run *run, uint32_t slots,
                       struct sm_host **host) {
    uint32_t warp_count;
    struct sass_sm *sm = calloc(1, sizeof *sm);
    *host = NULL;
    if (sm == NULL) return WB_ERR_LIMIT;
    *host = &sm->host;
    if (__builtin_mul_overflow(slots, program->warp_count, &warp_count)) return WB_ERR_LIMIT;
    *sm = (struct sass_sm){.host = {.slot_count = slots},
                           .program = program,
                           .code = program->code,
                           .machine = program->machine,
                           .run = run,
                           .warp_count = warp_count,
                           .words = warp_set_words(warp_count),
                           .look_at = CYCLES_SATURATED};
    return arena_protect(&sm->arena, init_parts, sm);
}

void sass_sm_free(struct sm_host *host) {
    struct sass_sm *sm = (struct sass_sm *)host;
    if (sm == NULL) return;
    vec_free(&sm->flights);
    arena_free(&sm->arena);
    free(sm);
}

wb_status sass_simulate(const struct timed_block *block, const struct sass_run *run,
                        const struct sim_sink *sink, const wb_watch *watch, wb_diagnostics *diagnostics,
                        wb_simulation *result) {
    const struct sass_sm_program program = sass_program_of_block(block);
    struct sm_host *host;
    wb_status status = sass_sm_make(&program, run, 1, &host);
    if (status != WB_OK) {
        (void)diagnose_out_of_memory(diagnostics, run->policy->name);
    } else {
        host->sink = sink;
        status = sm_host_run_block(host, run->policy, timed_block_length(block), watch, diagnostics, result);
    }
    sass_sm_free(host);
    return status;
}

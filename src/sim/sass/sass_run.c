/* A block alone from its first to its last cycle: what is due happens, what can start does, then every
 * sub-core issues. */
#include "sim/sass/sass_sm.h"

#include <assert.h>

/* How many cycles pass between two looks at the watch. */
#define WATCH_PERIOD ((cycles)1 << 16)

/* ---- Parts --------------------------------------------------------------------------------------------- */

static void init_warps(struct sass_sm *sm) {
    const uint32_t units = sm->machine->unit_count;
    sm->warps = arena_array(&sm->arena, sm->warp_count, sizeof *sm->warps);
    sm->places = arena_array(&sm->arena, sm->warp_count, sizeof *sm->places);
    sm->wakes.items = arena_array(&sm->arena, sm->warp_count, sizeof *sm->wakes.items);
    sm->allowed = arena_array(&sm->arena, sm->words, sizeof *sm->allowed);
    sm->ready = arena_array(&sm->arena, sm->words, sizeof *sm->ready);
    sm->running = arena_array(&sm->arena, sm->words, sizeof *sm->running);
    for (uint32_t w = 0; w < sm->warp_count; w++) {
        struct sass_warp *warp = &sm->warps[w];
        warp->sub_core = w % sm->machine->sub_cores;
        warp->taken = arena_array(&sm->arena, units, sizeof *warp->taken);
        warp->served = arena_array(&sm->arena, units, sizeof *warp->served);
    }
}

static void init_cores(struct sass_sm *sm) {
    const uint32_t sub_cores = sm->machine->sub_cores;
    uint32_t *oldest_first = arena_array(&sm->arena, 1, sizeof *oldest_first);
    sm->cores = arena_array(&sm->arena, sub_cores, sizeof *sm->cores);
    for (uint32_t c = 0; c < sub_cores; c++) {
        uint64_t *members = arena_array(&sm->arena, sm->words, sizeof *members);
        for (uint32_t w = c; w < sm->warp_count; w += sub_cores)
            warp_set_add(members, w);
        sm->cores[c].no_room = FLIGHT_END;
        sm->cores[c].view = (struct policy_view){.ready = sm->ready,
                                                 .running = sm->running,
                                                 .members = members,
                                                 .words = sm->words,
                                                 .policy = sm->run->policy,
                                                 .oldest_first = oldest_first,
                                                 .blocks = 1,
                                                 .block_warps = sm->warp_count,
                                                 .last = WARP_NONE,
                                                 .warps = sm->places};
    }
}

void sass_event(struct sass_sm *sm, cycles at, uint32_t id) {
    if (sm->event_room.capacity == sm->events.count) {
        sm->event_room.count = sm->events.count;
        if (vec_reserve(&sm->event_room, (size_t)sm->events.count + 1) != WB_OK)
            arena_fail(&sm->arena, WB_ERR_LIMIT);
        sm->events.items = sm->event_room.items;
    }
    heap_push(&sm->events, at, sm->event_count++, id);
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
    event->warp = index;
    event->sub_core = warp->sub_core;
    event->step = warp->step;
    event->instruction = warp->entry;
    event->unit = warp->head->stage_count == 0 ? sm->machine->unit_count : warp->head->stages[0].unit;
    event->issue = sm->now;
    fill_waits(warp, &event->waits);
    const wb_status status = sm->run->sink->event(sm->run->sink->user, event);
    sm->told = status != WB_OK;
    if (sm->told) arena_fail(&sm->arena, status);
}

/* Issues the next instruction of a warp in this cycle. */
static void issue(struct sass_sm *sm, struct sass_core *core, uint32_t index) {
    struct sass_warp *warp = &sm->warps[index];
    struct sim_event event = {0};
    const uint32_t slot = sass_take(sm, 1, u32_max(1, warp->head->slot - warp->probe));
    warp_set_remove(sm->allowed, index);
    core->view.last = index;
    core->view.issued++;
    core->hold_until = sm->now + slot;
    sass_lasts(sm, core->hold_until);
    sass_count_up(sm, warp);
    sass_enter(sm, core, index, &event);
    if (sm->run->sink != NULL) tell(sm, index, &event);
    sm->executed++;
    sm->result->warp_instructions += !sm->block->code.insts[warp->entry].uncounted;
    sm->result->last_issue = sm->now;
    sass_advance(sm, index);
}

/* Whether the warp that is to be issued has its constant; otherwise it waits for it, and its sub-core has
 * looked for it. */
static bool has_constant(struct sass_sm *sm, struct sass_core *core, uint32_t index) {
    struct sass_warp *warp = &sm->warps[index];
    const struct sass_timed *timed = warp->head;
    if (timed->constant_line != SASS_NO_LINE) {
        bool missed;
        const cycles there = sass_constant_there(sm, warp->sub_core, timed->constant_line, &missed);
        if (missed) core->hold_until = sm->now + sm->block->code.footprint.constants.hold;
        if (there > sm->now) {
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
    sass_put_off(sm, index, sm->now + delay);
    return false;
}

/* Whether a warp that may be issued otherwise finds room in its unit; those that do not may do so when that
 * is free. */
static bool finds_room(struct sass_sm *sm, uint32_t index) {
    struct sass_warp *warp = &sm->warps[index];
    if (warp->hasty && sm->now >= warp->visible_at) {
        warp_set_remove(sm->allowed, index);
        sass_await(sm, index);
        if (warp->held) return false;
    }
    if (sass_unit_open(sm, warp)) {
        if (warp->shut) warp->opened = sm->now;
        warp->shut = false;
        return true;
    }
    const cycles free_at = sass_unit_of(sm, warp, warp->head->stages[0].unit)->free_at;
    warp->shut = true;
    if (free_at > sm->now) sm->look_at = cycles_min(sm->look_at, free_at);
    return false;
}

/* Finds out which warps of the sub-core can issue in this cycle; false when none can. */
static bool find_ready(struct sass_sm *sm, const struct sass_core *core) {
    bool any = false;
    for (uint32_t i = 0; i < sm->words; i++) {
        sm->ready[i] = 0;
        for (uint64_t left = sm->allowed[i] & core->view.members[i]; left != 0; left &= left - 1) {
            const uint32_t index = i * 64 + (uint32_t)__builtin_ctzll(left);
            if (!finds_room(sm, index)) continue;
            warp_set_add(sm->ready, index);
            any = true;
        }
    }
    return any;
}

/* Whether some warp of the sub-core waits for its turn or room only. */
static bool has_allowed(const struct sass_sm *sm, const struct sass_core *core) {
    for (uint32_t i = 0; i < sm->words; i++)
        if ((sm->allowed[i] & core->view.members[i]) != 0) return true;
    return false;
}

static void issue_slot(struct sass_sm *sm, struct sass_core *core) {
    while (core->no_room == FLIGHT_END && core->hold_until <= sm->now && find_ready(sm, core)) {
        const uint32_t index = core->view.policy->pick(&core->view);
        if (index == WARP_NONE) return;
        if (has_constant(sm, core, index)) issue(sm, core, index);
    }
    if (core->no_room == FLIGHT_END && core->hold_until > sm->now && has_allowed(sm, core))
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

static void run_cycle(struct sass_sm *sm) {
    sm->look_at = CYCLES_SATURATED;
    while (heap_first(&sm->events) <= sm->now)
        handle_event(sm, heap_pop(&sm->events).id);
    sass_serve(sm);
    while (heap_first(&sm->wakes) <= sm->now) {
        const uint32_t index = heap_pop(&sm->wakes).id;
        sm->warps[index].asleep = false;
        sass_await(sm, index);
    }
    for (uint32_t c = 0; c < sm->machine->sub_cores; c++)
        issue_slot(sm, &sm->cores[c]);
}

static uint64_t path_lengths(const struct timed_block *block) {
    uint64_t total = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        total += block->paths[block->warp_path[w]].length;
    return total;
}

/* Ends the simulation when the watch says so. */
static void look_at_watch(struct sass_sm *sm, wb_diagnostics *diagnostics) {
    const struct sass_run *run = sm->run;
    if (sm->now < sm->watch_at || run->watch == NULL || run->watch->poll == NULL) return;
    sm->watch_at = sm->now + WATCH_PERIOD;
    if (run->watch->poll(run->watch->user, run->policy->name, sm->executed, sm->total)) return;
    diagnose(diagnostics, SEVERITY_ERROR, run->policy->name, "simulation stopped");
    sm->told = true;
    arena_fail(&sm->arena, WB_ERR_LIMIT);
}

struct simulation {
    struct sass_sm sm;
    wb_diagnostics *diagnostics;
};

static void simulate_pass(void *context) {
    struct simulation *simulation = context;
    struct sass_sm *sm = &simulation->sm;
    init_warps(sm);
    init_cores(sm);
    sass_units_init(sm);
    sass_lines_init(sm);
    sass_begin(sm);
    for (cycles next = 0; next != CYCLES_SATURATED;
         next = cycles_min(sm->look_at, cycles_min(heap_first(&sm->events), heap_first(&sm->wakes)))) {
        sm->now = next;
        look_at_watch(sm, simulation->diagnostics);
        run_cycle(sm);
    }
    assert(sm->live == 0 && "nothing waits for ever");
}

wb_status sass_simulate(const struct timed_block *block, const struct sass_run *run,
                        wb_diagnostics *diagnostics, wb_simulation *result) {
    *result = (wb_simulation){.policy = run->policy->name, .work_conserving = run->policy->work_conserving};
    struct simulation simulation = {.sm = {.block = block,
                                           .machine = block->machine,
                                           .run = run,
                                           .warp_count = block->warp_count,
                                           .words = warp_set_words(block->warp_count),
                                           .total = path_lengths(block),
                                           .result = result},
                                    .diagnostics = diagnostics};
    wb_status status = arena_protect(&simulation.sm.arena, simulate_pass, &simulation);
    result->cycles = result->last_commit;
    if (status == WB_OK && run->sink != NULL && run->sink->block != NULL)
        run->sink->block(run->sink->user, &(struct sim_block){.end = result->cycles});
    if (status != WB_OK && !simulation.sm.told)
        status = diagnose_out_of_memory(diagnostics, run->policy->name);
    vec_free(&simulation.sm.flights);
    vec_free(&simulation.sm.event_room);
    arena_free(&simulation.sm.arena);
    return status;
}

#include "sim/simulator.h"

#include "sim/gpgpusim.h"
#include "sim/unit_queue.h"
#include "sim/wake_queue.h"

/* How many issues pass between two looks at the watch. */
#define SIM_WATCH_PERIOD ((uint64_t)1 << 16)

struct sim_warp {
    struct path_cursor cursor;
    const struct timed_inst *head; /* the next instruction */
    uint64_t step;                 /* its position in the path */
    cycles earliest;               /* no issue before: the cycle behind the last issue, or a release */
    cycles *ready;                 /* per register, when it can be read */
    uint32_t sub_core;
    bool at_barrier;
};

/* A unit of one sub-core, or one that all share. */
struct sim_unit {
    struct unit_queue queue;
    uint64_t *waiting; /* warps whose next instruction is for it and lacks nothing but room */
    bool closed;       /* in the list of closed units: their waiting warps are not ready */
};

struct sim {
    const struct timed_block *block;
    const struct sim_policy *policy;
    const struct sim_sink *sink;
    struct arena arena;
    struct sim_warp *warps;
    struct sim_unit *units; /* [unit * sub_cores + sub-core], a shared one at sub-core 0 */
    struct policy_view *sub_cores;
    uint32_t *closed; /* units that admit nothing before their open_from */
    uint32_t closed_count;
    uint64_t *ready, *running;
    uint32_t words;
    struct wake_queue wakes;
    cycles now;
    uint32_t live, arrived;   /* warps that have not ended; of these, held by a barrier */
    cycles release;           /* when the barrier opens at the earliest */
    uint64_t executed, total; /* instructions so far, and in all */
    uint64_t watch_at;        /* how many of them pass until the next look at the watch */
    wb_simulation result;
};

static struct sim_unit *sim_unit_of(const struct sim *sim, uint32_t unit, uint32_t sub_core) {
    const struct wb_machine *machine = sim->block->machine;
    return &sim->units[unit * machine->sub_cores + (machine->units[unit].shared ? 0 : sub_core)];
}

/* When all operands of the warp's next instruction can be read: sources and, as a result must not overtake an
 * older one, destinations. */
static cycles sim_operands_at(const struct sim *sim, const struct sim_warp *warp) {
    const struct timed_inst *inst = warp->head;
    const uint32_t *operands = sim->block->code.operands + inst->first_operand;
    uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    cycles at = warp->earliest;
    for (uint32_t i = 0; i < count; i++)
        at = cycles_max(at, warp->ready[operands[i]]);
    return at;
}

/* The warp's next instruction is executed: its results can be read from `completion` on. */
static void sim_complete(struct sim *sim, struct sim_warp *warp, cycles completion) {
    const struct timed_inst *inst = warp->head;
    const uint32_t *written = sim->block->code.operands + inst->first_operand + inst->source_count;
    for (uint32_t i = 0; i < inst->destination_count; i++)
        warp->ready[written[i]] = completion;
    sim->result.last_commit = cycles_max(sim->result.last_commit, completion);
    if (!inst->uncounted) sim->result.warp_instructions++;
    sim->executed++;
}

/* Leaves the warp held by a barrier, which it reached in cycle warp->earliest. */
static void sim_arrive(struct sim *sim, uint32_t index) {
    sim->warps[index].at_barrier = true;
    warp_set_remove(sim->running, index);
    sim->release = cycles_max(sim->release, sim->warps[index].earliest);
    sim->arrived++;
}

/* Goes on to the next instruction that takes a slot and says when it has its operands. Instructions without a
 * unit are executed on the way, as soon as their own operands can be read. */
static void sim_proceed(struct sim *sim, uint32_t index) {
    struct sim_warp *warp = &sim->warps[index];
    struct path_step step;
    while (path_next(&warp->cursor, &step)) {
        warp->head = &sim->block->code.insts[step.instruction];
        cycles at = sim_operands_at(sim, warp);
        if (warp->head->unit != UNIT_NONE) {
            wake_queue_push(&sim->wakes, at, index);
            return;
        }
        warp->earliest = at;
        sim_complete(sim, warp, at + warp->head->latency);
        warp->step++;
        if (warp->head->barrier) {
            sim_arrive(sim, index);
            return;
        }
    }
    warp_set_remove(sim->running, index);
    sim->release = cycles_max(sim->release, warp->earliest);
    sim->live--;
}

/* Opens the barrier while every live warp is held by it. */
static void sim_settle_barrier(struct sim *sim) {
    while (sim->live > 0 && sim->arrived == sim->live) {
        sim->arrived = 0;
        cycles release = sim->release;
        for (uint32_t w = 0; w < sim->block->warp_count; w++) {
            struct sim_warp *warp = &sim->warps[w];
            if (!warp->at_barrier) continue;
            warp->at_barrier = false;
            warp->earliest = release;
            warp_set_add(sim->running, w);
            sim_proceed(sim, w);
        }
    }
}

/* Takes a unit that admits nothing more in this cycle, and its waiting warps, out of the choice. */
static void sim_close_unit(struct sim *sim, struct sim_unit *unit) {
    if (unit->closed || unit->queue.open_from <= sim->now) return;
    unit->closed = true;
    sim->closed[sim->closed_count++] = (uint32_t)(unit - sim->units);
    for (uint32_t i = 0; i < sim->words; i++)
        sim->ready[i] &= ~unit->waiting[i];
}

/* Everything that becomes possible in this cycle: units with room again, warps with their operands. */
static void sim_begin_cycle(struct sim *sim) {
    for (uint32_t c = 0; c < sim->closed_count;) {
        struct sim_unit *unit = &sim->units[sim->closed[c]];
        if (unit->queue.open_from > sim->now) {
            c++;
            continue;
        }
        unit->closed = false;
        sim->closed[c] = sim->closed[--sim->closed_count];
        for (uint32_t i = 0; i < sim->words; i++)
            sim->ready[i] |= unit->waiting[i];
    }
    while (wake_queue_first(&sim->wakes) <= sim->now) {
        uint32_t index = wake_queue_pop(&sim->wakes);
        const struct sim_warp *warp = &sim->warps[index];
        struct sim_unit *unit = sim_unit_of(sim, warp->head->unit, warp->sub_core);
        warp_set_add(unit->waiting, index);
        if (!unit->closed) warp_set_add(sim->ready, index);
    }
}

/* Issues the next instruction of a ready warp in this cycle. */
static wb_status sim_issue(struct sim *sim, uint32_t index) {
    struct sim_warp *warp = &sim->warps[index];
    const struct timed_inst *inst = warp->head;
    struct sim_unit *unit = sim_unit_of(sim, inst->unit, warp->sub_core);
    uint32_t instance;
    cycles start = unit_queue_push(&unit->queue, sim->now, inst->init, &instance);
    cycles init_end = start + inst->init;
    warp_set_remove(unit->waiting, index);
    warp_set_remove(sim->ready, index);
    sim_close_unit(sim, unit);
    sim_complete(sim, warp, init_end + inst->latency);
    sim->result.last_issue = sim->now;
    if (sim->sink != NULL) {
        struct sim_event event = {.warp = index,
                                  .sub_core = warp->sub_core,
                                  .step = warp->step,
                                  .instruction = (uint32_t)(inst - sim->block->code.insts),
                                  .unit = inst->unit,
                                  .instance = instance,
                                  .issue = sim->now,
                                  .start = start,
                                  .init_end = init_end,
                                  .completion = init_end + inst->latency};
        WB_TRY(sim->sink->event(sim->sink->user, &event));
    }
    warp->step++;
    warp->earliest = sim->now + 1;
    if (inst->barrier) {
        sim_arrive(sim, index);
    } else {
        sim_proceed(sim, index);
    }
    sim_settle_barrier(sim);
    return WB_OK;
}

/* Gives every sub-core its slots; *again: some sub-core that used one has more warps to issue. */
static wb_status sim_issue_slots(struct sim *sim, bool *again) {
    const struct wb_machine *machine = sim->block->machine;
    *again = false;
    for (uint32_t s = 0; s < machine->sub_cores; s++) {
        struct policy_view *view = &sim->sub_cores[s];
        for (uint32_t slot = 0; slot < machine->issue_width; slot++) {
            uint32_t warp = sim->policy->pick(view);
            if (warp == WARP_NONE) break;
            view->last = warp;
            view->issued++;
            *again = true;
            WB_TRY(sim_issue(sim, warp));
        }
    }
    *again = *again && !warp_set_empty(sim->ready, sim->words);
    return WB_OK;
}

/* The next cycle in which a warp gets its operands or a unit that one waits for gets room. */
static cycles sim_next_event(const struct sim *sim) {
    cycles next = wake_queue_first(&sim->wakes);
    for (uint32_t c = 0; c < sim->closed_count; c++) {
        const struct sim_unit *unit = &sim->units[sim->closed[c]];
        if (unit->queue.open_from < next && !warp_set_empty(unit->waiting, sim->words))
            next = unit->queue.open_from;
    }
    return next;
}

static wb_status sim_watch(struct sim *sim, const wb_watch *watch, wb_diagnostics *diagnostics) {
    if (watch == NULL || watch->poll == NULL || sim->executed < sim->watch_at) return WB_OK;
    sim->watch_at = sim->executed + SIM_WATCH_PERIOD;
    if (watch->poll(watch->user, sim->policy->name, sim->executed, sim->total)) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, sim->policy->name, "simulation stopped");
    return WB_ERR_LIMIT;
}

static wb_status sim_run(struct sim *sim, const wb_watch *watch, wb_diagnostics *diagnostics) {
    for (uint32_t w = 0; w < sim->block->warp_count; w++)
        sim_proceed(sim, w);
    sim_settle_barrier(sim);
    sim->now = sim_next_event(sim);
    while (sim->now != CYCLES_SATURATED) {
        bool again;
        WB_TRY(sim_watch(sim, watch, diagnostics));
        sim_begin_cycle(sim);
        WB_TRY(sim_issue_slots(sim, &again));
        sim->now = again ? sim->now + 1 : sim_next_event(sim);
    }
    return WB_OK;
}

/* Units, sub-cores and sets; false when memory is exhausted. */
static bool sim_prepare_units(struct sim *sim) {
    const struct wb_machine *machine = sim->block->machine;
    uint32_t count = machine->unit_count * machine->sub_cores;
    sim->units = arena_array(&sim->arena, count, sizeof *sim->units);
    sim->closed = arena_array(&sim->arena, count, sizeof *sim->closed);
    sim->sub_cores = arena_array(&sim->arena, machine->sub_cores, sizeof *sim->sub_cores);
    sim->ready = arena_array(&sim->arena, sim->words, sizeof *sim->ready);
    sim->running = arena_array(&sim->arena, sim->words, sizeof *sim->running);
    if (sim->units == NULL || sim->closed == NULL || sim->sub_cores == NULL || sim->ready == NULL ||
        sim->running == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct sim_unit *unit = &sim->units[i];
        uint32_t instances = machine->units[i / machine->sub_cores].count;
        unit->waiting = arena_array(&sim->arena, sim->words, sizeof *unit->waiting);
        if (unit->waiting == NULL ||
            unit_queue_init(&unit->queue, instances, machine->dispatch_depth, &sim->arena) != WB_OK)
            return false;
    }
    return true;
}

/* Warps at the start of their paths; false when memory is exhausted. */
static bool sim_prepare_warps(struct sim *sim) {
    const struct timed_block *block = sim->block;
    const uint32_t sub_cores = block->machine->sub_cores;
    sim->warps = arena_array(&sim->arena, block->warp_count, sizeof *sim->warps);
    sim->wakes.items = arena_array(&sim->arena, block->warp_count, sizeof *sim->wakes.items);
    if (sim->warps == NULL || sim->wakes.items == NULL) return false;
    for (uint32_t s = 0; s < sub_cores; s++) {
        uint64_t *members = arena_array(&sim->arena, sim->words, sizeof *members);
        if (members == NULL) return false;
        for (uint32_t w = s; w < block->warp_count; w += sub_cores) {
            warp_set_add(members, w);
            sim->warps[w].sub_core = s;
        }
        sim->sub_cores[s] = (struct policy_view){.ready = sim->ready,
                                                 .running = sim->running,
                                                 .members = members,
                                                 .words = sim->words,
                                                 .policy = sim->policy,
                                                 .last = WARP_NONE};
    }
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct sim_warp *warp = &sim->warps[w];
        const struct path *path = &block->paths[block->warp_path[w]];
        warp->cursor = path_begin(path);
        warp->ready = arena_array(&sim->arena, block->code.register_count, sizeof *warp->ready);
        if (warp->ready == NULL) return false;
        warp_set_add(sim->running, w);
        sim->total += path->length;
    }
    sim->live = block->warp_count;
    return true;
}

wb_status simulate(const struct timed_block *block, const struct sim_policy *policy,
                   const struct sim_sink *sink, const wb_watch *watch, wb_diagnostics *diagnostics,
                   wb_simulation *result) {
    if (block->machine->model == MACHINE_GPGPUSIM)
        return gpgpusim_simulate(block, policy, sink, watch, diagnostics, result);
    struct sim sim = {
        .block = block, .policy = policy, .sink = sink, .words = warp_set_words(block->warp_count)};
    sim.result = (wb_simulation){.policy = policy->name, .work_conserving = policy->work_conserving};
    wb_status status = WB_ERR_LIMIT;
    if (sim_prepare_units(&sim) && sim_prepare_warps(&sim)) {
        status = sim_run(&sim, watch, diagnostics);
    } else {
        diagnose(diagnostics, SEVERITY_ERROR, policy->name, "out of memory");
    }
    sim.result.cycles = sim.result.last_commit;
    if (status == WB_OK) *result = sim.result;
    arena_free(&sim.arena);
    return status;
}

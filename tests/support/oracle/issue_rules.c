#include "issue_rules.h"

#include "naive_sim.h"

wb_status issue_events_keep(void *user, const struct sim_event *event) {
    struct issue_events *schedule = user;
    return vec_push(&schedule->events, *event);
}

/* One warp's view while the events are gone through in order. */
struct warp_check {
    uint32_t insts[NAIVE_INSTS];
    uint32_t length;
    uint32_t next; /* position in the path */
    uint32_t barriers;
    cycles after_issue; /* the cycle behind its last issue; that cycle itself for one that joins it */
    cycles arrival[NAIVE_INSTS]; /* when each of its barriers was reached */
    cycles ready[NAIVE_REGISTERS];
};

struct check {
    const struct timed_block *block;
    const struct issue_events *schedule;
    struct warp_check warps[NAIVE_WARPS];
};

static const struct timed_inst *inst_at(const struct check *check, uint32_t w, uint32_t position) {
    return &check->block->code.insts[check->warps[w].insts[position]];
}

/* Barriers in the first `count` instructions of a warp. */
static uint32_t barriers_before(const struct check *check, uint32_t w, uint32_t count) {
    uint32_t barriers = 0;
    for (uint32_t i = 0; i < count; i++)
        barriers += inst_at(check, w, i)->barrier;
    return barriers;
}

/* The event of a warp's instruction, or NULL. */
static const struct sim_event *event_of(const struct check *check, uint32_t w, uint32_t position) {
    for (size_t i = 0; i < check->schedule->events.count; i++) {
        const struct sim_event *event = &check->schedule->events.items[i];
        if (event->warp == w && event->step == position) return event;
    }
    return NULL;
}

/* When warp w can issue behind its position: own order, operands and barriers; nothing of units and slots.
 * Arrivals of other warps must be known. */
static cycles ready_at(const struct check *check, uint32_t w) {
    const struct warp_check *warp = &check->warps[w];
    const struct timed_inst *inst = inst_at(check, w, warp->next);
    cycles at = warp->after_issue;
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++) {
        const uint32_t reg = check->block->code.operands[inst->first_operand + i];
        const uint64_t awaited = naive_awaited(&check->block->code, warp->insts, warp->next, reg);
        at = cycles_max(at, warp->ready[reg]);
        for (uint32_t p = 0; p < warp->next; p++)
            if ((awaited >> p & 1) != 0) at = cycles_max(at, event_of(check, w, p)->completion);
    }
    uint32_t passed = barriers_before(check, w, warp->next);
    for (uint32_t u = 0; passed > 0 && u < check->block->warp_count; u++) {
        const struct warp_check *other = &check->warps[u];
        /* A warp with fewer barriers ends instead of arriving. */
        cycles arrival =
            other->barriers >= passed ? other->arrival[passed - 1] : other->arrival[other->barriers];
        at = cycles_max(at, arrival);
    }
    return at;
}

/* Fills in when every barrier of every warp was reached, from the issue cycles alone. */
static void find_arrivals(struct check *check) {
    for (uint32_t w = 0; w < check->block->warp_count; w++) {
        struct warp_check *warp = &check->warps[w];
        cycles after = 0;
        uint32_t reached = 0;
        for (uint32_t i = 0; i < warp->length; i++) {
            const struct sim_event *event = event_of(check, w, i);
            if (event != NULL) after = event->issue + 1;
            if (inst_at(check, w, i)->barrier) warp->arrival[reached++] = after;
        }
        warp->barriers = reached;
        warp->arrival[reached] = after; /* the end */
    }
}

static bool same_unit(const struct check *check, const struct sim_event *a, const struct sim_event *b) {
    return a->unit == b->unit && (check->block->machine->units[a->unit].shared || a->sub_core == b->sub_core);
}

/* Units: intervals that do not overlap, first in first out, no idle instance while one waits, queue depth. */
static const char *check_units(const struct check *check) {
    const struct issue_events *schedule = check->schedule;
    const struct wb_machine *machine = check->block->machine;
    for (size_t i = 0; i < schedule->events.count; i++) {
        const struct sim_event *event = &schedule->events.items[i];
        uint32_t waiting = 0;
        cycles busy = 0; /* instance cycles of others between issue and start */
        for (size_t j = 0; j < schedule->events.count; j++) {
            const struct sim_event *other = &schedule->events.items[j];
            if (j == i || !same_unit(check, event, other)) continue;
            bool overlap = event->start < other->init_end && other->start < event->init_end;
            if (overlap && event->instance == other->instance) return "two initiations on one instance";
            if (j < i && other->start > event->start) return "not first in, first out";
            if (j < i && other->start > event->issue) waiting++;
            cycles from = cycles_max(other->start, event->issue),
                   to = cycles_min(other->init_end, event->start);
            if (to > from) busy += to - from;
        }
        if (event->instance >= machine->units[event->unit].count) return "no such instance";
        if (busy != (event->start - event->issue) * machine->units[event->unit].count)
            return "waits for a unit with a free instance";
        if (event->start > event->issue && machine->dispatch_depth != DEPTH_UNLIMITED &&
            waiting >= machine->dispatch_depth)
            return "no room in the queue";
    }
    return NULL;
}

/* One event against its warp, which then goes on. */
static const char *check_event(struct check *check, const struct sim_event *event) {
    struct warp_check *warp = &check->warps[event->warp];
    while (warp->next < warp->length && inst_at(check, event->warp, warp->next)->unit == UNIT_NONE)
        warp->next++;
    if (warp->next == warp->length || event->step != warp->next) return "not in program order";
    const struct timed_inst *inst = inst_at(check, event->warp, warp->next);
    if (event->instruction != warp->insts[warp->next] || event->unit != inst->unit)
        return "wrong instruction";
    if (event->sub_core != event->warp % check->block->machine->sub_cores) return "wrong sub-core";
    if (event->issue < ready_at(check, event->warp)) return "issued before it was ready";
    if (event->start < event->issue || event->init_end != event->start + inst->init ||
        event->completion != event->init_end + inst->latency)
        return "wrong times";
    for (uint32_t i = 0; i < inst->destination_count; i++)
        warp->ready[check->block->code.operands[inst->first_operand + inst->source_count + i]] =
            event->completion;
    warp->after_issue = event->issue + 1;
    warp->next++;
    return NULL;
}

/* Whether a unit takes one more instruction at the end of cycle `at`, by the events up to then. */
static bool has_room(const struct check *check, uint32_t w, cycles at) {
    const struct wb_machine *machine = check->block->machine;
    struct sim_event wanted = {.unit = inst_at(check, w, check->warps[w].next)->unit,
                               .sub_core = w % machine->sub_cores};
    uint32_t waiting = 0, busy = 0;
    for (size_t i = 0; i < check->schedule->events.count; i++) {
        const struct sim_event *event = &check->schedule->events.items[i];
        if (event->issue > at || !same_unit(check, &wanted, event)) continue;
        waiting += event->start > at;
        busy += event->start <= at && event->init_end > at;
    }
    return busy < machine->units[wanted.unit].count || waiting < machine->dispatch_depth;
}

/* What a sub-core has issued in a cycle; of the warp whose turn was last, too. */
struct turns {
    uint32_t slots; /* used */
    uint32_t warp, count;
    uint64_t step; /* the last */
    uint32_t units;
};

/* Whether, at the end of cycle `at`, a warp that was ready had a free slot and room. */
static bool wasted(struct check *check, cycles at, const struct turns *turns) {
    const struct wb_machine *machine = check->block->machine;
    for (uint32_t w = 0; w < check->block->warp_count; w++) {
        struct warp_check *warp = &check->warps[w];
        while (warp->next < warp->length && inst_at(check, w, warp->next)->unit == UNIT_NONE)
            warp->next++;
        if (warp->next == warp->length || turns[w % machine->sub_cores].slots == machine->issue_width)
            continue;
        if (ready_at(check, w) <= at && has_room(check, w, at)) return true;
    }
    return false;
}

/* Whether an event is a further instruction of the turn, and allowed to be. */
static const char *check_turn(struct check *check, const struct sim_event *event, struct turns *turns) {
    const struct wb_machine *machine = check->block->machine;
    if (turns->slots == 0 || turns->warp != event->warp) {
        if (++turns->slots > machine->issue_width) return "too many issues";
        turns->warp = event->warp;
        turns->count = turns->units = 0;
    } else {
        if (event->step != turns->step + 1 || inst_at(check, event->warp, (uint32_t)turns->step)->barrier)
            return "issued together over a barrier";
        if ((turns->units >> event->unit & 1) != 0) return "issued together to one unit";
        check->warps[event->warp].after_issue = event->issue;
    }
    if (++turns->count > (machine->issue_per_warp > 1 ? machine->issue_per_warp : 1))
        return "too many issues of a warp";
    turns->step = event->step;
    turns->units |= UINT32_C(1) << event->unit;
    return NULL;
}

/* Goes through the cycles: slots, program order, work conservation. */
static const char *check_cycles(struct check *check, const wb_simulation *simulation) {
    const struct issue_events *schedule = check->schedule;
    size_t next = 0;
    for (cycles at = 0; at <= simulation->last_issue; at++) {
        struct turns turns[8] = {{0}};
        for (; next < schedule->events.count && schedule->events.items[next].issue <= at; next++) {
            const struct sim_event *event = &schedule->events.items[next];
            if (event->issue < at) return "events not in order";
            const char *broken = check_turn(check, event, &turns[event->sub_core]);
            if (broken == NULL) broken = check_event(check, event);
            if (broken != NULL) return broken;
        }
        if (simulation->work_conserving && wasted(check, at, turns)) return "not work-conserving";
    }
    return next == schedule->events.count ? NULL : "issues after the last one";
}

const char *issue_rules_broken(const struct timed_block *block, const struct issue_events *schedule,
                               const wb_simulation *simulation) {
    static _Thread_local struct check check;
    check = (struct check){.block = block, .schedule = schedule};
    uint64_t issued = 0;
    cycles last = 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        check.warps[w].length = naive_expand(&block->paths[block->warp_path[w]], check.warps[w].insts);
        for (uint32_t i = 0; i < check.warps[w].length; i++)
            issued += inst_at(&check, w, i)->unit != UNIT_NONE;
    }
    for (size_t i = 0; i < schedule->events.count; i++)
        last = cycles_max(last, schedule->events.items[i].completion);
    if (issued != schedule->events.count) return "an instruction was not issued";
    if (last != simulation->last_commit || last != simulation->cycles) return "wrong end";
    find_arrivals(&check);
    const char *broken = check_cycles(&check, simulation);
    return broken != NULL ? broken : check_units(&check);
}

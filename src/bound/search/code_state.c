#include "bound/search/code_state.h"

#include <assert.h>
#include <string.h>

/* ---- Lists ----------------------------------------------------------------------------------------------
 */

bool code_add(const struct code_model *model, struct code_warp *warp, const struct code_entry *entry) {
    if (warp->entries >= model->entries) {
        *model->entries_overflow = true;
        return false;
    }
    uint32_t at = warp->entries++;
    if (entry->phase != CODE_COUNTS) {
        for (; at > warp->flights; at--)
            warp->list[at] = warp->list[at - 1];
        warp->flights++;
    }
    warp->list[at] = *entry;
    return true;
}

static void remove_entry(struct code_warp *warp, uint32_t at) {
    if (at < warp->flights) warp->flights--;
    warp->entries--;
    memmove(&warp->list[at], &warp->list[at + 1], (warp->entries - at) * sizeof *warp->list);
}

static const struct code_inst *inst_of(const struct code_model *model, const struct code_warp *warp,
                                       const struct code_entry *entry) {
    return &code_program_of(model, warp)->insts[entry->inst];
}

/* ---- Units ----------------------------------------------------------------------------------------------
 */

uint32_t code_queued(const struct code_model *model, void *state, uint32_t number, bool first) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < model->warps; w++) {
        const struct code_warp *warp = code_warp_at(model, state, w);
        for (uint32_t f = 0; f < warp->flights; f++) {
            const struct code_entry *entry = &warp->list[f];
            if (entry->phase != CODE_WAITS || (entry->stage == 0) != first) continue;
            const uint8_t unit = inst_of(model, warp, entry)->timed.stages[entry->stage].unit;
            count += code_unit_number(model, warp, unit) == number;
        }
    }
    return count;
}

bool code_has_room(const struct code_model *model, void *state, const struct code_warp *warp,
                   const struct code_inst *inst) {
    const uint8_t unit = inst->timed.stages[0].unit;
    const uint32_t queue = model->machine->units[unit].queue;
    return queue == DEPTH_UNLIMITED ||
           code_queued(model, state, code_unit_number(model, warp, unit), true) < queue;
}

bool code_is_behind(const struct code_model *model, const struct code_warp *warp, uint32_t flights,
                    uint8_t unit) {
    if (model->clash >> unit & 1) return false;
    for (uint32_t f = 0; f < flights; f++) {
        const struct code_entry *entry = &warp->list[f];
        const struct sass_timed *timed = &inst_of(model, warp, entry)->timed;
        const bool waits = entry->phase == CODE_BEFORE_QUEUE || entry->phase == CODE_WAITS;
        for (uint32_t i = entry->stage + !waits; i < timed->stage_count; i++)
            if (timed->stages[i].unit == unit) return true;
    }
    return false;
}

/* What keeps the unit of its stage as the next one has no room goes on from there. */
static void unblock(const struct code_model *model, void *state, const struct code_warp *warp,
                    const struct code_entry *entry) {
    const uint8_t unit = inst_of(model, warp, entry)->timed.stages[entry->stage].unit;
    if (entry->phase == CODE_BLOCKS)
        code_units(model, state)[code_unit_number(model, warp, unit)].taken = false;
}

void code_start(const struct code_model *model, void *state, struct code_warp *warp, struct code_entry *entry,
                uint32_t stage) {
    const struct code_inst *inst = inst_of(model, warp, entry);
    struct code_unit *units = code_units(model, state);
    unblock(model, state, warp, entry);
    struct code_unit *unit = &units[code_unit_number(model, warp, inst->timed.stages[stage].unit)];
    assert(!unit->taken && unit->hold.least == 0);
    unit->hold = (struct code_span){0, 0};
    unit->taken = true;
    entry->phase = CODE_HOLDS;
    entry->stage = (uint8_t)stage;
    entry->left = inst->init[stage];
}

/* ---- Ends of stages -------------------------------------------------------------------------------------
 */

void code_end(const struct code_model *model, struct code_warp *warp, uint32_t at) {
    const struct code_entry ended = warp->list[at];
    const struct code_inst *inst = inst_of(model, warp, &ended);
    const uint8_t counters[] = {inst->timed.write_counter, inst->timed.read_counter};
    const struct code_span times[] = {inst->write, inst->read};
    const bool fresh = warp->fresh > 0 && ended.inst + 1u == warp->position;
    remove_entry(warp, at);
    for (uint32_t i = 0; i < 2; i++) {
        const struct code_entry counts = {
            .phase = CODE_COUNTS, .counter = counters[i], .fresh = fresh, .left = times[i]};
        if (times[i].most > 0 && !code_add(model, warp, &counts)) return;
    }
}

/* The instruction comes to the stage behind its own, from there or from a transfer. */
static void arrive(const struct code_model *model, void *state, struct code_warp *warp, uint32_t at) {
    struct code_entry *entry = &warp->list[at];
    const struct code_inst *inst = inst_of(model, warp, entry);
    const uint32_t next = entry->stage + 1u;
    const bool from_stage = entry->phase == CODE_HOLDS;
    const uint8_t unit = inst->timed.stages[next].unit;
    const uint32_t queue = model->machine->units[unit].queue;
    if (inst->init[next].most == 0) {
        entry->phase = CODE_HOLDS; /* of no time, and of no unit */
        entry->stage = (uint8_t)next;
        entry->left = (struct code_span){0, 0};
        return;
    }
    const bool room = queue == DEPTH_UNLIMITED || !from_stage ||
                      inst->timed.stages[entry->stage].transfer > 0 ||
                      code_queued(model, state, code_unit_number(model, warp, unit), false) < queue;
    entry->left = (struct code_span){0, 0};
    if (!room) {
        struct code_unit *held =
            &code_units(model, state)[code_unit_number(model, warp, inst->timed.stages[entry->stage].unit)];
        held->taken = true;
        entry->phase = CODE_BLOCKS;
        return;
    }
    entry->phase = CODE_WAITS;
    entry->stage = (uint8_t)next;
}

/* A stage or transfer is over; `skip`: what is behind it is passed over. */
static void end_stage(const struct code_model *model, void *state, struct code_warp *warp, uint32_t at,
                      bool skip) {
    struct code_entry *entry = &warp->list[at];
    const struct code_inst *inst = inst_of(model, warp, entry);
    if (entry->phase == CODE_HOLDS) {
        const uint32_t stage = entry->stage;
        if (stage == 0 || inst->init[stage].most > 0)
            code_units(model, state)[code_unit_number(model, warp, inst->timed.stages[stage].unit)].taken =
                false;
        if (skip || stage + 1u == inst->timed.stage_count) {
            code_end(model, warp, at);
            return;
        }
        if (inst->transfer[stage].most > 0) {
            entry->phase = CODE_MOVES;
            entry->left = inst->transfer[stage];
            return;
        }
    } else if (skip) {
        code_end(model, warp, at);
        return;
    }
    arrive(model, state, warp, at);
}

/* ---- Choices --------------------------------------------------------------------------------------------
 */

static void list(struct search_choices *choices, enum code_choice_kind kind, uint32_t place, uint32_t warp,
                 uint32_t slot) {
    assert(choices->count < SEARCH_CHOICES_MAX);
    choices->items[choices->count++] =
        (struct search_choice){(uint8_t)kind, (uint8_t)place, (uint8_t)slot, (uint8_t)warp};
}

/* Whether what comes next of an instruction whose stage or transfer is over may be passed over. */
static bool may_skip(const struct code_model *model, const struct code_inst *inst,
                     const struct code_entry *entry) {
    if (!model->freedom.shorter || entry->stage + 1u >= inst->timed.stage_count) return false;
    return entry->phase == CODE_MOVES || inst->transfer[entry->stage].most == 0;
}

/* The first stage or transfer that is over, or could be. */
static void list_ends(const struct code_model *model, void *state, struct search_choices *choices) {
    for (uint32_t w = 0; w < model->warps; w++) {
        const struct code_warp *warp = code_warp_at(model, state, w);
        for (uint32_t f = 0; f < warp->flights; f++) {
            const struct code_entry *entry = &warp->list[f];
            if (entry->phase != CODE_HOLDS && entry->phase != CODE_MOVES) continue;
            if (entry->left.least > 0 || entry->asked) continue;
            list(choices, CODE_END, 0, w, f);
            if (may_skip(model, inst_of(model, warp, entry), entry)) list(choices, CODE_SKIP, 0, w, f);
            if (entry->left.most > 0) list(choices, CODE_GO_ON, 0, w, f);
            return;
        }
    }
}

/* Instructions that keep a unit as the next one had no room, of one next unit that has. */
static void list_unblocked(const struct code_model *model, void *state, struct search_choices *choices) {
    uint32_t found = UINT32_MAX;
    for (uint32_t w = 0; w < model->warps; w++) {
        const struct code_warp *warp = code_warp_at(model, state, w);
        for (uint32_t f = 0; f < warp->flights; f++) {
            const struct code_entry *entry = &warp->list[f];
            if (entry->phase != CODE_BLOCKS) continue;
            const uint8_t unit = inst_of(model, warp, entry)->timed.stages[entry->stage + 1].unit;
            const uint32_t number = code_unit_number(model, warp, unit);
            if (found != UINT32_MAX && found != number) continue;
            if (code_queued(model, state, number, false) >= model->machine->units[unit].queue) continue;
            list(choices, CODE_UNBLOCK, 0, w, f);
            found = number;
        }
    }
}

/* The possible starts on a unit that is or may be free. */
static void list_starts_on(const struct code_model *model, void *state, uint32_t number,
                           struct search_choices *choices) {
    const struct code_unit *unit = &code_units(model, state)[number];
    if (unit->taken || unit->declined || unit->hold.least > 0) return;
    for (uint32_t w = 0; w < model->warps; w++) {
        const struct code_warp *warp = code_warp_at(model, state, w);
        for (uint32_t f = 0; f < warp->flights; f++) {
            const struct code_entry *entry = &warp->list[f];
            uint32_t stage;
            if (!code_awaits(entry, &stage)) continue;
            const uint8_t wanted = inst_of(model, warp, entry)->timed.stages[stage].unit;
            if (code_unit_number(model, warp, wanted) != number || code_is_behind(model, warp, f, wanted))
                continue;
            list(choices, CODE_START, 0, w, f);
            if (model->freedom.merges && stage > 0 && model->machine->units[wanted].any_order)
                list(choices, CODE_MERGE, 0, w, f);
        }
    }
    if (choices->count > 0 && unit->hold.most > 0) list(choices, CODE_DECLINE, number, 0, 0);
}

/* Instructions that hold an issue stage for room in one queue that has some. */
static void list_entering(const struct code_model *model, void *state, struct search_choices *choices) {
    uint32_t found = UINT32_MAX;
    for (uint32_t w = 0; w < model->warps; w++) {
        const struct code_warp *warp = code_warp_at(model, state, w);
        if (warp->flights == 0 || warp->list[warp->flights - 1].phase != CODE_BEFORE_QUEUE) continue;
        const struct code_inst *inst = inst_of(model, warp, &warp->list[warp->flights - 1]);
        const uint32_t number = code_unit_number(model, warp, inst->timed.stages[0].unit);
        if ((found != UINT32_MAX && found != number) || !code_has_room(model, state, warp, inst)) continue;
        list(choices, CODE_ENTER, 0, w, 0);
        found = number;
    }
}

static void list_starts(const struct code_model *model, void *state, struct search_choices *choices) {
    list_unblocked(model, state, choices);
    for (uint32_t number = model->units; number-- > 0 && choices->count == 0;)
        list_starts_on(model, state, number, choices);
    if (choices->count == 0) list_entering(model, state, choices);
}

static void code_choose(const void *of, void *state, const struct search_choice *choice) {
    const struct code_model *model = of;
    struct code_state *head = state;
    struct code_warp *warp = code_warp_at(model, state, choice->which);
    struct code_entry *entry = &warp->list[choice->kind == CODE_ISSUE ? 0 : choice->slot];
    head->acted = true;
    switch ((enum code_choice_kind)choice->kind) {
    case CODE_END: end_stage(model, state, warp, choice->slot, false); return;
    case CODE_SKIP: end_stage(model, state, warp, choice->slot, true); return;
    case CODE_GO_ON: entry->asked = true; return;
    case CODE_ISSUE_FIRST: head->moment = CODE_ISSUING; return;
    case CODE_START_FIRST:
    case CODE_START_PROMPTLY:
        head->promptly = choice->kind == CODE_START_PROMPTLY;
        head->moment = CODE_STARTING;
        return;
    case CODE_UNBLOCK:
        unblock(model, state, warp, entry);
        entry->phase = CODE_WAITS;
        entry->stage++;
        return;
    case CODE_START:
        code_start(model, state, warp, entry, entry->stage + (entry->phase == CODE_BLOCKS));
        return;
    case CODE_MERGE:
        unblock(model, state, warp, entry);
        code_end(model, warp, choice->slot);
        return;
    case CODE_DECLINE: code_units(model, state)[choice->sm].declined = true; return;
    case CODE_ENTER: code_enter(model, state, warp); return;
    case CODE_ISSUE: code_issue(model, state, choice->which, choice->slot); return;
    case CODE_NONE: code_cores(model, state)[choice->sm].decided = true; return;
    }
    assert(false);
}

/* ---- Time -----------------------------------------------------------------------------------------------
 */

static void sooner(uint32_t *least, const struct code_span *span) {
    const uint32_t next = span->least > 0 ? span->least : span->most;
    if (next > 0 && next < *least) *least = next;
}

/* Cycles until something that is not possible yet may be, or must; UINT32_MAX: nothing is left. */
static uint32_t pause_of(const struct code_model *model, void *state) {
    uint32_t least = UINT32_MAX;
    for (uint32_t c = 0; c < model->cores; c++)
        sooner(&least, &code_cores(model, state)[c].slot);
    for (uint32_t u = 0; u < model->units; u++)
        sooner(&least, &code_units(model, state)[u].hold);
    for (uint32_t w = 0; w < model->warps; w++) {
        const struct code_warp *warp = code_warp_at(model, state, w);
        sooner(&least, &warp->earliest);
        if (warp->fresh > 0 && warp->fresh < least) least = warp->fresh;
        for (uint32_t e = 0; e < warp->entries; e++)
            sooner(&least, &warp->list[e].left);
    }
    return least;
}

static void pass(struct code_span *span, uint32_t passed) {
    span->least = span->least > passed ? span->least - passed : 0;
    span->most = span->most > passed ? span->most - passed : 0;
}

static void pass_warp(struct code_warp *warp, uint32_t passed) {
    pass(&warp->earliest, passed);
    if (warp->opening) warp->earliest.most = CODE_OPEN;
    warp->stall = warp->stall > passed ? warp->stall - passed : 0;
    warp->fresh = warp->fresh > passed ? (uint8_t)(warp->fresh - passed) : 0;
    for (uint32_t e = warp->entries; e-- > 0;) {
        struct code_entry *entry = &warp->list[e];
        pass(&entry->left, passed);
        entry->asked = false;
        entry->fresh &= warp->fresh > 0;
        if (entry->phase == CODE_COUNTS && entry->left.most == 0) remove_entry(warp, e);
    }
}

static void pass_time(const struct code_model *model, void *state, uint32_t passed) {
    struct code_state *head = state;
    for (uint32_t c = 0; c < model->cores; c++) {
        struct code_core *core = &code_cores(model, state)[c];
        pass(&core->slot, passed);
        core->decided = false;
    }
    for (uint32_t u = 0; u < model->units; u++) {
        struct code_unit *unit = &code_units(model, state)[u];
        pass(&unit->hold, passed);
        unit->declined = false;
    }
    for (uint32_t w = 0; w < model->warps; w++)
        pass_warp(code_warp_at(model, state, w), passed);
    head->acted = head->promptly = false;
    head->moment = CODE_ENDING;
}

/* Forgets the counts that nobody waits for any more, but not when they are over at the latest. */
static void settle(const struct code_model *model, void *state, uint32_t passed, uint32_t *at_least) {
    for (uint32_t w = 0; w < model->warps; w++) {
        struct code_warp *warp = code_warp_at(model, state, w);
        const uint8_t awaited = code_program_of(model, warp)->awaited[warp->position];
        for (uint32_t e = warp->entries; e-- > warp->flights;) {
            const struct code_entry *entry = &warp->list[e];
            if (entry->counter != SASS_NO_COUNTER && (awaited >> entry->counter & 1) != 0) continue;
            if (passed + entry->left.most > *at_least) *at_least = passed + entry->left.most;
            remove_entry(warp, e);
        }
    }
}

static bool has_ended(const struct code_model *model, void *state) {
    for (uint32_t w = 0; w < model->warps; w++) {
        const struct code_warp *warp = code_warp_at(model, state, w);
        if (warp->entries > 0 || warp->at_barrier || warp->position < code_program_of(model, warp)->count)
            return false;
    }
    return true;
}

/* The last cycle in which something is held. */
static uint32_t held_for(const struct code_model *model, void *state) {
    uint32_t most = 0;
    for (uint32_t c = 0; c < model->cores; c++)
        if (code_cores(model, state)[c].slot.most > most) most = code_cores(model, state)[c].slot.most;
    for (uint32_t u = 0; u < model->units; u++)
        if (code_units(model, state)[u].hold.most > most) most = code_units(model, state)[u].hold.most;
    return most;
}

/* ---- The space ------------------------------------------------------------------------------------------
 */

static void code_begin(const void *of, void *state) {
    const struct code_model *model = of;
    for (uint32_t w = 0; w < model->warps; w++) {
        struct code_warp *warp = code_warp_at(model, state, w);
        warp->path = (uint8_t)model->block->warp_path[w];
        warp->core = (uint8_t)(w % model->cores);
        const struct code_program *program = code_program_of(model, warp);
        if (program->count > 0) warp->earliest = program->insts[0].fetch;
    }
}

/* Which of starting and issuing comes first. */
static void list_orders(const struct code_model *model, void *state, struct search_choices *choices) {
    const struct code_freedom *freedom = &model->freedom;
    struct search_choices starts;
    starts.count = 0;
    if (freedom->start_first && model->start_matters) list_starts(model, state, &starts);
    if (freedom->issue_first) list(choices, CODE_ISSUE_FIRST, 0, 0, 0);
    if (!freedom->start_first) return;
    if (freedom->late_start && (!freedom->issue_first || starts.count > 0))
        list(choices, CODE_START_FIRST, 0, 0, 0);
    if (freedom->prompt_start && (!freedom->late_start || (model->order_matters && model->start_matters)))
        list(choices, CODE_START_PROMPTLY, 0, 0, 0);
}

/* The choices at this moment of the cycle; none: the next one comes. */
static void list_moment(const struct code_model *model, void *state, struct search_choices *choices) {
    const struct code_state *head = state;
    choices->count = 0;
    switch ((enum code_moment)head->moment) {
    case CODE_ENDING: list_ends(model, state, choices); return;
    case CODE_ORDERING: list_orders(model, state, choices); return;
    case CODE_STARTING:
    case CODE_STARTING_ISSUED:
        list_ends(model, state, choices); /* stages of no time */
        if (choices->count == 0) list_starts(model, state, choices);
        return;
    case CODE_ISSUING:
        if (head->promptly) list_ends(model, state, choices);
        if (head->promptly && choices->count == 0) list_starts(model, state, choices);
        if (choices->count == 0) code_list_issues(model, state, choices);
        return;
    case CODE_PASSING: return;
    }
}

static void code_advance(const void *of, void *state, struct search_choices *choices, uint32_t *passed,
                         uint32_t *at_least) {
    const struct code_model *model = of;
    struct code_state *head = state;
    *passed = *at_least = 0;
    while (!*model->entries_overflow) {
        settle(model, state, *passed, at_least);
        if (model->freedom.open_at_end) code_release(model, state);
        list_moment(model, state, choices);
        if (choices->count > 1) return;
        if (choices->count == 1) {
            const bool acted = head->acted, orders = head->moment == CODE_ORDERING;
            code_choose(model, state, &choices->items[0]);
            if (orders) head->acted = acted;
            continue;
        }
        if (head->moment != CODE_PASSING) {
            head->moment++;
            continue;
        }
        if (has_ended(model, state)) {
            *passed += held_for(model, state);
            return;
        }
        const uint32_t pause = head->acted ? 1 : pause_of(model, state);
        if (pause == UINT32_MAX) { /* wb_machine_check refuses such machines */
            *model->entries_overflow = *model->stuck = true;
            break;
        }
        *passed += pause;
        pass_time(model, state, pause);
    }
    choices->count = 0;
}

struct search_space code_space(const struct code_model *model) {
    return (struct search_space){.model = model,
                                 .state_size = model->state_size,
                                 .key_max = model->key_max,
                                 .start = code_begin,
                                 .advance = code_advance,
                                 .choose = code_choose,
                                 .key = code_key};
}

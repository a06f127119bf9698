/* The issues of sub-cores in a cycle. */
#include <assert.h>
#include <string.h>

#include "bound/search/code_state.h"

/* Whether something is so: it cannot be, it is if what could be over is, it is in any case. */
enum certainty { CANNOT_BE, MAY_BE, MUST_BE };

static enum certainty is_over(const struct code_span *span) {
    if (span->least > 0) return CANNOT_BE;
    return span->most > 0 ? MAY_BE : MUST_BE;
}

static enum certainty both(enum certainty a, enum certainty b) {
    return a < b ? a : b;
}

static const struct code_inst *next_of(const struct code_model *model, const struct code_warp *warp) {
    return &code_program_of(model, warp)->insts[warp->position];
}

/* ---- Counters -------------------------------------------------------------------------------------------
 */

/* Whether what an entry counts may not be seen in this cycle. */
static bool may_be_unseen(const struct code_model *model, const struct code_warp *warp,
                          const struct code_entry *entry) {
    if (warp->fresh == 0 || !model->freedom.seen_late) return false;
    return entry->phase == CODE_COUNTS ? entry->fresh : entry->inst + 1u == warp->position;
}

/* How often an entry counts in one of the counters of a mask. */
static uint32_t counts_in(const struct code_model *model, const struct code_warp *warp,
                          const struct code_entry *entry, uint32_t mask) {
    if (entry->phase == CODE_COUNTS)
        return entry->counter != SASS_NO_COUNTER && (mask >> entry->counter & 1) != 0;
    const struct sass_timed *timed = &code_program_of(model, warp)->insts[entry->inst].timed;
    return (timed->write_counter != SASS_NO_COUNTER && (mask >> timed->write_counter & 1) != 0) +
           (timed->read_counter != SASS_NO_COUNTER && (mask >> timed->read_counter & 1) != 0);
}

/* Whether the counters of a mask together are at most `left`. */
static enum certainty counters_are(const struct code_model *model, const struct code_warp *warp,
                                   uint32_t mask, uint32_t left) {
    uint32_t surely = 0, maybe = 0;
    for (uint32_t e = 0; e < warp->entries; e++) {
        const struct code_entry *entry = &warp->list[e];
        const uint32_t count = counts_in(model, warp, entry, mask);
        const bool unseen = may_be_unseen(model, warp, entry);
        if (count == 0 || (unseen && !model->freedom.seen_at_once)) continue;
        const bool open = unseen || (entry->phase == CODE_COUNTS && entry->left.least == 0);
        *(open ? &maybe : &surely) += count;
    }
    if (surely > left) return CANNOT_BE;
    return surely + maybe > left ? MAY_BE : MUST_BE;
}

/* Of the counts that may be over all are that keep the counters of a mask above `left`. Those that may last
 * longest are the ones that do: whatever follows if another one did follows then, too. */
static void count_down(const struct code_model *model, struct code_warp *warp, uint32_t mask, uint32_t left) {
    for (uint32_t e = 0; e < warp->flights; e++)
        if (!may_be_unseen(model, warp, &warp->list[e])) left -= counts_in(model, warp, &warp->list[e], mask);
    for (uint32_t e = warp->flights; e < warp->entries; e++) {
        const struct code_entry *entry = &warp->list[e];
        if (!may_be_unseen(model, warp, entry) && entry->left.least > 0)
            left -= counts_in(model, warp, entry, mask);
    }
    for (;;) {
        uint32_t count = 0, shortest = 0;
        for (uint32_t e = warp->flights; e < warp->entries; e++) {
            const struct code_entry *entry = &warp->list[e];
            if (entry->left.least > 0 || may_be_unseen(model, warp, entry)) continue;
            if (counts_in(model, warp, entry, mask) == 0) continue;
            if (count++ == 0 || entry->left.most < warp->list[shortest].left.most) shortest = e;
        }
        if (count <= left) return;
        warp->entries--;
        memmove(&warp->list[shortest], &warp->list[shortest + 1],
                (warp->entries - shortest) * sizeof *warp->list);
    }
}

/* ---- Readiness ------------------------------------------------------------------------------------------
 */

/* Whether the first unit lets the warp's next instruction go. */
static enum certainty unit_lets(const struct code_model *model, void *state, const struct code_warp *warp,
                                const struct code_inst *inst) {
    if (inst->timed.stage_count == 0) return MUST_BE;
    const uint8_t first = inst->timed.stages[0].unit;
    if (!inst->starts_at_issue)
        return model->machine->sass.full_queue == SASS_FULL_HOLDS_ISSUE ||
                       code_has_room(model, state, warp, inst)
                   ? MUST_BE
                   : CANNOT_BE;
    const struct code_unit *unit = &code_units(model, state)[code_unit_number(model, warp, first)];
    if (unit->taken || unit->declined || code_is_behind(model, warp, warp->flights, first)) return CANNOT_BE;
    return is_over(&unit->hold);
}

static enum certainty is_ready(const struct code_model *model, void *state, const struct code_warp *warp) {
    if (warp->at_barrier || warp->position == code_program_of(model, warp)->count) return CANNOT_BE;
    const struct code_inst *inst = next_of(model, warp);
    enum certainty ready = is_over(&warp->earliest);
    if (inst->timed.waits != 0)
        for (uint32_t c = 0; c < SASS_COUNTERS && ready != CANNOT_BE; c++)
            if (inst->timed.waits >> c & 1) ready = both(ready, counters_are(model, warp, 1u << c, 0));
    if (ready != CANNOT_BE && inst->timed.left_counter != SASS_NO_COUNTER)
        ready = both(ready, counters_are(model, warp, 1u << inst->timed.left_counter, inst->timed.left));
    return ready == CANNOT_BE ? ready : both(ready, unit_lets(model, state, warp, inst));
}

/* ---- Choices --------------------------------------------------------------------------------------------
 */

/* Whether a warp before this one is in the same state, so that it does not matter which of them issues. */
static bool has_twin(const struct code_model *model, void *state, uint32_t w) {
    const struct code_warp *warp = code_warp_at(model, state, w);
    const size_t size = sizeof *warp + warp->entries * sizeof *warp->list;
    for (uint32_t v = 0; v < w; v++)
        if (memcmp(code_warp_at(model, state, v), warp, size) == 0) return true;
    return false;
}

static void list_issue(const struct code_model *model, const struct code_warp *warp, uint32_t w,
                       struct search_choices *choices) {
    const struct code_inst *inst = next_of(model, warp);
    const bool misses = inst->timed.operand > 0 && !warp->probed;
    const uint32_t least = model->freedom.shorter && inst->probe > 0 ? 1 : inst->probe;
    struct search_choice choice = {.kind = CODE_ISSUE, .which = (uint8_t)w};
    if (!misses || model->freedom.shorter) choices->items[choices->count++] = choice;
    for (uint32_t probe = least; misses && probe <= inst->probe; probe++) {
        choice.slot = (uint8_t)(1 + probe);
        choices->items[choices->count++] = choice;
    }
}

/* The issue choices of one sub-core. */
static void list_issues_of(const struct code_model *model, void *state, uint32_t c,
                           struct search_choices *choices) {
    const struct code_core *core = &code_cores(model, state)[c];
    const enum certainty open = core->decided || core->no_room ? CANNOT_BE : is_over(&core->slot);
    const uint32_t before = choices->count;
    bool must = open == MUST_BE, any_must = false;
    if (open == CANNOT_BE) return;
    for (uint32_t w = 0; w < model->warps; w++) {
        const struct code_warp *warp = code_warp_at(model, state, w);
        if (warp->core != c) continue;
        const enum certainty ready = is_ready(model, state, warp);
        any_must |= ready == MUST_BE;
        if (ready != CANNOT_BE && !has_twin(model, state, w)) list_issue(model, warp, w, choices);
    }
    must &= any_must;
    if (choices->count > before && !must)
        choices->items[choices->count++] = (struct search_choice){.kind = CODE_NONE, .sm = (uint8_t)c};
}

void code_list_issues(const struct code_model *model, void *state, struct search_choices *choices) {
    for (uint32_t c = 0; c < model->cores; c++) {
        list_issues_of(model, state, c, choices);
        if (choices->count > 0 && !model->order_matters) return;
    }
}

/* ---- Issue ----------------------------------------------------------------------------------------------
 */

static struct code_span later(struct code_span a, struct code_span b) {
    return (struct code_span){a.least > b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
}

/* From the issue of the instruction before until the warp's next one may be issued. */
static struct code_span pace_of(const struct code_model *model, const struct code_warp *warp) {
    const struct code_program *program = code_program_of(model, warp);
    const struct code_span stall = program->insts[warp->position - 1].stall;
    return warp->position == program->count ? stall : later(stall, program->insts[warp->position].fetch);
}

/* Whether an instruction that joins the barrier at hand has not ended. */
static bool joins(const struct code_model *model, void *state) {
    const struct code_state *head = state;
    for (uint32_t w = 0; w < model->warps; w++) {
        const struct code_warp *warp = code_warp_at(model, state, w);
        const struct code_program *program = code_program_of(model, warp);
        for (uint32_t f = 0; f < warp->flights; f++) {
            const uint16_t k = warp->list[f].inst;
            if (program->insts[k].timed.barrier && program->barriers[k] == head->opened) return true;
        }
    }
    return false;
}

/* Whether all warps that have not ended are held by a barrier. */
static bool all_are_held(const struct code_model *model, void *state) {
    uint32_t held = 0;
    for (uint32_t w = 0; w < model->warps; w++) {
        const struct code_warp *warp = code_warp_at(model, state, w);
        if (!warp->at_barrier && warp->position < code_program_of(model, warp)->count) return false;
        held += warp->at_barrier;
    }
    return held > 0;
}

/* All that join the barrier have ended, which its warps need not have waited for. */
static void close_opening(const struct code_model *model, void *state) {
    struct code_state *head = state;
    for (uint32_t w = 0; w < model->warps; w++) {
        struct code_warp *warp = code_warp_at(model, state, w);
        if (!warp->opening) continue;
        warp->opening = false;
        warp->earliest.most = model->release.most > warp->stall ? model->release.most : warp->stall;
        warp->stall = 0;
    }
    head->half_open = false;
    head->opened++;
}

void code_release(const struct code_model *model, void *state) {
    struct code_state *head = state;
    const struct code_freedom *freedom = &model->freedom;
    struct code_span release = model->release;
    if (head->half_open && !joins(model, state)) close_opening(model, state);
    if (!all_are_held(model, state)) return;
    const bool waits = freedom->open_at_end && joins(model, state);
    if (waits && !freedom->open_at_issue) return;
    release.most = waits ? CODE_OPEN : release.most + freedom->open_at_issue;
    release.least += !freedom->open_at_end;
    for (uint32_t w = 0; w < model->warps; w++) {
        struct code_warp *warp = code_warp_at(model, state, w);
        if (!warp->at_barrier) continue;
        warp->at_barrier = false;
        warp->stall = waits ? warp->earliest.most : 0;
        warp->opening = waits;
        warp->earliest = later(warp->earliest, release);
    }
    head->half_open = waits;
    head->opened += !waits;
}

/* What could be over is, as the warp goes on. */
static void go_on(const struct code_model *model, void *state, struct code_warp *warp) {
    const struct sass_timed *timed = &next_of(model, warp)->timed;
    for (uint32_t c = 0; c < SASS_COUNTERS; c++)
        if (timed->waits >> c & 1) count_down(model, warp, 1u << c, 0);
    if (timed->left_counter != SASS_NO_COUNTER)
        count_down(model, warp, 1u << timed->left_counter, timed->left);
    warp->earliest = (struct code_span){0, 0};
    warp->opening = false;
    warp->stall = 0;
    code_cores(model, state)[warp->core].slot = (struct code_span){0, 0};
}

/* The constant of the warp's next instruction is not there. */
static void miss(const struct code_model *model, void *state, struct code_warp *warp, uint32_t probe) {
    const struct code_span operand = next_of(model, warp)->operand, probing = {probe, probe};
    warp->probed = true;
    warp->probe = (uint8_t)probe;
    warp->earliest = later(operand, probing);
    code_cores(model, state)[warp->core].slot = probing;
}

/* The instruction that the warp has issued takes its unit, or its queue. */
static void take_way(const struct code_model *model, void *state, struct code_warp *warp) {
    const uint16_t k = (uint16_t)(warp->position - 1);
    const struct code_inst *inst = &code_program_of(model, warp)->insts[k];
    const struct code_entry entry = {.inst = k, .phase = CODE_WAITS};
    if (!inst->on_its_way) {
        if (inst->timed.stage_count == 0) return;
        const uint32_t number = code_unit_number(model, warp, inst->timed.stages[0].unit);
        code_units(model, state)[number].hold = inst->init[0];
        return;
    }
    const bool room =
        inst->timed.stage_count == 0 || inst->starts_at_issue || code_has_room(model, state, warp, inst);
    if (!code_add(model, warp, &entry)) return;
    struct code_entry *added = &warp->list[warp->flights - 1];
    if (inst->timed.stage_count == 0) {
        code_end(model, warp, warp->flights - 1u);
    } else if (inst->starts_at_issue) {
        code_start(model, state, warp, added, 0);
    } else if (!room) {
        added->phase = CODE_BEFORE_QUEUE;
        code_cores(model, state)[warp->core].no_room = true;
    }
}

void code_issue(const struct code_model *model, void *state, uint32_t w, uint32_t probe) {
    struct code_warp *warp = code_warp_at(model, state, w);
    const struct code_inst *inst = next_of(model, warp);
    struct code_core *core = &code_cores(model, state)[warp->core];
    go_on(model, state, warp);
    core->decided = true;
    if (probe > 0) {
        miss(model, state, warp, probe - 1);
        return;
    }
    core->slot.most = inst->slot.most > warp->probe ? inst->slot.most - warp->probe : 1;
    core->slot.least = model->freedom.shorter ? 1 : core->slot.most;
    warp->probed = false;
    warp->probe = 0;
    warp->position++;
    for (uint32_t e = 0; e < warp->entries; e++)
        warp->list[e].fresh = false;
    warp->fresh = model->freedom.seen_late ? 2 : 0;
    warp->at_barrier = inst->timed.barrier;
    warp->earliest = pace_of(model, warp);
    take_way(model, state, warp);
    if (model->freedom.open_at_issue) code_release(model, state);
}

void code_enter(const struct code_model *model, void *state, struct code_warp *warp) {
    struct code_core *core = &code_cores(model, state)[warp->core];
    const struct code_span slot = code_program_of(model, warp)->insts[warp->position - 1].slot;
    const struct code_span pace = pace_of(model, warp);
    warp->list[warp->flights - 1].phase = CODE_WAITS;
    core->no_room = false;
    if (!model->freedom.paced_from_room) return;
    core->slot.most = slot.most;
    warp->earliest.most = pace.most;
    if (model->freedom.paced_from_issue) return;
    core->slot.least = slot.least;
    warp->earliest.least = pace.least;
}

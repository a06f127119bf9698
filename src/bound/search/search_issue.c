/* Issue in the search over schedules: which warps can issue in a cycle, and which of them are a choice. */
#include <assert.h>
#include <string.h>

#include "bound/search/search_state.h"

/* Whether the next instruction of warp w could be issued now, but for what the warp and its sub-core have
 * issued in this cycle. */
static bool has_all(const struct search_model *model, const struct slot_view *view, uint32_t w) {
    if (!warp_goes_on(model, view, w)) return false;
    const struct search_inst *inst = next_inst(model, &view->warps[w]);
    return inst->unit != UNIT_NONE && search_operands_in(&view->warps[w], inst) == 0 &&
           unit_open_in(model, view, w, inst) == 0;
}

static bool is_ready(const struct search_model *model, const struct slot_view *view, uint32_t w) {
    return (view->slot->issued >> w & 1) == 0 && !view->sub_cores[sub_core_of(model, view, w)].decided &&
           has_all(model, view, w);
}

static bool slots_equal(const struct slot_view *a, const struct slot_view *b) {
    if (memcmp(a->slot, b->slot, sizeof *a->slot) != 0) return false;
    for (uint32_t w = 0; w < a->warp_count; w++)
        if (search_warp_order(&a->warps[w], &b->warps[w]) != 0) return false;
    return true;
}

/* Whether a slot before it is in the same state, with its warps on the same sub-cores. */
static bool is_repeated(const struct search_model *model, const struct search_state *state, uint32_t sm,
                        uint32_t slot, const struct slot_view *view) {
    struct slot_view other;
    if (search_numbers_matter(model, state)) return false;
    for (uint32_t i = 0; i < slot; i++)
        if (slot_at(model, state, sm, i, &other) && other.first_sub_core == view->first_sub_core &&
            slots_equal(&other, view))
            return true;
    return false;
}

/* Sub-cores of an SM, as bits. */
struct issuers {
    uint32_t any;    /* those with a warp that can issue */
    uint32_t choose; /* of them, those with several, in whichever slots */
    uint32_t shared; /* of them, those that may issue to a unit that sub-cores share */
};

/* Whether a unit that sub-cores share may take what the warp issues in a cycle. */
static bool may_use_shared(const struct search_model *model, const struct search_warp *warp) {
    const struct search_program *program = program_of(model, warp);
    for (uint32_t i = 0; i < model->machine->issue_per_warp && warp->position + i < program->count; i++) {
        const uint8_t unit = program->insts[warp->position + i].unit;
        if (unit != UNIT_NONE && model->machine->units[unit].shared) return true;
    }
    return false;
}

/* The warps that an SM can issue now; of those that can be exchanged only the first. A sub-core has a choice
 * where slots can be exchanged: not any more when another sub-core has made one of theirs. */
static struct issuers find_issues(const struct search_model *model, const struct search_state *state,
                                  uint32_t sm, struct search_choices *choices) {
    struct issuers issuers = {0};
    struct slot_view view;
    choices->count = 0;
    for (uint32_t i = 0; i < model->scope.slots; i++) {
        if (!slot_at(model, state, sm, i, &view) || view.slot->held > 0) continue;
        const bool repeated = is_repeated(model, state, sm, i, &view);
        for (uint32_t w = 0; w < view.warp_count; w++) {
            if (!is_ready(model, &view, w)) continue;
            if (w > 0 && search_warp_order(&view.warps[w], &view.warps[w - 1]) == 0 &&
                (view.slot->issued >> (w - 1) & 1) == 0)
                continue;
            const uint32_t sub_core = UINT32_C(1) << sub_core_of(model, &view, w);
            issuers.choose |= issuers.any & sub_core;
            issuers.any |= sub_core;
            if (repeated) continue;
            if (model->machine->sub_cores > 1 && may_use_shared(model, &view.warps[w]))
                issuers.shared |= sub_core;
            choices->items[choices->count++] =
                (struct search_choice){CHOICE_ISSUE, (uint8_t)sm, (uint8_t)i, (uint8_t)w};
        }
    }
    return issuers;
}

/* Whether the warp of a choice is on one of some sub-cores. */
static bool is_of(const struct search_model *model, const struct search_state *state,
                  const struct search_choice *choice, uint32_t sub_cores) {
    struct slot_view view;
    (void)slot_at(model, state, choice->sm, choice->slot, &view);
    return (sub_cores >> sub_core_of(model, &view, choice->which) & 1) != 0;
}

/* Keeps the choices of one sub-core, where no other one can make a difference to it: sub-cores that issue to
 * shared units come last, and then any of them may be the next. */
static void keep_next_sub_cores(const struct search_model *model, const struct search_state *state,
                                const struct issuers *issuers, struct search_choices *choices) {
    const uint32_t alone = issuers->any & ~issuers->shared;
    const uint32_t next = alone != 0 ? alone & (~alone + 1) : issuers->shared;
    uint32_t kept = 0;
    if (next == issuers->any) return;
    for (uint32_t i = 0; i < choices->count; i++)
        if (is_of(model, state, &choices->items[i], next)) choices->items[kept++] = choices->items[i];
    choices->count = kept;
}

/* A sub-core has issued all that it does in this cycle. */
static void decide_sub_core(const struct search_model *model, struct search_state *state, uint32_t sm,
                            uint32_t sub_core) {
    struct slot_view view;
    state->sub_cores[sm * model->machine->sub_cores + sub_core] = (struct search_sub_core){.decided = 1};
    for (uint32_t i = 0; i < model->scope.slots; i++) {
        if (!slot_at(model, state, sm, i, &view) || view.slot->issued == 0) continue;
        for (uint32_t w = 0; w < view.warp_count; w++)
            if (sub_core_of(model, &view, w) == sub_core) view.slot->issued &= ~(UINT32_C(1) << w);
    }
}

/* Those of an SM that cannot issue, as none of their warps will become ready in this cycle. */
static void decide_others(const struct search_model *model, struct search_state *state, uint32_t sm,
                          uint32_t issuers) {
    for (uint32_t c = 0; c < model->machine->sub_cores; c++)
        if ((issuers >> c & 1) == 0 && !state->sub_cores[sm * model->machine->sub_cores + c].decided)
            decide_sub_core(model, state, sm, c);
}

static uint32_t issue_next(const struct search_model *model, const struct slot_view *view, uint32_t w) {
    struct search_warp *warp = &view->warps[w];
    const struct search_inst *inst = next_inst(model, warp);
    const uint32_t complete =
        search_unit_take(unit_of(model, view, w, inst), inst, model->machine->units[inst->unit].count,
                         model->machine->dispatch_depth);
    search_warp_advance(warp, inst, complete);
    view->slot->drains = u32_max(view->slot->drains, complete);
    return UINT32_C(1) << inst->unit;
}

void search_issue_warp(const struct search_model *model, struct search_state *state,
                       const struct search_choice *choice) {
    const uint32_t w = choice->which;
    struct slot_view view;
    (void)slot_at(model, state, choice->sm, choice->slot, &view);
    assert(is_ready(model, &view, w));
    uint32_t units = issue_next(model, &view, w);
    for (uint32_t issued = 1; issued < model->machine->issue_per_warp && has_all(model, &view, w) &&
                              (units >> next_inst(model, &view.warps[w])->unit & 1) == 0;
         issued++)
        units |= issue_next(model, &view, w);
    const uint32_t sub_core = sub_core_of(model, &view, w);
    if (++view.sub_cores[sub_core].issued == model->machine->issue_width)
        decide_sub_core(model, state, choice->sm, sub_core);
    else
        view.slot->issued |= UINT32_C(1) << w;
}

/* Lets sub-cores issue that have no choice and that no other one makes a difference to; says whether there
 * was one. */
static bool issue_forced(const struct search_model *model, struct search_state *state,
                         const struct issuers *issuers, const struct search_choices *choices) {
    const uint32_t forced = issuers->any & ~issuers->choose & ~issuers->shared;
    for (uint32_t i = 0; i < choices->count && forced != 0; i++)
        if (is_of(model, state, &choices->items[i], forced))
            search_issue_warp(model, state, &choices->items[i]);
    return forced != 0;
}

static bool has_decided(const struct search_model *model, const struct search_state *state, uint32_t sm) {
    for (uint32_t c = 0; c < model->machine->sub_cores; c++)
        if (!state->sub_cores[sm * model->machine->sub_cores + c].decided) return false;
    return true;
}

/* Lets an SM issue, up to choices; true when it has issued all that it does in this cycle. */
static bool issue_sm(const struct search_model *model, struct search_state *state, uint32_t sm,
                     struct search_choices *choices) {
    const bool every_issue = model->scope.every_issue;
    while (!has_decided(model, state, sm)) {
        const struct issuers issuers = find_issues(model, state, sm, choices);
        decide_others(model, state, sm, issuers.any);
        if (!every_issue && issue_forced(model, state, &issuers, choices)) continue;
        keep_next_sub_cores(model, state, &issuers, choices);
        if (choices->count > (every_issue ? 0 : 1)) return false;
        if (choices->count == 1) search_issue_warp(model, state, &choices->items[0]);
    }
    return true;
}

bool search_issue_all(const struct search_model *model, struct search_state *state,
                      struct search_choices *choices) {
    for (uint32_t s = 0; s < model->scope.sms; s++)
        if (!issue_sm(model, state, s, choices)) return false;
    return true;
}

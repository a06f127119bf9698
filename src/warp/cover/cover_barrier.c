/* Barriers in a covering run. All executions must come to them in the same order in all warps. A barrier that
 * is executed only perhaps, which a flow fact says of all warps or of none, must be told from its other
 * executions: the warps meet in one iteration of the loops around it. */
#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"

/* Notes the fact that would make a barrier certain, by the first label that can speak of it, so
 * that barriers which are executed equally often need one fact.
 * WB_ERR_DECLINED with a message when no label can. */
static wb_status ask_for_fact(const struct warp *warp, const struct micro *op, uint32_t pc) {
    const struct cover_function *function = cover_function_of(warp);
    const struct cfg *cfg = &function->cfg;
    const uint32_t number = (uint32_t)(function - warp->run->cover->functions);
    uint32_t at = PTX_NO_INDEX;
    for (uint32_t i = 0; i < cfg->function->label_count && at == PTX_NO_INDEX; i++) {
        uint32_t target = cfg->function->labels[i].target;
        if (target <= pc && cover_equally_often(function, cfg->block_of[target], cfg->block_of[pc]))
            at = target;
    }
    if (at != PTX_NO_INDEX)
        return fact_needs_add(&warp->run->needs, FACT_TOGETHER, number, at) == WB_OK
                   ? WB_OK
                   : run_no_memory(warp->run);
    return warp_fail(
        warp, op, WB_ERR_DECLINED,
        "whether warp %u waits at this barrier depends on values that are not known; if all warps "
        "of the block always wait here together, a flow fact can say so, but needs a label: write "
        "one before the barrier into the PTX, and 'together LABEL;' into the facts",
        warp->number);
}

/* Where a warp comes to a barrier that a fact is about. */
static wb_status place_of(const struct warp *warp, const struct micro *op, uint32_t pc, bool perhaps,
                          struct barrier_place *place) {
    const struct cover_function *function = cover_function_of(warp);
    const struct loops *loops = &function->loops;
    const struct cover_group *group = cover_top(warp)->group;
    uint32_t innermost = loops->innermost[function->cfg.block_of[pc]];
    *place = (struct barrier_place){.warp = warp->number,
                                    .instruction = op->index,
                                    .perhaps = perhaps,
                                    .entered = group->entered,
                                    .loops = innermost == GRAPH_NONE ? 0 : loops->items[innermost].depth};
    place->counts = calloc((size_t)place->loops + 1, sizeof *place->counts);
    if (place->counts == NULL) return run_no_memory(warp->run);
    uint32_t i = place->loops;
    for (uint32_t l = innermost; l != GRAPH_NONE; l = loops->items[l].parent)
        place->counts[--i] = group->passes[l].count;
    return WB_OK;
}

/* The latest place of a warp at a barrier, or NULL. */
static struct barrier_place *latest_place(const struct cover *cover, uint32_t warp, uint32_t instruction) {
    for (size_t i = 0; i < cover->places.count; i++) {
        struct barrier_place *place = &cover->places.items[i];
        if (place->warp == warp && place->instruction == instruction) return place;
    }
    return NULL;
}

/* Whether a later iteration than that of another place of the same warp at the same barrier. */
static bool is_later(const struct barrier_place *place, const struct barrier_place *before) {
    if (place->entered != before->entered) return place->entered > before->entered;
    for (uint32_t i = 0; i < place->loops; i++)
        if (place->counts[i] != before->counts[i]) return place->counts[i] > before->counts[i];
    return false;
}

/* Whether every warp that waits, waits for the same execution, if it or the place's warp does so only
 * perhaps. */
static bool all_meet(const struct run *run, const struct barrier_place *place) {
    for (uint32_t w = 0; w < run->warp_count; w++) {
        const struct warp *waiting = &run->warps[w];
        if (waiting->state != WARP_WAITING || w == place->warp) continue;
        const struct barrier_place *other = latest_place(run->cover, w, waiting->waiting_for->index);
        bool perhaps = place->perhaps || (other != NULL && other->perhaps);
        if (!perhaps) continue;
        if (other == NULL || other->instruction != place->instruction) return false;
        if (memcmp(other->counts, place->counts, place->loops * sizeof *place->counts) != 0) return false;
    }
    return true;
}

/* Keeps the place as the latest one of its warp at the barrier. False when it cannot be told which warps meet
 * there. */
static wb_status keep_place(struct run *run, struct barrier_place *place, bool *meets) {
    struct barrier_place *before = latest_place(run->cover, place->warp, place->instruction);
    bool perhaps = place->perhaps || (before != NULL && before->perhaps);
    *meets = all_meet(run, place) && (before == NULL || !perhaps || is_later(place, before));
    if (before == NULL && vec_push(&run->cover->places, *place) != WB_OK) {
        free(place->counts);
        return run_no_memory(run);
    }
    if (before != NULL) {
        free(before->counts);
        *before = *place;
    }
    return WB_OK;
}

/* WB_ERR_DECLINED with a message when executions of barriers cannot be matched. */
static wb_status match(struct warp *warp, const struct micro *op, uint32_t pc, bool perhaps) {
    struct barrier_place place;
    bool meets = false;
    WB_TRY(place_of(warp, op, pc, perhaps, &place));
    WB_TRY(keep_place(warp->run, &place, &meets));
    if (meets) return WB_OK;
    if (warp->run->needs.items.count > 0) return WB_ERR_DECLINED; /* these are asked for first */
    return warp_fail(warp, op, WB_ERR_DECLINED,
                     "warp %u perhaps waits at this barrier in more than one place of an iteration, or at "
                     "another one than other warps: which of them meet depends on values that are not known",
                     warp->number);
}

/* Whether all lanes that come here only perhaps have been so since the function was entered. */
static bool caller_is_sure(const struct warp *warp, uint32_t mask) {
    const size_t base = warp->frame->stack_base;
    return base == 0 || (mask & ~warp->stack.items[base - 1].group->maybe) != 0;
}

wb_status cover_barrier(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    const struct cover_function *function = cover_function_of(warp);
    const struct simt_entry *top = cover_top(warp);
    uint32_t pc = (uint32_t)(op->inst - function->cfg.function->insts);
    bool together = (function->marks[pc] & COVER_AT_TOGETHER) != 0;
    if (mask == 0 && unsure == 0) {
        notes_unmodelled(&warp->run->notes, op->index, SKIPPED_BARRIER);
        return WB_OK;
    }
    if (unsure != 0 && op->form->mode == PTX_MODE_RED)
        return warp_decline(warp, op, op->guard, unsure, NEED_GUARD);
    /* Some lane is here, or every lane that has not ended is: a warp without any is waited for by nobody. */
    bool firm = (mask & ~cover_unsure(top->group)) != 0 || (warp->live & ~(mask & ~top->group->maybe)) == 0;
    if (!firm && (mask != top->mask || !caller_is_sure(warp, mask)))
        return warp_fail(
            warp, op, WB_ERR_DECLINED,
            "whether warp %u waits at this barrier depends on values that are not known, of %s: no "
            "flow fact can say that all warps do",
            warp->number, mask != top->mask ? "its guard" : "the call of the function");
    if (warp->run->cover->region.open)
        return warp_fail(
            warp, op, WB_ERR_DECLINED,
            "lanes that unknown values divide meet only behind this barrier: each of them may come "
            "to it by itself");
    /* What other barriers and loops need is found, too, by going on as if the fact were given. */
    if (!firm && !together) WB_TRY(ask_for_fact(warp, op, pc));
    warp->run->cover->meets_perhaps |= !firm;
    if (together || warp->run->cover->meets_perhaps) WB_TRY(match(warp, op, pc, !firm));
    return barrier_execute(warp, op, mask);
}

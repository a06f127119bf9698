/* Executing instructions in a covering run: what is special about memory and barriers, and the main loop. */

#include "warp/alu/lanes.h"
#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"

wb_status cover_note(struct warp *warp, const struct micro *op, enum cover_need need, struct slot slot) {
    struct cover *cover = warp->run->cover;
    uint8_t bit = (uint8_t)(1u << need);
    if ((cover->caused[op->index] & bit) != 0) return WB_OK;
    cover->caused[op->index] |= bit;
    struct cover_cause cause = {op->index, warp_origin(warp_slot(warp, slot), op), need};
    return vec_push(&cover->causes, cause) == WB_OK ? WB_OK : warp_no_memory(warp, op);
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* Memory in a covering run: stores of lanes that may not be here make what they write unknown, accesses to
 * unknown addresses all memory that they may reach. */

/* Whether the instruction's address operand says where it accesses memory. */
static bool has_address(const struct micro *op) {
    return op->execute == load_execute || op->execute == store_execute || op->execute == atomic_execute ||
           op->execute == copy_execute || op->execute == ldmatrix_execute ||
           op->unrecorded == opaque_store_execute;
}

/* Whether lanes give the addresses of rows for each other. */
static bool moves_matrices(const struct micro *op) {
    return op->execute == ldmatrix_execute || op->execute == stmatrix_execute;
}

static bool writes_memory(const struct micro *op) {
    return op->execute != load_execute && op->execute != ldmatrix_execute;
}

/* Makes all that an access to an unknown address in a state space may write unknown. */
static wb_status forget_space(struct warp *warp, const struct micro *op, uint8_t space, uint32_t mask) {
    struct run *run = warp->run;
    for (size_t i = 0; i < run->memory.regions.count; i++) {
        struct region *region = &run->memory.regions.items[i];
        bool reached = space == PTX_GENERIC || address_in_space(region->base, space);
        if (!reached || !region->writable) continue;
        region->stored = true;
        if (region->unknown) continue;
        if (region_forget(region) != WB_OK) return warp_no_memory(warp, op);
        run->forgotten++;
    }
    bool local = space == PTX_GENERIC || space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM;
    if (local) run->forgotten += local_forget(&warp->local, mask);
    return WB_OK;
}

static wb_status access_unknown(struct warp *warp, const struct micro *op, uint32_t lanes,
                                const struct micro_address *unknown) {
    uint32_t bytes = op->memory.bytes * op->memory.count;
    struct access_kind kind = {
        .bytes = bytes, .is_store = writes_memory(op), .is_atomic = op->execute == atomic_execute};
    warp->run->unrecorded = op->index;
    WB_TRY(cover_note(warp, op, COVER_ADDRESS, unknown->base));
    if (op->unrecorded == opaque_store_execute) {
        run_note_uncounted(warp->run, op);
        warp_forget_outputs(warp, op, lanes, op->index);
        return forget_space(warp, op, op->memory.address.space, lanes);
    }
    if (op->execute == copy_execute)
        WB_TRY(
            access_record_unknown(warp, op, &op->memory.from, lanes, (struct access_kind){.bytes = bytes}));
    WB_TRY(access_record_unknown(warp, op, &op->memory.address, lanes, kind));
    warp_forget_outputs(warp, op, lanes, op->index);
    return writes_memory(op) ? forget_space(warp, op, op->memory.address.space, lanes) : WB_OK;
}

/* The lanes of `lanes` that would access what is not there: they are not really here. */
static uint32_t impossible_lanes(const struct warp *warp, const struct micro *op, uint32_t lanes) {
    uint64_t addresses[WARP_LANES];
    uint32_t possible = 0, bytes = op->memory.bytes * op->memory.count;
    if (moves_matrices(op)) return 0;
    if (op->unrecorded == opaque_store_execute) bytes = 1;
    FOR_LANES_OF(l, lanes) {
        bool inside = access_addresses_known(warp, &op->memory.address, 1u << l, addresses) &&
                      access_is_possible(warp, addresses[l], bytes, writes_memory(op));
        possible |= (uint32_t)inside << l;
    }
    return lanes & ~possible;
}

/* The address operand of an instruction whose address is unknown in some lane, or NULL. */
static const struct micro_address *unknown_address(const struct warp *warp, const struct micro *op,
                                                   uint32_t lanes) {
    const struct micro_memory *memory = &op->memory;
    if ((lanes & ~warp_slot(warp, memory->address.base)->known) != 0) return &memory->address;
    bool copies = op->execute == copy_execute;
    if (copies && (lanes & ~warp_slot(warp, memory->from.base)->known) != 0) return &memory->from;
    return NULL;
}

static wb_status cover_access(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    uint32_t lanes = mask | unsure, doubtful = unsure | (mask & warp->unsure);
    if (lanes == 0) return WB_OK;
    warp->doubtful = doubtful;
    if (op->execute == copy_execute) warp->doubtful |= lanes & ~warp_slot(warp, op->source[0])->known;
    if (!has_address(op))
        return unsure == 0 ? op->execute(warp, op, mask) : unsure_access(warp, op, mask, unsure);
    const struct micro_address *unknown = unknown_address(warp, op, lanes);
    if (unknown != NULL) return access_unknown(warp, op, lanes, unknown);
    if (unsure != 0) WB_TRY(cover_note(warp, op, COVER_GUARD, op->guard));
    lanes &= ~impossible_lanes(warp, op, doubtful);
    if (lanes == 0) return WB_OK;
    bool widens = warp->run->cover->widenings.count != 0; /* memory only becomes unknown then */
    uint32_t sure = writes_memory(op) ? lanes & ~doubtful : lanes & ~unsure;
    bool size_known = op->execute != copy_execute || (lanes & ~warp_slot(warp, op->source[0])->known) == 0;
    bool shared = op->memory.is_strong && access_is_shared(warp->run, op);
    if (op->execute == atomic_execute || ((widens || shared) && writes_memory(op)) || !size_known) sure = 0;
    if (moves_matrices(op) && doubtful != 0) sure = 0;
    uint64_t addresses[WARP_LANES];
    if (op->execute == store_execute && access_addresses_known(warp, &op->memory.address, sure, addresses) &&
        store_conflicts(warp, op, sure, addresses))
        sure = 0;
    if (sure != lanes)
        WB_TRY(unsure_access(warp, op, sure, lanes & ~sure));
    else
        WB_TRY(op->execute(warp, op, lanes));
    if (shared) warp_forget_outputs(warp, op, lanes, op->index);
    return WB_OK;
}

wb_status cover_forget_written(struct warp *warp, const struct micro *op) {
    if (!writes_memory(op)) return WB_OK;
    return forget_space(warp, op, has_address(op) ? op->memory.address.space : PTX_GENERIC, LANES_ALL);
}

wb_status cover_forget_all(struct warp *warp, const struct micro *op) {
    return forget_space(warp, op, PTX_GENERIC, LANES_ALL);
}

/* ---- Barriers ------------------------------------------------------------------------------------------ */

/* Barriers in a covering run. All executions must come to them in the same order in all warps. An only maybe
 * executed barrier, which a flow fact states for all warps or for none, must be distinguishable from its
 * other executions: the warps meet in one iteration of the loops around it. */

/* Notes the fact that would make a barrier certain, by the first label that can name it, so that barriers
 * which are executed equally often need one fact. WB_ERR_DECLINED with a message when no label can. */
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
    struct text place = {0};
    facts_put_place(warp->run->kernel, number, pc, &place);
    wb_status status =
        warp_fail(warp, op, WB_ERR_DECLINED,
                  "whether warp %u waits at this barrier (%s) depends on unknown values; if all warps of the "
                  "block always wait here together, a flow fact can say so, but needs a label: write one "
                  "before the barrier into the PTX, and 'together LABEL;' into the facts",
                  warp->number, place.failed ? "" : place.data);
    text_free(&place);
    return status;
}

/* Where a warp comes to a barrier. */
static wb_status place_of(const struct warp *warp, const struct micro *op, uint32_t pc, bool maybe_executed,
                          struct barrier_place *place) {
    const struct cover_function *function = cover_function_of(warp);
    const struct loops *loops = &function->loops;
    const struct cover_group *group = cover_top(warp)->group;
    uint32_t innermost = loops->innermost[function->cfg.block_of[pc]];
    *place = (struct barrier_place){.warp = warp->number,
                                    .instruction = op->index,
                                    .maybe_executed = maybe_executed,
                                    .sure = (cover_top(warp)->mask & ~cover_unsure(group)) != 0,
                                    .together = cover_fact_about(warp, FACT_TOGETHER, pc),
                                    .entered = group->entered,
                                    .loops = innermost == GRAPH_NONE ? 0 : loops->items[innermost].depth};
    place->counts = calloc((size_t)place->loops + 1, sizeof *place->counts);
    if (place->counts == NULL) return run_no_memory(warp->run);
    uint32_t i = place->loops;
    for (uint32_t l = innermost; l != GRAPH_NONE; l = loops->items[l].parent)
        place->counts[--i] = group->passes[l].count;
    return WB_OK;
}

struct barrier_place *cover_latest_place(const struct cover *cover, uint32_t warp, uint32_t instruction) {
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

/* Whether all waiting warps wait for the same execution, if it or the place's warp does so only maybe. */
static bool all_meet(const struct run *run, const struct barrier_place *place) {
    for (uint32_t w = 0; w < run->warp_count; w++) {
        const struct warp *waiting = &run->warps[w];
        if (waiting->state != WARP_WAITING || w == place->warp) continue;
        const struct barrier_place *other = cover_latest_place(run->cover, w, waiting->waiting_for->index);
        bool maybe_executed = place->maybe_executed || (other != NULL && other->maybe_executed);
        if (!maybe_executed) continue;
        if (other == NULL || other->instruction != place->instruction) return false;
        if (memcmp(other->counts, place->counts, place->loops * sizeof *place->counts) != 0) return false;
    }
    return true;
}

/* Keeps the place as the latest one of its warp at the barrier. False if it is unknown which warps meet
 * there. */
static wb_status keep_place(struct run *run, struct barrier_place *place, bool *meets) {
    struct barrier_place *before = cover_latest_place(run->cover, place->warp, place->instruction);
    bool maybe_executed = place->maybe_executed || (before != NULL && before->maybe_executed);
    *meets = all_meet(run, place) && (before == NULL || !maybe_executed || is_later(place, before));
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
static wb_status match(struct warp *warp, const struct micro *op, uint32_t pc, bool maybe_executed) {
    struct barrier_place place;
    bool meets = false;
    WB_TRY(place_of(warp, op, pc, maybe_executed, &place));
    wb_status status = cover_hold_place(warp, pc, &place);
    if (status != WB_OK) {
        free(place.counts);
        return status;
    }
    WB_TRY(keep_place(warp->run, &place, &meets));
    if (meets) return WB_OK;
    if (warp->run->needs.items.count > 0) return WB_ERR_DECLINED; /* these are asked for first */
    return warp_fail(warp, op, WB_ERR_DECLINED,
                     "warp %u maybe waits at this barrier in more than one place of an iteration, or at "
                     "another one than other warps: which of them meet depends on unknown values",
                     warp->number);
}

/* Whether all lanes that only maybe come here have done so since the function was entered. */
static bool caller_is_sure(const struct warp *warp, uint32_t mask) {
    const size_t base = warp->frame->stack_base;
    return base == 0 || (mask & ~warp->stack.items[base - 1].group->maybe) != 0;
}

static wb_status cover_barrier(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
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
    /* Some lane is here, or every lane that has not ended is, or is about to end with nothing else to do: a
     * warp without any is waited for by nobody. */
    const uint32_t here = mask & (~top->group->maybe | top->group->leaving);
    bool firm = (mask & ~cover_unsure(top->group)) != 0 || (warp->live & ~here & ~top->group->gone) == 0;
    if (firm && function->parts != NULL) WB_TRY(cover_whole_warp(warp, op));
    if (!firm && (mask != top->mask || !caller_is_sure(warp, mask)))
        return warp_fail(warp, op, WB_ERR_DECLINED,
                         "whether warp %u waits at this barrier depends on unknown values of %s: no flow "
                         "fact can say that all warps do",
                         warp->number, mask != top->mask ? "its guard" : "the call of the function");
    if (warp->run->cover->region.open)
        return warp_fail(
            warp, op, WB_ERR_DECLINED,
            "lanes that unknown values divide meet only after this barrier: each may come to it separately");
    /* To find also the needs of other barriers and loops, the run goes on as if the fact were given. */
    if (!firm && !together) WB_TRY(ask_for_fact(warp, op, pc));
    warp->run->cover->meets_maybe |= !firm;
    if (warp->run->cover->meets_together || warp->run->cover->meets_maybe) WB_TRY(match(warp, op, pc, !firm));
    return barrier_execute(warp, op, mask);
}

/* ---- The main loop ------------------------------------------------------------------------------------- */

/* Most instructions of groups none of whose lanes is certain to be there. */
#define PERHAPS_MAX (UINT64_C(1) << 26)

/* WB_ERR_DECLINED with a message when sides of branches that may not be taken are executed for too long: each
 * branch doubles the sides behind it that do not meet before the next one. */
static wb_status check_perhaps(const struct warp *warp) {
    const struct cover_group *group = cover_top(warp)->group;
    const struct run *run = warp->run;
    if (run->cover->maybe_executed <= PERHAPS_MAX || group == NULL) return WB_OK;
    const struct ptx_inst *branch = program_inst(&run->program, group->branch);
    diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel),
             "too many paths to cover: sides of branches that unknown values decide have more than %llu warp "
             "instructions, since they meet too late",
             (unsigned long long)PERHAPS_MAX);
    diagnose(
        run->diagnostics, SEVERITY_NOTE, wb_kernel_name(run->kernel),
        "flow facts can reduce them: 'never LABEL' for a side that is not taken, 'at most N of LABEL per "
        "LABEL' for one that is rarely taken, smaller limits of loops ('warpbound facts' lists them)");
    if (branch != NULL) ptx_diagnose(run->diagnostics, SEVERITY_NOTE, run->module, branch, "one of them");
    return WB_ERR_DECLINED;
}

/* Executes by kind: `mask` are the lanes of the top entry whose guard holds, `unsure` those whose guard is
 * not known. */
static wb_status execute_kind(struct warp *warp, const struct micro *op, enum cover_kind kind, uint32_t mask,
                              uint32_t unsure) {
    const struct simt_entry *top = cover_top(warp);
    const uint32_t doubtful = unsure | (mask & warp->unsure);
    warp->run->cover->maybe_executed += (top->mask & ~top->group->maybe) == 0;
    switch (kind) {
    case COVER_KIND_PLAIN:
        if (unsure != 0) return op->unsure(warp, op, mask, unsure);
        return mask != 0 ? op->execute(warp, op, mask) : WB_OK;
    case COVER_KIND_EXCHANGE:
        if (doubtful != 0) return op->unsure(warp, op, mask & ~doubtful, doubtful);
        return mask != 0 ? op->execute(warp, op, mask) : WB_OK;
    case COVER_KIND_MEMORY: return cover_access(warp, op, mask, unsure);
    case COVER_KIND_BRANCH: return cover_branch(warp, op, mask, unsure);
    case COVER_KIND_RETURN: return cover_return(warp, op, mask, unsure);
    case COVER_KIND_EXIT: return cover_exit(warp, op, mask, unsure);
    case COVER_KIND_TRAP: return cover_trap(warp, op, mask);
    case COVER_KIND_BARRIER: return cover_barrier(warp, op, mask, unsure);
    case COVER_KIND_MEETING: return cover_meeting_place(warp, op, mask, unsure);
    case COVER_KIND_CALL: break;
    }
    return unsure != 0 ? op->unsure(warp, op, mask, unsure) : op->execute(warp, op, mask);
}

/* Notes that no lane is certain to execute the next step. */
static wb_status note_maybe(struct warp *warp, const struct micro *op) {
    if (warp->accesses == NULL || op->inst == NULL) return WB_OK;
    const uint64_t step = warp->path.path.length;
    const struct step_range range = {step, step + 1};
    return step_range_add(warp->accesses, &range) == WB_OK ? WB_OK : warp_no_memory(warp, op);
}

/* Appends a step to the path; `perhaps`: no lane is certain to execute it. */
static wb_status append(struct warp *warp, const struct micro *op, uint32_t active, bool maybe_executed) {
    warp->run->instructions++;
    if (maybe_executed) WB_TRY(note_maybe(warp, op));
    return path_append(&warp->path, op->index, active) == WB_OK ? WB_OK : warp_no_memory(warp, op);
}

/* The stack has to be settled before the top entry can go on. */
static bool is_unsettled(const struct warp *warp) {
    const struct simt_entry *top = warp->stack.count == warp->frame->stack_base ? NULL : cover_top(warp);
    return top == NULL || top->mask == 0 || top->pc == top->reconvergence || top->wait != SIMT_RUNS ||
           warp->run->cover->settles || cover_leaves_region(warp);
}

wb_status cover_next(struct warp *warp, const struct micro **op) {
    const struct run *run = warp->run;
    for (*op = NULL; warp->state == WARP_READY;) {
        if (is_unsettled(warp)) {
            WB_TRY(cover_settle(warp));
            continue;
        }
        if (run->instructions >= run->next_poll) {
            WB_TRY(check_perhaps(warp));
            WB_TRY(run_check_limits(warp->run));
        }
        if (cover_top(warp)->group == NULL) WB_TRY(cover_group_open(warp, warp->stack.count - 1));
        const uint32_t pc = cover_top(warp)->pc;
        if (cover_function_of(warp)->marks[pc] != 0) {
            WB_TRY(cover_arrive(warp, pc));
            if (cover_top(warp)->mask == 0) continue;
        }
        *op = &warp->frame->code->micros[pc];
        return WB_OK;
    }
    return WB_OK;
}

wb_status cover_execute(struct warp *warp, const struct micro *op) {
    const struct cover_function *function = cover_function_of(warp);
    struct simt_entry *top = cover_top(warp);
    const uint32_t pc = top->pc;
    uint32_t active = top->mask, mask = active, unsure = 0;
    if (op->has_guard) {
        uint32_t known = warp_slot(warp, op->guard)->known;
        mask = active & known & warp_predicate(warp, op->guard);
        unsure = active & ~known;
    }
    assert((top->group->split & ~top->group->maybe) == 0 && (top->mask & ~warp->live) == 0);
    warp->unsure = cover_unsure(top->group);
    const bool maybe_executed = (active & ~warp->unsure) == 0;
    top->pc++;
    warp->run->cover->before = top->group->from;
    top->group->from = pc;
    top->group->replays = false;
    WB_TRY(execute_kind(warp, op, (enum cover_kind)function->kinds[pc], mask, unsure));
    if (warp->replayed) {
        warp->replayed = false;
        return WB_OK;
    }
    if (op->issued) WB_TRY(append(warp, op, active, maybe_executed));
    const struct micro *leaves = warp->run->cover->leaves;
    if (leaves == NULL) return WB_OK;
    warp->run->cover->leaves = NULL;
    return append(warp, leaves, warp->live, true);
}

wb_status cover_run_warp(struct warp *warp) {
    for (;;) {
        const struct micro *op;
        WB_TRY(cover_next(warp, &op));
        if (op == NULL) return WB_OK;
        WB_TRY(cover_execute(warp, op));
    }
}

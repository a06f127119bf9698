/* The block at the origin and its neighbours, instruction by instruction side by side: what control and
 * addresses need of each, and what is known of what it writes (docs/block-classes.md, section 1). */
#include "warp/affine/pass.h"

#include <stdlib.h>
#include <string.h>

#include "warp/cover/cover.h"
#include "warp/interpret/base_region.h"

static const struct affine_shadow by_data = {.bend.data = true};

/* ---- What instructions need ---------------------------------------------------------------------------- */

/* Notes why a value is not what is needed of it; returns WB_ERR_DECLINED. */
static wb_status decline(struct lockstep *lockstep, const struct affine_shadow *shadow) {
    affine_bend_add(&lockstep->bend, &shadow->bend);
    return WB_ERR_DECLINED;
}

/* Lanes of covering paths that are known in no run, and taken to be in no block: both sides of what depends
 * on them are executed. */
static uint32_t open_lanes(const struct lockstep *lockstep, uint32_t warp, struct slot slot) {
    uint32_t known = 0;
    if (lockstep->runs[0].cover == NULL) return 0;
    for (uint32_t r = 0; r < lockstep->count; r++)
        known |= warp_slot(&lockstep->runs[r].warps[warp], slot)->known;
    return ~known;
}

/* The axes along which lanes of an affine value differ. */
static uint8_t axes_of(const struct lockstep *lockstep, uint32_t warp, struct slot slot, uint32_t lanes) {
    const struct lanes *origin = warp_slot(&lockstep->runs[0].warps[warp], slot);
    uint8_t axes = 0;
    for (uint32_t r = 1; r < lockstep->count; r++) {
        const struct lanes *other = warp_slot(&lockstep->runs[r].warps[warp], slot);
        FOR_LANES_OF(l, lanes)
        if (other->value[l] != origin->value[l]) axes |= (uint8_t)(1u << lockstep->axis[r]);
    }
    return axes;
}

/* WB_ERR_DECLINED unless a source is flat in the lanes of `mask`. */
static wb_status need_flat(struct lockstep *lockstep, uint32_t warp, struct slot slot, uint32_t mask) {
    struct affine_shadow shadow = affine_of(lockstep, warp, slot);
    const uint32_t open = mask & open_lanes(lockstep, warp, slot);
    const uint32_t lacking = mask & ~shadow.flat & ~open;
    if (open != 0 && shadow.bend.axes != 0) {
        shadow.bend.data = false;
        return decline(lockstep, &shadow);
    }
    if (lacking == 0) return WB_OK;
    if ((lacking & ~shadow.affine) != 0) return decline(lockstep, &shadow);
    shadow.bend = (struct affine_bend){.axes = axes_of(lockstep, warp, slot, lacking)};
    return decline(lockstep, &shadow);
}

static wb_status need_all_flat(struct lockstep *lockstep, uint32_t warp, const struct micro *op,
                               uint32_t mask) {
    for (uint32_t i = 0; i < MICRO_SOURCES; i++)
        WB_TRY(need_flat(lockstep, warp, op->source[i], mask));
    return WB_OK;
}

/* An affine address stays in the region that it points into, so that it is an address without an error. */
static wb_status need_inside(struct lockstep *lockstep, uint32_t warp, const struct micro_address *address,
                             uint32_t bytes, uint32_t lanes) {
    uint64_t of[AFFINE_RUNS][WARP_LANES];
    struct affine_shadow bend = {.flat = 0};
    for (uint32_t r = 0; r < lockstep->count; r++)
        if (!access_addresses_known(&lockstep->runs[r].warps[warp], address, lanes, of[r]))
            return decline(lockstep, &by_data);
    FOR_LANES_OF(l, lanes) {
        const struct region *region = memory_find(&lockstep->runs[0].memory, of[0][l]);
        __int128 c[AXES] = {0};
        for (uint32_t r = 1; r < lockstep->count; r++)
            c[lockstep->axis[r]] = (int64_t)(of[r][l] - of[0][l]);
        if (region == NULL || region->size - (of[0][l] - region->base) < bytes) {
            bend.bend.axes = axes_of(lockstep, warp, address->base, 1u << l);
            return decline(lockstep, &bend);
        }
        if (!affine_require(lockstep->space, (__int128)of[0][l], c, (__int128)region->base,
                            (__int128)region->base + region->size - bytes, &bend.bend.axes))
            return decline(lockstep, &bend);
    }
    return WB_OK;
}

static wb_status need_address(struct lockstep *lockstep, uint32_t warp, const struct micro_address *address,
                              uint32_t bytes, uint32_t mask) {
    const struct affine_shadow shadow = affine_of(lockstep, warp, address->base);
    const uint32_t affine = mask & shadow.affine, width = (uint32_t)__builtin_popcountll(address->mask);
    const uint32_t known = warp_slot(&lockstep->runs[0].warps[warp], address->base)->known;
    const uint32_t open = mask & open_lanes(lockstep, warp, address->base) & ~affine;
    if (open != 0) return need_flat(lockstep, warp, address->base, mask & ~affine);
    if ((mask & ~(shadow.flat | shadow.affine)) != 0) return decline(lockstep, &shadow);
    if (affine == 0) return WB_OK;
    if (shadow.bits < width || (affine & ~known) != 0) return decline(lockstep, &by_data);
    return need_inside(lockstep, warp, address, bytes, affine);
}

static wb_status need_memory(struct lockstep *lockstep, uint32_t warp, const struct micro *op,
                             uint32_t mask) {
    const struct micro_memory *memory = &op->memory;
    const bool copies = op->execute == copy_execute;
    const bool matrix = op->execute == ldmatrix_execute || op->execute == stmatrix_execute;
    const uint32_t bytes = copies ? memory->bytes : matrix ? 16 : (uint32_t)memory->bytes * memory->count;
    if (op->execute != load_execute && op->execute != store_execute && op->execute != atomic_execute &&
        !copies && !matrix)
        return decline(lockstep, &by_data);
    if (copies) {
        WB_TRY(need_flat(lockstep, warp, op->source[0], mask));
        WB_TRY(need_address(lockstep, warp, &memory->from, bytes, mask));
    }
    return need_address(lockstep, warp, &memory->address, bytes, mask);
}

/* Whether control needs nothing of the instruction but its guard. */
static bool is_free(const struct micro *op) {
    return op->execute == nothing_execute || op->execute == group_execute || op->execute == opaque_execute ||
           op->execute == branch_execute || op->execute == exit_execute || op->execute == trap_execute ||
           op->execute == bssy_execute || op->execute == bsync_execute || op->execute == break_execute ||
           op->execute == bmov_get_execute;
}

/* What control needs of the sources. */
static wb_status need_sources(struct lockstep *lockstep, uint32_t warp, const struct micro *op,
                              uint32_t mask) {
    const struct warp *origin = &lockstep->runs[0].warps[warp];
    if (op->form->exec == PTX_EXEC_ALU || is_free(op)) return WB_OK;
    if (op->execute == return_execute && origin->depth == 1) return WB_OK;
    if (op->accesses_memory) return need_memory(lockstep, warp, op, mask);
    if (op->execute == barrier_execute) {
        WB_TRY(need_flat(lockstep, warp, op->source[0], mask));
        return need_flat(lockstep, warp, op->source[1], mask);
    }
    if (op->form->exec == PTX_EXEC_WARP) return need_flat(lockstep, warp, op->source[3], mask);
    if (op->execute == sleep_execute || op->execute == branch_index_execute ||
        op->execute == bmov_set_execute || op->execute == warpsync_execute ||
        op->execute == warp_sync_execute || op->execute == alone_execute ||
        op->execute == collective_execute || op->execute == divided_execute)
        return need_all_flat(lockstep, warp, op, mask);
    return decline(lockstep, &by_data);
}

/* ---- What they write ----------------------------------------------------------------------------------- */

/* A step of all runs: judged before, noted after. */
struct judgement {
    uint32_t active, mask; /* lanes that come to it, and that execute it */
    uint32_t count;
    struct affine_result results[AFFINE_OUTPUTS];
};

/* The lanes of a register that are known, or the same half, in all runs. */
static uint32_t alike_lanes(const struct lockstep *lockstep, uint32_t warp, struct slot slot, uint32_t *known,
                            uint32_t *equal) {
    const struct lanes *origin = warp_slot(&lockstep->runs[0].warps[warp], slot);
    uint32_t halved = lanes_halves(origin);
    *known = *equal = origin->known;
    for (uint32_t r = 1; r < lockstep->count; r++) {
        const struct lanes *other = warp_slot(&lockstep->runs[r].warps[warp], slot);
        if (other->base_region != origin->base_region || other->numbers != origin->numbers) return 0;
        *known &= other->known;
        halved &= lanes_halves(other);
        FOR_LANES_OF(l, halved)
        if (other->half.base_region[l] != origin->half.base_region[l]) halved &= ~(1u << l);
        FOR_LANES(l) *equal &= ~((uint32_t)(other->value[l] != origin->value[l]) << l);
    }
    return *known | halved;
}

/* On covering paths: what other blocks know of the lanes of a register may differ from what they know here,
 * as they are made of values that do. In all of them the same is forgotten: no execution is lost by that. */
static void forget_unlike(const struct lockstep *lockstep, uint32_t warp, const struct affine_result *result,
                          uint32_t lanes, uint32_t origin) {
    struct lanes *all[AFFINE_RUNS];
    uint32_t known = 0, everywhere = LANES_ALL, partial = 0;
    uint64_t made_of = 0;
    bool same = true;
    for (uint32_t r = 0; r < lockstep->count; r++) {
        all[r] = warp_slot(&lockstep->runs[r].warps[warp], result->slot);
        known |= all[r]->known;
        everywhere &= all[r]->known;
        partial |= lanes_partial(all[r]);
        if (r == 0) made_of = all[r]->unknown_base_region;
        same &= all[r]->unknown_base_region == made_of;
    }
    const uint32_t lost = known & ~everywhere & lanes;
    for (uint32_t r = 0; r < lockstep->count; r++) {
        if (lost != 0) lanes_forget(all[r], lost, origin);
        if (!same || (lanes & ~everywhere & ~result->followed) != 0)
            all[r]->unknown_base_region = BASE_REGION_NONE;
        all[r]->partial &= ~(partial & lanes & ~result->uniform);
    }
}

/* Writes what is known of the lanes of `lanes` of a register that was written just now. */
static void write_shadow(const struct lockstep *lockstep, uint32_t warp, const struct affine_result *result,
                         uint32_t lanes, uint32_t origin) {
    const struct lanes *to = warp_slot(&lockstep->runs[0].warps[warp], result->slot);
    struct affine_shadow from = result->shadow;
    const uint32_t live = lockstep->runs[0].warps[warp].live;
    uint32_t known = 0, equal = 0;
    if (result->slot.bank != BANK_FRAME) return;
    const bool covers = lockstep->runs[0].cover != NULL;
    if (covers) forget_unlike(lockstep, warp, result, lanes, origin);
    const uint32_t alike = alike_lanes(lockstep, warp, result->slot, &known, &equal);
    lockstep->space->failed |= covers && alike == 0 && known != 0;
    from.affine = (from.affine | (from.flat & ~known)) & lanes & alike; /* halves are not known */
    if (from.bits == 0) from.bits = 32;
    from.flat = (from.flat | result->uniform) & lanes & known & alike;
    from.signs &= lanes & known;
    if (from.bits == 64 || (from.affine & known) != 0) {
        FOR_LANES_OF(l, from.affine & known & equal)
        if (to->value[l] <= low_bits(from.bits)) from.flat |= 1u << l;
    }
    from.affine &= ~from.flat;
    if (covers && (lanes & known & ~(from.flat | from.affine)) == 0) from.bend = result->inherited;
    for (uint32_t r = lockstep->count; r-- > 0;)
        affine_shadow_take(&warp_slot(&lockstep->runs[r].warps[warp], result->slot)->shadow, from, lanes,
                           live);
}

/* A load of the same addresses from memory that nobody stores to. */
static bool loads_constants(const struct lockstep *lockstep, uint32_t warp, const struct micro *op,
                            uint32_t mask) {
    const struct run *run = &lockstep->runs[0];
    uint64_t addresses[WARP_LANES];
    if (op->execute != load_execute || mask == 0) return false;
    if ((mask & ~affine_of(lockstep, warp, op->memory.address.base).flat) != 0) return false;
    if (!access_addresses_known(&run->warps[warp], &op->memory.address, mask, addresses)) return false;
    FOR_LANES_OF(l, mask) {
        const struct region *region = memory_find(&run->memory, addresses[l]);
        if (region == NULL || region->writable || region->is_volatile) return false;
    }
    return true;
}

/* Exchanges of flat values, and sets of lanes, give flat ones. */
static bool exchanges_flat(struct lockstep *lockstep, uint32_t warp, const struct micro *op, uint32_t mask) {
    struct affine_bend kept = lockstep->bend;
    if (op->execute == bmov_get_execute) return true;
    if (op->form->exec != PTX_EXEC_WARP || op->accesses_memory) return false;
    const bool flat = need_all_flat(lockstep, warp, op, mask) == WB_OK;
    lockstep->bend = kept;
    return flat;
}

/* The results of what is no arithmetic: flat all of them, or bent by data. */
static void judge_others(struct lockstep *lockstep, uint32_t warp, const struct micro *op,
                         struct judgement *judgement) {
    const bool flat = loads_constants(lockstep, warp, op, judgement->mask) ||
                      exchanges_flat(lockstep, warp, op, judgement->mask);
    for (uint32_t i = 0; flat && i < op->output_count && i < AFFINE_OUTPUTS; i++)
        judgement->results[judgement->count++] =
            (struct affine_result){.slot = op->outputs[i], .shadow = {.flat = judgement->mask}};
}

/* Narrows the lanes in which the same is known of the sources in all blocks: the same bits, or what also
 * moves, so that other blocks are made from the same memory. */
static void narrow(const struct lockstep *lockstep, uint32_t warp, struct slot slot,
                   struct affine_result *result) {
    const struct affine_shadow shadow = affine_of(lockstep, warp, slot);
    const uint32_t halves = lanes_halves(warp_slot(&lockstep->runs[0].warps[warp], slot));
    const uint32_t uniform = shadow.flat | (open_lanes(lockstep, warp, slot) & ~halves);
    result->uniform &= uniform;
    result->followed &= uniform | shadow.affine;
}

/* Finds in which lanes so much is known of all sources. */
static void find_uniform(const struct lockstep *lockstep, uint32_t warp, const struct micro *op,
                         uint32_t mask, struct affine_result *result) {
    result->uniform = result->followed = lockstep->runs[0].cover == NULL ? 0 : mask;
    if (result->followed == 0) return;
    for (uint32_t i = 0; i < MICRO_SOURCES; i++)
        narrow(lockstep, warp, op->source[i], result);
    if (op->execute == machine_add3_execute) narrow(lockstep, warp, op->sum.carry, result);
    for (uint32_t i = 0; op->execute == pack_execute && i < op->pack.count; i++)
        narrow(lockstep, warp, op->pack.elements[i], result);
}

/* Judges the next instruction of a warp. WB_ERR_DECLINED where it needs more than there is. */
static wb_status judge(struct lockstep *lockstep, uint32_t warp, const struct micro *op, uint32_t active,
                       struct judgement *judgement) {
    const struct warp *origin = &lockstep->runs[0].warps[warp];
    const bool arithmetic = op->form->exec == PTX_EXEC_ALU;
    struct affine_bend guard = {0};
    uint32_t maybe = 0; /* lanes of covering paths that maybe execute it */
    *judgement = (struct judgement){.active = active, .mask = active};
    if (op->has_guard) {
        const struct affine_shadow shadow = affine_of(lockstep, warp, op->guard);
        judgement->mask &= shadow.flat & warp_predicate(origin, op->guard);
        maybe = active & open_lanes(lockstep, warp, op->guard) & ~shadow.flat;
        guard = shadow.bend;
        if (!arithmetic) WB_TRY(need_flat(lockstep, warp, op->guard, active));
        judgement->active &= judgement->mask | ~shadow.flat;
    }
    if ((judgement->mask | maybe) != 0 || op->execute == group_execute)
        WB_TRY(need_sources(lockstep, warp, op, judgement->mask | maybe));
    if (arithmetic)
        judgement->count = affine_judge(lockstep, warp, op, judgement->mask, judgement->results);
    else
        judge_others(lockstep, warp, op, judgement);
    struct affine_result sources;
    find_uniform(lockstep, warp, op, judgement->mask, &sources);
    for (uint32_t i = 0; i < judgement->count; i++) {
        struct affine_result *result = &judgement->results[i];
        result->uniform = sources.uniform;
        result->followed = sources.followed;
        if (judgement->active == judgement->mask) continue;
        affine_bend_add(&result->shadow.bend, &guard);
        affine_bend_add(&result->inherited, &guard);
    }
    return WB_OK;
}

/* Notes what the instruction wrote: lanes that only maybe execute it have bent. */
static void note_results(const struct lockstep *lockstep, uint32_t warp, const struct micro *op,
                         const struct judgement *judgement) {
    for (uint32_t i = 0; i < op->output_count; i++) {
        bool judged = false;
        for (uint32_t k = 0; k < judgement->count; k++) {
            const struct slot slot = judgement->results[k].slot;
            judged |= slot.bank == BANK_FRAME && slot.index == op->outputs[i].index;
        }
        const struct affine_result bent = {op->outputs[i], by_data, by_data.bend, 0, 0};
        if (!judged) write_shadow(lockstep, warp, &bent, judgement->active, op->index);
    }
    for (uint32_t k = 0; k < judgement->count; k++)
        write_shadow(lockstep, warp, &judgement->results[k], judgement->active, op->index);
}

/* ---- All runs ------------------------------------------------------------------------------------------ */

/* Whether a warp stands at the same place in all runs. */
static bool together(const struct lockstep *lockstep, uint32_t number) {
    const struct warp *origin = &lockstep->runs[0].warps[number];
    bool same = true;
    for (uint32_t r = 1; r < lockstep->count; r++) {
        const struct warp *other = &lockstep->runs[r].warps[number];
        same &= other->state == origin->state && other->depth == origin->depth &&
                other->stack.count == origin->stack.count && other->live == origin->live;
        if (!same || origin->stack.count == 0) return same;
        const struct simt_entry *a = &origin->stack.items[origin->stack.count - 1];
        const struct simt_entry *b = &other->stack.items[other->stack.count - 1];
        same &= a->pc == b->pc && a->mask == b->mask && a->wait == b->wait;
    }
    return same;
}

/* Finds the instruction that the lanes of a warp come to next, in every run; NULL: none. */
static wb_status find_next(struct lockstep *lockstep, uint32_t number, const struct micro *next[AFFINE_RUNS],
                           uint32_t *active) {
    const struct warp *origin = &lockstep->runs[0].warps[number];
    struct affine_shadow unlike = {.flat = 0};
    if (lockstep->runs[0].cover == NULL) {
        next[0] = warp_next(&lockstep->runs[0].warps[number], active);
        return WB_OK;
    }
    for (uint32_t r = 0; r < lockstep->count; r++) {
        const struct run *run = &lockstep->runs[r];
        WB_TRY(cover_next(&run->warps[number], &next[r]));
        if (run->cover->joined != lockstep->runs[0].cover->joined)
            unlike.bend.axes |= (uint8_t)(1u << lockstep->axis[r]);
    }
    if (unlike.bend.axes != 0) return decline(lockstep, &unlike);
    if (!together(lockstep, number)) return decline(lockstep, &by_data);
    if (next[0] != NULL) *active = origin->stack.items[origin->stack.count - 1].mask;
    return WB_OK;
}

static wb_status execute_next(struct lockstep *lockstep, uint32_t number,
                              const struct micro *const next[AFFINE_RUNS]) {
    for (uint32_t r = 0; r < lockstep->count; r++) {
        const struct run *run = &lockstep->runs[r];
        if (run->cover == NULL)
            WB_TRY(warp_advance(&run->warps[number]));
        else if (next[r] != NULL)
            WB_TRY(cover_execute(&run->warps[number], next[r]));
    }
    return WB_OK;
}

wb_status affine_advance(struct lockstep *lockstep, uint32_t number) {
    const struct warp *origin = &lockstep->runs[0].warps[number];
    const struct micro *next[AFFINE_RUNS] = {NULL};
    struct judgement judgement;
    uint32_t active = 0;
    WB_TRY(find_next(lockstep, number, next, &active));
    if (next[0] != NULL) WB_TRY(judge(lockstep, number, next[0], active, &judgement));
    WB_TRY(execute_next(lockstep, number, next));
    if (next[0] != NULL && origin->depth > 0) note_results(lockstep, number, next[0], &judgement);
    return together(lockstep, number) && !lockstep->space->failed ? WB_OK : decline(lockstep, &by_data);
}

/* Runs a warp until it waits or is done. */
static wb_status advance_warp(struct lockstep *lockstep, uint32_t number) {
    struct pass_search *search = lockstep->search;
    while (lockstep->runs[0].warps[number].state == WARP_READY) {
        if (search != NULL && search->steps++ >= search->next[0])
            WB_TRY(affine_search_warp(lockstep, number));
        WB_TRY(affine_advance(lockstep, number));
    }
    return WB_OK;
}

/* Lets each warp of the block run once; *progress: some did, *done: all are. */
static wb_status advance_block(struct lockstep *lockstep, bool *progress, bool *done) {
    const struct pass_search *search = lockstep->search;
    if (search != NULL && search->steps >= search->next[1]) WB_TRY(affine_search_block(lockstep));
    *progress = false;
    *done = true;
    for (uint32_t w = 0; w < lockstep->runs[0].warp_count; w++) {
        const struct warp *origin = &lockstep->runs[0].warps[w];
        for (uint32_t r = 0; r < lockstep->count; r++)
            if (lockstep->runs[r].warps[w].state == WARP_RELEASED)
                lockstep->runs[r].warps[w].state = WARP_READY;
        if (origin->state == WARP_READY) {
            WB_TRY(advance_warp(lockstep, w));
            *progress = true;
            for (uint32_t r = 0; r < lockstep->count && origin->state == WARP_DONE; r++)
                barrier_warp_done(&lockstep->runs[r]);
        }
        *done &= origin->state == WARP_DONE;
    }
    return WB_OK;
}

/* Nothing is known of registers that were never written but where local memory begins. */
static void begin_shadows(const struct lockstep *lockstep) {
    const struct run *run = &lockstep->runs[0];
    const struct function_code *code = &run->program.functions[run->kernel->function];
    for (uint32_t r = 0; r < lockstep->count; r++)
        for (uint32_t w = 0; w < run->warp_count; w++) {
            struct lanes *registers = lockstep->runs[r].warps[w].frame->registers;
            for (uint32_t i = 0; i < code->slot_count; i++)
                registers[i].shadow = by_data;
            if (code->uses_local)
                registers[code->function->reg_count + SLOT_LOCAL_BASE].shadow.flat = LANES_ALL;
        }
}

wb_status affine_run_block(struct lockstep *lockstep, struct access_list *accesses[AFFINE_RUNS]) {
    bool progress = true, done = false;
    lockstep->bend = (struct affine_bend){0};
    if (lockstep->search != NULL)
        *lockstep->search = (struct pass_search){.from = lockstep->search->from,
                                                 .next = {lockstep->search->from, lockstep->search->from},
                                                 .left_by = UINT32_MAX};
    for (uint32_t r = 0; r < lockstep->count; r++)
        WB_TRY(run_begin_block(&lockstep->runs[r], accesses[r]));
    begin_shadows(lockstep);
    while (!done) {
        WB_TRY(advance_block(lockstep, &progress, &done));
        if (!progress && !done) return decline(lockstep, &by_data);
    }
    return WB_OK;
}

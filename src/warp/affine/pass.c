#include "warp/affine/pass.h"

#include <string.h>

#include "warp/interpret/base_region.h"

/* ---- Registers ----------------------------------------------------------------------------------------- */

static struct lanes *register_of(const struct warp *warp, uint32_t slot) {
    return &warp->banks[BANK_FRAME][slot];
}

/* Bits of a register; 0 of what is no number. */
static uint32_t bits_of(const struct warp *warp, uint32_t slot) {
    const struct ptx_function *function = warp->frame->code->function;
    if (slot >= function->reg_count) return 0;
    const enum ptx_type type = function->groups[function->reg_group[slot]].type;
    return type == PTX_PRED ? 1 : 8 * ptx_type_bytes(type);
}

/* Lanes with the same value in two states of a register. */
static uint32_t equal_lanes(const struct warp *warp, uint32_t slot, const struct lanes *a,
                            const struct lanes *b) {
    return lanes_equal(a, b, bits_of(warp, slot) <= 1);
}

static bool is_upper(const struct lanes *lanes, uint32_t lane, uint32_t halved) {
    const struct half half = half_get(&lanes->half, lane);
    return (halved >> lane & 1) != 0 && half_kind(&half) == HALF_HIGH;
}

/* What grows by a constant: the value of a lane, or the address of which it is the upper half. */
static uint64_t word_of(const struct lanes *lanes, uint32_t lane, uint32_t halved) {
    const uint64_t value = lanes->value[lane];
    return is_upper(lanes, lane, halved) ? value << 32 | lanes->half.a[lane] : value;
}

/* Lanes of those of `mask` that are the same half, a lower or an upper one, of an address of one region. */
static uint32_t like_halves(const struct lanes *a, const struct lanes *b, uint32_t mask) {
    uint32_t alike = mask & lanes_halves(a) & lanes_halves(b);
    FOR_LANES_OF(l, alike) {
        const struct half x = half_get(&a->half, l), y = half_get(&b->half, l);
        const bool is_word = half_kind(&x) == HALF_LOW || half_kind(&x) == HALF_HIGH;
        if (!is_word || x.base_region != y.base_region || x.other != y.other) alike &= ~(1u << l);
    }
    return alike;
}

/* Lanes that are known, or halves as before, in a state of a register behind the pass. */
static uint32_t held_lanes(const struct before *before, const struct lanes *now) {
    return (now->known & ~before->halved) | like_halves(&before->lanes[0], now, before->halved);
}

/* Those of `affine` in which a register grew by its steps. */
static uint32_t stepped_lanes(const struct before *before, const struct lanes *from, const struct lanes *to,
                              uint32_t affine, uint32_t bits) {
    FOR_LANES_OF(l, affine) {
        const uint64_t grown = word_of(to, l, before->halved) - word_of(from, l, before->halved);
        const uint64_t mask = low_bits(is_upper(from, l, before->halved) ? 64 : bits);
        if (((grown - before->step[l]) & mask) != 0) affine &= ~(1u << l);
    }
    return affine;
}

wb_status pass_begin(struct pass *pass, struct arena *arena) {
    pass->slots = pass->warps[0]->frame->code->slot_count;
    pass->before = arena_array(arena, (size_t)pass->slots + 1, sizeof *pass->before);
    return pass->before == NULL ? WB_ERR_LIMIT : WB_OK;
}

void pass_note(struct pass *pass, const struct micro *op) {
    for (uint32_t i = 0; i < op->output_count; i++)
        if (op->outputs[i].bank == BANK_FRAME) pass->before[op->outputs[i].index].written = true;
}

/* The lanes of a register that are flat or affine in the runs that go on together already. */
static uint32_t usable_lanes(const struct pass *pass, uint32_t slot, uint32_t *flat) {
    const struct affine_shadow *shadow = &register_of(pass->warps[0], slot)->shadow;
    *flat = pass->by_shadows ? shadow->flat : LANES_ALL;
    return *flat | (shadow->bits >= bits_of(pass->warps[0], slot) ? shadow->affine : 0);
}

void pass_take(struct pass *pass) {
    const struct warp *warp = pass->warps[0], *ahead = pass->warps[pass->count];
    const struct function_code *code = warp->frame->code;
    const uint32_t local = code->uses_local ? code->function->reg_count + SLOT_LOCAL_BASE : UINT32_MAX;
    for (uint32_t i = 0; i < pass->slots; i++) {
        struct before *before = &pass->before[i];
        const struct lanes *lanes = register_of(warp, i), *next = register_of(ahead, i);
        const uint32_t bits = bits_of(warp, i), equal = equal_lanes(warp, i, lanes, next);
        const bool alike = lanes->base_region == next->base_region && lanes->numbers == next->numbers;
        const bool steps = bits >= 32 && (pass->by_shadows || lanes->base_region == BASE_REGION_NONE);
        uint32_t flat, usable = usable_lanes(pass, i, &flat);
        usable &= alike ? ~before->bent : 0;
        const uint32_t known = usable & lanes->known & next->known;
        before->halved = bits == 32 ? like_halves(lanes, next, usable & ~flat) : 0;
        for (uint32_t r = 0; r < pass->count; r++) {
            before->lanes[r] = *register_of(pass->warps[r], i);
            before->halved = like_halves(lanes, &before->lanes[r], before->halved);
        }
        before->written = i >= code->function->reg_count; /* carries are no outputs */
        before->flat = known & equal & flat;
        before->affine = steps ? (known & ~before->flat) | before->halved : 0;
        if (bits == 0 && i != local) before->flat = 0; /* carries, and what nobody reads */
        FOR_LANES_OF(l, before->affine)
        before->step[l] = word_of(next, l, before->halved) - word_of(lanes, l, before->halved);
        const struct affine_shadow shadow = {
            .flat = before->flat, .affine = before->affine, .bits = (uint8_t)bits, .bend.data = true};
        for (uint32_t r = 0; r <= pass->count; r++)
            register_of(pass->warps[r], i)->shadow = shadow;
    }
}

/* The lanes of those taken for flat or affine in which a register grew by its steps in all runs. */
static uint32_t grown_lanes(const struct pass *pass, uint32_t slot) {
    const struct warp *warp = pass->warps[0];
    const struct before *before = &pass->before[slot];
    const struct lanes *lanes = register_of(warp, slot), *next = register_of(pass->warps[pass->count], slot);
    const struct affine_shadow *shadow = &lanes->shadow;
    const uint32_t bits = bits_of(warp, slot);
    uint32_t held = held_lanes(before, next);
    uint32_t flat = before->flat & shadow->flat & equal_lanes(warp, slot, lanes, next) &
                    equal_lanes(warp, slot, lanes, &before->lanes[0]);
    uint32_t affine = shadow->bits < bits ? 0 : before->affine & (shadow->flat | shadow->affine);
    affine = stepped_lanes(before, lanes, next, affine & held_lanes(before, lanes) & held, bits);
    for (uint32_t r = 0; r < pass->count; r++) {
        const struct lanes *now = register_of(pass->warps[r], slot), *then = &before->lanes[r];
        held &= held_lanes(before, now);
        affine = stepped_lanes(before, then, now, affine & held, bits);
        if (now->base_region != then->base_region || now->base_region != next->base_region ||
            now->numbers != then->numbers || now->numbers != next->numbers)
            return 0;
    }
    return (flat & held) | affine;
}

bool pass_check(struct pass *pass) {
    bool right = true;
    for (uint32_t i = 0; i < pass->slots; i++) {
        struct before *before = &pass->before[i];
        const uint32_t wrong = (before->flat | before->affine) & ~grown_lanes(pass, i);
        before->bent |= wrong;
        right &= wrong == 0;
    }
    return right;
}

bool pass_skip(const struct pass *pass, struct warp *warp, uint64_t passes) {
    bool forgot = false;
    for (uint32_t i = 0; i < pass->slots; i++) {
        const struct before *before = &pass->before[i];
        struct lanes *lanes = register_of(warp, i);
        const uint64_t mask = low_bits(bits_of(warp, i));
        const uint32_t others = ~(before->flat | before->affine);
        lanes->shadow = before->lanes[0].shadow; /* what differs in these runs is what did */
        FOR_LANES_OF(l, before->affine) {
            const uint64_t word = word_of(lanes, l, before->halved) + passes * before->step[l];
            const bool upper = is_upper(lanes, l, before->halved);
            lanes->value[l] = upper ? word >> 32 : word & mask;
            if (upper) lanes->half.a[l] = (uint32_t)word;
        }
        if (!before->written) continue;
        /* Not because of data, if that was not why before. */
        if ((others & (lanes->shadow.flat | lanes->shadow.affine)) != 0)
            lanes->shadow.bend = (struct affine_bend){0};
        lanes->shadow.flat &= ~others;
        lanes->shadow.affine &= ~others;
        lanes->shadow.signs = 0;
        if ((others & (lanes->known | lanes->halved | lanes->partial)) == 0) continue;
        lanes_forget(lanes, others, lanes->origin);
        forgot = true;
    }
    return forgot;
}

/* ---- Many passes --------------------------------------------------------------------------------------- */

int64_t passes_reach(const struct lockstep *around, const struct affine_space *space, uint32_t axis) {
    int64_t most = INT64_MAX;
    for (uint32_t r = 0; r < around->count; r++) {
        int64_t steps[AXES] = {0};
        if (r > 0) steps[around->axis[r]] = 1;
        most = affine_reach(space, steps, axis, most);
    }
    return most;
}

wb_status passes_constrain(const struct lockstep *around, const struct affine_space *space, uint32_t axis,
                           uint64_t number) {
    for (size_t i = 0; around->count > 1 && i < space->constraints.count; i++) {
        struct affine_constraint kept = space->constraints.items[i];
        const __int128 added = kept.c[axis] * (__int128)number;
        kept.c[axis] = 0;
        kept.low -= added;
        kept.high -= added;
        affine_constrain(around->space, &kept);
    }
    return around->count > 1 && around->space->failed ? WB_ERR_DECLINED : WB_OK;
}

/* ---- Places -------------------------------------------------------------------------------------------- */

wb_status place_take(struct loop_place *place, const struct warp *warp, struct arena *arena) {
    *place = (struct loop_place){.depth = warp->stack.count,
                                 .live = warp->live,
                                 .frames = warp->depth,
                                 .state = warp->state,
                                 .low = UINT32_MAX};
    memcpy(place->sets, warp->sets, sizeof place->sets);
    place->stack = arena_array(arena, place->depth + 1, sizeof *place->stack);
    if (place->stack == NULL) return run_no_memory(warp->run);
    if (place->depth > 0) memcpy(place->stack, warp->stack.items, place->depth * sizeof *place->stack);
    return WB_OK;
}

bool place_has(const struct loop_place *place, const struct warp *warp) {
    if (warp->stack.count != place->depth || warp->live != place->live || warp->depth != place->frames ||
        warp->state != place->state || memcmp(warp->sets, place->sets, sizeof place->sets) != 0)
        return false;
    for (size_t i = place->depth; i-- > 0;) {
        const struct simt_entry *a = &warp->stack.items[i], *b = &place->stack[i];
        if (a->pc != b->pc || a->reconvergence != b->reconvergence || a->mask != b->mask ||
            a->wait != b->wait || a->set != b->set || a->expected != b->expected)
            return false;
    }
    return true;
}

bool place_is_around(const struct loop_place *place, const struct warp *warp) {
    if (warp->stack.count == 0) return false;
    const uint32_t pc = warp->stack.items[warp->stack.count - 1].pc;
    return pc >= place->low && pc <= place->high;
}

void place_note(struct loop_place *place, const struct warp *warp) {
    const uint32_t pc = warp->stack.items[warp->stack.count - 1].pc;
    if (pc < place->low) place->low = pc;
    if (pc > place->high) place->high = pc;
}

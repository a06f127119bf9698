/* What instructions that compute in each lane by themselves give: the lanes whose sources are flat, those of
 * predicates, and of pairs and sums of words; rules.c has the others. */
#include "warp/affine/rules.h"

#include <string.h>

/* ---- Operands ------------------------------------------------------------------------------------------ */

struct affine_shadow affine_of(const struct lockstep *lockstep, uint32_t warp, struct slot slot) {
    const struct run *run = &lockstep->runs[0];
    const uint32_t known = warp_slot(&run->warps[warp], slot)->known;
    if (slot.bank == BANK_FRAME) return warp_slot(&run->warps[warp], slot)->shadow;
    if (slot.bank == BANK_SPECIAL) {
        uint32_t axis;
        if (special_counts_blocks(run->program.sregs.items[slot.index], &axis) && axis < AXES &&
            lockstep->space->step[axis] != 0)
            return (struct affine_shadow){.affine = known, .bits = 32, .bend.data = true};
    }
    return (struct affine_shadow){.flat = known, .bend.data = true};
}

static bool is_predicate(const struct warp *warp, struct slot slot) {
    const struct ptx_function *function = warp->frame->code->function;
    if (slot.bank != BANK_FRAME || slot.index >= function->reg_count) return false;
    return function->groups[function->reg_group[slot.index]].type == PTX_PRED;
}

static void read_source(struct judging *judging, uint32_t warp, uint32_t source, struct slot slot) {
    const struct lockstep *lockstep = judging->lockstep;
    for (uint32_t r = 0; r < lockstep->count; r++)
        judging->lanes[source][r] = warp_slot(&lockstep->runs[r].warps[warp], slot);
    judging->shadow[source] = affine_of(lockstep, warp, slot);
    judging->is_predicate[source] = is_predicate(&lockstep->runs[0].warps[warp], slot);
    judging->predicate[source] = warp_predicate(&lockstep->runs[0].warps[warp], slot);
}

/* The reasons of lanes in which a source is neither flat nor affine, and the axes along which it is not flat.
 */
static void blame_source(struct judging *judging, uint32_t source, uint32_t lanes) {
    const struct affine_shadow *shadow = &judging->shadow[source];
    const struct lockstep *lockstep = judging->lockstep;
    if ((lanes & ~(shadow->flat | shadow->affine)) != 0) affine_bend_add(&judging->inherited, &shadow->bend);
    for (uint32_t r = 1; r < lockstep->count; r++)
        FOR_LANES_OF(l, lanes & shadow->affine) {
            if (judging->lanes[source][r]->value[l] == judging->lanes[source][0]->value[l]) continue;
            judging->bend.axes |= (uint8_t)(1u << lockstep->axis[r]);
            break;
        }
}

/* Halves of addresses, and carries and comparisons of them, that are the same in all blocks. */
static uint32_t same_halves(const struct judging *judging, uint32_t source) {
    const bool is_predicate = judging->is_predicate[source];
    const struct lanes *origin = judging->lanes[source][0];
    uint32_t same = judging->shadow[source].affine & lanes_halves(origin);
    for (uint32_t r = 1; r < judging->lockstep->count && same != 0; r++) {
        const struct lanes *other = judging->lanes[source][r];
        if (is_predicate) same &= ~(uint32_t)(origin->value[0] ^ other->value[0]);
        FOR_LANES_OF(l, same) {
            const struct half a = half_get(&origin->half, l), b = half_get(&other->half, l);
            const bool equal = a.base_region == b.base_region && a.other == b.other && a.a == b.a &&
                               a.b == b.b && (is_predicate || origin->value[l] == other->value[l]);
            if (!equal) same &= ~(1u << l);
        }
    }
    return same;
}

/* The lanes in which all sources are the same in all blocks: so are the results, be they halves. */
static uint32_t constant_lanes(const struct judging *judging) {
    uint32_t constant = judging->mask;
    for (uint32_t i = 0; i < JUDGED_SOURCES; i++) {
        const struct affine_shadow *shadow = &judging->shadow[i];
        constant &= shadow->flat | (shadow->affine == 0 ? 0 : same_halves(judging, i));
    }
    return constant;
}

/* ---- Predicates ---------------------------------------------------------------------------------------- */

/* Lanes of a condition whose bits are flat. */
static struct truth flat_condition(const struct judging *judging, uint32_t source) {
    return (struct truth){judging->predicate[source], judging->shadow[source].flat};
}

/* Whether a comparison is one of numbers, of addresses of one region, or with null: others are known only
 * while both addresses are inside of their regions. */
static bool is_comparable(const struct judging *judging, uint32_t lane) {
    const uint64_t a = judging->lanes[0][0]->base_region, b = judging->lanes[1][0]->base_region;
    bool null = false;
    for (uint32_t i = 0; i < 2; i++)
        null |= lane_in(judging->shadow[i].flat, lane) && judging->lanes[i][0]->value[lane] == 0;
    return null || (a == b && a != BASE_REGION_SEVERAL);
}

/* The comparison of the first two sources. */
static struct truth compared(struct judging *judging, uint8_t type) {
    const uint64_t *values[MICRO_SOURCES];
    for (uint32_t i = 0; i < MICRO_SOURCES; i++)
        values[i] = judging->lanes[i][0]->value;
    struct truth holds = {judging->op->compute.test(judging->op, values),
                          judging->shadow[0].flat & judging->shadow[1].flat};
    FOR_LANES_OF(l, judging->mask & ~holds.known)
    if (is_comparable(judging, l)) holds.known |= (uint32_t)rules_comparison_is_flat(judging, l, type) << l;
    return holds;
}

/* The comparison of upper words: where they are equal in all blocks, that of the lower ones. */
static struct truth compared_upper(struct judging *judging) {
    struct truth holds = compared(judging, judging->op->form->type);
    const struct truth lower = flat_condition(judging, 2);
    uint32_t equal = 0;
    FOR_LANES_OF(l, judging->mask & holds.known) {
        const bool same =
            (uint32_t)judging->lanes[0][0]->value[l] == (uint32_t)judging->lanes[1][0]->value[l];
        equal |= (uint32_t)same << l;
    }
    /* Which of both decides must be flat, too. */
    FOR_LANES_OF(l, judging->mask & holds.known & ~(judging->shadow[0].flat & judging->shadow[1].flat))
    if (!rules_equality_is_flat(judging, l, 32)) holds.known &= ~(1u << l);
    holds.bits = (holds.bits & ~equal) | (lower.bits & equal);
    holds.known &= ~equal | lower.known;
    return holds;
}

static void judge_setp(struct judging *judging, struct affine_result results[2]) {
    const bool machine = judging->op->execute == machine_setp_execute;
    const struct truth holds = machine ? compared_upper(judging) : compared(judging, judging->op->form->type);
    const struct truth other = flat_condition(judging, machine ? 3 : 2), fails = {~holds.bits, holds.known};
    const uint8_t mode = judging->op->form->mode;
    results[0].shadow.flat = truth_join(mode, holds, other).known & judging->mask;
    results[1].shadow.flat = truth_join(mode, fails, other).known & judging->mask;
}

/* ---- Pairs of words ------------------------------------------------------------------------------------ */

/* Whether a carry, or an upper half, names the very lower half that is a word, in all runs. */
static bool names_low(const struct judging *judging, uint32_t high, const uint32_t low[AFFINE_RUNS],
                      uint32_t lane) {
    bool same = true;
    for (uint32_t r = 0; r < judging->lockstep->count; r++)
        same &= judging->lanes[high][r]->half.a[lane] == low[r];
    return same;
}

/* The parts of a register are read as sources 0 and 1. */
static bool joins(struct judging *judging, uint32_t lane) {
    __int128 v = 0, c[AXES] = {0};
    uint32_t low[AFFINE_RUNS];
    const bool affine = lane_in(judging->shadow[0].affine, lane) && lane_in(judging->shadow[1].affine, lane);
    if (rules_half_kind(judging, 0, lane) == HALF_LOW && rules_half_kind(judging, 1, lane) == HALF_HIGH) {
        for (uint32_t r = 0; r < judging->lockstep->count; r++)
            low[r] = (uint32_t)judging->lanes[0][r]->value[lane];
        return affine && names_low(judging, 1, low, lane);
    }
    const bool numbers = lane_in(judging->lanes[0][0]->known & judging->lanes[1][0]->known, lane);
    return numbers && rules_is_word(judging, 1, lane, 32) && rules_unsigned(judging, 0, lane, &v, c);
}

static void judge_pack(struct judging *judging, uint32_t warp, struct affine_result *result) {
    const struct micro_pack *pack = &judging->op->pack;
    result->shadow.flat = judging->mask;
    for (uint32_t i = 0; i < pack->count; i++)
        result->shadow.flat &= affine_of(judging->lockstep, warp, pack->elements[i]).flat;
    if (pack->count == 2 && pack->bits == 32) {
        result->shadow.bits = 64;
        for (uint32_t i = 0; i < 2; i++)
            read_source(judging, warp, i, pack->elements[i]);
        FOR_LANES_OF(l, judging->mask & ~result->shadow.flat)
        result->shadow.affine |= (uint32_t)joins(judging, l) << l;
    }
    for (uint32_t i = 0; i < pack->count; i++) {
        read_source(judging, warp, 0, pack->elements[i]);
        blame_source(judging, 0, judging->mask & ~(result->shadow.flat | result->shadow.affine));
    }
}

/* The upper word of a number; that of an address is an upper half, of which nothing is asked, unless it is
 * assumed where memory stands. */
static bool upper_is_affine(struct judging *judging, uint32_t lane) {
    const struct lanes *const *lanes = judging->lanes[0];
    __int128 c[AXES] = {0};
    const bool placed = (judging->lockstep->runs[0].assumptions >> LAUNCH_ASSUME_POINTER_ORDER & 1) != 0;
    if (!placed && lanes[0]->base_region != BASE_REGION_NONE && !lane_in(lanes[0]->numbers, lane))
        return true;
    for (uint32_t r = 1; r < judging->lockstep->count; r++)
        c[judging->lockstep->axis[r]] = (int64_t)(lanes[r]->value[lane] - lanes[0]->value[lane]);
    return rules_quotient(judging, (__int128)lanes[0]->value[lane], c, (__int128)1 << 32);
}

static uint32_t judge_unpack(struct judging *judging, struct affine_result results[AFFINE_OUTPUTS]) {
    const struct micro_pack *pack = &judging->op->pack;
    const uint32_t flat = judging->mask & judging->shadow[0].flat;
    /* Of several regions it is not known in which an address will be. */
    const bool words =
        pack->count == 2 && pack->bits == 32 && judging->lanes[0][0]->base_region != BASE_REGION_SEVERAL;
    if (pack->count > AFFINE_OUTPUTS) return 0;
    for (uint32_t i = 0; i < pack->count; i++) {
        results[i] = (struct affine_result){.slot = pack->elements[i], .shadow = {.flat = flat, .bits = 32}};
        if (!words) continue;
        FOR_LANES_OF(l, judging->mask & ~flat)
        if (rules_is_word(judging, 0, l, i == 0 ? 32 : 64) && (i == 0 || upper_is_affine(judging, l)))
            results[i].shadow.affine |= 1u << l;
    }
    return pack->count;
}

/* ---- Sums of words ------------------------------------------------------------------------------------- */

/* The terms of a sum in one lane. */
struct sum_terms {
    bool judged;             /* false: some term bends */
    uint32_t lows, highs;    /* halves of addresses among the words */
    uint32_t high;           /* source of the last upper half */
    uint32_t carries, carry; /* carries of addresses, and the source of the last */
};

static struct sum_terms terms_of(const struct judging *judging, uint32_t lane) {
    struct sum_terms terms = {.judged = true};
    for (uint32_t i = 0; i < JUDGED_SOURCES; i++) {
        const enum half_kind kind = rules_half_kind(judging, i, lane);
        const bool affine = lane_in(judging->shadow[i].affine, lane), is_carry = i >= 3;
        if (is_carry && kind == HALF_CARRY && affine) {
            terms.carries++;
            terms.carry = i;
            terms.judged &= i == 3 ? !judging->op->source[3].negated : !judging->op->sum.carry.negated;
        } else if (is_carry) {
            terms.judged &= lane_in(judging->shadow[i].flat, lane);
        } else if (kind == HALF_HIGH && affine) {
            terms.highs++;
            terms.high = i;
        } else {
            terms.lows += kind == HALF_LOW;
            terms.judged &= rules_is_word(judging, i, lane, 32);
        }
    }
    return terms;
}

/* Whether the carries of the numbers among the terms are the same in all blocks. */
static bool carries_stay(struct judging *judging, uint32_t lane) {
    __int128 v = 0, c[AXES] = {0};
    for (uint32_t i = 0; i < JUDGED_SOURCES; i++) {
        if (i >= 3)
            v += lane_in(judging->predicate[i], lane);
        else if (rules_half_kind(judging, i, lane) == HALF_NONE && !rules_unsigned(judging, i, lane, &v, c))
            return false;
    }
    return rules_within(judging, v, c, (__int128)1 << 32);
}

/* machine.add3: words modulo 2^32, and the carries of what does not wrap around elsewhere. */
static void judge_add3(struct judging *judging, bool asks_carries, struct affine_result results[3]) {
    for (uint32_t i = 0; i < 3; i++)
        results[i].shadow.bits = 32;
    FOR_LANES_OF(l, judging->mask) {
        const struct sum_terms terms = terms_of(judging, l);
        bool word = terms.judged && terms.highs + terms.lows <= 1;
        if (terms.highs == 1 && terms.carries == 1) {
            uint32_t low[AFFINE_RUNS];
            for (uint32_t r = 0; r < judging->lockstep->count; r++)
                low[r] = judging->lanes[terms.carry][r]->half.a[l];
            word &= names_low(judging, terms.high, low, l);
        } else {
            word &= terms.carries == 0;
        }
        if (!word) continue;
        results[0].shadow.affine |= 1u << l;
        if (!asks_carries || terms.highs != 0 || !carries_stay(judging, l)) continue;
        for (uint32_t i = 1; i < 3; i++) {
            results[i].shadow.flat |= 1u << l;
            if (terms.lows != 0) results[i].shadow.affine |= 1u << l;
        }
    }
}

/* ---- Either -------------------------------------------------------------------------------------------- */

/* The lanes whose result is made of flat sources alone. */
static uint32_t flat_lanes(const struct judging *judging) {
    uint32_t flat = LANES_ALL, each[MICRO_SOURCES];
    const uint64_t *values[MICRO_SOURCES];
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        each[i] = judging->shadow[i].flat;
        values[i] = judging->lanes[i][0]->value;
        flat &= each[i];
    }
    if (judging->op->refine != NULL) flat |= judging->op->refine(judging->op, values, each);
    return flat & judging->mask;
}

static uint32_t judge_results(struct judging *judging, uint32_t warp,
                              struct affine_result results[AFFINE_OUTPUTS]) {
    const struct micro *op = judging->op;
    results[0].slot = op->destination;
    results[1].slot = op->destination2;
    if (op->execute == unpack_execute) return judge_unpack(judging, results);
    if (op->execute == pack_execute) {
        judge_pack(judging, warp, &results[0]);
        return 1;
    }
    if (op->execute == setp_execute || op->execute == machine_setp_execute) {
        judge_setp(judging, results);
        return 2;
    }
    if (op->execute == machine_add3_execute) {
        const struct warp *origin = &judging->lockstep->runs[0].warps[warp];
        const bool asks = !slot_is_sink(origin, op->destination2) || !slot_is_sink(origin, op->sum.over);
        results[2].slot = op->sum.over;
        judge_add3(judging, asks, results);
        return 3;
    }
    results[0].shadow.flat = flat_lanes(judging);
    /* Divisions are executed otherwise because of zeros. */
    if (op->execute == alu_execute || op->form->op == PTX_OP_DIV || op->form->op == PTX_OP_REM)
        rules_of_value(judging, &results[0].shadow);
    return 1;
}

/* The shadow of a register of the frame, or NULL. */
static const struct affine_shadow *shadow_at(const struct lockstep *lockstep, uint32_t warp,
                                             struct slot slot) {
    return slot.bank == BANK_FRAME ? &warp_slot(&lockstep->runs[0].warps[warp], slot)->shadow : NULL;
}

/* Most instructions: all sources are flat, or one is nothing but data. False: it takes a closer look. */
static bool judge_quickly(const struct lockstep *lockstep, uint32_t warp, const struct micro *op,
                          uint32_t mask, struct affine_shadow *result) {
    uint32_t flat = mask;
    bool data = false;
    if (op->execute == pack_execute || op->execute == unpack_execute || op->execute == setp_execute ||
        op->execute == machine_setp_execute || op->execute == machine_add3_execute)
        return false;
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        if (op->source[i].bank == BANK_CONSTANT) continue;
        const struct affine_shadow *shadow = shadow_at(lockstep, warp, op->source[i]);
        flat &= shadow != NULL ? shadow->flat : affine_of(lockstep, warp, op->source[i]).flat;
        data |= shadow != NULL && shadow->bend.data && shadow->bend.axes == 0 &&
                (mask & (shadow->flat | shadow->affine)) == 0;
    }
    *result = (struct affine_shadow){.flat = flat == mask ? mask : 0, .bend.data = flat != mask};
    return flat == mask || (data && op->refine == NULL);
}

uint32_t affine_judge(struct lockstep *lockstep, uint32_t warp, const struct micro *op, uint32_t mask,
                      struct affine_result results[AFFINE_OUTPUTS]) {
    struct judging judging = {
        .lockstep = lockstep, .origin = &lockstep->runs[0].warps[warp], .op = op, .mask = mask};
    const bool parts = op->execute == pack_execute;
    const struct slot none = {.bank = BANK_CONSTANT};
    memset(results, 0, AFFINE_OUTPUTS * sizeof *results);
    if (op->execute == opaque_execute) return 0; /* it need not have a destination */
    if (judge_quickly(lockstep, warp, op, mask, &results[0].shadow)) {
        results[0].slot = op->destination;
        return 1;
    }
    memset(&results[0], 0, sizeof results[0]);
    for (uint32_t i = 0; i < MICRO_SOURCES; i++)
        read_source(&judging, warp, i, op->source[i]);
    read_source(&judging, warp, MICRO_SOURCES, op->execute == machine_add3_execute ? op->sum.carry : none);
    const uint32_t constant = parts ? 0 : constant_lanes(&judging);
    const uint32_t count = judge_results(&judging, warp, results);
    for (uint32_t i = 0; i < count; i++) {
        struct affine_shadow *shadow = &results[i].shadow;
        shadow->flat |= constant;
        const uint32_t bent = mask & ~(shadow->flat | shadow->affine);
        for (uint32_t s = 0; s < JUDGED_SOURCES && bent != 0 && !parts; s++)
            blame_source(&judging, s, bent);
    }
    /* Without the reasons that sources have, the result perhaps would not bend. */
    if (judging.inherited.data || judging.inherited.axes != 0) judging.bend = judging.inherited;
    for (uint32_t i = 0; i < count; i++) {
        results[i].shadow.bend = judging.bend;
        results[i].inherited = judging.inherited;
    }
    return count;
}

/* Executing what each lane computes by itself: which lanes are computed, and which results are known. */
#include "warp/alu/alu.h"
#include "warp/alu/lanes.h"
#include "warp/interpret/base_region.h"
#include "warp/interpret/execute.h"

static void read_base_regions(const struct inputs *in, uint64_t *base_regions) {
    for (uint32_t i = 0; i < MICRO_SOURCES; i++)
        base_regions[i] = in->lanes[i]->base_region;
}

/* The lanes in which all sources are numbers, though some have base regions, and in *mixed those in which
 * some that have base regions are numbers and others are not. */
static uint32_t number_lanes(const struct inputs *in, uint32_t *mixed) {
    uint32_t all = LANES_ALL, some = 0;
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        if (in->lanes[i]->base_region == BASE_REGION_NONE) continue;
        all &= in->lanes[i]->numbers;
        some |= in->lanes[i]->numbers;
    }
    *mixed = some & ~all;
    return all;
}

/* Of a result some of whose sources have base regions: writes its base region; returns which of the `known`
 * lanes stay so.
 */
static uint32_t settle_base_region(struct warp *warp, const struct micro *op, const struct inputs *in,
                                   struct lanes *out, uint32_t mask, uint32_t known) {
    uint64_t base_regions[MICRO_SOURCES], base_region = BASE_REGION_NONE;
    uint32_t mixed;
    const uint32_t numbers = number_lanes(in, &mixed);
    read_base_regions(in, base_regions);
    if (in->base_regions != 0 && !base_region_of_result(warp->run, op, in->values, base_regions,
                                                        mask & in->known & ~numbers, &base_region)) {
        known = settle_open(warp, known, mask & known & ~numbers);
        base_region = BASE_REGION_NONE;
    }
    known = settle_open(warp, known, mask & known & mixed);
    base_region_write(warp, out, mask, base_region);
    if (base_region != BASE_REGION_NONE) out->numbers = numbers & mask;
    return known;
}

/* For a comparison. */
static uint32_t settle_comparison(struct warp *warp, const struct micro *op, const struct inputs *in,
                                  uint32_t mask, uint32_t known) {
    uint64_t base_regions[MICRO_SOURCES];
    read_base_regions(in, base_regions);
    uint32_t lanes = mask & known, mixed;
    const uint32_t numbers = number_lanes(in, &mixed);
    const uint32_t comparable =
        base_region_comparable(warp->run, op, in->values, base_regions, lanes) & ~mixed;
    return settle_open(warp, known, lanes & ~comparable & ~numbers);
}

static void alu_lanes(struct warp *warp, const struct micro *op, const struct inputs *in, uint32_t mask) {
    struct lanes *out = warp_slot(warp, op->destination);
    if (mask == warp->live) {
        op->compute.lanes(op, out->value, in->values);
    } else {
        uint64_t result[WARP_LANES];
        op->compute.lanes(op, result, in->values);
        lanes_blend(out->value, result, mask);
    }
}

/* A move of a word of which all lanes are halves of addresses; false: it is something else. */
static bool move_halves(struct warp *warp, const struct micro *op, const struct inputs *in, uint32_t mask,
                        uint32_t origin) {
    const struct lanes *from = in->lanes[0];
    struct lanes *out = warp_slot(warp, op->destination);
    const bool moves = op->form->op == PTX_OP_MOV && int_kind_of(op->form->type) == INT_U32 && from != out;
    if (!moves || (mask & ~lanes_halves(from)) != 0) return false;
    alu_lanes(warp, op, in, mask);
    mark_known(out, mask, 0, origin);
    out->halved |= mask;
    halves_blend(&out->half, &from->half, mask);
    return true;
}

/* The same where some sources are halves of addresses: those of the lanes of `halved`, none of which is known
 * without. */
static void execute_halved(struct warp *warp, const struct micro *op, const struct inputs *in, uint32_t mask,
                           uint32_t known, uint32_t origin) {
    struct lanes *out = warp_slot(warp, op->destination);
    struct half_lanes halves;
    if (move_halves(warp, op, in, mask, origin)) return;
    half_of_result(warp, op, mask & in->halved & ~known, &halves);
    alu_lanes(warp, op, in, mask);
    mark_known(out, mask, known | halves.known, origin);
    half_write(out, &halves);
}

/* The same where single bits of the result may be known. */
static void execute_partial(struct warp *warp, const struct micro *op, const struct inputs *in, uint32_t mask,
                            uint32_t known, uint32_t origin) {
    struct lanes *out = warp_slot(warp, op->destination);
    struct partial_lanes partial;
    partial_of_result(warp, op, mask & ~known, &partial);
    alu_lanes(warp, op, in, mask);
    mark_known(out, mask, known | partial.known, origin);
    partial_write(out, &partial);
}

/* Notes that the execution goes by the bits of a NaN, which the ISA does not promise for every type. */
static void note_nan(struct warp *warp, const struct micro *op, const struct lanes *out, uint32_t lanes) {
    const struct float_format *format = float_format_of(op->nan_type);
    const uint32_t mantissa = format->mantissa_bits + format->unused_bits;
    const uint32_t bits = mantissa + format->exponent_bits + 1;
    const uint64_t infinity = low_bits(format->exponent_bits) << mantissa;
    const bool pair = op->nan_type == PTX_F16X2 || op->nan_type == PTX_BF16X2;
    bool found = false;
    FOR_LANES(l) {
        const uint64_t value = out->value[l];
        const bool is_nan = (value & low_bits(bits - 1)) > infinity ||
                            (pair && (value >> bits & low_bits(bits - 1)) > infinity);
        found |= is_nan && (lanes >> l & 1) != 0;
    }
    if (found) run_assume(warp->run, ASSUMED_NAN_BITS);
}

wb_status alu_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in;
    read_inputs(warp, op, &in);
    struct lanes *out = warp_slot(warp, op->destination);
    uint32_t known = in.known, origin = op->index;
    if ((mask & ~known) != 0) known = settle_known(op, &in, mask, &origin);
    uint64_t unknown_base_region = BASE_REGION_NONE;
    if (warp->run->cover != NULL && (mask & ~known) != 0)
        unknown_base_region = settle_unknown_base_region(warp, op, out, mask, mask & ~known);
    const uint32_t settled = mask & known;
    if (in.base_regions != 0)
        known = settle_base_region(warp, op, &in, out, mask, known);
    else if (out->base_region != BASE_REGION_NONE)
        base_region_write(warp, out, mask, BASE_REGION_NONE);
    if ((mask & in.halved & ~known) != 0) {
        execute_halved(warp, op, &in, mask, known, origin);
    } else if ((mask & ~known) != 0 && op->known_bits != NULL && in.base_regions == 0) {
        execute_partial(warp, op, &in, mask, known, origin);
    } else {
        alu_lanes(warp, op, &in, mask);
        mark_known(out, mask, known, origin);
    }
    if (unknown_base_region != BASE_REGION_NONE && settled == (mask & known))
        out->unknown_base_region = unknown_base_region;
    if (op->nan_type != 0 && (mask & known) != 0) note_nan(warp, op, out, mask & known);
    return WB_OK;
}

wb_status test_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in;
    read_inputs(warp, op, &in);
    uint32_t known = in.known, origin = op->index;
    if ((mask & ~known) != 0) known = settle_known(op, &in, mask, &origin);
    write_predicate(warp_slot(warp, op->destination), mask, op->compute.test(op, in.values), known, origin);
    return WB_OK;
}

struct truth truth_join(uint8_t mode, struct truth a, struct truth b) {
    struct truth joined = {a.bits, a.known & b.known};
    if (mode == PTX_MODE_AND) {
        joined.bits = a.bits & b.bits;
        joined.known |= (a.known & ~a.bits) | (b.known & ~b.bits);
    } else if (mode == PTX_MODE_OR) {
        joined.bits = a.bits | b.bits;
        joined.known |= (a.known & a.bits) | (b.known & b.bits);
    } else if (mode == PTX_MODE_XOR) {
        joined.bits = a.bits ^ b.bits;
    }
    return joined;
}

/* The comparison of the first two sources. */
static struct truth compare(struct warp *warp, const struct micro *op, const struct inputs *in,
                            uint32_t mask) {
    uint32_t known = in->lanes[0]->known & in->lanes[1]->known;
    if (in->base_regions != 0) known = settle_comparison(warp, op, in, mask, known);
    return (struct truth){op->compute.test(op, in->values), known};
}

static struct truth third_source(const struct warp *warp, const struct micro *op) {
    return (struct truth){warp_predicate(warp, op->source[2]), warp_slot(warp, op->source[2])->known};
}

wb_status setp_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in;
    read_inputs(warp, op, &in);
    struct truth holds = compare(warp, op, &in, mask), other = third_source(warp, op);
    struct truth fails = {~holds.bits, holds.known};
    uint32_t origin = op->index;
    const uint32_t halved = mask & in.halved & ~holds.known;
    struct half_lanes halves, opposite;
    if (halved != 0) half_of_comparison(warp, op, halved, &halves, &opposite);
    if ((mask & ~in.known) != 0) (void)settle_known(op, &in, mask, &origin);
    holds = truth_join(op->form->mode, holds, other);
    write_predicate(warp_slot(warp, op->destination), mask, holds.bits, holds.known, origin);
    fails = truth_join(op->form->mode, fails, other);
    write_predicate(warp_slot(warp, op->destination2), mask, fails.bits, fails.known, origin);
    if (halved == 0) return WB_OK;
    half_write(warp_slot(warp, op->destination), &halves);
    half_write(warp_slot(warp, op->destination2), &opposite);
    return WB_OK;
}

/* The comparison of upper halves: decided by them, or, where they are equal, by that of the lower ones. */
static struct truth compare_upper(const struct warp *warp, const struct micro *op, const struct inputs *in,
                                  uint32_t mask) {
    const struct truth lower = {warp_predicate(warp, op->source[2]), in->lanes[2]->known};
    const uint32_t uppers = in->lanes[0]->known & in->lanes[1]->known;
    struct truth result = {op->compute.test(op, in->values), 0};
    uint32_t equal = 0;
    FOR_LANES(l) equal |= (uint32_t)((uint32_t)in->values[0][l] == (uint32_t)in->values[1][l]) << l;
    result.bits = (result.bits & ~equal) | (lower.bits & equal);
    result.known = uppers & (~equal | lower.known);
    if ((mask & ~result.known) != 0) result.known |= half_comparison_known(warp, op, mask & ~result.known);
    return result;
}

wb_status machine_setp_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in;
    read_inputs(warp, op, &in);
    const struct truth other = {warp_predicate(warp, op->source[3]), warp_slot(warp, op->source[3])->known};
    const struct truth holds = compare_upper(warp, op, &in, mask);
    const struct truth fails = {~holds.bits, holds.known};
    uint32_t origin = op->index;
    if ((mask & ~in.known) != 0) (void)settle_known(op, &in, mask, &origin);
    const struct truth first = truth_join(op->form->mode, holds, other);
    const struct truth second = truth_join(op->form->mode, fails, other);
    write_predicate(warp_slot(warp, op->destination), mask, first.bits, first.known, origin);
    write_predicate(warp_slot(warp, op->destination2), mask, second.bits, second.known, origin);
    return WB_OK;
}

wb_status set_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in;
    read_inputs(warp, op, &in);
    struct truth holds = truth_join(op->form->mode, compare(warp, op, &in, mask), third_source(warp, op));
    struct lanes *out = warp_slot(warp, op->destination);
    uint64_t yes = UINT32_MAX;
    uint32_t origin = op->index;
    if (op->form->type == PTX_F32) yes = float_bits(1.0f);
    if (op->form->type == PTX_F16) yes = 0x3c00;
    if (op->form->type == PTX_BF16) yes = 0x3f80;
    if ((mask & ~in.known) != 0) (void)settle_known(op, &in, mask, &origin);
    base_region_write(warp, out, mask, BASE_REGION_NONE);
    FOR_LANES_OF(l, mask) out->value[l] = (holds.bits >> l & 1) != 0 ? yes & op->result_mask : 0;
    mark_known(out, mask, holds.known, origin);
    return WB_OK;
}

/* mov between a register and the parts of it. */
#include "warp/interpret/base_region.h"
#include "warp/interpret/execute.h"

/* The region that the unknown lanes of halves are made from, of all of them. */
static uint64_t unknown_base_region_of_parts(const struct warp *warp, const struct micro *op,
                                             uint32_t lanes) {
    uint64_t base_region = BASE_REGION_NO_LANES;
    for (uint32_t i = 0; i < op->pack.count; i++)
        base_region_of_lanes(warp->run, warp_slot(warp, op->pack.elements[i]), lanes, &base_region);
    return base_region;
}

/* The same where all lanes are halves of addresses in one region; false: nothing was done. */
static bool join_common(const struct warp *warp, const struct micro *op, uint32_t mask,
                        uint64_t *base_region) {
    const struct lanes *low = warp_slot(warp, op->pack.elements[0]);
    const struct lanes *high = warp_slot(warp, op->pack.elements[1]);
    const struct half of_low = {.base_region = half_common(low, mask)};
    const struct half of_high = {.base_region = half_common(high, mask)};
    bool same = half_kind(&of_low) == HALF_LOW && half_kind(&of_high) == HALF_HIGH &&
                half_base_region(&of_low) == half_base_region(&of_high);
    if (!same) return false;
    FOR_LANES_OF(l, mask) same &= half_same_low((uint32_t)low->value[l], high->half.a[l]);
    if (same) *base_region = half_base_region(&of_low);
    return same;
}

/* The addresses that halves of them make: the lanes that are known, their base region, and which are numbers.
 * Among addresses there are no negative ones: those are taken for unknown. */
static uint32_t join_halves(const struct warp *warp, const struct micro *op, uint32_t mask,
                            uint64_t *base_region, uint32_t *numbers) {
    uint64_t base_regions[WARP_LANES] = {0};
    uint32_t known = 0;
    *base_region = BASE_REGION_NONE;
    *numbers = 0;
    if (join_common(warp, op, mask, base_region)) return mask;
    FOR_LANES_OF(l, mask) {
        const struct half_term low = half_term_of(warp_slot(warp, op->pack.elements[0]), l);
        const struct half_term high = half_term_of(warp_slot(warp, op->pack.elements[1]), l);
        const bool joined = half_join(&low, &high, &base_regions[l]);
        const bool mixed = base_regions[l] != BASE_REGION_NONE && *base_region != BASE_REGION_NONE &&
                           base_regions[l] != *base_region &&
                           ((base_regions[l] | *base_region) & BASE_REGION_NEGATED) != 0;
        if (!joined || mixed) continue;
        known |= 1u << l;
        *numbers |= (uint32_t)(base_regions[l] == BASE_REGION_NONE) << l;
        *base_region = base_region_joined(*base_region, base_regions[l]);
    }
    return known;
}

/* Two words that are numbers make one of 64 bits: nearly all packs of machine code. False: they are not, and
 * nothing was done. */
static bool pack_words(struct warp *warp, const struct micro *op, uint32_t mask) {
    if (op->pack.count != 2 || op->pack.bits != 32) return false;
    struct lanes *out = warp_slot(warp, op->destination);
    const struct lanes *low = warp_slot(warp, op->pack.elements[0]);
    const struct lanes *high = warp_slot(warp, op->pack.elements[1]);
    if ((mask & ~(low->known & high->known)) != 0 || (low->base_region | high->base_region) != 0)
        return false;
    if (mask == LANES_ALL)
        FOR_LANES(l) out->value[l] = (uint32_t)low->value[l] | high->value[l] << 32;
    else
        FOR_LANES_OF(l, mask) out->value[l] = (uint32_t)low->value[l] | high->value[l] << 32;
    base_region_write(warp, out, mask, BASE_REGION_NONE);
    out->known |= mask;
    return true;
}

/* The other way round. */
static bool unpack_words(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes *in = warp_slot(warp, op->source[0]);
    if (op->pack.count != 2 || op->pack.bits != 32 || (mask & ~in->known) != 0 || in->base_region != 0)
        return false;
    uint64_t parts[2][WARP_LANES];
    FOR_LANES(l) {
        parts[0][l] = (uint32_t)in->value[l];
        parts[1][l] = in->value[l] >> 32;
    }
    for (uint32_t i = 0; i < 2; i++) {
        struct lanes *out = warp_slot(warp, op->pack.elements[i]);
        lanes_blend(out->value, parts[i], mask);
        base_region_write(warp, out, mask, BASE_REGION_NONE);
        out->known |= mask;
    }
    return true;
}

wb_status pack_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    if (pack_words(warp, op, mask)) return WB_OK;
    struct lanes *out = warp_slot(warp, op->destination);
    uint64_t result[WARP_LANES] = {0};
    uint32_t known = LANES_ALL, origin = op->index, halved = 0, numbers = 0;
    uint64_t ones = low_bytes_mask(op->pack.bits / 8), base_regions = 0, base_region = BASE_REGION_NONE,
             unknown_base_region = BASE_REGION_NONE;
    for (uint32_t i = 0; i < op->pack.count; i++) {
        const struct lanes *part = warp_slot(warp, op->pack.elements[i]);
        base_regions |= part->base_region;
        halved |= lanes_halves(part);
        if ((mask & ~part->known) != 0) origin = warp_origin(part, op);
        known &= part->known;
        const uint32_t shift = i * op->pack.bits;
        FOR_LANES(l) result[l] |= (part->value[l] & ones) << shift;
    }
    if (base_regions != 0) known = settle_open(warp, known, mask & known);
    if ((mask & halved) != 0 && op->pack.count == 2 && op->pack.bits == 32)
        known = join_halves(warp, op, mask, &base_region, &numbers);
    if (warp->run->cover != NULL && (mask & ~known) != 0)
        unknown_base_region =
            settle_joined_base_region(warp, out, mask, unknown_base_region_of_parts(warp, op, mask & ~known));
    struct partial_lanes partial;
    partial.known = partial.partial = 0;
    if ((mask & ~known) != 0 && (mask & halved) == 0 && base_regions == 0)
        partial_of_pack(warp, op, mask & ~known, &partial);
    base_region_write(warp, out, mask, base_region);
    if (base_region != BASE_REGION_NONE) out->numbers = numbers;
    lanes_blend(out->value, result, mask);
    mark_known(out, mask, known | partial.known, origin);
    partial_write(out, &partial);
    if (unknown_base_region != BASE_REGION_NONE) out->unknown_base_region = unknown_base_region;
    return WB_OK;
}

/* The halves of the addresses in the lanes of `mask` of a register. */
static void split_addresses(const struct run *run, const struct lanes *in, uint32_t mask,
                            struct half_lanes parts[2]) {
    parts[0].known = parts[0].halved = 0;
    FOR_LANES_OF(l, mask) {
        const uint64_t base_region = in->base_region != BASE_REGION_SEVERAL
                                         ? in->base_region
                                         : base_region_of_value(run, in->value[l]);
        if (in->value[l] == 0 || (in->numbers >> l & 1) != 0) { /* null */
            parts[0].known |= 1u << l;
        } else if (base_region != BASE_REGION_NONE) {
            parts[0].halved |= 1u << l;
            const struct half low = half_low(base_region), high = half_high(base_region, in->value[l]);
            half_put(&parts[0].half, l, &low);
            half_put(&parts[1].half, l, &high);
        }
    }
    parts[1].known = parts[0].known;
    parts[1].halved = parts[0].halved;
}

wb_status unpack_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    if (unpack_words(warp, op, mask)) return WB_OK;
    struct lanes in; /* copied: it may be one of the outputs */
    lanes_copy(&in, warp_slot(warp, op->source[0]));
    uint64_t ones = low_bytes_mask(op->pack.bits / 8), unknown_base_region = BASE_REGION_NONE;
    uint32_t origin = (mask & ~in.known) != 0 ? warp_origin(&in, op) : op->index, addresses = 0;
    struct half_lanes parts[2];
    struct partial_lanes partial;
    const bool by_halves = op->pack.count == 2 && op->pack.bits == 32;
    const uint32_t by_bits = mask & lanes_partial(&in);
    if (warp->run->cover != NULL && by_halves && (mask & ~in.known) != 0) {
        unknown_base_region = BASE_REGION_NO_LANES;
        base_region_of_lanes(warp->run, &in, mask & ~in.known, &unknown_base_region);
    }
    if (in.base_region != 0) {
        const uint32_t known = settle_open(warp, in.known, mask & in.known);
        if (by_halves) addresses = mask & in.known & ~known;
        in.known = known;
    }
    if (addresses != 0) split_addresses(warp->run, &in, addresses, parts);
    for (uint32_t i = 0; i < op->pack.count; i++) {
        struct lanes *part = warp_slot(warp, op->pack.elements[i]);
        const uint64_t made_from = unknown_base_region == BASE_REGION_NONE
                                       ? unknown_base_region
                                       : settle_joined_base_region(warp, part, mask, unknown_base_region);
        const uint32_t shift = i * op->pack.bits;
        uint64_t values[WARP_LANES];
        FOR_LANES(l) values[l] = in.value[l] >> shift & ones;
        lanes_blend(part->value, values, mask);
        base_region_write(warp, part, mask, BASE_REGION_NONE);
        partial_of_part(&in, op, i, by_bits, &partial);
        mark_known(part, mask, in.known | partial.known | (addresses == 0 ? 0 : parts[i].known), origin);
        if (addresses != 0) half_write(part, &parts[i]);
        partial_write(part, &partial);
        if (made_from != BASE_REGION_NONE) part->unknown_base_region = made_from;
    }
    return WB_OK;
}

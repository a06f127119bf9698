#include "warp/interpret/execute.h"

#include "warp/alu/alu.h"

/* A predicate in one lane: all bits of the source are what it is. */
static struct bit_source predicate_source(const struct warp *warp, struct slot slot, uint32_t lane) {
    const bool known = (warp_slot(warp, slot)->known >> lane & 1) != 0;
    return (struct bit_source){0 - (uint64_t)(warp_predicate(warp, slot) >> lane & 1),
                               known ? UINT64_MAX : 0};
}

static struct bit_source source_of(const struct lanes *lanes, uint32_t lane) {
    return (struct bit_source){lanes->value[lane], partial_bits(lanes, lane)};
}

void partial_of_result(const struct warp *warp, const struct micro *op, uint32_t mask,
                       struct partial_lanes *out) {
    const bool selects = op->form->op == PTX_OP_SELP;
    const struct lanes *in[MICRO_SOURCES];
    for (uint32_t i = 0; i < MICRO_SOURCES; i++)
        in[i] = warp_slot(warp, op->source[i]);
    out->known = out->partial = 0;
    FOR_LANES_OF(l, mask) {
        struct bit_source sources[MICRO_SOURCES];
        for (uint32_t i = 0; i < MICRO_SOURCES; i++)
            sources[i] = source_of(in[i], l);
        if (selects) sources[2] = predicate_source(warp, op->source[2], l);
        partial_add(out, l, op->known_bits(op, sources), op->result_mask);
    }
}

void partial_of_add3(const struct warp *warp, const struct micro *op, uint32_t mask,
                     struct partial_lanes *out) {
    const uint32_t carries = warp_slot(warp, op->source[3])->known & warp_slot(warp, op->sum.carry)->known;
    const uint32_t x = warp_predicate(warp, op->source[3]), y = warp_predicate(warp, op->sum.carry);
    out->known = out->partial = 0;
    FOR_LANES_OF(l, mask & carries) {
        struct bit_source sources[3];
        for (uint32_t i = 0; i < 3; i++)
            sources[i] = source_of(warp_slot(warp, op->source[i]), l);
        partial_add(out, l, known_bits_of_add3(sources, (x >> l & 1) != 0, (y >> l & 1) != 0),
                    op->result_mask);
    }
}

void partial_of_pack(const struct warp *warp, const struct micro *op, uint32_t mask,
                     struct partial_lanes *out) {
    const uint64_t ones = low_bytes_mask(op->pack.bits / 8);
    out->known = out->partial = 0;
    FOR_LANES_OF(l, mask) {
        uint64_t bits = 0;
        for (uint32_t i = 0; i < op->pack.count; i++)
            bits |= (partial_bits(warp_slot(warp, op->pack.elements[i]), l) & ones) << (i * op->pack.bits);
        partial_add(out, l, bits, low_bytes_mask(op->pack.count * op->pack.bits / 8u));
    }
}

void partial_of_part(const struct lanes *in, const struct micro *op, uint32_t index, uint32_t mask,
                     struct partial_lanes *out) {
    out->known = out->partial = 0;
    FOR_LANES_OF(l, mask)
    partial_add(out, l, in->half.bits[l] >> (index * op->pack.bits), low_bytes_mask(op->pack.bits / 8));
}

void partial_write_lane(struct lanes *out, uint32_t lane, uint64_t bits) {
    assert(((out->known | out->halved) >> lane & 1) == 0);
    out->partial |= 1u << lane;
    out->half.bits[lane] = bits;
}

void partial_write(struct lanes *out, const struct partial_lanes *lanes) {
    FOR_LANES_OF(l, lanes->partial) partial_write_lane(out, l, lanes->bits[l]);
}

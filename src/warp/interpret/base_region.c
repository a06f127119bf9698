#include "warp/interpret/base_region.h"

#include "warp/alu/alu.h"
#include "warp/alu/lanes.h"
#include "warp/interpret/execute.h"

/* Bytes in front of a region and behind it whose addresses are still taken for its own: pointers may step out
 * a little between accesses. Regions are further apart from each other. */
#define BASE_REGION_MARGIN 2048u

static uint32_t address_bytes(const struct run *run) {
    return run->module->address_size == 32 ? 4 : 8;
}

uint64_t base_region_of_value(const struct run *run, uint64_t value) {
    uint64_t start = address_bytes(run) == 8 ? GLOBAL_START_64 : GLOBAL_START;
    const struct region *last = &run->memory.regions.items[run->memory.regions.count - 1];
    if (value < start - BASE_REGION_MARGIN || value >= last->base + last->size + BASE_REGION_MARGIN)
        return BASE_REGION_NONE;
    const struct region *region = memory_find(&run->memory, value);
    if (region == NULL) region = memory_find(&run->memory, value + BASE_REGION_MARGIN);
    if (region == NULL) region = memory_find(&run->memory, value - BASE_REGION_MARGIN);
    for (size_t i = 0; region == NULL && i < run->memory.regions.count; i++) { /* small ones */
        const struct region *next = &run->memory.regions.items[i];
        if (value - (next->base - BASE_REGION_MARGIN) < next->size + (uint64_t)2 * BASE_REGION_MARGIN)
            region = next;
    }
    return region == NULL || !address_in_space(region->base, PTX_SPACE_GLOBAL) ? BASE_REGION_NONE
                                                                               : region->base;
}

static void base_region_agree(uint64_t with, uint64_t *base_region) {
    if (with == BASE_REGION_NO_LANES) with = BASE_REGION_NONE; /* read before it was written */
    if (*base_region == BASE_REGION_NO_LANES)
        *base_region = with;
    else if (*base_region != with)
        *base_region = BASE_REGION_NONE;
}

void base_region_of_lanes(const struct run *run, const struct lanes *lanes, uint32_t mask,
                          uint64_t *base_region) {
    const bool is_region =
        (lanes->base_region & BASE_REGION_NEGATED) == 0 && lanes->base_region != BASE_REGION_SEVERAL;
    const uint64_t known_base_region = is_region ? lanes->base_region : BASE_REGION_NONE;
    if ((mask & ~lanes->known & ~lanes->halved) != 0)
        base_region_agree(lanes->unknown_base_region, base_region);
    FOR_LANES_OF(l, mask & lanes_halves(lanes)) {
        const struct half half = half_get(&lanes->half, l);
        const uint64_t of = half_base_region(&half);
        base_region_agree((of & BASE_REGION_NEGATED) == 0 ? of : BASE_REGION_NONE, base_region);
    }
    FOR_LANES_OF(l, mask & lanes->known) {
        /* Numbers among addresses are of no region. */
        const bool inside = known_base_region != BASE_REGION_NONE &&
                            base_region_of_value(run, lanes->value[l]) == known_base_region;
        base_region_agree(inside ? known_base_region : BASE_REGION_NONE, base_region);
    }
}

/* One of three terms is made from an address, and the others are numbers. */
static uint64_t base_region_of_terms(const uint64_t of[3]) {
    uint64_t base_region = BASE_REGION_NONE;
    for (uint32_t i = 0; i < 3; i++) {
        if (of[i] == BASE_REGION_NONE) continue;
        if (of[i] == BASE_REGION_SEVERAL || base_region != BASE_REGION_NONE) return BASE_REGION_NONE;
        base_region = of[i];
    }
    return base_region;
}

uint64_t base_region_of_unknown(const struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct ptx_form *form = op->form;
    const uint32_t bytes = ptx_type_bytes((enum ptx_type)form->type), whole = address_bytes(warp->run);
    const bool is_address = int_kind_of(form->type) != INT_KINDS && !form->sat &&
                            (bytes == whole || (bytes == 4 && whole == 8)); /* or half of one */
    uint64_t of[MICRO_SOURCES];
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        const struct lanes *source = warp_slot(warp, op->source[i]);
        of[i] = BASE_REGION_NO_LANES;
        base_region_of_lanes(warp->run, source, mask, &of[i]);
        /* What is no address of one region is taken for a number, but for what is surely none. */
        if (of[i] == BASE_REGION_NONE && source->base_region != BASE_REGION_NONE) of[i] = BASE_REGION_SEVERAL;
    }
    const bool several = of[0] == BASE_REGION_SEVERAL || of[1] == BASE_REGION_SEVERAL;
    switch (form->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVTA: return of[0] == BASE_REGION_SEVERAL ? BASE_REGION_NONE : of[0];
    case PTX_OP_SELP: return of[0] == of[1] && !several ? of[0] : BASE_REGION_NONE;
    case PTX_OP_ADD:
        if (!is_address || several || (of[0] != BASE_REGION_NONE && of[1] != BASE_REGION_NONE))
            return BASE_REGION_NONE;
        return of[0] != BASE_REGION_NONE ? of[0] : of[1];
    case PTX_OP_MACHINE_ADD3: return base_region_of_terms(of);
    case PTX_OP_SUB: return is_address && !several && of[1] == BASE_REGION_NONE ? of[0] : BASE_REGION_NONE;
    case PTX_OP_MAD:
        if (several || of[0] != BASE_REGION_NONE || of[1] != BASE_REGION_NONE || of[2] == BASE_REGION_SEVERAL)
            return BASE_REGION_NONE;
        return of[2];
    default: return BASE_REGION_NONE;
    }
}

bool base_region_is_kept(const struct warp *warp, const struct lanes *from, uint32_t lane, uint32_t bytes) {
    struct run *run = warp->run;
    if (from->base_region == BASE_REGION_NONE || (from->numbers >> lane & 1) != 0) return true;
    bool whole = bytes == address_bytes(run) && bytes == 8,
         address = (from->base_region & BASE_REGION_NEGATED) == 0;
    if (whole && address &&
        (from->value[lane] == 0 || base_region_of_value(run, from->value[lane]) != BASE_REGION_NONE))
        return true;
    if (open_is_assumed(run, LAUNCH_ASSUME_POINTER_ORDER)) return true;
    run->left_open |= 1u << LAUNCH_ASSUME_POINTER_ORDER;
    return false;
}

static bool base_region_negated(uint64_t of, uint64_t *base_region) {
    *base_region = of == BASE_REGION_NONE ? of : of ^ BASE_REGION_NEGATED;
    return of != BASE_REGION_SEVERAL;
}

static bool base_region_summed(uint64_t a, uint64_t b, uint64_t *base_region) {
    *base_region = a == BASE_REGION_NONE ? b : a;
    if (a == BASE_REGION_NONE || b == BASE_REGION_NONE) return true;
    *base_region = BASE_REGION_NONE;
    return a != BASE_REGION_SEVERAL && b != BASE_REGION_SEVERAL && a == (b ^ BASE_REGION_NEGATED);
}

/* One of two addresses is taken. */
static bool base_region_chosen(uint64_t a, uint64_t b, uint64_t *base_region) {
    *base_region = base_region_joined(a, b);
    return ((a | b) & BASE_REGION_NEGATED) == 0 || a == b;
}

/* and, or, xor with numbers that change only the lowest bits, or take only these. */
static bool base_region_masked(const struct micro *op, const uint64_t *numbers, uint64_t of, uint32_t mask,
                               uint64_t *base_region) {
    const uint64_t all = op->result_mask;
    bool low = true, high = true;
    FOR_LANES_OF(l, mask) {
        low &= numbers[l] < BASE_REGION_ALIGN;
        high &= (~numbers[l] & all) < BASE_REGION_ALIGN;
    }
    *base_region = of;
    if (op->form->op != PTX_OP_AND) return low;
    if (low) *base_region = BASE_REGION_NONE;
    return low || high;
}

bool base_region_of_result(const struct run *run, const struct micro *op, const uint64_t *const *values,
                           const uint64_t *base_regions, uint32_t mask, uint64_t *base_region) {
    const struct ptx_form *form = op->form;
    const bool is_address = int_kind_of(form->type) != INT_KINDS && !form->sat &&
                            ptx_type_bytes((enum ptx_type)form->type) == address_bytes(run);
    uint64_t negated;
    *base_region = BASE_REGION_NONE;
    switch (form->op) {
    case PTX_OP_SELP:
    case PTX_OP_SLCT:
        return base_regions[2] == BASE_REGION_NONE &&
               base_region_chosen(base_regions[0], base_regions[1], base_region);
    case PTX_OP_MOV:
    case PTX_OP_CVTA: *base_region = base_regions[0]; return true;
    case PTX_OP_MAD:
        *base_region = base_regions[2];
        return base_regions[0] == BASE_REGION_NONE && base_regions[1] == BASE_REGION_NONE;
    default: break;
    }
    if (!is_address) return false;
    switch (form->op) {
    case PTX_OP_ADD: return base_region_summed(base_regions[0], base_regions[1], base_region);
    case PTX_OP_SUB:
        return base_region_negated(base_regions[1], &negated) &&
               base_region_summed(base_regions[0], negated, base_region);
    case PTX_OP_NEG:
    case PTX_OP_NOT: return base_region_negated(base_regions[0], base_region);
    case PTX_OP_CVT:
        *base_region = base_regions[0];
        return ptx_type_bytes((enum ptx_type)form->type2) == address_bytes(run);
    case PTX_OP_MIN:
    case PTX_OP_MAX:
        *base_region = base_regions[0];
        return base_regions[0] == base_regions[1] && base_regions[0] != BASE_REGION_SEVERAL;
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
        if (base_regions[0] != BASE_REGION_NONE && base_regions[1] != BASE_REGION_NONE) return false;
        return base_regions[0] == BASE_REGION_NONE
                   ? base_region_masked(op, values[0], base_regions[1], mask, base_region)
                   : base_region_masked(op, values[1], base_regions[0], mask, base_region);
    default: return false;
    }
}

/* The region that a lane's address is in, BASE_REGION_NONE outside of all. */
static uint64_t region_of(const struct run *run, uint64_t address) {
    const struct region *region = memory_find(&run->memory, address);
    return region == NULL ? BASE_REGION_NONE : region->base;
}

/* Whether two addresses inside of regions are comparable, and in this order. */
static bool lane_comparable(const struct run *run, const struct micro *op, uint64_t a, uint64_t b) {
    if (a == 0 || b == 0) return true; /* null */
    bool equality = op->form->compare == PTX_CMP_EQ || op->form->compare == PTX_CMP_NE;
    uint64_t first = region_of(run, a), second = region_of(run, b);
    return first != BASE_REGION_NONE && second != BASE_REGION_NONE && (first == second || equality);
}

bool base_region_lane_comparable(const struct run *run, const struct micro *op, uint64_t a,
                                 uint64_t base_region_a, uint64_t b, uint64_t base_region_b) {
    if (base_region_a == base_region_b && base_region_a != BASE_REGION_SEVERAL) return true;
    return ((base_region_a | base_region_b) & BASE_REGION_NEGATED) == 0 && lane_comparable(run, op, a, b);
}

uint32_t base_region_comparable(const struct run *run, const struct micro *op, const uint64_t *const *values,
                                const uint64_t *base_regions, uint32_t mask) {
    uint32_t comparable = 0;
    if (base_regions[0] == base_regions[1] && base_regions[0] != BASE_REGION_SEVERAL) return mask;
    if (((base_regions[0] | base_regions[1]) & BASE_REGION_NEGATED) != 0) return 0;
    FOR_LANES_OF(l, mask)
    comparable |= (uint32_t)lane_comparable(run, op, values[0][l], values[1][l]) << l;
    return comparable;
}

/* ---- Lanes that agree ---- */

uint32_t settle_open(struct warp *warp, uint32_t known, uint32_t open) {
    if (open == 0 || open_is_assumed(warp->run, LAUNCH_ASSUME_POINTER_ORDER)) return known;
    warp->run->left_open |= 1u << LAUNCH_ASSUME_POINTER_ORDER;
    return known & ~open;
}

uint32_t settle_known(const struct micro *op, const struct inputs *in, uint32_t mask, uint32_t *origin) {
    uint32_t known = in->known;
    if (op->refine != NULL) {
        uint32_t each[MICRO_SOURCES];
        for (uint32_t i = 0; i < MICRO_SOURCES; i++)
            each[i] = in->lanes[i]->known;
        known |= op->refine(op, in->values, each);
    }
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        if ((mask & ~known & ~in->lanes[i]->known) == 0) continue;
        *origin = warp_origin(in->lanes[i], op);
        break;
    }
    return known;
}

uint64_t settle_joined_base_region(const struct warp *warp, const struct lanes *out, uint32_t mask,
                                   uint64_t base_region) {
    const bool others = (warp->live & ~mask & ~out->known & ~out->halved) != 0 &&
                        out->unknown_base_region != BASE_REGION_NO_LANES;
    return others && out->unknown_base_region != base_region ? BASE_REGION_NONE : base_region;
}

uint64_t settle_unknown_base_region(const struct warp *warp, const struct micro *op, const struct lanes *out,
                                    uint32_t mask, uint32_t lanes) {
    return settle_joined_base_region(warp, out, mask, base_region_of_unknown(warp, op, lanes));
}

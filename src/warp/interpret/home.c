#include "warp/interpret/home.h"

#include "warp/alu/alu.h"
#include "warp/alu/lanes.h"
#include "warp/interpret/execute.h"

/* Bytes in front of a region and behind it whose addresses are still taken for its own: pointers may step out
 * a little between accesses. Regions are further apart from each other. */
#define HOME_MARGIN 2048u

static uint32_t address_bytes(const struct run *run) {
    return run->module->address_size == 32 ? 4 : 8;
}

uint64_t home_of_value(const struct run *run, uint64_t value) {
    uint64_t start = address_bytes(run) == 8 ? GLOBAL_START_64 : GLOBAL_START;
    const struct region *last = &run->memory.regions.items[run->memory.regions.count - 1];
    if (value < start - HOME_MARGIN || value >= last->base + last->size + HOME_MARGIN) return HOME_NONE;
    const struct region *region = memory_find(&run->memory, value);
    if (region == NULL) region = memory_find(&run->memory, value + HOME_MARGIN);
    if (region == NULL) region = memory_find(&run->memory, value - HOME_MARGIN);
    for (size_t i = 0; region == NULL && i < run->memory.regions.count; i++) { /* small ones */
        const struct region *next = &run->memory.regions.items[i];
        if (value - (next->base - HOME_MARGIN) < next->size + (uint64_t)2 * HOME_MARGIN) region = next;
    }
    return region == NULL || !address_in_space(region->base, PTX_SPACE_GLOBAL) ? HOME_NONE : region->base;
}

static void home_agree(uint64_t with, uint64_t *home) {
    if (with == HOME_NO_LANES) with = HOME_NONE; /* read before it was written */
    if (*home == HOME_NO_LANES)
        *home = with;
    else if (*home != with)
        *home = HOME_NONE;
}

void home_of_lanes(const struct run *run, const struct lanes *lanes, uint32_t mask, uint64_t *home) {
    const bool is_region = (lanes->home & HOME_NEGATED) == 0 && lanes->home != HOME_SEVERAL;
    const uint64_t known_home = is_region ? lanes->home : HOME_NONE;
    if ((mask & ~lanes->known & ~lanes->halved) != 0) home_agree(lanes->unknown_home, home);
    FOR_LANES_OF(l, mask & lanes_halves(lanes)) {
        const struct half half = half_get(&lanes->half, l);
        const uint64_t of = half_home(&half);
        home_agree((of & HOME_NEGATED) == 0 ? of : HOME_NONE, home);
    }
    FOR_LANES_OF(l, mask & lanes->known) {
        /* Numbers among addresses are of no region. */
        const bool inside = known_home != HOME_NONE && home_of_value(run, lanes->value[l]) == known_home;
        home_agree(inside ? known_home : HOME_NONE, home);
    }
}

/* Of three terms one is made from an address, and the others are numbers. */
static uint64_t home_of_terms(const uint64_t of[3]) {
    uint64_t home = HOME_NONE;
    for (uint32_t i = 0; i < 3; i++) {
        if (of[i] == HOME_NONE) continue;
        if (of[i] == HOME_SEVERAL || home != HOME_NONE) return HOME_NONE;
        home = of[i];
    }
    return home;
}

uint64_t home_of_unknown(const struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct ptx_form *form = op->form;
    const uint32_t bytes = ptx_type_bytes((enum ptx_type)form->type), whole = address_bytes(warp->run);
    const bool is_address = int_kind_of(form->type) != INT_KINDS && !form->sat &&
                            (bytes == whole || (bytes == 4 && whole == 8)); /* or half of one */
    uint64_t of[MICRO_SOURCES];
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        const struct lanes *source = warp_slot(warp, op->source[i]);
        of[i] = HOME_NO_LANES;
        home_of_lanes(warp->run, source, mask, &of[i]);
        /* What is no address of one region is taken for a number, but for what is surely none. */
        if (of[i] == HOME_NONE && source->home != HOME_NONE) of[i] = HOME_SEVERAL;
    }
    const bool several = of[0] == HOME_SEVERAL || of[1] == HOME_SEVERAL;
    switch (form->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVTA: return of[0] == HOME_SEVERAL ? HOME_NONE : of[0];
    case PTX_OP_SELP: return of[0] == of[1] && !several ? of[0] : HOME_NONE;
    case PTX_OP_ADD:
        if (!is_address || several || (of[0] != HOME_NONE && of[1] != HOME_NONE)) return HOME_NONE;
        return of[0] != HOME_NONE ? of[0] : of[1];
    case PTX_OP_MACHINE_ADD3: return home_of_terms(of);
    case PTX_OP_SUB: return is_address && !several && of[1] == HOME_NONE ? of[0] : HOME_NONE;
    case PTX_OP_MAD:
        if (several || of[0] != HOME_NONE || of[1] != HOME_NONE || of[2] == HOME_SEVERAL) return HOME_NONE;
        return of[2];
    default: return HOME_NONE;
    }
}

bool home_is_kept(const struct warp *warp, const struct lanes *from, uint32_t lane, uint32_t bytes) {
    struct run *run = warp->run;
    if (from->home == HOME_NONE || (from->numbers >> lane & 1) != 0) return true;
    bool whole = bytes == address_bytes(run) && bytes == 8, address = (from->home & HOME_NEGATED) == 0;
    if (whole && address && (from->value[lane] == 0 || home_of_value(run, from->value[lane]) != HOME_NONE))
        return true;
    if (open_is_assumed(run, LAUNCH_ASSUME_POINTER_ORDER)) return true;
    run->left_open |= 1u << LAUNCH_ASSUME_POINTER_ORDER;
    return false;
}

static bool home_negated(uint64_t of, uint64_t *home) {
    *home = of == HOME_NONE ? of : of ^ HOME_NEGATED;
    return of != HOME_SEVERAL;
}

static bool home_summed(uint64_t a, uint64_t b, uint64_t *home) {
    *home = a == HOME_NONE ? b : a;
    if (a == HOME_NONE || b == HOME_NONE) return true;
    *home = HOME_NONE;
    return a != HOME_SEVERAL && b != HOME_SEVERAL && a == (b ^ HOME_NEGATED);
}

/* Of two addresses one or the other is taken. */
static bool home_chosen(uint64_t a, uint64_t b, uint64_t *home) {
    *home = home_joined(a, b);
    return ((a | b) & HOME_NEGATED) == 0 || a == b;
}

/* and, or, xor with numbers that leave all but the lowest bits alone, or take nothing but these. */
static bool home_masked(const struct micro *op, const uint64_t *numbers, uint64_t of, uint32_t mask,
                        uint64_t *home) {
    const uint64_t all = op->result_mask;
    bool low = true, high = true;
    FOR_LANES_OF(l, mask) {
        low &= numbers[l] < HOME_ALIGN;
        high &= (~numbers[l] & all) < HOME_ALIGN;
    }
    *home = of;
    if (op->form->op != PTX_OP_AND) return low;
    if (low) *home = HOME_NONE;
    return low || high;
}

bool home_of_result(const struct run *run, const struct micro *op, const uint64_t *const *values,
                    const uint64_t *homes, uint32_t mask, uint64_t *home) {
    const struct ptx_form *form = op->form;
    const bool is_address = int_kind_of(form->type) != INT_KINDS && !form->sat &&
                            ptx_type_bytes((enum ptx_type)form->type) == address_bytes(run);
    uint64_t negated;
    *home = HOME_NONE;
    switch (form->op) {
    case PTX_OP_SELP:
    case PTX_OP_SLCT: return homes[2] == HOME_NONE && home_chosen(homes[0], homes[1], home);
    case PTX_OP_MOV:
    case PTX_OP_CVTA: *home = homes[0]; return true;
    case PTX_OP_MAD: *home = homes[2]; return homes[0] == HOME_NONE && homes[1] == HOME_NONE;
    default: break;
    }
    if (!is_address) return false;
    switch (form->op) {
    case PTX_OP_ADD: return home_summed(homes[0], homes[1], home);
    case PTX_OP_SUB: return home_negated(homes[1], &negated) && home_summed(homes[0], negated, home);
    case PTX_OP_NEG:
    case PTX_OP_NOT: return home_negated(homes[0], home);
    case PTX_OP_CVT:
        *home = homes[0];
        return ptx_type_bytes((enum ptx_type)form->type2) == address_bytes(run);
    case PTX_OP_MIN:
    case PTX_OP_MAX: *home = homes[0]; return homes[0] == homes[1] && homes[0] != HOME_SEVERAL;
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
        if (homes[0] != HOME_NONE && homes[1] != HOME_NONE) return false;
        return homes[0] == HOME_NONE ? home_masked(op, values[0], homes[1], mask, home)
                                     : home_masked(op, values[1], homes[0], mask, home);
    default: return false;
    }
}

/* The region that a lane's address is in, HOME_NONE outside of all. */
static uint64_t region_of(const struct run *run, uint64_t address) {
    const struct region *region = memory_find(&run->memory, address);
    return region == NULL ? HOME_NONE : region->base;
}

/* Whether two addresses that stand inside of regions can be told from each other, and in this order. */
static bool lane_comparable(const struct run *run, const struct micro *op, uint64_t a, uint64_t b) {
    if (a == 0 || b == 0) return true; /* null */
    bool equality = op->form->compare == PTX_CMP_EQ || op->form->compare == PTX_CMP_NE;
    uint64_t first = region_of(run, a), second = region_of(run, b);
    return first != HOME_NONE && second != HOME_NONE && (first == second || equality);
}

bool home_lane_comparable(const struct run *run, const struct micro *op, uint64_t a, uint64_t home_a,
                          uint64_t b, uint64_t home_b) {
    if (home_a == home_b && home_a != HOME_SEVERAL) return true;
    return ((home_a | home_b) & HOME_NEGATED) == 0 && lane_comparable(run, op, a, b);
}

uint32_t home_comparable(const struct run *run, const struct micro *op, const uint64_t *const *values,
                         const uint64_t *homes, uint32_t mask) {
    uint32_t comparable = 0;
    if (homes[0] == homes[1] && homes[0] != HOME_SEVERAL) return mask;
    if (((homes[0] | homes[1]) & HOME_NEGATED) != 0) return 0;
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

uint64_t settle_joined_home(const struct warp *warp, const struct lanes *out, uint32_t mask, uint64_t home) {
    const bool others =
        (warp->live & ~mask & ~out->known & ~out->halved) != 0 && out->unknown_home != HOME_NO_LANES;
    return others && out->unknown_home != home ? HOME_NONE : home;
}

uint64_t settle_unknown_home(const struct warp *warp, const struct micro *op, const struct lanes *out,
                             uint32_t mask, uint32_t lanes) {
    return settle_joined_home(warp, out, mask, home_of_unknown(warp, op, lanes));
}

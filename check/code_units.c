/* What of the units the bounds of machine code look up: docs/machine-code-bounds.md, section 1. */
#include "code.h"

struct code_units units;

/* The instructions of all blocks that may be on the SM. */
static LIST(const struct code *) all;

static void gather(const struct block *of) {
    const bool is_kernel = block == NULL;
    const uint64_t count = is_kernel ? blocks.count : 1;
    all.count = 0;
    for (uint64_t b = 0; b < count; b++) {
        const struct block *from = is_kernel ? &blocks.items[b] : of;
        for (uint64_t i = 0; i < from->code.count; i++)
            PUSH(&all, &from->code.items[i]);
    }
}

bool is_latch(const struct code *code) {
    return code->stages > 0 && (code->fixed || machine.places[code->way[0].unit] == 0);
}

bool is_queued(const struct code *code) {
    return code->stages > 0 && !is_latch(code) && machine.places[code->way[0].unit] != UNLIMITED;
}

/* B(u). Where a unit can wait for itself, by others, the theorems say nothing: M4 would not hold. */
static void find_blocking(void) {
    for (uint64_t u = 0; u < machine.units; u++)
        units.blocking[u] = 0;
    for (uint64_t i = 0; i < all.count; i++)
        for (uint64_t s = 1; s < all.items[i]->stages; s++) {
            const struct stage *stage = &all.items[i]->way[s];
            if (machine.places[stage->unit] != UNLIMITED)
                units.blocking[stage[-1].unit] |= (uint64_t)1 << stage->unit;
        }
    for (uint64_t through = 0; through < machine.units; through++)
        for (uint64_t u = 0; u < machine.units; u++)
            if (has(units.blocking[u], through)) units.blocking[u] |= units.blocking[through];
    for (uint64_t u = 0; u < machine.units; u++) {
        if (has(units.blocking[u], u)) refuse("unit %" PRIu64 " can wait for itself for ever", u);
        units.blocking[u] |= (uint64_t)1 << u;
    }
}

static uint64_t closed(uint64_t set) {
    uint64_t with = set;
    for (uint64_t u = 0; u < machine.units; u++)
        if (has(set, u)) with |= units.blocking[u];
    return with;
}

/* Whether two instructions come differently to the unit of stage s of the one, which is stage t of the other.
 */
static bool comes_differently(const struct code *a, uint64_t s, const struct code *b, uint64_t t) {
    bool differs = s != t || is_latch(a) != is_latch(b);
    for (uint64_t i = 0; i < s && !differs; i++)
        differs = a->way[i].unit != b->way[i].unit;
    return differs;
}

static uint64_t find_meetings(void) {
    const struct code *first[UNITS_MAX] = {NULL};
    uint64_t at[UNITS_MAX] = {0}, meetings = machine.any_order;
    for (uint64_t i = 0; i < all.count; i++)
        for (uint64_t s = 0; s < all.items[i]->stages; s++) {
            const struct code *code = all.items[i];
            const uint64_t unit = code->way[s].unit;
            if (first[unit] == NULL) first[unit] = code, at[unit] = s;
            if (comes_differently(code, s, first[unit], at[unit])) meetings |= (uint64_t)1 << unit;
        }
    return meetings;
}

void find_units(const struct block *of) {
    uint64_t shared = 0;
    gather(of);
    find_blocking();
    for (uint64_t u = 0; u < machine.units; u++)
        shared |= (uint64_t)machine.shared[u] << u;
    units.wide = closed(shared);
    units.clash = closed(find_meetings());
    units.held = units.latches = 0;
    for (uint64_t i = 0; i < all.count; i++) {
        const struct code *code = all.items[i];
        if (code->fixed && code->stages > 0) units.latches |= (uint64_t)1 << code->way[0].unit;
        if (machine.holds_issue && is_queued(code)) units.held |= units.blocking[code->way[0].unit];
    }
}

/* What of the units the bounds of machine code look up: docs/machine-code-bounds.md, section 1. */
#include "code.h"

#include <stdlib.h>

/* The instructions of all blocks that may be on the SM. */
typedef LIST(const struct code *) code_list;

static code_list all_of(struct check *check) {
    code_list all = {0};
    for (uint64_t b = 0; b < check->blocks.count; b++)
        for (uint64_t i = 0; i < check->blocks.items[b].code.count; i++)
            PUSH(check, &all, &check->blocks.items[b].code.items[i]);
    return all;
}

bool is_latch(const struct machine *machine, const struct code *code) {
    return code->stages > 0 && (code->fixed || machine->places[code->way[0].unit] == 0);
}

bool is_queued(const struct machine *machine, const struct code *code) {
    return code->stages > 0 && !is_latch(machine, code) && machine->places[code->way[0].unit] != UNLIMITED;
}

/* B(u). Where a unit can wait for itself, by others, the theorems say nothing: M4 would not hold. */
static void find_blocking(struct check *check, const code_list *all, struct code_units *units) {
    const struct machine *machine = &check->machine;
    for (uint64_t i = 0; i < all->count; i++)
        for (uint64_t s = 1; s < all->items[i]->stages; s++) {
            const struct stage *stage = &all->items[i]->way[s];
            if (machine->places[stage->unit] != UNLIMITED)
                units->blocking[stage[-1].unit] |= (uint64_t)1 << stage->unit;
        }
    for (uint64_t through = 0; through < machine->units; through++)
        for (uint64_t u = 0; u < machine->units; u++)
            if (has(units->blocking[u], through)) units->blocking[u] |= units->blocking[through];
    for (uint64_t u = 0; u < machine->units; u++) {
        if (has(units->blocking[u], u)) refuse(check, "unit %" PRIu64 " can wait for itself for ever", u);
        units->blocking[u] |= (uint64_t)1 << u;
    }
}

static uint64_t closed(const struct code_units *units, uint64_t set) {
    uint64_t with = set;
    for (uint64_t u = 0; u < UNITS_MAX; u++)
        if (has(set, u)) with |= units->blocking[u];
    return with;
}

/* Whether two instructions come differently to the unit of stage s of the one, which is stage t of the other.
 */
static bool comes_differently(const struct machine *machine, const struct code *a, uint64_t s,
                              const struct code *b, uint64_t t) {
    bool differs = s != t || is_latch(machine, a) != is_latch(machine, b);
    for (uint64_t i = 0; i < s && !differs; i++)
        differs = a->way[i].unit != b->way[i].unit;
    return differs;
}

static uint64_t find_meetings(const struct machine *machine, const code_list *all) {
    const struct code *first[UNITS_MAX] = {NULL};
    uint64_t at[UNITS_MAX] = {0}, meetings = machine->any_order;
    for (uint64_t i = 0; i < all->count; i++)
        for (uint64_t s = 0; s < all->items[i]->stages; s++) {
            const struct code *code = all->items[i];
            const uint64_t unit = code->way[s].unit;
            if (first[unit] == NULL) first[unit] = code, at[unit] = s;
            if (comes_differently(machine, code, s, first[unit], at[unit])) meetings |= (uint64_t)1 << unit;
        }
    return meetings;
}

const struct code_units *units_of(struct check *check) {
    const struct machine *machine = &check->machine;
    if (check->units != NULL) return check->units;
    struct code_units *units = check->units = zeroed(check, 1, sizeof *units);
    code_list all = all_of(check);
    uint64_t shared = 0;
    find_blocking(check, &all, units);
    for (uint64_t u = 0; u < machine->units; u++)
        shared |= (uint64_t)machine->shared[u] << u;
    units->wide = closed(units, shared);
    units->clash = closed(units, find_meetings(machine, &all));
    for (uint64_t i = 0; i < all.count; i++) {
        const struct code *code = all.items[i];
        if (code->fixed && code->stages > 0) units->latches |= (uint64_t)1 << code->way[0].unit;
        if (machine->holds_issue && is_queued(machine, code))
            units->held |= units->blocking[code->way[0].unit];
    }
    DROP(check, &all);
    return units;
}

/* segment-sum of a kernel on a machine with caches, whose blocks go to fixed SMs: theorem 1 of
 * docs/memory-bounds.md. */
#include "kernel.h"

#include <stdlib.h>

static void read_held_sm(struct check *check, const uint64_t *n) {
    struct grid *grid = check->grid;
    if (n[0] >= grid->sms) refuse(check, "no SM %" PRIu64, n[0]);
    if (n[0] != grid->held_of.count)
        refuse(check, "it is not said what is held on SM %" PRIu64, grid->held_of.count);
    PUSH(check, &grid->held_of, add(mul(n[1], n[2]), n[3]));
    check->of_sm = max(check->of_sm, grid->held_of.items[n[0]]);
}

/* What an SM spends: initiations, and idle cycles until the last of its slots is free. */
struct spent {
    uint64_t busy, idle, blocks;
    uint64_t *slots;
};

/* The next block of an SM takes the slot that is free first, an idle DELAY later unless it is its first. */
static void add_block(const struct grid *grid, struct spent *spent, const struct class *class) {
    uint64_t first = 0;
    if (class->amounts[BUSY] == 0) refuse(grid->check, "no claim of empty blocks");
    for (uint64_t s = 1; s < grid->room; s++)
        if (spent->slots[s] < spent->slots[first]) first = s;
    const uint64_t start = spent->blocks++ < grid->room ? 0 : add(spent->slots[first], grid->delay);
    spent->slots[first] = add(start, class->amounts[LATENCY]);
    spent->idle = max(spent->idle, spent->slots[first]);
    spent->busy = add(spent->busy, class->amounts[BUSY]);
    count_work(grid->check, grid->room);
}

static uint64_t sm_time(const struct grid *grid, uint64_t sm) {
    struct spent spent = {.slots = zeroed(grid->check, grid->room, sizeof(uint64_t))};
    for (uint64_t i = 0; i < grid->runs.count; i++)
        for (uint64_t b = blocks_of_sm(grid, sm, &grid->runs.items[i]); b > 0; b--)
            add_block(grid, &spent, &grid->classes.items[grid->runs.items[i].class]);
    free(spent.slots);
    return add(add(spent.busy, spent.idle), grid->held_of.items[sm]);
}

uint64_t segment_sum(struct grid *grid) {
    uint64_t latest = 0;
    if (!grid->assigned) refuse(grid->check, "no SM is said to get a block");
    if (grid->service > 0) refuse(grid->check, "no claim where the dispatcher takes time");
    need(grid, SUMS);
    if (most(grid, FETCHES, 1) > 0) refuse(grid->check, "no claim where warps wait for instructions");
    const uint64_t sms = min(grid->sms, grid->blocks);
    if (grid->held_of.count < sms)
        refuse(grid->check, "it is not said what is held on SM %" PRIu64, grid->held_of.count);
    for (grid->room = grid->least; grid->room <= last_room(grid); grid->room++)
        for (uint64_t sm = 0; sm < sms; sm++)
            latest = max(latest, sm_time(grid, sm));
    return latest;
}

const struct key segment_sum_keys[] = {
    {"held-sm", "tttt", OF_GRID, read_held_sm}, /* SM; answers, cycles of each; stalls of the first level */
    {.name = NULL},
};

/* segment-sum of a kernel on a machine with caches, whose blocks go to fixed SMs: theorem 1 of
 * docs/memory-bounds.md. */
#include "kernel.h"

#include <stdlib.h>

static number_list held_of; /* of each SM, for how long its answers and its first level keep it */

static void read_held_sm(const uint64_t *n) {
    if (n[0] >= grid.sms) refuse("no SM %" PRIu64, n[0]);
    if (n[0] != held_of.count) refuse("it is not said what is held on SM %" PRIu64, held_of.count);
    PUSH(&held_of, add(mul(n[1], n[2]), n[3]));
    grid.by_sm = true;
}

/* What an SM spends: initiations, and idle cycles until the last of its slots is free. */
struct spent {
    uint64_t busy, idle, blocks;
    uint64_t *slots;
};

/* The next block of an SM takes the slot that is free first, an idle DELAY later unless it is its first. */
static void add_block(struct spent *spent, const struct class *class) {
    uint64_t first = 0;
    for (uint64_t s = 1; s < grid.room; s++)
        if (spent->slots[s] < spent->slots[first]) first = s;
    const uint64_t start = spent->blocks++ < grid.room ? 0 : add(spent->slots[first], grid.delay);
    spent->slots[first] = add(start, class->latency);
    spent->idle = max(spent->idle, spent->slots[first]);
    spent->busy = add(spent->busy, class->initiations);
    count_work(grid.room);
}

static uint64_t sm_time(uint64_t sm) {
    struct spent spent = {.slots = zeroed(grid.room, sizeof(uint64_t))};
    for (uint64_t i = 0; i < runs.count; i++)
        for (uint64_t b = blocks_of_sm(sm, &runs.items[i]); b > 0; b--)
            add_block(&spent, &grid.classes.items[runs.items[i].class]);
    free(spent.slots);
    return add(add(spent.busy, spent.idle), held_of.items[sm]);
}

uint64_t segment_sum(void) {
    uint64_t latest = 0;
    if (!grid.assigned) refuse("no SM is said to get a block");
    if (grid.service > 0) refuse("no claim where the dispatcher takes time");
    sum_up();
    if (held_of.count < min(grid.sms, grid.blocks))
        refuse("it is not said what is held on SM %" PRIu64, held_of.count);
    for (grid.room = grid.least; grid.room <= last_room(); grid.room++)
        for (uint64_t sm = 0; sm < min(grid.sms, grid.blocks); sm++)
            latest = max(latest, sm_time(sm));
    return latest;
}

const struct key segment_sum_keys[] = {
    {"held-sm", "tttt", OF_GRID, read_held_sm}, /* SM; answers, cycles of each; stalls of the first level */
    {.name = NULL},
};

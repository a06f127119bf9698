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
    grid->of_sm = max(grid->of_sm, grid->held_of.items[n[0]]);
}

static void read_turns(struct check *check, const uint64_t *n) {
    for (uint64_t w = 0; w < check->numbers.count; w++)
        PUSH(check, &check->grid->turns, (struct turn){check->blocks.count - 1, n[w]});
}

static void read_accesses(struct check *check, const uint64_t *n) {
    for (uint64_t w = 0; w < check->numbers.count; w++)
        PUSH(check, &check->grid->accesses, (struct turn){check->blocks.count - 1, n[w]});
}

static void read_channels(struct check *check, const uint64_t *n) {
    check->grid->channels = n[0];
}

static void read_serves(struct check *check, const uint64_t *n) {
    if (n[0] != check->grid->serving++) refuse(check, "SMs serve in their order");
}

static void read_serve(struct check *check, const uint64_t *n) {
    struct grid *grid = check->grid;
    if (grid->serving == 0) refuse(check, "no SM is said to serve");
    PUSH(check, &grid->serves, (struct serve){grid->serving - 1, n[0], n[1], n[2], n[3], n[4], n[5], n[6]});
}

/* Idle cycles of an SM until the last of its slots is free. */
struct spent {
    uint64_t idle, blocks;
    uint64_t *slots;
};

/* The next block of an SM takes the slot that is free first, an idle DELAY later unless it is its first. */
static void add_block(const struct grid *grid, struct spent *spent, const struct class *class) {
    uint64_t first = 0;
    if (class->amounts[BUSY] == grid->check->blocks.items[class->block].stalls)
        refuse(grid->check, "no claim of empty blocks");
    for (uint64_t s = 1; s < grid->room; s++)
        if (spent->slots[s] < spent->slots[first]) first = s;
    const uint64_t start = spent->blocks++ < grid->room ? 0 : add(spent->slots[first], grid->delay);
    spent->slots[first] = add(start, class->amounts[LATENCY]);
    spent->idle = max(spent->idle, spent->slots[first]);
    count_work(grid->check, grid->room);
}

/* Lemma 5. */
static uint64_t idle_of_sm(const struct grid *grid, uint64_t sm, void *context) {
    struct spent spent = {.slots = zeroed(grid->check, grid->room, sizeof(uint64_t))};
    (void)context;
    for (struct share at = {0}; next_share(grid, sm, &at);)
        for (; at.blocks > 0; at.blocks--)
            add_block(grid, &spent, &grid->classes.items[at.class]);
    free(spent.slots);
    return spent.idle;
}

static uint64_t busy_of_sm(const struct grid *grid, uint64_t sm) {
    uint64_t sum = grid->held_of.items[sm];
    for (struct share at = {0}; next_share(grid, sm, &at);)
        sum = add(sum, mul(grid->classes.items[at.class].amounts[BUSY], at.blocks));
    return sum;
}

uint64_t by_sms(struct grid *grid, sm_idle idle, void *context) {
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
            latest = max(latest, add(busy_of_sm(grid, sm), idle(grid, sm, context)));
    return latest;
}

uint64_t segment_sum(struct grid *grid) {
    return by_sms(grid, idle_of_sm, NULL);
}

const struct key segment_sum_keys[] = {
    {"held-sm", "tttt", OF_GRID, read_held_sm},   /* SM; answers, cycles of each; stalls of the first level */
    {"turns", "pp*", OF_BLOCK, read_turns},       /* paths of the warps in the order of their turns */
    {"accesses", "tt*", OF_BLOCK, read_accesses}, /* of each of these warps, so many */
    {"channels", "n", OF_GRID, read_channels},    /* entries of a channel */
    {"serves", "t", OF_GRID, read_serves},        /* SM */
    {"serve", "ttttttt", OF_GRID, read_serve},    /* of the last SM: as in struct serve */
    {.name = NULL},
};

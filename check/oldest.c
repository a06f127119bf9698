/* k-oldest of a kernel: proposition 4 of docs/policy-bounds.md. A block stays for a limited time where the
 * oldest block of an SM issues first, and slots are given one stay after the other. */
#include "kernel.h"

#include <string.h>

static ranking by_stay;    /* V' */
static uint64_t latencies; /* the most Lambda' of a block */

/* A younger block that has begun on a unit is waited for: all but the first cycle of the longest initiation.
 */
static void find_waits(uint64_t *waits) {
    for (uint64_t k = 0; k < grid.classes.count; k++)
        for (uint64_t u = 0; u < machine.units; u++)
            waits[u] = max(waits[u], max(blocks.items[grid.classes.items[k].block].largest[u], 1) - 1);
}

static void add_classes(void) {
    uint64_t waits[UNITS_MAX] = {0};
    if (by_stay.count > 0) return;
    find_waits(waits);
    for (uint64_t k = 0; k < grid.classes.count; k++) {
        const struct class *class = &grid.classes.items[k];
        const struct serial_sums sums = serial_sums(&blocks.items[class->block], waits);
        PUSH(&by_stay, (struct amount){sums.time, class->blocks});
        latencies = max(latencies, sums.latencies);
    }
    rank(&by_stay);
}

/* No block stays longer, with n - 1 older ones on its SM. */
static uint64_t stay(uint64_t n) {
    return min(add(grid.chains->met(n), latencies), top(&by_stay, n));
}

/* Until n blocks have ended that are there together. */
static uint64_t last_ones(uint64_t n) {
    return min(stay(n), min(start_time(n), serial_most(n)));
}

/* Where an SM gets n blocks, the stays in some slot before its last dispatch: of its own slots, or of another
 * SM's. */
static uint64_t own_stays(uint64_t n) {
    return rounded_up(n, grid.room) - 1;
}

static uint64_t other_stays(uint64_t n) {
    return grid.sms == 1 ? UNLIMITED : (grid.blocks - n) / (grid.sms - 1) / grid.room;
}

/* The most for any n: the first grow with it, the second fall. */
static uint64_t stays_before(void) {
    uint64_t low = grid.room, high = most_of_an_sm();
    while (low < high) {
        const uint64_t n = low + (high - low) / 2;
        if (own_stays(n) >= other_stays(n))
            high = n;
        else
            low = n + 1;
    }
    const uint64_t most = min(own_stays(low), other_stays(low));
    return low == grid.room ? most : max(most, min(own_stays(low - 1), other_stays(low - 1)));
}

static uint64_t formula(void) {
    if (grid.blocks <= grid.slots) return last_ones(rounded_up(grid.blocks, grid.sms));
    const uint64_t longest = stay(grid.room), before = stays_before();
    const uint64_t spread = mul(grid.blocks - 1, longest) / grid.slots;
    const uint64_t delays = max(rounded_up(grid.blocks - grid.slots - 1, grid.slots), before) + 1;
    return add(add(min(spread, mul(before, longest)), last_ones(grid.room)), mul(delays, grid.delay));
}

uint64_t k_oldest(void) {
    refuse_memory();
    if (strcmp(subject_of("policy"), "oldest") != 0) refuse("no claim where any block may issue first");
    if (machine.depth != 0) refuse("no claim at this dispatch depth");
    for (uint64_t u = 0; u < machine.units; u++)
        if (machine.shared[u] && machine.sub_cores > 1) refuse("no claim where sub-cores share a unit");
    add_classes();
    return with_chains(formula);
}

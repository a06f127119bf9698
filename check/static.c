/* k-sm of a kernel whose blocks go to fixed SMs: theorem 5 of docs/proofs.md, section 12. */
#include "kernel.h"

run_list runs;

/* Block b goes to SM b modulo their number. */
uint64_t blocks_of_sm(uint64_t sm, const struct run *run) {
    return (run->end + grid.sms - 1 - sm) / grid.sms - (run->first + grid.sms - 1 - sm) / grid.sms;
}

/* Until the blocks of an SM have ended. */
static uint64_t sm_time(uint64_t sm) {
    uint64_t count_of_sm = 0, busy = 0, held = 0, latency = 0, alone = 0, start = 0;
    for (uint64_t i = 0; i < runs.count; i++) {
        const struct class *class = &grid.classes.items[runs.items[i].class];
        const uint64_t count = blocks_of_sm(sm, &runs.items[i]);
        if (count == 0) continue;
        count_of_sm = add(count_of_sm, count);
        busy = add(busy, mul(class->initiations, count));
        held = add(held, mul(met_of(class), count));
        latency = max(latency, class->latency);
        alone = add(alone, mul(class->alone, count));
    }
    for (uint64_t i = 0; i < runs.count; i++) {
        const struct class *class = &grid.classes.items[runs.items[i].class];
        if (blocks_of_sm(sm, &runs.items[i]) > 0)
            start = max(start, add(held - met_of(class), alpha_of(class)));
    }
    count_work(2 * runs.count);
    const uint64_t waves = rounded_up(count_of_sm, grid.room);
    const uint64_t chains = grid.chain_of_sm == NULL ? UNLIMITED : grid.chain_of_sm(sm);
    const uint64_t together = min(chains, count_of_sm == 1 ? alone : min(start, add(busy, latency)));
    const uint64_t in_turns = min(chains, add(busy, mul(waves, latency)));
    const uint64_t time = waves <= 1 ? together : grid.room == 1 ? min(in_turns, alone) : in_turns;
    const uint64_t delays = waves <= 1 ? grid.service > 0 && count_of_sm > 1 : waves - 1;
    return add(add(time, mul(delays, grid.delay)), fetch_time(count_of_sm));
}

uint64_t k_fixed(void) {
    uint64_t latest = 0;
    for (uint64_t sm = 0; sm < min(grid.sms, grid.blocks); sm++)
        latest = max(latest, sm_time(sm));
    return latest;
}

uint64_t on_fixed_sms(uint64_t (*formula)(void)) {
    if (!grid.assigned) refuse("no SM is said to get a block");
    sum_up();
    return worst_room(formula);
}

static void read_next(const uint64_t *n) {
    const uint64_t first = runs.count > 0 ? runs.items[runs.count - 1].end : 0;
    if (n[0] >= grid.classes.count) refuse("no class %" PRIu64, n[0]);
    struct class *class = &grid.classes.items[n[0]];
    class->ordered = add(class->ordered, n[1]);
    grid.assigned = true;
    PUSH(&runs, (struct run){n[0], first, add(first, n[1])});
}

const struct key static_keys[] = {
    {"next", "tn", OF_GRID, read_next}, /* class, how many blocks: blocks go to fixed SMs */
    {.name = NULL},
};

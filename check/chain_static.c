/* k-chain-static of a kernel whose blocks go to fixed SMs: theorem 2 of docs/sub-core-bounds.md, with the
 * blocks of each SM. */
#include "kernel.h"

/* h'(n) without what dispatch takes, by one form. */
static uint64_t time_of_form(int f, uint64_t sm) {
    const struct form *form = &chained.forms[f];
    uint64_t n = 0, all = 0, work = 0, own = 0, turns = 1, latency = 0;
    for (uint64_t i = 0; i < runs.count; i++) {
        const struct class *class = &grid.classes.items[runs.items[i].class];
        const uint64_t count = blocks_of_sm(sm, &runs.items[i]);
        if (count == 0) continue;
        n = add(n, count);
        all = add(all, mul(class->shares[f].all, count));
        work = add(work, mul(class->shares[f].work, count));
        own = max(own, class->shares[f].own);
        turns = max(turns, class->turns);
        latency = max(latency, class->latency);
    }
    const uint64_t waves = rounded_up(n, grid.room), others = waves > 1 ? grid.room - 1 : n - 1;
    const uint64_t changes = mul(others, mul(waves, turns) - 1);
    const uint64_t extras = min(top(&form->extras, changes), top(&form->beyond, n));
    count_work(runs.count);
    return add(min(add(work, extras), all), add(mul(waves - 1, own), waves > 1 ? max(own, latency) : own));
}

static uint64_t time_of_sm(uint64_t sm) {
    const uint64_t coarse = time_of_form(COARSE, sm);
    return chained.coarse ? coarse : min(coarse, time_of_form(FINE, sm));
}

uint64_t chains_on_fixed_sms(uint64_t (*formula)(void)) {
    begin_chains();
    grid.chain_of_sm = time_of_sm;
    const uint64_t time = on_fixed_sms(formula);
    grid.chain_of_sm = NULL;
    grid.chains = NULL;
    return time;
}

#include "bound/kernel/chain_times.h"

#include <assert.h>

/* Says more than any other time. */
static const struct kernel_time no_time = {.tail = CYCLES_SATURATED};

/* One of the formulas, in one way to cut blocks into windows. */
struct chain_case {
    const struct grid_work *work;
    const struct chain_pool *pool;
    uint64_t sms, resident, n, waves;
    cycles tail, delay;
};

typedef struct kernel_time (*chain_formula)(const struct chain_case *that);

/* The least of what the formula says. */
static struct kernel_time least(chain_formula formula, struct chain_case that) {
    struct kernel_time time = no_time;
    if (memory_is_contended(&that.work->machine->memory)) return time;
    for (size_t v = 0; v < CHAIN_WINDOWS; v++) {
        that.pool = &that.work->chains.pools[v];
        if (that.pool->known) time = kernel_time_min(time, formula(&that));
    }
    return time;
}

/* How often the chains of `chains` blocks, one behind the other, change their sub-core. */
static uint64_t changes_of(const struct chain_work *work, uint64_t chains) {
    return cycles_sub(cycles_mul(work->turns_most, chains), 1);
}

/* Whatever a block on the SM that ends last takes, but for initiations. */
static cycles last_of(const struct chain_case *that) {
    return cycles_max(class_ranking_sum(&that->pool->by_own, 1), that->work->latency_most);
}

/* W^n and TOP of what so many changes cost among `others` of the n blocks: no more than all n have. */
static cycles busy_with(const struct chain_case *that, uint64_t changes, uint64_t others) {
    const cycles busiest = class_ranking_sum(&that->pool->by_work, that->n);
    const cycles extras = chain_pool_extras(that->pool, changes, others);
    return cycles_min(cycles_add(busiest, extras), grid_work_most(that->work, that->n));
}

static struct kernel_time together(const struct chain_case *that) {
    const uint64_t others = that->n - 1;
    const uint64_t changes = cycles_mul(others, changes_of(&that->work->chains, 1));
    return (struct kernel_time){.busy = busy_with(that, changes, others),
                                .latency = class_ranking_sum(&that->pool->by_own, 1)};
}

struct kernel_time chain_time_together(const struct grid_work *work, uint64_t n) {
    if (n == 0) return (struct kernel_time){0};
    return least(together, (struct chain_case){.work = work, .n = n});
}

static struct kernel_time of_sm(const struct chain_case *that) {
    const uint64_t changes = cycles_mul(that->resident - 1, changes_of(&that->work->chains, that->waves));
    const cycles own = class_ranking_sum(&that->pool->by_own, that->waves - 1);
    return (struct kernel_time){.busy = busy_with(that, changes, that->n),
                                .latency = cycles_add(own, last_of(that))};
}

struct kernel_time chain_time_of_sm(const struct grid_work *work, uint64_t resident, uint64_t n) {
    assert(n > resident);
    return least(of_sm,
                 (struct chain_case){
                     .work = work, .resident = resident, .n = n, .waves = cycles_ceiling(n, resident)});
}

static struct kernel_time of_other(const struct chain_case *that) {
    const uint64_t changes = cycles_mul(that->resident - 1, changes_of(&that->work->chains, that->waves));
    return (struct kernel_time){.busy = busy_with(that, changes, that->n),
                                .latency = class_ranking_sum(&that->pool->by_own, that->waves)};
}

struct kernel_time chain_time_of_other(const struct grid_work *work, uint64_t resident, uint64_t q,
                                       uint64_t waves) {
    return least(of_other, (struct chain_case){.work = work, .resident = resident, .n = q, .waves = waves});
}

/* What theorem D counts as busy, of all SMs and times their slots: the work of each block once for its own
 * chain, and with extras for those of the other slots of its SM. */
static cycles busy_of_area(const struct chain_case *that) {
    const struct chain_work *chains = &that->work->chains;
    const uint64_t others = that->resident - 1;
    const uint64_t changes = cycles_add(chains->turns_total, cycles_mul(others, chains->turns_most));
    const cycles work = class_ranking_total(&that->pool->by_work);
    const cycles beyond = cycles_sub(grid_work_total(that->work), work);
    /* The first block of a slot is no change. */
    const uint64_t counted = cycles_sub(changes, cycles_mul(that->sms, that->resident));
    const cycles extras = chain_pool_extras(that->pool, counted, that->work->block_count);
    return cycles_add(cycles_mul(that->resident, work), cycles_mul(others, cycles_min(extras, beyond)));
}

/* All over sms * resident, so that only the end is rounded. */
static struct kernel_time of_area(const struct chain_case *that) {
    const uint64_t resident = that->resident, slots = cycles_mul(that->sms, resident);
    const cycles own = class_ranking_total(&that->pool->by_own), busy = busy_of_area(that);
    const cycles delays = cycles_mul(cycles_sub(that->work->block_count, slots), that->delay);
    cycles sum = cycles_add(busy, cycles_add(own, cycles_mul(resident - 1, last_of(that))));
    sum = cycles_add(sum, cycles_mul(cycles_mul(that->sms - 1, resident), that->tail));
    sum = cycles_add(sum, cycles_add(delays, cycles_mul(slots - 1, that->delay)));
    if (sum == CYCLES_SATURATED) return no_time;
    struct kernel_time time = {
        .busy = busy / slots, .latency = own / slots, .dispatch = cycles_sub(delays, that->delay) / slots};
    /* Where some slot is never taken, all blocks are there from the start but for one that waits. */
    const cycles whole = cycles_max(sum / slots, cycles_add(that->tail, that->delay));
    time.tail = cycles_sub(whole, kernel_time_sum(&time));
    return time;
}

struct kernel_time chain_time_of_area(const struct grid_work *work, uint64_t sms, uint64_t resident,
                                      cycles tail, cycles delay) {
    return least(of_area, (struct chain_case){
                              .work = work, .sms = sms, .resident = resident, .tail = tail, .delay = delay});
}

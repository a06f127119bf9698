#include "bound/kernel/chain_times.h"

#include <assert.h>

/* Says more than any other time. */
static const struct kernel_time no_time = {.tail = CYCLES_SATURATED};

/* One of the formulas, in one way to cut blocks into windows. */
struct chain_case {
    const struct grid_work *work;
    const struct chain_pool *pool;
    enum chain_window window;
    uint64_t sms, resident, n, waves;
    cycles tail, delay;
    const struct chain_blocks *blocks; /* where it is known which they are */
};

typedef struct kernel_time (*chain_formula)(const struct chain_case *that);

/* The least of what the formula says. */
static struct kernel_time least(chain_formula formula, struct chain_case that) {
    struct kernel_time time = no_time;
    for (size_t v = 0; v < CHAIN_WINDOWS; v++) {
        that.window = (enum chain_window)v;
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
static struct kernel_time busy_with(const struct chain_case *that, uint64_t changes, uint64_t others) {
    const cycles busiest = class_ranking_sum(&that->pool->by_work, that->n);
    const cycles beyond = cycles_sub(class_ranking_sum(&that->work->chains.by_all, that->n), busiest);
    const cycles extras = chain_pool_extras(that->pool, changes, others);
    return (struct kernel_time){.busy = busiest, .extras = cycles_min(extras, beyond)};
}

static struct kernel_time together(const struct chain_case *that) {
    const uint64_t others = that->n - 1;
    const uint64_t changes = cycles_mul(others, changes_of(&that->work->chains, 1));
    struct kernel_time time = busy_with(that, changes, others);
    time.latency = class_ranking_sum(&that->pool->by_own, 1);
    return time;
}

struct kernel_time chain_time_together(const struct grid_work *work, uint64_t n) {
    if (n == 0) return (struct kernel_time){0};
    return least(together, (struct chain_case){.work = work, .n = n});
}

static struct kernel_time of_sm(const struct chain_case *that) {
    const uint64_t changes = cycles_mul(that->resident - 1, changes_of(&that->work->chains, that->waves));
    struct kernel_time time = busy_with(that, changes, that->n);
    time.latency = cycles_add(class_ranking_sum(&that->pool->by_own, that->waves - 1), last_of(that));
    return time;
}

struct kernel_time chain_time_of_sm(const struct grid_work *work, uint64_t resident, uint64_t n) {
    assert(n > resident);
    return least(of_sm,
                 (struct chain_case){
                     .work = work, .resident = resident, .n = n, .waves = cycles_ceiling(n, resident)});
}

void chain_blocks_add(struct chain_blocks *blocks, const struct block_class *class) {
    blocks->blocks++;
    blocks->turns_most = cycles_max(blocks->turns_most, class->chain.turns);
    const struct chain_share *whole = &class->chain.shares[CHAIN_WHOLE];
    blocks->all = cycles_add(blocks->all, cycles_add(whole->work, whole->beyond));
    blocks->latency_most = cycles_max(blocks->latency_most, class->latency);
    for (size_t v = 0; v < CHAIN_WINDOWS; v++) {
        const struct chain_share *share = &class->chain.shares[v];
        blocks->windows[v].work = cycles_add(blocks->windows[v].work, share->work);
        blocks->windows[v].own_most = cycles_max(blocks->windows[v].own_most, share->own);
    }
}

/* With extras of any blocks of the grid. */
static struct kernel_time of_blocks(const struct chain_case *that) {
    const struct chain_blocks *blocks = that->blocks;
    const cycles work = blocks->windows[that->window].work, own = blocks->windows[that->window].own_most;
    const uint64_t others = that->waves > 1 ? that->resident - 1 : blocks->blocks - 1;
    const uint64_t changes = cycles_mul(others, cycles_sub(cycles_mul(blocks->turns_most, that->waves), 1));
    const cycles extras = chain_pool_extras(that->pool, changes, blocks->blocks);
    const cycles last = that->waves > 1 ? cycles_max(own, blocks->latency_most) : own;
    return (struct kernel_time){.busy = work,
                                .extras = cycles_min(extras, cycles_sub(blocks->all, work)),
                                .latency = cycles_add(cycles_mul(that->waves - 1, own), last)};
}

struct kernel_time chain_time_of_blocks(const struct grid_work *work, uint64_t resident,
                                        const struct chain_blocks *blocks) {
    assert(blocks->blocks > 0);
    return least(of_blocks, (struct chain_case){.work = work,
                                                .resident = resident,
                                                .waves = cycles_ceiling(blocks->blocks, resident),
                                                .blocks = blocks});
}

static struct kernel_time of_other(const struct chain_case *that) {
    const uint64_t changes = cycles_mul(that->resident - 1, changes_of(&that->work->chains, that->waves));
    struct kernel_time time = busy_with(that, changes, that->n);
    time.latency = class_ranking_sum(&that->pool->by_own, that->waves);
    return time;
}

struct kernel_time chain_time_of_other(const struct grid_work *work, uint64_t resident, uint64_t q,
                                       uint64_t waves) {
    return least(of_other, (struct chain_case){.work = work, .resident = resident, .n = q, .waves = waves});
}

/* TOP of the changes that theorem D counts, for each slot of an SM but one. */
static cycles extras_of_area(const struct chain_case *that) {
    const struct chain_work *chains = &that->work->chains;
    const uint64_t others = that->resident - 1;
    const uint64_t turns = cycles_add(chains->turns_total, cycles_mul(others, chains->turns_most));
    /* The first block of a slot is no change. */
    const uint64_t changes = cycles_sub(turns, cycles_mul(that->sms, that->resident));
    const cycles beyond =
        cycles_sub(class_ranking_total(&chains->by_all), class_ranking_total(&that->pool->by_work));
    return cycles_mul(others, cycles_min(beyond, chain_pool_extras(that->pool, changes, that->n)));
}

/* All over sms * resident, so that only the end is rounded. */
static struct kernel_time of_area(const struct chain_case *that) {
    const uint64_t resident = that->resident, slots = cycles_mul(that->sms, resident);
    const cycles work = class_ranking_total(&that->pool->by_work);
    const cycles own = class_ranking_total(&that->pool->by_own), extras = extras_of_area(that);
    const cycles delays = cycles_mul(cycles_sub(that->n, slots), that->delay);
    cycles sum = cycles_add(cycles_mul(resident, work), extras);
    sum = cycles_add(sum, cycles_add(own, cycles_mul(resident - 1, last_of(that))));
    sum = cycles_add(sum, cycles_mul(cycles_mul(that->sms - 1, resident), that->tail));
    sum = cycles_add(sum, cycles_add(delays, cycles_mul(slots - 1, that->delay)));
    if (sum == CYCLES_SATURATED) return no_time;
    struct kernel_time time = {.busy = work / that->sms,
                               .extras = extras / slots,
                               .latency = own / slots,
                               .dispatch = cycles_sub(delays, that->delay) / slots};
    /* Where some slot is never taken, all blocks are there from the start but for one that waits. */
    const cycles whole = cycles_max(sum / slots, cycles_add(that->tail, that->delay));
    time.tail = cycles_sub(whole, kernel_time_sum(&time));
    return time;
}

struct kernel_time chain_time_of_area(const struct grid_work *work, uint64_t sms, uint64_t resident,
                                      cycles tail, cycles delay) {
    return least(of_area, (struct chain_case){.work = work,
                                              .sms = sms,
                                              .resident = resident,
                                              .n = work->block_count,
                                              .tail = tail,
                                              .delay = delay});
}

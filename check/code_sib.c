/* code-sib and code-fib of a block: theorems 1 and 2 of docs/machine-code-bounds.md. */
#include "code.h"

#include <stdlib.h>

/* occ for warps of the same sub-core. */
uint64_t charge_near(const struct code *code) {
    const uint64_t all = holds(code, UINT64_MAX);
    if (!is_latch(code)) return add(code->slot, all);
    if (code->operand > 0) return add(code->slot - 1, all);
    return add(max(code->slot, code->way[0].hold), all - code->way[0].hold);
}

/* Times of a warp by itself; behind them when each unit is free of own holds, and what of
 * NEAR latches are held beyond the slots, then counters, then what is
 * Q's. */
enum { ISSUE, ENDS, NEAR, FAR, CLASH, TIMES };

struct amount {
    uint64_t iso, near, far, clash, left;
    uint64_t used;             /* its units */
    uint64_t spare[UNITS_MAX]; /* of each latch, what of `near` is beyond the slots */
};

static uint64_t latest_of(const uint64_t *at, uint64_t set) {
    uint64_t latest = 0;
    for (uint64_t u = 0; u < machine.units; u++)
        if (has(set, u)) latest = max(latest, at[u]);
    return latest;
}

/* The own graph: E1 to E7, and the ends. */
static void meet_own(const struct walk *walk, const struct code *code) {
    const struct code *last = ((const struct passage *)walk->context)->last;
    uint64_t *times = walk->times, *free_at = times + TIMES, waits = units.held, at = code->fetch;
    if (last != NULL) at = add(times[ISSUE], max(max(last->stall, last->slot), code->fetch));
    if (is_latch(code) || is_queued(code)) waits |= units.blocking[code->way[0].unit];
    at = max(max(at, counted(walk, code)), latest_of(free_at, waits));
    times[ISSUE] = at = add(at, code->operand);
    const uint64_t over = add(at, max(code->slot, code->barrier ? max(code->stall, code->behind) : 0));
    for (uint64_t s = 0; s < code->stages; s++) {
        const struct stage *stage = &code->way[s];
        if (s > 0) at = add(at, stage[-1].transfer);
        if (s > 0 || !is_latch(code)) at = max(at, latest_of(free_at, units.blocking[stage->unit]));
        at = add(at, stage->hold);
        free_at[stage->unit] = max(free_at[stage->unit], at);
    }
    count_up(walk, code, at);
    times[ENDS] = max(times[ENDS], max(over, add(at, max(code->write, code->read))));
}

static uint64_t *times_left(const struct walk *walk) {
    const struct passage *passage = walk->context;
    return walk->times + passage->counts + times_of_counts(passage);
}

static void meet_code(struct walk *walk, uint64_t number) {
    const struct code *code = &walk->block->code.items[number];
    struct passage *passage = walk->context;
    uint64_t *times = walk->times;
    meet_own(walk, code);
    meet_left(passage, times_left(walk), code);
    times[NEAR] = add(times[NEAR], charge_near(code));
    times[FAR] = add(times[FAR], holds(code, units.wide));
    times[CLASH] = add(times[CLASH], holds(code, units.clash));
    for (uint64_t s = 0; s < code->stages; s++)
        passage->used |= (uint64_t)1 << code->way[s].unit;
    if (code->fixed && code->stages > 0) {
        uint64_t *spare = &times[TIMES + machine.units + code->way[0].unit];
        *spare = add(*spare, charge_near(code) - code->slot);
    }
    passage->last = code;
}

static struct amount amount_of(const struct block *of, const struct section *section) {
    struct passage passage = passage_of(of, TIMES + 2 * machine.units);
    const uint64_t count = passage.counts + times_of_counts(&passage) + times_of_left();
    uint64_t *times = times_behind(of, &section->steps, meet_code, count, &passage);
    const uint64_t left = left_behind(&passage, times + count - times_of_left());
    struct amount amount = {times[ENDS], times[NEAR], times[FAR], times[CLASH], left, passage.used, {0}};
    for (uint64_t u = 0; u < machine.units; u++)
        amount.spare[u] = times[TIMES + machine.units + u];
    free(times);
    return amount;
}

/* What `other` holds of latches of its sub-core that `own` does not use, beyond the slots. */
static uint64_t spared(const struct amount *own, const struct amount *other) {
    uint64_t sum = 0;
    for (uint64_t u = 0; u < machine.units; u++)
        if (has(units.latches & ~units.clash & ~units.wide & ~own->used, u)) sum = add(sum, other->spare[u]);
    return sum;
}

/* The most that any warp takes, alone, for what others hold meanwhile, and, if a barrier ends the row, for
 * what is left behind that. `spares`: without what they hold of latches that it does not use. */
static uint64_t longest(const struct block *of, const struct amount *amounts, uint64_t row, bool ends,
                        bool spares) {
    const struct warps *warps = of->warps.items;
    uint64_t most = 0;
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const struct amount *own = &amounts[cell(of, row, warps[g].path)];
        uint64_t time = add(add(own->iso, own->clash), ends ? own->left : 0);
        for (uint64_t h = 0; h < of->warps.count; h++) {
            const struct amount *other = &amounts[cell(of, row, warps[h].path)];
            const bool together = warps[g].sub_core == warps[h].sub_core;
            const uint64_t near = other->near - (spares ? spared(own, other) : 0);
            time = add(time, mul(together ? near : other->far, warps[h].count - (g == h)));
        }
        most = max(most, time);
    }
    return most;
}

static uint64_t row_time(const struct block *of, const struct amount *amounts, uint64_t row, bool ends) {
    return longest(of, amounts, row, ends, false);
}

static uint64_t spared_time(const struct block *of, const struct amount *amounts, uint64_t row, bool ends) {
    return longest(of, amounts, row, ends, true);
}

static uint64_t code_time(const struct block *of, row_time_function row) {
    struct amount *amounts = zeroed(of->sections.count, sizeof *amounts);
    find_units(of);
    for (uint64_t s = 0; s < of->sections.count; s++)
        amounts[s] = amount_of(of, &of->sections.items[s]);
    const uint64_t sum = sum_of_rows(of, amounts, row);
    free(amounts);
    return sum;
}

uint64_t code_sib(struct block *of) {
    return code_time(of, row_time);
}

uint64_t code_fib(struct block *of) {
    return code_time(of, spared_time);
}

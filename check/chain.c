/* k-chain, k-chain-area, k-chain-bal and k-chain-static of a kernel: theorems 2, 3 and 4 of
 * docs/sub-core-bounds.md, with the fine sums of theorem 6 or coarse ones (kernel/Chain.v:k_chain_area_grid
 * and k_chain_bal_grid, kernel/ChainCopies.v:k_chain_copies and k_chain_static_copies). */
#include "kernel.h"

#include <stdlib.h>

/* ---- Blocks ---- */

/* Times that end with each sub-core: the longest sequence of sub-cores of which each is another one than that
 * before. Behind a row also that of one of its own. */
static void meet_turns(struct walk *walk, uint64_t row) {
    const struct block *of = walk->block;
    const uint64_t count = walk->time_count / 2;
    uint64_t *before = walk->times + count;
    for (uint64_t c = 0; c < count; c++)
        before[c] = walk->times[c];
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const struct warps *warps = &of->warps.items[g];
        uint64_t others = 0, *own = &walk->times[warps->sub_core];
        struct place first = {0};
        if (!next_of(&section_of(of, row, warps->path)->steps, &first)) continue; /* it is not active */
        for (uint64_t c = 0; c < count; c++)
            others = max(others, c == warps->sub_core ? 0 : before[c]);
        *own = max(*own, others + 1);
        count_work(of->check, count);
    }
}

uint64_t turns_of(const struct block *of) {
    const uint64_t sub_cores = of->machine->sub_cores;
    uint64_t *times = times_behind(of, &of->rows, meet_turns, mul(2, sub_cores), NULL), longest = 1;
    for (uint64_t c = 0; c < sub_cores; c++)
        longest = max(longest, times[c]);
    free(times);
    return longest;
}

static void measure_shares(struct grid *grid, struct class *class) {
    const struct block *of = &grid->check->blocks.items[class->block];
    const uint64_t sub_cores = of->machine->sub_cores;
    uint64_t *local = zeroed(grid->check, 2 * sub_cores, sizeof *local), *all = local + sub_cores;
    uint64_t fine = 0, coarse = 0, *amounts = class->amounts;
    for (struct place at = {0}; next_row(of, &at);) {
        const uint64_t shared = row_work(of, at.thing, local), often = mul(at.often, class->blocks);
        for (uint64_t c = 0; c < sub_cores; c++)
            all[c] = add(all[c], mul(local[c], at.often));
        fine = add(fine, mul(add(busiest(of, local, &grid->extras[0], often), shared), at.often));
        coarse = add(coarse, mul(shared, at.often));
    }
    coarse = add(coarse, busiest(of, all, &grid->extras[1], class->blocks));
    const uint64_t busy = add(amounts[BUSY] - of->stalls, of->far_stalls);
    for (int f = FINE; f <= COARSE; f += COARSE - FINE) {
        amounts[f + ALL] = busy;
        amounts[f + WORK] = add(f == FINE ? fine : coarse, of->far_stalls);
        amounts[f + BEYOND] = busy - amounts[f + WORK];
    }
    amounts[FINE + OWN] = amounts[LATENCY];
    amounts[COARSE + OWN] = less(min(amounts[ALPHA] - of->stalls, add(fine, amounts[LATENCY])), coarse);
    /* Sections of parts of paths may be joined: section 6. */
    grid->coarse = grid->coarse || (of->parts && of->rows.count > 1);
    amounts[TURNS] = turns_of(of);
    free(local);
}

void measure_chains(struct grid *grid, struct class *class) {
    (grid->machine->is_code ? measure_code_chains : measure_shares)(grid, class);
    rank(&grid->extras[0]);
    rank(&grid->extras[1]);
}

/* ---- Formulas ---- */

/* min(W^n + TOP_changes(others), E^n) */
static uint64_t busy(struct grid *grid, int form, uint64_t n, uint64_t changes, uint64_t others) {
    const uint64_t extras =
        min(top(grid->check, &grid->extras[form == COARSE], changes), most(grid, form + BEYOND, others));
    return min(add(most(grid, form + WORK, n), extras), most(grid, form + ALL, n));
}

static uint64_t turns(struct grid *grid) {
    return most(grid, TURNS, 1);
}

/* What n blocks initiate, and the own latencies of `own` of them, behind which the `last` one may have all of
 * its latency; by the form that says least. */
static uint64_t term(struct grid *grid, uint64_t n, uint64_t changes, uint64_t others, uint64_t own,
                     bool last) {
    uint64_t least = UNLIMITED;
    for (int form = grid->coarse ? COARSE : FINE; form <= COARSE; form += COARSE - FINE) {
        uint64_t sum = add(busy(grid, form, n, changes, others), most(grid, form + OWN, own));
        if (last) sum = add(sum, max(most(grid, form + OWN, 1), most(grid, LATENCY, 1)));
        least = min(least, sum);
    }
    return least;
}

/* S'_n */
uint64_t chain_start(struct grid *grid, uint64_t n) {
    return n == 0 ? 0 : term(grid, n, mul(n - 1, turns(grid) - 1), n - 1, 1, false);
}

/* h'(n), of F waves */
uint64_t chain_sm(struct grid *grid, uint64_t n, uint64_t f) {
    return term(grid, n, mul(grid->room - 1, mul(f, turns(grid)) - 1), n, f - 1, true);
}

/* g'(q) */
uint64_t chain_other(struct grid *grid, uint64_t q, uint64_t f) {
    return term(grid, q, mul(grid->room - 1, less(mul(f, turns(grid)), 1)), q, f, false);
}

uint64_t chain_met(struct grid *grid, uint64_t n) {
    return busy(grid, FINE, n, mul(n - 1, turns(grid) - 1), n - 1);
}

/* Theorem 3, where S'_R is `tail`. */
static uint64_t area_of_form(struct grid *grid, int form, uint64_t tail) {
    const uint64_t others = grid->room - 1, n = grid->blocks, slots = grid->slots;
    const uint64_t work = most(grid, form + WORK, n),
                   changes = less(add(most(grid, TURNS, n), mul(others, turns(grid))), slots);
    const uint64_t last = max(most(grid, form + OWN, 1), most(grid, LATENCY, 1));
    const uint64_t beyond = busy(grid, form, n, changes, n) - work;
    uint64_t sum = add(mul(grid->room, work), mul(others, add(beyond, last)));
    sum = add(sum, add(most(grid, form + OWN, n), mul(mul(grid->sms - 1, grid->room), tail)));
    sum = add(sum, mul(add(n - slots, slots - 1), grid->delay));
    return max(sum / slots, add(tail, grid->delay));
}

uint64_t chain_area(struct grid *grid, uint64_t tail) {
    const uint64_t coarse = area_of_form(grid, COARSE, tail);
    return grid->coarse ? coarse : min(area_of_form(grid, FINE, tail), coarse);
}

/* h'(n) without what dispatch takes, of the blocks of an SM. */
static uint64_t fixed_form(struct grid *grid, const struct sm *sm, int form) {
    const uint64_t n = sm->blocks, waves = rounded_up(n, grid->room);
    const uint64_t others = waves > 1 ? grid->room - 1 : n - 1, own = sm->most[form + OWN];
    const uint64_t changes = mul(others, mul(waves, max(sm->most[TURNS], 1)) - 1);
    const uint64_t extras =
        min(top(grid->check, &grid->extras[form == COARSE], changes), most(grid, form + BEYOND, n));
    const uint64_t all = min(add(sm->sum[form + WORK], extras), sm->sum[form + ALL]);
    return add(all, add(mul(waves - 1, own), waves > 1 ? max(own, sm->most[LATENCY]) : own));
}

uint64_t chain_fixed(struct grid *grid, const struct sm *sm) {
    const uint64_t coarse = fixed_form(grid, sm, COARSE);
    return grid->coarse ? coarse : min(fixed_form(grid, sm, FINE), coarse);
}

/* k-chain, k-chain-area and k-chain-bal of a kernel: theorems 2, 3 and 4 of docs/sub-core-bounds.md, with the
 * fine sums of theorem 6 or coarse ones. */
#include "kernel.h"

#include <stdlib.h>

struct chained chained;

/* ---- Blocks ---- */

static void share_class(struct class *class) {
    const struct block *of = &blocks.items[class->block];
    const uint64_t sub_cores = machine.sub_cores;
    uint64_t *private = zeroed(2 * sub_cores, sizeof *private), *all = private + sub_cores;
    uint64_t work[FORMS] = {0}, own[FORMS] = {class->latency, 0};
    for (struct rows at = {0}; next_row(of, &at);) {
        const uint64_t shared = row_work(of, at.row, private);
        for (uint64_t c = 0; c < sub_cores; c++)
            all[c] = add(all[c], mul(private[c], at.often));
        const uint64_t most = add_extras(&chained.forms[FINE].extras, private, mul(at.often, class->blocks));
        work[FINE] = add(work[FINE], mul(add(most, shared), at.often));
        work[COARSE] = add(work[COARSE], mul(shared, at.often));
    }
    work[COARSE] = add(work[COARSE], add_extras(&chained.forms[COARSE].extras, all, class->blocks));
    const uint64_t alone = min(class->alpha - of->stalls, add(work[FINE], class->latency));
    own[COARSE] = alone - min(alone, work[COARSE]);
    const uint64_t initiations = add(class->initiations - of->stalls, of->far_stalls);
    for (int f = 0; f < FORMS; f++) {
        const uint64_t with = add(work[f], of->far_stalls);
        class->shares[f] = (struct share){initiations, with, own[f], initiations - with};
    }
    /* Sections of parts of paths may be joined: section 6. */
    chained.coarse = chained.coarse || (of->parts && of->rows.count > 1);
    class->turns = turns_of(of);
    free(private);
}

static void add_class(struct class *class) {
    (grid.method->share != NULL ? grid.method->share : share_class)(class);
    for (int f = 0; f < FORMS; f++) {
        struct form *form = &chained.forms[f];
        PUSH(&form->all, (struct amount){class->shares[f].all, class->blocks});
        PUSH(&form->work, (struct amount){class->shares[f].work, class->blocks});
        PUSH(&form->own, (struct amount){class->shares[f].own, class->blocks});
        PUSH(&form->beyond, (struct amount){class->shares[f].beyond, class->blocks});
    }
    chained.turns = max(chained.turns, class->turns);
    chained.turns_in_all = add(chained.turns_in_all, mul(class->turns, class->blocks));
}

/* ---- Formulas ---- */

static uint64_t less(uint64_t a, uint64_t b) {
    return a - min(a, b);
}

/* min(W^n + TOP_changes(others), E^n) */
static uint64_t busy(const struct form *form, uint64_t n, uint64_t changes, uint64_t others) {
    const uint64_t extras = min(top(&form->extras, changes), top(&form->beyond, others));
    return min(add(top(&form->work, n), extras), top(&form->all, n));
}

static uint64_t least(uint64_t (*formula)(const struct form *form, uint64_t n, uint64_t f), uint64_t n,
                      uint64_t f) {
    const uint64_t coarse = formula(&chained.forms[COARSE], n, f);
    return chained.coarse ? coarse : min(formula(&chained.forms[FINE], n, f), coarse);
}

/* S'_n */
static uint64_t formula_of_start(const struct form *form, uint64_t n, uint64_t f) {
    (void)f;
    return add(busy(form, n, mul(n - 1, chained.turns - 1), n - 1), top(&form->own, 1));
}

/* h'(n) without what dispatch takes, of F waves */
static uint64_t formula_of_sm(const struct form *form, uint64_t n, uint64_t f) {
    const uint64_t changes = mul(grid.room - 1, mul(f, chained.turns) - 1);
    const uint64_t last = max(top(&form->own, 1), grid.latency);
    return add(busy(form, n, changes, n), add(top(&form->own, f - 1), last));
}

/* g'(q), likewise */
static uint64_t formula_of_other(const struct form *form, uint64_t q, uint64_t f) {
    const uint64_t changes = mul(grid.room - 1, less(mul(f, chained.turns), 1));
    return add(busy(form, q, changes, q), top(&form->own, f));
}

/* Theorem 3, where S'_R is `tail`. */
static uint64_t formula_of_area(const struct form *form, uint64_t tail, uint64_t f) {
    const uint64_t others = grid.room - 1, n = grid.blocks;
    const uint64_t work = top(&form->work, n), last = max(top(&form->own, 1), grid.latency);
    const uint64_t changes = less(add(chained.turns_in_all, mul(others, chained.turns)), grid.slots);
    const uint64_t extras =
        min(min(top(&form->extras, changes), top(&form->beyond, n)), top(&form->all, n) - work);
    uint64_t sum = add(mul(grid.room, work), mul(others, add(extras, last)));
    sum = add(sum, add(top(&form->own, n), mul(mul(grid.sms - 1, grid.room), tail)));
    sum = add(sum, mul(add(n - grid.slots, grid.slots - 1), grid.delay));
    (void)f;
    return max(sum / grid.slots, add(tail, grid.delay));
}

static uint64_t of_start(uint64_t n) {
    return n == 0 ? 0 : least(formula_of_start, n, 0);
}

static uint64_t of_sm(uint64_t n, uint64_t f) {
    return least(formula_of_sm, n, f);
}

static uint64_t of_other(uint64_t q, uint64_t f) {
    return least(formula_of_other, q, f);
}

static uint64_t of_area(uint64_t tail) {
    return least(formula_of_area, tail, 0);
}

static uint64_t of_met(uint64_t n) {
    return busy(&chained.forms[FINE], n, mul(n - 1, chained.turns - 1), n - 1);
}

static const struct chains chains = {of_start, of_sm, of_other, of_area, of_met};

/* ---- Claims ---- */

void begin_chains(void) {
    sum_up();
    const bool is_new = chained.turns == 0;
    for (uint64_t k = 0; is_new && k < grid.classes.count; k++)
        add_class(&grid.classes.items[k]);
    for (int f = 0; f < FORMS; f++) {
        rank(&chained.forms[f].work);
        rank(&chained.forms[f].all);
        rank(&chained.forms[f].own);
        rank(&chained.forms[f].beyond);
        rank(&chained.forms[f].extras);
    }
    grid.chains = &chains;
}

uint64_t with_chains(uint64_t (*formula)(void)) {
    begin_chains();
    const uint64_t time = for_all_rooms(formula);
    grid.chains = NULL;
    return time;
}

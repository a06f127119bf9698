/* Bounds of machine code: code-sib and code-fib of a block, theorems 1 and 2 of docs/machine-code-bounds.md
 * (sass/CodeSpill.v:code_fib_sections), code-elb, theorem 3 (sass/CodeElb.v:code_elb), and what kernels count
 * of it, section 7. */
#include "code.h"
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* ---- Rows ---- */

/* The last instruction of a section, or NULL; a barrier is nowhere else in it. */
static const struct code *last_of(const struct block *of, const program *steps) {
    const struct code *last = NULL;
    for (uint64_t s = 0; s < steps->count; s++)
        for (uint64_t i = 0; i < max(steps->items[s].count, 1); i++, count_work(of->check, 0)) {
            if (last != NULL && last->barrier) refuse(of->check, "a barrier in the middle of a section");
            if (steps->items[s].count > 0) last = &of->code.items[steps->items[s].first + i];
        }
    return last;
}

/* A warp goes on to the next row by a barrier only. */
static void check_barriers(const struct block *of) {
    for (uint64_t p = 0; p < of->paths; p++) {
        bool ended = false;
        for (struct place at = {0}; next_row(of, &at);) {
            const struct code *last = last_of(of, &section_of(of, at.thing, p)->steps);
            const bool goes_on = ended || (last != NULL && !last->barrier && at.often > 1);
            if (last != NULL && goes_on) refuse(of->check, "a warp goes on without a barrier");
            ended = ended || last == NULL || !last->barrier;
        }
    }
}

/* What `other` holds of latches of its sub-core that `own` does not use, beyond the slots. */
static uint64_t spared(const struct block *of, const struct code_amount *own,
                       const struct code_amount *other) {
    const struct code_units *units = units_of(of->check);
    const uint64_t set = units->latches & ~units->clash & ~units->wide & ~own->used;
    uint64_t sum = 0;
    for (uint64_t u = 0; u < of->machine->units; u++)
        if (has(set, u)) sum = add(sum, other->spare[u]);
    return sum;
}

/* What is counted of a row: the longest chain; or a warp alone and what others hold meanwhile, without what
 * they hold of latches that it does not use. */
enum counted { CHAIN, ALL_HELD, SPARED };

/* If a barrier ends the row, with what is left behind that. */
static uint64_t counted_time(const struct block *of, const struct place *at, uint64_t group, void *context) {
    const enum counted *counted = context;
    const struct code_amount *own = &of->of_codes[cell(of, at->thing, of->warps.items[group].path)];
    const bool ends = at->step + 1 < of->rows.count || at->behind < of->rows.items[at->step].count;
    if (*counted == CHAIN) return own->lam;
    uint64_t time = add(add(own->iso, own->clash), ends ? own->left : 0);
    for (struct beside one = {0}; next_beside(of, at->thing, group, &one);) {
        const struct code_amount *other = &of->of_codes[one.section];
        const uint64_t near = other->near - (*counted == SPARED ? spared(of, own, other) : 0);
        time = add(time, mul(one.together ? near : other->wide, one.count));
    }
    return time;
}

static uint64_t counted_rows(struct block *of, enum counted counted) {
    if (!of->parts && strcmp(subject_of(of->check, "inputs"), "any") == 0)
        refuse(of->check, "whole paths, whatever the data");
    check_barriers(of);
    (void)amounts_of(of);
    return add(sum_of_rows(of, counted_time, &counted), releases_of(of));
}

uint64_t code_sib(struct block *of) {
    return add(counted_rows(of, ALL_HELD), missed_first(of));
}

uint64_t code_fib(struct block *of) {
    return add(counted_rows(of, SPARED), missed_first(of));
}

/* ---- Sums ---- */

/* Of each sub-core what warps of a block hold: work, E; near, H; and wide, of units that all warps can reach.
 */
struct held {
    uint64_t work, near, wide;
};

/* To be freed; with what all hold together. */
static struct held *held_by_sub_core(struct block *of, struct held *all) {
    const struct code_amount *amounts = amounts_of(of);
    struct held *sums = zeroed(of->check, of->machine->sub_cores, sizeof *sums);
    for (struct place at = {0}; next_row(of, &at);)
        for (uint64_t g = 0; g < of->warps.count; g++) {
            const struct warps *warps = &of->warps.items[g];
            const struct code_amount *amount = &amounts[cell(of, at.thing, warps->path)];
            struct held *sum = &sums[warps->sub_core];
            const uint64_t often = mul(warps->count, at.often);
            sum->work = add(sum->work, mul(amount->work, often));
            sum->near = add(sum->near, mul(amount->near, often));
            sum->wide = add(sum->wide, mul(amount->wide, often));
        }
    *all = (struct held){0};
    for (uint64_t c = 0; c < of->machine->sub_cores; c++) {
        all->work = add(all->work, sums[c].work);
        all->near = add(all->near, sums[c].near);
        all->wide = add(all->wide, sums[c].wide);
    }
    return sums;
}

uint64_t code_elb(struct block *of) {
    struct held all;
    free(held_by_sub_core(of, &all));
    return add(add(all.work, counted_rows(of, CHAIN)), missed_first(of));
}

/* ---- Kernels ---- */

void measure_code(struct grid *grid, struct class *class) {
    struct block *of = &grid->check->blocks.items[class->block];
    struct held all;
    uint64_t *amounts = class->amounts;
    free(held_by_sub_core(of, &all));
    amounts[BUSY] = all.work;
    amounts[HELD] = all.near;
    amounts[LATENCY] = counted_rows(of, CHAIN);
    amounts[ALPHA] = counted_rows(of, ALL_HELD);
    amounts[ALONE] = min(min(amounts[ALPHA], counted_rows(of, SPARED)), add(all.work, amounts[LATENCY]));
    grid->first_misses = max(grid->first_misses, missed_first(of));
    if (of->parts) grid->misses = missed_by_all(grid->check);
}

/* chg: sections, unless its warps are all in one sub-core. */
static uint64_t changes_of(const struct block *of) {
    uint64_t sections = 0;
    bool several = false;
    for (uint64_t g = 1; g < of->warps.count; g++)
        several = several || of->warps.items[g].sub_core != of->warps.items[0].sub_core;
    for (struct place at = {0}; next_row(of, &at);)
        sections = add(sections, at.often);
    return several ? max(sections, 1) : 1;
}

/* W, own and X: theorem 5. */
void measure_code_chains(struct grid *grid, struct class *class) {
    struct block *of = &grid->check->blocks.items[class->block];
    const uint64_t sub_cores = of->machine->sub_cores;
    uint64_t *local = zeroed(grid->check, sub_cores, sizeof *local), *amounts = class->amounts;
    struct held all, *sums = held_by_sub_core(of, &all);
    for (uint64_t c = 0; c < sub_cores; c++)
        local[c] = sums[c].work - sums[c].wide;
    const uint64_t most = busiest(of, local, &grid->extras[1], class->blocks);
    uint64_t beyond = 0, met = 0; /* of the other sub-cores; of those that its own chain comes to */
    amounts[TURNS] = changes_of(of);
    for (uint64_t c = 1; c < sub_cores; c++) {
        beyond = add(beyond, local[c]);
        if (c < amounts[TURNS]) met = add(met, local[c]);
    }
    amounts[COARSE + ALL] = amounts[BUSY];
    amounts[COARSE + WORK] = add(add(all.wide, of->stalls), most);
    amounts[COARSE + OWN] = add(amounts[LATENCY], met);
    amounts[COARSE + BEYOND] = beyond;
    grid->coarse = true;
    free(local);
    free(sums);
}

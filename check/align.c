/* ALN of a block: theorem 1 of docs/proofs.md, section 3, with the potentials of an alignment
 * (block/AlnPaths.v:ALN_bound). */
#include "align.h"

#include <stdlib.h>

/* Consumes at the issue of an instruction on a unit, or at its start. */
static void consume(const struct block *of, const struct other *other, uint64_t unit, bool issue) {
    const struct machine *machine = of->machine;
    for (uint64_t j = 0; j < other->insts.count && unit != NO_UNIT; j++) {
        const struct inst *inst = &other->of->insts.items[other->insts.items[j]];
        uint64_t charge = issue && other->together && inst->unit != NO_UNIT;
        if (inst->unit == unit && (other->together || machine->shared[unit]) &&
            !(issue && machine->queue > 1))
            charge = max(charge, machine->queue == 1 ? of->largest[unit] : inst->init);
        other->at[j + 1] = max(other->at[j + 1], add(other->at[j], mul(other->m, charge)));
    }
}

/* As `execute` (section.c), but for the other warp. */
static void meet_aligned(struct walk *walk, uint64_t number) {
    const struct block *of = walk->block;
    const struct inst *inst = &of->insts.items[number];
    const struct other *other = walk->context;
    const uint64_t count = times_of(of), depth = of->machine->queue, lanes = other->insts.count + 1;
    const bool slot = inst->unit != NO_UNIT;
    const uint64_t unit = WARP_TIMES + of->registers + 2 * (slot ? inst->unit : 0);
    uint64_t *at = other->at, *times = walk->times;
    for (uint64_t l = 0; l < lanes; l++) {
        at[l] = operands_there(of, times + l * count, inst);
        if (slot && depth <= 1) at[l] = max(at[l], times[l * count + unit + depth]);
    }
    consume(of, other, inst->unit, true);
    for (uint64_t l = 0; l < lanes; l++) {
        times[l * count + NOW] = at[l] + slot;
        if (slot) at[l] = max(at[l], times[l * count + unit]);
    }
    consume(of, other, inst->unit, false);
    for (uint64_t l = 0; l < lanes; l++) {
        uint64_t *lane = times + l * count;
        if (slot) lane[unit] = add(at[l], inst->init), lane[unit + 1] = at[l];
        result_there(of, lane, inst, add(add(at[l], inst->init), inst->latency));
    }
    count_work(of->check, lanes);
}

static void meet_other(struct walk *walk, uint64_t number) {
    struct other *other = walk->context;
    PUSH(walk->block->check, &other->insts, number);
}

void other_executes(struct other *other, const struct section *section) {
    walk_each(other->of, &section->steps, meet_other, other);
}

uint64_t *align(const struct block *of, const struct section *own, struct other *other,
                const uint64_t *starts) {
    const uint64_t count = times_of(of), lanes = other->insts.count + 1, all = mul(count, lanes);
    uint64_t *times = zeroed(of->check, all, sizeof *times);
    struct walk walk = {of, &own->steps, meet_aligned, times, all, other, 0, false};
    for (uint64_t i = 0; i < all && starts != NULL; i++)
        times[i] = starts[i / count];
    other->at = zeroed(of->check, lanes, sizeof *other->at);
    walk_all(&walk);
    for (uint64_t l = 0; l < lanes; l++)
        other->at[l] = times[l * count + COMPLETE];
    free(times);
    return other->at;
}

/* The longest path through a section, with `second` consumed on the way. */
static uint64_t aligned(const struct block *of, const struct section *own, const struct section *second,
                        bool together, uint64_t m) {
    struct other other = {.of = of, .together = together, .m = m};
    other_executes(&other, second);
    const uint64_t longest = align(of, own, &other, NULL)[other.insts.count];
    free(other.at);
    DROP(of->check, &other.insts);
    return longest;
}

/* Two sections that were aligned. */
struct pair {
    uint64_t own, other, time;
    bool together;
};

typedef LIST(struct pair) pair_list;

/* The same, computed once for numbers of sections. */
static uint64_t pair_time(const struct block *of, struct pair pair, uint64_t m, pair_list *known) {
    const struct section *sections = of->sections.items;
    for (uint64_t p = known->count; p > 0; p--) {
        const struct pair *other = &known->items[p - 1];
        if (other->own == pair.own && other->other == pair.other && other->together == pair.together)
            return other->time;
    }
    pair.time = aligned(of, &sections[pair.own], &sections[pair.other], pair.together, m);
    PUSH(of->check, known, pair);
    return pair.time;
}

/* The most that any warp takes in a row that has anything to wait for, m times; by itself for m = 0. */
static uint64_t row_time(const struct block *of, uint64_t row, uint64_t m, pair_list *known) {
    const struct warps *warps = of->warps.items;
    uint64_t most = 0;
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const uint64_t own = cell(of, row, warps[g].path), alone = of->sections.items[own].alone;
        uint64_t time = m == 0 ? alone : 0;
        for (uint64_t h = 0; h < of->warps.count && m > 0; h++) {
            const struct pair pair = {.own = own,
                                      .other = cell(of, row, warps[h].path),
                                      .together = warps[g].sub_core == warps[h].sub_core};
            const uint64_t others = warps[h].count - (g == h);
            if (others > 0) time = add(time, mul(pair_time(of, pair, m, known), others));
        }
        if (alone > 0) most = max(most, time);
    }
    return most;
}

uint64_t alignments(const struct block *of, uint64_t m, uint64_t divisor) {
    pair_list known = {0};
    uint64_t sum = 0;
    for (struct place at = {0}; next_row(of, &at);)
        sum = add(sum, mul(row_time(of, at.thing, m, &known) / divisor, at.often));
    DROP(of->check, &known);
    return sum;
}

/* With m other warps. */
uint64_t aln(struct block *of) {
    const uint64_t m = less(of->warp_count, 1);
    return add(alignments(of, m, max(m, 1)), releases_of(of));
}

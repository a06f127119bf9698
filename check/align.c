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

/* Two sections that were aligned. */
struct pair {
    uint64_t own, other, time;
    bool together;
};

/* Alignments with m warps, the sum of which over a row is divided. */
struct aligning {
    uint64_t m, divisor;
    LIST(struct pair) known;
};

/* The longest path through a section, with the other one consumed on the way. */
static uint64_t aligned(const struct block *of, const struct pair *pair, uint64_t m) {
    struct other other = {.of = of, .together = pair->together, .m = m};
    other_executes(&other, &of->sections.items[pair->other]);
    const uint64_t longest = align(of, &of->sections.items[pair->own], &other, NULL)[other.insts.count];
    free(other.at);
    DROP(of->check, &other.insts);
    return longest;
}

/* The same, computed once for numbers of sections. */
static uint64_t pair_time(const struct block *of, struct pair pair, struct aligning *aligning) {
    for (uint64_t p = aligning->known.count; p > 0; p--) {
        const struct pair *other = &aligning->known.items[p - 1];
        if (other->own == pair.own && other->other == pair.other && other->together == pair.together)
            return other->time;
    }
    pair.time = aligned(of, &pair, aligning->m);
    PUSH(of->check, &aligning->known, pair);
    return pair.time;
}

/* Of what has anything to wait for, m times; by itself for m = 0. */
static uint64_t aligned_time(const struct block *of, const struct place *at, uint64_t group, void *context) {
    struct aligning *aligning = context;
    const uint64_t own = cell(of, at->thing, of->warps.items[group].path);
    const uint64_t alone = of->sections.items[own].alone;
    uint64_t time = aligning->m == 0 ? alone : 0;
    for (struct beside one = {0}; aligning->m > 0 && next_beside(of, at->thing, group, &one);) {
        const struct pair pair = {.own = own, .other = one.section, .together = one.together};
        if (one.count > 0) time = add(time, mul(pair_time(of, pair, aligning), one.count));
    }
    return alone > 0 ? time / aligning->divisor : 0;
}

uint64_t alignments(const struct block *of, uint64_t m, uint64_t divisor) {
    struct aligning aligning = {.m = m, .divisor = divisor};
    const uint64_t sum = sum_of_rows(of, aligned_time, &aligning);
    DROP(of->check, &aligning.known);
    return sum;
}

/* With m other warps. */
uint64_t aln(struct block *of) {
    const uint64_t m = less(of->warp_count, 1);
    return add(alignments(of, m, max(m, 1)), releases_of(of));
}

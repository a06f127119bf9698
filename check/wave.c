/* k-wave-sib of a kernel: theorem 1 of docs/wave-bounds.md. */
#include "wave.h"

#include <stdlib.h>
#include <string.h>

wave_class_list wave_classes;

/* ---- Classes ---- */

/* The longest initiation of any block. */
static uint64_t largest_of(uint64_t unit) {
    uint64_t largest = 0;
    for (uint64_t k = 0; k < grid.classes.count; k++)
        largest = max(largest, blocks.items[grid.classes.items[k].block].largest[unit]);
    return largest;
}

/* The block as it counts beside others. */
static struct block charged(const struct block *from) {
    struct block of = *from;
    of.sections.items = zeroed(of.sections.count, sizeof *of.sections.items);
    for (uint64_t s = 0; s < of.sections.count; s++)
        of.sections.items[s] = from->sections.items[s];
    for (uint64_t u = 0; u < machine.units && machine.depth == 1; u++) {
        of.largest[u] = largest_of(u);
        for (uint64_t s = 0; s < of.sections.count; s++)
            of.sections.items[s].work[u] = mul(of.sections.items[s].count[u], of.largest[u]);
    }
    return of;
}

/* The sums over rows. */
static void add_rows(struct wave_class *class) {
    const struct block *of = &class->of;
    uint64_t *local = zeroed(machine.sub_cores, sizeof *local);
    for (struct rows at = {0}; next_row(of, &at);) {
        const uint64_t shared = row_work(of, at.row, local);
        const uint64_t most = add_extras(&class->extras, local, at.often);
        uint64_t alone = 0;
        for (uint64_t g = 0; g < of->warps.count; g++)
            alone = max(alone, section_of(of, at.row, of->warps.items[g].path)->alone);
        class->alone = add(class->alone, mul(alone, at.often));
        class->shared = add(class->shared, mul(shared, at.often));
        class->work = add(class->work, mul(add(most, shared), at.often));
    }
    free(local);
}

static uint64_t teams_of(const struct block *of) {
    uint64_t *warps = zeroed(machine.sub_cores, sizeof *warps), most = 0;
    for (uint64_t g = 0; g < of->warps.count; g++) {
        uint64_t *sum = &warps[of->warps.items[g].sub_core];
        *sum = add(*sum, of->warps.items[g].count);
        most = max(most, *sum);
    }
    free(warps);
    return most;
}

static void add_classes(void) {
    for (uint64_t k = wave_classes.count; k < grid.classes.count; k++) {
        struct wave_class class = {.of = charged(&blocks.items[grid.classes.items[k].block])};
        class.blocks = grid.classes.items[k].blocks;
        class.sums = min(sib(&class.of), fib(&class.of));
        class.changes = turns_of(&class.of) - 1;
        class.teams = teams_of(&class.of);
        add_rows(&class);
        rank(&class.extras);
        PUSH(&wave_classes, class);
    }
}

/* ---- Others ---- */

uint64_t together(void) {
    return rounded_up(grid.blocks, grid.sms);
}

uint64_t extras(const struct wave_class *own, const struct wave_class *other) {
    return top(&other->extras, own->changes);
}

uint64_t others(const struct wave_class *own, wave_amount adds) {
    ranking amounts = {0};
    for (uint64_t k = 0; k < wave_classes.count; k++) {
        const struct wave_class *other = &wave_classes.items[k];
        PUSH(&amounts, (struct amount){adds(own, other), other->blocks - (other == own)});
    }
    rank(&amounts);
    const uint64_t sum = top(&amounts, together() - 1);
    DROP(&amounts);
    return sum;
}

/* ---- The wave ---- */

static uint64_t work_and_extras(const struct wave_class *own, const struct wave_class *other) {
    return add(other->work, extras(own, other));
}

uint64_t by_initiations(const struct wave_class *own) {
    return add(own->sums, others(own, work_and_extras));
}

uint64_t wave_time(uint64_t (*time)(const struct wave_class *own)) {
    uint64_t latest = 0;
    refuse_memory();
    if (machine.depth > 1 && machine.depth != UNLIMITED) refuse("no claim at this dispatch depth");
    if (grid.blocks > mul(grid.sms, grid.least)) refuse("not all blocks are there from the start");
    add_classes();
    for (uint64_t k = 0; k < wave_classes.count; k++)
        latest = max(latest, time(&wave_classes.items[k]));
    /* While the dispatcher was busy a block of a fixed SM may have ended, whose slot is used again. */
    const bool late = grid.assigned && grid.service > 0 && together() > 1;
    return add(add(latest, mul(grid.service, grid.blocks)), late ? grid.delay : 0);
}

uint64_t k_wave_sib(void) {
    return wave_time(by_initiations);
}

/* k-wave-sib of a kernel: theorem 1 of docs/wave-bounds.md (kernel/WaveCopies.v:k_wave_copies); and
 * k-wave-fifo: FIFO of one block that has all warps of an SM (section 2 there, kernel/WaveFifo.v:wave_fifo).
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* ---- Classes ---- */

/* The block as it counts beside others. */
static struct block charged(const struct grid *grid, const struct block *from) {
    struct block of = *from;
    of.sections.items = zeroed(of.check, of.sections.count, sizeof *of.sections.items);
    for (uint64_t s = 0; s < of.sections.count; s++)
        of.sections.items[s] = from->sections.items[s];
    for (uint64_t u = 0; u < of.machine->units && of.machine->depth == 1; u++) {
        of.largest[u] = largest_of(grid, u);
        for (uint64_t s = 0; s < of.sections.count; s++)
            of.sections.items[s].work[u] = mul(of.sections.items[s].count[u], of.largest[u]);
    }
    return of;
}

/* The sums over rows. */
static void add_rows(struct wave_class *class) {
    const struct block *of = &class->of;
    uint64_t *local = zeroed(of->check, of->machine->sub_cores, sizeof *local);
    for (struct place at = {0}; next_row(of, &at);) {
        const uint64_t shared = row_work(of, at.thing, local);
        const uint64_t most = busiest(of, local, &class->extras, at.often);
        uint64_t alone = 0;
        for (uint64_t g = 0; g < of->warps.count; g++)
            alone = max(alone, section_of(of, at.thing, of->warps.items[g].path)->alone);
        class->alone = add(class->alone, mul(alone, at.often));
        class->shared = add(class->shared, mul(shared, at.often));
        class->work = add(class->work, mul(add(most, shared), at.often));
    }
    free(local);
}

/* Warps of the sub-core that has most, or fewest. */
static uint64_t warps_of_sub_core(const struct block *of, bool fewest) {
    uint64_t found = fewest ? UNLIMITED : 0;
    for (uint64_t c = 0; c < of->machine->sub_cores; c++) {
        uint64_t warps = 0;
        for (uint64_t g = 0; g < of->warps.count; g++)
            warps += of->warps.items[g].sub_core == c ? of->warps.items[g].count : 0;
        found = fewest ? min(found, warps) : max(found, warps);
        count_work(of->check, of->warps.count);
    }
    return found;
}

static void add_classes(struct grid *grid) {
    for (uint64_t k = grid->wave.count; k < grid->classes.count; k++) {
        const struct class *from = &grid->classes.items[k];
        struct wave_class class = {.of = charged(grid, block_of(grid, k))};
        class.blocks = from->blocks;
        class.sums = min(sib(&class.of), fib(&class.of));
        class.changes = turns_of(&class.of) - 1;
        class.teams = warps_of_sub_core(&class.of, false);
        add_rows(&class);
        rank(&class.extras);
        PUSH(grid->check, &grid->wave, class);
    }
}

/* ---- Others ---- */

uint64_t together(const struct grid *grid) {
    return rounded_up(grid->blocks, grid->sms);
}

uint64_t extras(struct grid *grid, const struct wave_class *own, const struct wave_class *other) {
    return top(grid->check, &other->extras, own->changes);
}

uint64_t others(struct grid *grid, const struct wave_class *own, wave_amount adds) {
    ranking amounts = {0};
    for (uint64_t k = 0; k < grid->wave.count; k++) {
        const struct wave_class *other = &grid->wave.items[k];
        PUSH(grid->check, &amounts, (struct amount){adds(grid, own, other), other->blocks - (other == own)});
    }
    rank(&amounts);
    const uint64_t sum = top(grid->check, &amounts, together(grid) - 1);
    DROP(grid->check, &amounts);
    return sum;
}

/* ---- The wave ---- */

static uint64_t work_and_extras(struct grid *grid, const struct wave_class *own,
                                const struct wave_class *other) {
    return add(other->work, extras(grid, own, other));
}

uint64_t by_initiations(struct grid *grid, const struct wave_class *own) {
    return add(own->sums, others(grid, own, work_and_extras));
}

uint64_t wave_time(struct grid *grid, uint64_t (*time)(struct grid *grid, const struct wave_class *own)) {
    const uint64_t depth = grid->machine->depth;
    uint64_t latest = 0;
    refuse_memory(grid);
    if (depth > 1 && depth != UNLIMITED) refuse(grid->check, "no claim at this dispatch depth");
    if (grid->blocks > mul(grid->sms, grid->least))
        refuse(grid->check, "not all blocks are there from the start");
    add_classes(grid);
    for (uint64_t k = 0; k < grid->wave.count; k++)
        latest = max(latest, time(grid, &grid->wave.items[k]));
    /* While the dispatcher was busy a block of a fixed SM may have ended, whose slot is used again. */
    const bool late = grid->assigned && grid->service > 0 && together(grid) > 1;
    return add(add(latest, mul(grid->service, grid->blocks)), late ? grid->delay : 0);
}

uint64_t k_wave_sib(struct grid *grid) {
    return wave_time(grid, by_initiations);
}

/* ---- Queues ---- */

static uint64_t of_all_warps(struct grid *grid, const struct wave_class *own) {
    struct block all = own->of;
    if (grid->machine->depth != UNLIMITED) refuse(grid->check, "no claim where queues have limits");
    if (grid->wave.count > 1) refuse(grid->check, "blocks of several kinds");
    if (all.rows.count != 1) refuse(grid->check, "a block of other than one section");
    if (grid->machine->sub_cores > 1 &&
        (all.paths > 1 || warps_of_sub_core(&all, false) > warps_of_sub_core(&all, true)))
        refuse(grid->check, "sub-cores with other warps");
    all.warps.items = zeroed(grid->check, all.warps.count, sizeof *all.warps.items);
    for (uint64_t g = 0; g < all.warps.count; g++) {
        all.warps.items[g] = own->of.warps.items[g];
        all.warps.items[g].count = mul(all.warps.items[g].count, together(grid));
    }
    const uint64_t time = fifo(&all);
    free(all.warps.items);
    return time;
}

uint64_t k_wave_fifo(struct grid *grid) {
    return wave_time(grid, of_all_warps);
}

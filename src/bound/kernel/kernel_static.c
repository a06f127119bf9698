/* K-SM for a grid whose blocks are dealt out to the SMs before it starts: block b runs on SM b modulo their
 * number, so that each SM's own blocks are known (docs/proofs.md, section 12). */
#include "bound/kernel/kernel_formula.h"

/* The blocks of one SM. */
struct sm_blocks {
    uint64_t blocks;
    cycles initiations;  /* of all of them */
    cycles latency_most; /* the largest lam */
    cycles slack_most;   /* the largest alpha less E */
    cycles deficit;      /* where that is below 0 for all, the least E less alpha */
    cycles solo;         /* of one block alone */
    cycles solos;        /* the sum of that over all of them */
};

static struct sm_blocks blocks_of(const struct grid_work *work, uint32_t sm) {
    struct sm_blocks sum = {.deficit = CYCLES_SATURATED};
    for (uint64_t b = sm; b < work->block_count; b += work->machine->memory.sms, sum.blocks++) {
        const struct block_kind *kind = &work->kinds.items[work->kind_of[b]];
        sum.initiations = cycles_add(sum.initiations, kind->initiations);
        sum.latency_most = cycles_max(sum.latency_most, kind->latency);
        sum.solo = cycles_max(sum.solo, kind->solo);
        sum.solos = cycles_add(sum.solos, kind->solo);
        sum.slack_most = cycles_max(sum.slack_most, cycles_sub(kind->alone, kind->initiations));
        sum.deficit = cycles_min(sum.deficit, cycles_sub(kind->initiations, kind->alone));
    }
    return sum;
}

/* Until blocks that all have a room at once have ended, without dispatch. */
static struct kernel_time time_together(const struct sm_blocks *sm) {
    cycles together = cycles_add(sm->initiations, sm->slack_most);
    if (together != CYCLES_SATURATED) together = cycles_sub(together, sm->deficit);
    if (sm->blocks == 1) together = sm->solo;
    cycles busy = cycles_min(sm->initiations, together);
    return (struct kernel_time){.busy = busy, .latency = cycles_min(sm->latency_most, together - busy)};
}

static struct kernel_time time_of(const struct grid_work *work, const struct sm_blocks *sm,
                                  uint64_t resident) {
    const uint64_t turns = cycles_ceiling(sm->blocks, resident);
    const struct machine_memory *memory = &work->machine->memory;
    cycles all = cycles_add(sm->initiations, cycles_mul(turns, sm->latency_most));
    if (resident == 1 && !memory_is_contended(memory))
        all = cycles_min(all, sm->solos); /* as grid_work_stays */
    const cycles busy = cycles_min(sm->initiations, all);
    struct kernel_time time = {
        .busy = busy, .latency = all - busy, .dispatch = cycles_mul(turns - 1, memory->dispatch_latency)};
    if (turns > 1) return time;
    time = time_together(sm);
    /* While the dispatcher was busy, a block may have ended and left its room to a later one. */
    if (memory->dispatch_service > 0 && sm->blocks > 1) time.dispatch = memory->dispatch_latency;
    return time;
}

struct kernel_time kernel_static(const struct grid_work *work, uint64_t resident) {
    const struct machine_memory *memory = &work->machine->memory;
    struct kernel_time latest = {0};
    for (uint32_t sm = 0; sm < memory->sms && sm < work->block_count; sm++) {
        const struct sm_blocks blocks = blocks_of(work, sm);
        struct kernel_time time = time_of(work, &blocks, resident);
        time.fetch = grid_work_fetch_time(work, blocks.blocks, resident);
        latest = kernel_time_max(latest, time);
    }
    latest.dispatch = cycles_add(latest.dispatch, cycles_mul(memory->dispatch_service, work->block_count));
    return latest;
}

/* K-SM of grids whose blocks are assigned to the SMs before they start, block b to SM b modulo their number:
 * the blocks of each SM are known (docs/proofs.md, section 12; docs/sub-core-bounds.md, section 4). */
#include <assert.h>

#include "bound/kernel/chain_times.h"
#include "bound/kernel/kernel_bounds.h"

/* The blocks of one SM. */
struct sm_blocks {
    uint64_t blocks;
    cycles initiations;  /* of all of them */
    cycles held;         /* the same as others count them: H, which of PTX is E */
    cycles latency_most; /* the largest lam */
    cycles slack_most;   /* the largest alpha less H */
    cycles deficit;      /* where that is below 0 for all, the least H less alpha */
    cycles isolated;     /* of one isolated block */
    cycles isolated_sum; /* the sum of that over all of them */
    struct chain_blocks chains;
};

static struct sm_blocks assigned_blocks(const struct grid_work *work, uint32_t sm) {
    struct sm_blocks sum = {.deficit = CYCLES_SATURATED};
    for (uint64_t b = sm; b < work->block_count; b += work->machine->memory.sms, sum.blocks++) {
        const struct block_class *class = &work->classes.items[work->class_of[b]];
        sum.initiations = cycles_add(sum.initiations, class->initiations);
        sum.held = cycles_add(sum.held, class->held);
        sum.latency_most = cycles_max(sum.latency_most, class->latency);
        sum.isolated = cycles_max(sum.isolated, class->isolated);
        sum.isolated_sum = cycles_add(sum.isolated_sum, class->isolated);
        sum.slack_most = cycles_max(sum.slack_most, cycles_sub(class->residency, class->held));
        sum.deficit = cycles_min(sum.deficit, cycles_sub(class->held, class->residency));
        chain_blocks_add(&sum.chains, class);
    }
    return sum;
}

/* Until blocks that all have a slot at once have ended, without dispatch. */
static struct kernel_time assigned_together(const struct sm_blocks *sm) {
    cycles together = cycles_add(sm->held, sm->slack_most);
    if (together != CYCLES_SATURATED) together = cycles_sub(together, sm->deficit);
    together = cycles_min(together, cycles_add(sm->initiations, sm->latency_most)); /* of PTX it is no less */
    if (sm->blocks == 1) together = sm->isolated;
    cycles busy = cycles_min(sm->initiations, together);
    return (struct kernel_time){.busy = busy, .latency = cycles_min(sm->latency_most, together - busy)};
}

/* Blocks that follow each other in slots, without dispatch. */
static struct kernel_time assigned_in_turns(const struct grid_work *work, const struct sm_blocks *sm,
                                            uint64_t resident) {
    const uint64_t waves = cycles_ceiling(sm->blocks, resident);
    cycles all = cycles_add(sm->initiations, cycles_mul(waves, sm->latency_most));
    if (resident == 1 && !memory_is_contended(&work->machine->memory))
        all = cycles_min(all, sm->isolated_sum); /* as grid_work_residencies */
    const cycles busy = cycles_min(sm->initiations, all);
    return (struct kernel_time){.busy = busy, .latency = all - busy};
}

static struct kernel_time assigned_time(const struct grid_work *work, const struct sm_blocks *sm,
                                        uint64_t resident, bool chains) {
    const uint64_t waves = cycles_ceiling(sm->blocks, resident);
    const struct machine_memory *memory = &work->machine->memory;
    assert(waves > 0);
    struct kernel_time time = waves > 1 ? assigned_in_turns(work, sm, resident) : assigned_together(sm);
    if (chains) time = kernel_time_min(time, chain_time_of_blocks(work, resident, &sm->chains));
    time.dispatch = cycles_mul(waves - 1, memory->dispatch_latency);
    if (waves > 1) return time;
    /* While the dispatcher was busy, a block may have ended and left its slot to a later one. */
    if (memory->dispatch_service > 0 && sm->blocks > 1) time.dispatch = memory->dispatch_latency;
    return time;
}

static struct kernel_time latest_sm(const struct grid_work *work, uint64_t resident, bool chains) {
    const struct machine_memory *memory = &work->machine->memory;
    struct kernel_time latest = {0};
    for (uint32_t sm = 0; sm < memory->sms && sm < work->block_count; sm++) {
        const struct sm_blocks blocks = assigned_blocks(work, sm);
        struct kernel_time time = assigned_time(work, &blocks, resident, chains);
        time.fetch = grid_work_fetch_time(work, blocks.blocks, resident);
        latest = kernel_time_max(latest, time);
    }
    latest.dispatch = cycles_add(latest.dispatch, cycles_mul(memory->dispatch_service, work->block_count));
    return latest;
}

struct kernel_time kernel_static(const struct grid_work *work, uint64_t resident) {
    return latest_sm(work, resident, false);
}

struct kernel_time kernel_chain_static(const struct grid_work *work, uint64_t resident) {
    return latest_sm(work, resident, true);
}

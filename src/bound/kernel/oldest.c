/* K-OLDEST: where older blocks issue first a block waits only for those that were there before it
 * (docs/policy-bounds.md, oldest first). So the time that it stays is bounded, and the usual sums over slots
 * hold with it. */
#include "bound/kernel/chain_times.h"
#include "bound/kernel/kernel_bounds.h"

/* The initiations of n blocks that the chain of one of them can meet, cut at barriers, in the order of issue.
 * */
static cycles work_met(const struct grid_work *work, uint64_t n) {
    const struct chain_pool *sections = &work->chains.pools[CHAIN_ISSUED];
    if (!sections->known) return CYCLES_SATURATED;
    const uint64_t changes = cycles_mul(n - 1, cycles_sub(work->chains.turns_most, 1));
    const cycles busiest = class_ranking_sum(&sections->by_work, n);
    const cycles extras = chain_pool_extras(sections, changes, n - 1);
    return cycles_min(cycles_add(busiest, extras), grid_work_most(work, n));
}

/* The longest stay of any block, with at most n - 1 older ones beside it. */
static cycles longest_stay(const struct grid_work *work, uint64_t n) {
    const cycles by_chain = cycles_add(work_met(work, n), work->oldest.chain_most);
    return cycles_min(by_chain, class_ranking_sum(&work->oldest.by_time, n));
}

/* The work of so many stays, and what is latency and waiting in them. */
static struct kernel_time divided(const struct grid_work *work, cycles time) {
    const struct chain_pool *sections = &work->chains.pools[CHAIN_SECTIONS];
    const cycles all = sections->known ? class_ranking_total(&sections->by_work) : grid_work_total(work);
    const cycles busy = cycles_min(all / work->machine->memory.sms, time);
    return (struct kernel_time){.busy = busy, .latency = time - busy};
}

/* Until blocks that start together have ended. */
static cycles until_end(const struct grid_work *work, uint64_t n) {
    const struct kernel_time chains = chain_time_together(work, n);
    const cycles together = cycles_min(grid_work_together(work, n), kernel_time_sum(&chains));
    return cycles_min(longest_stay(work, n), cycles_min(class_ranking_sum(&work->by_serial, n), together));
}

/* How a grid fills SMs that hold `resident` blocks each. */
struct turns {
    uint64_t sms, resident, blocks;
};

/* Stays, one behind the other, that go before the last dispatch to an SM that gets n blocks, or, as none is
 * empty before, to any. */
static uint64_t stays_before(const struct turns *turns, uint64_t n) {
    const uint64_t own = cycles_ceiling(n, turns->resident) - 1;
    if (turns->sms == 1) return own;
    const uint64_t others = (turns->blocks - n) / (turns->sms - 1); /* of some other SM, at most */
    return cycles_min(own, others / turns->resident);
}

/* The most of them: the first kind grows with n, the second falls. */
static uint64_t most_stays_before(const struct turns *turns) {
    uint64_t low = turns->resident, high = turns->blocks - (turns->sms - 1) * turns->resident;
    if (turns->sms == 1) return stays_before(turns, high);
    while (low < high) {
        const uint64_t n = low + (high - low) / 2, others = (turns->blocks - n) / (turns->sms - 1);
        if (cycles_ceiling(n, turns->resident) - 1 >= others / turns->resident)
            high = n;
        else
            low = n + 1;
    }
    const uint64_t crossed = stays_before(turns, high);
    return high == turns->resident ? crossed : cycles_max(crossed, stays_before(turns, high - 1));
}

struct kernel_time kernel_oldest(const struct grid_work *work, uint64_t resident) {
    const struct machine_memory *memory = &work->machine->memory;
    if (!work->oldest.known) return (struct kernel_time){.tail = CYCLES_SATURATED};
    const uint64_t blocks = work->block_count, slots = cycles_mul(memory->sms, resident);
    const cycles service = cycles_mul(memory->dispatch_service, blocks);
    if (blocks <= slots) {
        struct kernel_time time = divided(work, until_end(work, cycles_ceiling(blocks, memory->sms)));
        time.dispatch = service;
        return time;
    }
    const struct turns turns = {memory->sms, resident, blocks};
    const cycles stay = longest_stay(work, resident), all = cycles_mul(blocks - 1, stay);
    const uint64_t before = most_stays_before(&turns), spread = cycles_ceiling(blocks - slots - 1, slots);
    if (all == CYCLES_SATURATED) return (struct kernel_time){.tail = all};
    struct kernel_time time = divided(work, cycles_min(all / slots, cycles_mul(before, stay)));
    time.tail = until_end(work, resident);
    time.dispatch = cycles_mul(cycles_max(spread, before) + 1, memory->dispatch_latency);
    time.dispatch = cycles_add(time.dispatch, service);
    return time;
}

static const char *objection(const struct bound_input *input) {
    const char *why = oldest_objection(input->machine);
    if (why != NULL) return why;
    return input->work->oldest.known
               ? NULL
               : "some block executes too many instructions, or has barriers and covering paths";
}

static bool fits(const struct bound_input *input) {
    return kernel_has_sub_cores(input) && input->machine->policy == MACHINE_POLICY_OLDEST;
}

static wb_status oldest_run(const struct bound_input *input, wb_bound *bound) {
    WB_TRY(kernel_chain_upper(input, kernel_oldest, bound));
    assume(bound, WB_ASSUME_OLDEST_FIRST);
    return WB_OK;
}

const struct bound_method form_oldest = {
    .name = "oldest",
    .run = oldest_run,
    .objection = objection,
    .fits = fits,
    .needs = NEED_PTX_MODEL | NEED_DYNAMIC_DISPATCH | NEED_NO_FETCH_STALLS | NEED_KNOWN_TIMES,
};

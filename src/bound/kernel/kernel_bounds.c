/* Bounds of whole kernels from the sums of their blocks: K-AREA, K-BAL, K-SM (docs/proofs.md, section 12),
 * and the same with what chains through sub-cores say beside them (docs/sub-core-bounds.md): in each of their
 * terms the lesser of both counts.
 * All arithmetic saturates (base/base.h): a kernel can have any number of blocks. */
#include "bound/kernel/kernel_bounds.h"

#include <assert.h>

#include "bound/block/block_sums.h"
#include "bound/grid/contention.h"
#include "bound/kernel/chain_times.h"

/* The waves of blocks when an SM has `resident` at a time. */
struct residency {
    uint64_t sms, resident, blocks;
    uint64_t slots; /* of all SMs */
    bool waits;     /* some block waits for a slot */
    cycles delay;   /* between two blocks of a slot; 0 when none waits */
    bool chains;    /* the theorems on chains count */
};

static struct residency residency_of(const struct grid_work *work, uint64_t resident, bool chains) {
    assert(resident > 0);
    const struct machine_memory *memory = &work->machine->memory;
    struct residency residency = {
        .sms = memory->sms, .resident = resident, .blocks = work->block_count, .chains = chains};
    residency.slots = residency.sms * resident;
    residency.waits = residency.blocks > residency.slots;
    residency.delay = residency.waits ? memory->dispatch_latency : 0;
    return residency;
}

/* K-DISP: cycles in which the dispatcher of all SMs is busy. */
static cycles dispatcher_busy(const struct grid_work *work) {
    return cycles_mul(work->machine->memory.dispatch_service, work->block_count);
}

/* X and lam of the tail: after the last dispatch an SM has at most `resident` blocks. */
static cycles tail_initiations(const struct grid_work *work, uint64_t resident) {
    cycles together = grid_work_together(work, resident);
    return cycles_min(grid_work_most(work, resident), cycles_sub(together, work->latency_most));
}

/* Fetch on the SM that ends last: its share of all SMs' until the last dispatch, and its own behind that. */
static cycles fetch_of_area(const struct grid_work *work, const struct residency *residency) {
    const cycles share =
        cycles_ceiling(grid_work_fetch_time_of_all(work, residency->resident), residency->sms);
    return cycles_add(share, grid_work_fetch_time(work, residency->resident, residency->resident));
}

/* K-AREA where blocks wait for residency. */
static struct kernel_time area_of_all(const struct grid_work *work, const struct residency *residency) {
    const uint64_t resident = residency->resident;
    const cycles tail = tail_initiations(work, resident), total = grid_work_total(work);
    const cycles tail_latency = cycles_add(work->latency_most, residency->delay);
    const cycles delays = cycles_mul(residency->blocks - residency->slots, residency->delay);
    const cycles area = cycles_add(total, cycles_mul(residency->sms - 1, tail));
    cycles latencies = cycles_add(work->latency_total, delays);
    latencies = cycles_add(latencies, cycles_mul(residency->slots - 1, tail_latency));
    latencies = cycles_add(latencies, cycles_mul(area % residency->sms, resident));
    const cycles sum = cycles_add(area / residency->sms, latencies / residency->slots);
    struct kernel_time time = {.busy = (total - tail) / residency->sms,
                               .latency =
                                   cycles_sub(work->latency_total, work->latency_most) / residency->slots,
                               .dispatch = cycles_sub(delays, residency->delay) / residency->slots};
    time.tail = cycles_sub(sum, kernel_time_sum(&time));
    time.fetch = fetch_of_area(work, residency);
    if (area == CYCLES_SATURATED || latencies == CYCLES_SATURATED) time.tail = CYCLES_SATURATED;
    return time;
}

/* W(n, f): what n blocks of an SM take while f of them, one behind the other, take a slot: all latencies of
 * these, or their residencies. */
static struct kernel_time time_of_slot(const struct grid_work *work, const struct residency *residency,
                                       uint64_t n, uint64_t f) {
    const cycles initiations = grid_work_most(work, n);
    const cycles residencies = grid_work_residencies(work, residency->resident == 1, f);
    const cycles all = cycles_min(cycles_add(initiations, cycles_mul(f, work->latency_most)),
                                  cycles_add(residencies, grid_work_held(work, n - f)));
    const cycles busy = cycles_min(initiations, all);
    return (struct kernel_time){.busy = busy, .latency = all - busy};
}

/* Blocks that start together and end before others come. */
static struct kernel_time time_together(const struct grid_work *work, uint64_t n, bool chains) {
    const cycles together = grid_work_together(work, n);
    const cycles busy = cycles_min(grid_work_most(work, n), together);
    const struct kernel_time time = {.busy = busy, .latency = together - busy};
    return chains ? kernel_time_min(time, chain_time_together(work, n)) : time;
}

/* The blocks of an SM that follow each other in its slots, without dispatch and fetch. */
static struct kernel_time time_in_turns(const struct grid_work *work, const struct residency *residency,
                                        uint64_t n, uint64_t waves) {
    const bool alone = residency->resident == 1; /* then the slot takes all blocks, the last one, too */
    struct kernel_time time = time_of_slot(work, residency, n, alone ? n : waves - 1);
    if (!alone) time.latency = cycles_add(time.latency, work->latency_most);
    if (!residency->chains) return time;
    return kernel_time_min(time, chain_time_of_sm(work, residency->resident, n));
}

/* h(n) of K-SM: an SM that gets n blocks. */
static struct kernel_time time_of_sm(const struct grid_work *work, const struct residency *residency,
                                     uint64_t n) {
    const uint64_t waves = cycles_ceiling(n, residency->resident);
    struct kernel_time time =
        waves <= 1 ? time_together(work, n, residency->chains) : time_in_turns(work, residency, n, waves);
    time.fetch = grid_work_fetch_time(work, n, residency->resident);
    if (waves > 1) time.dispatch = cycles_mul(waves - 1, residency->delay);
    return time;
}

/* Blocks that an SM can get at most, when `residency.waits`: every other SM fills its residency. */
static uint64_t most_blocks(const struct residency *residency) {
    assert(residency->waits);
    return residency->blocks - (residency->sms - 1) * residency->resident;
}

/* Blocks of the SM that ends last, when all start at once: they are assigned round-robin. */
static uint64_t dealt_blocks(const struct residency *residency) {
    return cycles_ceiling(residency->blocks, residency->sms);
}

static struct kernel_time with_dispatcher(const struct grid_work *work, struct kernel_time time) {
    time.dispatch = cycles_add(time.dispatch, dispatcher_busy(work));
    return time;
}

static struct kernel_time one_sm(const struct grid_work *work, const struct residency *residency) {
    uint64_t n = residency->waits ? most_blocks(residency) : dealt_blocks(residency);
    return with_dispatcher(work, time_of_sm(work, residency, n));
}

struct kernel_time kernel_one_sm(const struct grid_work *work, uint64_t resident) {
    const struct residency residency = residency_of(work, resident, false);
    return one_sm(work, &residency);
}

struct kernel_time kernel_chain_one_sm(const struct grid_work *work, uint64_t resident) {
    const struct residency residency = residency_of(work, resident, true);
    return one_sm(work, &residency);
}

/* The same where an SM holds one block at a time, which has it to itself. */
static struct kernel_time area_of_isolated(const struct grid_work *work, const struct residency *residency) {
    const cycles longest = grid_work_residencies(work, true, 1),
                 all = grid_work_residencies(work, true, residency->blocks);
    const cycles delays = cycles_mul(residency->blocks - residency->sms, residency->delay);
    const cycles last = cycles_add(longest, residency->delay);
    const cycles area = cycles_add(cycles_add(all, delays), cycles_mul(residency->sms - 1, last));
    if (area == CYCLES_SATURATED) return (struct kernel_time){.tail = area};
    const cycles initiations = cycles_min(grid_work_total(work), all) / residency->sms;
    const cycles waiting = cycles_sub(all / residency->sms, initiations);
    struct kernel_time time = {.busy = initiations, .latency = waiting, .dispatch = delays / residency->sms};
    time.tail = cycles_sub(area / residency->sms, kernel_time_sum(&time));
    time.fetch = fetch_of_area(work, residency);
    return time;
}

/* A full SM behind the last dispatch: S_R. */
static cycles time_of_tail(const struct grid_work *work, const struct residency *residency) {
    const struct kernel_time time = time_together(work, residency->resident, residency->chains);
    return kernel_time_sum(&time);
}

/* K-AREA of chains where blocks wait for residency. */
static struct kernel_time area_of_chains(const struct grid_work *work, const struct residency *residency) {
    struct kernel_time time = chain_time_of_area(work, residency->sms, residency->resident,
                                                 time_of_tail(work, residency), residency->delay);
    time.fetch = fetch_of_area(work, residency);
    return time;
}

static struct kernel_time area(const struct grid_work *work, const struct residency *residency) {
    if (!residency->waits) return one_sm(work, residency); /* never more */
    struct kernel_time time = area_of_all(work, residency);
    if (residency->resident == 1) time = kernel_time_min(time, area_of_isolated(work, residency));
    if (residency->chains) time = kernel_time_min(time, area_of_chains(work, residency));
    return with_dispatcher(work, time);
}

struct kernel_time kernel_area(const struct grid_work *work, uint64_t resident) {
    const struct residency residency = residency_of(work, resident, false);
    return area(work, &residency);
}

struct kernel_time kernel_chain_area(const struct grid_work *work, uint64_t resident) {
    const struct residency residency = residency_of(work, resident, true);
    return area(work, &residency);
}

/* g(q) and the tail behind it, S_R: some other SM, full until the last dispatch, gets at most q blocks. */
static struct kernel_time time_of_other(const struct grid_work *work, const struct residency *residency,
                                        uint64_t n, cycles tail) {
    const uint64_t q = (residency->blocks - n) / (residency->sms - 1), waves = q / residency->resident;
    struct kernel_time time = time_of_slot(work, residency, q, waves);
    if (residency->chains)
        time = kernel_time_min(time, chain_time_of_other(work, residency->resident, q, waves));
    time.dispatch = cycles_mul(waves, residency->delay);
    time.tail = tail;
    time.fetch = cycles_add(grid_work_fetch_time(work, q, residency->resident),
                            grid_work_fetch_time(work, residency->resident, residency->resident));
    return time;
}

/* The largest min(h(n), g(q) + tail): the first grows with n, the second falls. */
static struct kernel_time balance_of_two(const struct grid_work *work, const struct residency *residency) {
    const cycles tail = time_of_tail(work, residency);
    uint64_t low = residency->resident, high = most_blocks(residency); /* crossed at high, if anywhere */
    while (low < high) {
        uint64_t n = low + (high - low) / 2;
        struct kernel_time own = time_of_sm(work, residency, n),
                           other = time_of_other(work, residency, n, tail);
        if (kernel_time_sum(&own) >= kernel_time_sum(&other))
            high = n;
        else
            low = n + 1;
    }
    struct kernel_time worst =
        kernel_time_min(time_of_sm(work, residency, high), time_of_other(work, residency, high, tail));
    if (high == residency->resident) return worst;
    return kernel_time_max(worst, kernel_time_min(time_of_sm(work, residency, high - 1),
                                                  time_of_other(work, residency, high - 1, tail)));
}

static struct kernel_time balance(const struct grid_work *work, const struct residency *residency) {
    if (!residency->waits || residency->sms == 1) return one_sm(work, residency);
    return with_dispatcher(work, balance_of_two(work, residency));
}

struct kernel_time kernel_balance(const struct grid_work *work, uint64_t resident) {
    const struct residency residency = residency_of(work, resident, false);
    return balance(work, &residency);
}

struct kernel_time kernel_chain_balance(const struct grid_work *work, uint64_t resident) {
    const struct residency residency = residency_of(work, resident, true);
    return balance(work, &residency);
}

/* part * whole / of, rounded down, for part <= of. */
static cycles share(cycles part, cycles whole, cycles of) {
    if (of == 0) return 0;
    return (cycles)((double)whole * ((double)part / (double)of));
}

/* Divides busy cycles among issue and units as all blocks of the grid do. */
static void add_busy(const struct grid_work *work, cycles busy, wb_bound *bound) {
    const cycles total = cycles_sub(grid_work_total(work), contention_stalls(work));
    cycles units = 0;
    for (uint32_t u = 0; u < work->machine->unit_count; u++) {
        cycles of_unit = 0;
        for (size_t k = 0; k < work->classes.count; k++) {
            const struct block_class *class = &work->classes.items[k];
            of_unit = cycles_add(of_unit, cycles_mul(class->units[u], class->blocks));
        }
        cycles part = cycles_min(share(of_unit, busy, total), busy - units);
        units += part;
        bound_add_part(bound, WB_PART_UNIT, work->machine->units[u].name, part);
    }
    bound_add_part(bound, WB_PART_ISSUE, NULL, busy - units);
}

void kernel_bound_set(const struct grid_work *work, const struct kernel_time *time, wb_bound *bound) {
    bound->cycles = kernel_time_sum(time);
    if (bound->cycles == CYCLES_SATURATED) return;
    const cycles stalls = share(contention_stalls(work), time->busy, grid_work_total(work));
    add_busy(work, time->busy - stalls, bound);
    bound_add_part(bound, WB_PART_SUB_CORES, NULL, time->extras);
    bound_add_part(bound, WB_PART_LATENCY, NULL, time->latency);
    bound_add_part(bound, WB_PART_MEMORY, NULL, cycles_add(time->memory, stalls));
    bound_add_part(bound, WB_PART_FETCH, NULL, time->fetch);
    bound_add_part(bound, WB_PART_DISPATCH, NULL, time->dispatch);
    bound_add_part(bound, WB_PART_TAIL, NULL, time->tail);
}

struct kernel_time kernel_time_worst(const struct grid_work *work, kernel_formula formula) {
    struct kernel_time worst = {0};
    for (uint64_t resident = work->resident_least; resident <= work->resident_most; resident++)
        worst = kernel_time_max(worst, formula(work, resident));
    worst.memory = cycles_add(worst.memory, contention_services(work));
    return worst;
}

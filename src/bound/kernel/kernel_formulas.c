/* Bounds of whole kernels from the sums of their blocks: K-AREA, K-BAL, K-SM (docs/proofs.md, section 12). */
#include "bound/kernel/kernel_formula.h"

/* What turns of blocks and rooms amount to when `resident` blocks fit on an SM. */
struct rooms {
    uint64_t sms, resident, blocks;
    uint64_t count; /* all rooms */
    bool waits;     /* some block waits for a room */
    cycles delay;   /* between two blocks of a room; 0 when none waits */
};

static struct rooms rooms_of(const struct grid_work *work, uint64_t resident) {
    const struct machine_memory *memory = &work->machine->memory;
    struct rooms rooms = {.sms = memory->sms, .resident = resident, .blocks = work->block_count};
    rooms.count = rooms.sms * resident;
    rooms.waits = rooms.blocks > rooms.count;
    rooms.delay = rooms.waits ? memory->dispatch_latency : 0;
    return rooms;
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
static cycles fetch_of_area(const struct grid_work *work, const struct rooms *rooms) {
    const cycles share = cycles_ceiling(grid_work_fetch_time_of_all(work, rooms->resident), rooms->sms);
    return cycles_add(share, grid_work_fetch_time(work, rooms->resident, rooms->resident));
}

/* K-AREA where blocks wait for rooms. */
static struct kernel_time area_of_all(const struct grid_work *work, const struct rooms *rooms) {
    const uint64_t resident = rooms->resident;
    const cycles tail = tail_initiations(work, resident), total = grid_work_total(work);
    const cycles tail_latency = cycles_add(work->latency_most, rooms->delay);
    const cycles delays = cycles_mul(rooms->blocks - rooms->count, rooms->delay);
    const cycles area = cycles_add(total, cycles_mul(rooms->sms - 1, tail));
    cycles latencies = cycles_add(work->latency_total, delays);
    latencies = cycles_add(latencies, cycles_mul(rooms->count - 1, tail_latency));
    latencies = cycles_add(latencies, cycles_mul(area % rooms->sms, resident));
    const cycles sum = cycles_add(area / rooms->sms, latencies / rooms->count);
    struct kernel_time time = {.busy = (total - tail) / rooms->sms,
                               .latency = cycles_sub(work->latency_total, work->latency_most) / rooms->count,
                               .dispatch = cycles_sub(delays, rooms->delay) / rooms->count};
    time.tail = cycles_sub(sum, kernel_time_sum(&time));
    time.fetch = fetch_of_area(work, rooms);
    if (area == CYCLES_SATURATED || latencies == CYCLES_SATURATED) time.tail = CYCLES_SATURATED;
    return time;
}

/* W(n, f): what n blocks of an SM take while f of them, one behind the other, take a room: all latencies of
 * these, or their stays. */
static struct kernel_time time_of_room(const struct grid_work *work, const struct rooms *rooms, uint64_t n,
                                       uint64_t f) {
    const cycles initiations = grid_work_most(work, n);
    const cycles stays = grid_work_stays(work, rooms->resident == 1, f);
    const cycles all = cycles_min(cycles_add(initiations, cycles_mul(f, work->latency_most)),
                                  cycles_add(stays, grid_work_most(work, n - f)));
    const cycles busy = cycles_min(initiations, all);
    return (struct kernel_time){.busy = busy, .latency = all - busy};
}

/* Blocks that start together and end before others come. */
static struct kernel_time time_together(const struct grid_work *work, uint64_t n) {
    const cycles together = grid_work_together(work, n);
    const cycles busy = cycles_min(grid_work_most(work, n), together);
    return (struct kernel_time){.busy = busy, .latency = together - busy};
}

/* h(n) of K-SM: an SM that gets n blocks. */
static struct kernel_time time_of_sm(const struct grid_work *work, const struct rooms *rooms, uint64_t n) {
    const uint64_t turns = cycles_ceiling(n, rooms->resident);
    const bool alone = rooms->resident == 1; /* then the room takes all blocks, the last one, too */
    const bool together = turns <= 1;
    struct kernel_time time =
        together ? time_together(work, n) : time_of_room(work, rooms, n, alone ? n : turns - 1);
    time.fetch = grid_work_fetch_time(work, n, rooms->resident);
    if (together) return time;
    if (!alone) time.latency = cycles_add(time.latency, work->latency_most);
    time.dispatch = cycles_mul(turns - 1, rooms->delay);
    return time;
}

/* Blocks that an SM can get at most, when `rooms.waits`: every other SM fills its rooms. */
static uint64_t most_blocks(const struct rooms *rooms) {
    return rooms->blocks - (rooms->sms - 1) * rooms->resident;
}

/* Blocks of the SM that ends last, when all start at once: they are dealt out in turn. */
static uint64_t dealt_blocks(const struct rooms *rooms) {
    return cycles_ceiling(rooms->blocks, rooms->sms);
}

static struct kernel_time with_dispatcher(const struct grid_work *work, struct kernel_time time) {
    time.dispatch = cycles_add(time.dispatch, dispatcher_busy(work));
    return time;
}

struct kernel_time kernel_one_sm(const struct grid_work *work, uint64_t resident) {
    const struct rooms rooms = rooms_of(work, resident);
    uint64_t n = rooms.waits ? most_blocks(&rooms) : dealt_blocks(&rooms);
    return with_dispatcher(work, time_of_sm(work, &rooms, n));
}

/* The same where an SM holds one block at a time, which has it to itself. */
static struct kernel_time area_of_solos(const struct grid_work *work, const struct rooms *rooms) {
    const cycles longest = grid_work_stays(work, true, 1), all = grid_work_stays(work, true, rooms->blocks);
    const cycles delays = cycles_mul(rooms->blocks - rooms->sms, rooms->delay);
    const cycles last = cycles_add(longest, rooms->delay);
    const cycles area = cycles_add(cycles_add(all, delays), cycles_mul(rooms->sms - 1, last));
    if (area == CYCLES_SATURATED) return (struct kernel_time){.tail = area};
    const cycles initiations = cycles_min(grid_work_total(work), all) / rooms->sms;
    const cycles waiting = cycles_sub(all / rooms->sms, initiations);
    struct kernel_time time = {.busy = initiations, .latency = waiting, .dispatch = delays / rooms->sms};
    time.tail = cycles_sub(area / rooms->sms, kernel_time_sum(&time));
    time.fetch = fetch_of_area(work, rooms);
    return time;
}

struct kernel_time kernel_area(const struct grid_work *work, uint64_t resident) {
    const struct rooms rooms = rooms_of(work, resident);
    if (!rooms.waits) return kernel_one_sm(work, resident); /* never more */
    struct kernel_time time = area_of_all(work, &rooms);
    if (resident == 1) time = kernel_time_min(time, area_of_solos(work, &rooms));
    return with_dispatcher(work, time);
}

/* g(q) and the tail behind it, S_R: some other SM, full until the last dispatch, gets at most q blocks. */
static struct kernel_time time_of_other(const struct grid_work *work, const struct rooms *rooms, uint64_t n,
                                        cycles tail) {
    const uint64_t q = (rooms->blocks - n) / (rooms->sms - 1), turns = q / rooms->resident;
    struct kernel_time time = time_of_room(work, rooms, q, turns);
    time.dispatch = cycles_mul(turns, rooms->delay);
    time.tail = tail;
    time.fetch = cycles_add(grid_work_fetch_time(work, q, rooms->resident),
                            grid_work_fetch_time(work, rooms->resident, rooms->resident));
    return time;
}

/* The largest min(h(n), g(q) + tail): the first grows with n, the second falls. */
static struct kernel_time balance_of_two(const struct grid_work *work, const struct rooms *rooms) {
    const cycles tail = grid_work_together(work, rooms->resident);
    uint64_t low = rooms->resident, high = most_blocks(rooms); /* crossed at high, if anywhere */
    while (low < high) {
        uint64_t n = low + (high - low) / 2;
        struct kernel_time own = time_of_sm(work, rooms, n), other = time_of_other(work, rooms, n, tail);
        if (kernel_time_sum(&own) >= kernel_time_sum(&other))
            high = n;
        else
            low = n + 1;
    }
    struct kernel_time worst =
        kernel_time_min(time_of_sm(work, rooms, high), time_of_other(work, rooms, high, tail));
    if (high == rooms->resident) return worst;
    return kernel_time_max(worst, kernel_time_min(time_of_sm(work, rooms, high - 1),
                                                  time_of_other(work, rooms, high - 1, tail)));
}

struct kernel_time kernel_balance(const struct grid_work *work, uint64_t resident) {
    const struct rooms rooms = rooms_of(work, resident);
    if (!rooms.waits || rooms.sms == 1) return kernel_one_sm(work, resident);
    return with_dispatcher(work, balance_of_two(work, &rooms));
}

/* K-SERIAL: whoever runs when, an SM is done with its blocks after the sum of their serial times
 * (docs/sub-core-bounds.md). Little where latencies are long and blocks many; where blocks have many short
 * sections, the sub-cores that wait for each other at barriers cost less than the chains of k-chain count. */
#include "bound/kernel/chain_times.h"
#include "bound/kernel/kernel_bounds.h"

/* V^n of the blocks of an SM. */
static struct kernel_time serial_time(const struct grid_work *work, uint64_t n) {
    const cycles all = class_ranking_sum(&work->by_serial, n);
    const struct chain_pool *sections = &work->chains.pools[CHAIN_SECTIONS];
    const cycles work_most =
        sections->known ? class_ranking_sum(&sections->by_work, n) : grid_work_most(work, n);
    const cycles busy = cycles_min(work_most, all);
    return (struct kernel_time){.busy = busy, .latency = all - busy};
}

/* The time behind the last dispatch, without the start of a block. */
static cycles tail_of(const struct grid_work *work, uint64_t resident) {
    const struct kernel_time chains = chain_time_together(work, resident),
                             serial = serial_time(work, resident);
    const cycles together = cycles_min(grid_work_together(work, resident), kernel_time_sum(&chains));
    return cycles_min(together, kernel_time_sum(&serial));
}

/* All SMs are full until the last dispatch: what their blocks take is divided evenly until then. */
static struct kernel_time time_of_all(const struct grid_work *work, uint64_t resident) {
    const struct machine_memory *memory = &work->machine->memory;
    const uint64_t sms = memory->sms, slots = cycles_mul(sms, resident);
    const cycles tail = cycles_add(tail_of(work, resident), memory->dispatch_latency);
    const struct kernel_time serial = serial_time(work, work->block_count);
    const cycles delays = cycles_mul(work->block_count - slots, memory->dispatch_latency);
    cycles sum = cycles_add(kernel_time_sum(&serial), delays);
    sum = cycles_add(sum, cycles_mul(sms - 1, tail));
    if (sum == CYCLES_SATURATED) return (struct kernel_time){.tail = sum};
    struct kernel_time time = {
        .busy = serial.busy / sms, .latency = serial.latency / sms, .dispatch = delays / sms};
    time.tail = sum / sms - kernel_time_sum(&time);
    const cycles fetch = grid_work_fetch_time_of_all(work, resident);
    time.fetch = cycles_add(cycles_ceiling(fetch, sms), grid_work_fetch_time(work, resident, resident));
    return time;
}

static struct kernel_time time_of_one(const struct grid_work *work, uint64_t resident, uint64_t n) {
    struct kernel_time time = serial_time(work, n);
    time.fetch = grid_work_fetch_time(work, n, resident);
    time.dispatch = cycles_mul(cycles_sub(n, resident), work->machine->memory.dispatch_latency);
    return time;
}

struct kernel_time kernel_serial(const struct grid_work *work, uint64_t resident) {
    const struct machine_memory *memory = &work->machine->memory;
    const uint64_t blocks = work->block_count;
    struct kernel_time time;
    if (blocks <= cycles_mul(memory->sms, resident))
        time = time_of_one(work, resident, cycles_ceiling(blocks, memory->sms));
    else if (memory->sms == 1)
        time = time_of_one(work, resident, blocks);
    else
        time = time_of_all(work, resident);
    time.dispatch = cycles_add(time.dispatch, cycles_mul(memory->dispatch_service, blocks));
    return time;
}

static const char *serial_objection(const struct bound_input *input) {
    const struct grid_work *work = input->work;
    if (memory_is_contended(&work->machine->memory))
        return "this method is not proven where SMs share a memory (service)";
    for (size_t k = 0; k < work->classes.count; k++) {
        if (work->classes.items[k].serial == CYCLES_SATURATED)
            return "some block executes too many instructions, or has barriers and covering paths";
    }
    return NULL;
}

static wb_status serial_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_chain_upper(input, kernel_serial, bound);
}

const struct bound_method form_serial = {
    .name = "serial",
    .run = serial_run,
    .objection = serial_objection,
    .fits = kernel_has_sub_cores,
    .needs = NEED_PTX_MODEL | NEED_DYNAMIC_DISPATCH,
};

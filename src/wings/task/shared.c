/* What a kernel takes, and adds to others, where several share their SMs: the sums of K-AREA (docs/proofs.md,
 * section 12) without its slots, as an SM may hold no more than one block while others wait (docs/task.md,
 * theorem 2). */
#include "bound/kernel/kernel_bounds.h"
#include "wings/task/task.h"

/* Cycles of an SM in which some of its caches misses a line of the code or its constants, each once. */
static cycles cold_time(const struct grid_work *work) {
    if (work->cold_sets.any == NULL) return 0;
    return cycles_add(work->cold.shared, cold_turns_time(&work->cold_sets, work->machine->sub_cores));
}

static struct kernel_time shared_time(const struct grid_work *work, uint64_t resident) {
    const struct machine_memory *memory = &work->machine->memory;
    const uint64_t blocks = work->block_count;
    const cycles total = grid_work_total(work), delays = cycles_mul(blocks, memory->dispatch_latency);
    const cycles last = cycles_add(work->latency_most, memory->dispatch_latency);
    const cycles tail = cycles_add(grid_work_most(work, cycles_min(resident, blocks)), last);
    cycles sum = cycles_add(cycles_add(total, work->latency_total), delays);
    sum = cycles_add(sum, cycles_mul(memory->sms - 1, tail));
    if (sum == CYCLES_SATURATED) return (struct kernel_time){.tail = sum};
    struct kernel_time time = {.busy = total / memory->sms,
                               .latency = work->latency_total / memory->sms,
                               .dispatch = delays / memory->sms};
    time.tail = cycles_ceiling(sum, memory->sms) - kernel_time_sum(&time);
    time.dispatch = cycles_add(time.dispatch, cycles_mul(memory->dispatch_service, blocks));
    time.fetch = cycles_mul(2, cold_time(work));
    return time;
}

static wb_status shared_run(const struct bound_input *input, wb_bound *bound) {
    return kernel_upper(input, shared_time, bound);
}

const struct bound_method bound_shared = {
    .name = TASK_SHARED_METHOD,
    .summary = "kernels that share SMs: all initiations and latencies over all SMs, and a full SM",
    .run = shared_run,
    .needs =
        NEED_INSTRUCTIONS | NEED_KERNEL | NEED_DYNAMIC_DISPATCH | NEED_NO_FETCH_STALLS | NEED_KNOWN_TIMES,
    .named_only = true,
};

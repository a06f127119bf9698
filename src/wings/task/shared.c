/* What a kernel takes, and adds to others, where several share their SMs: the sums of K-AREA (docs/proofs.md,
 * section 12) without its slots, as an SM may hold no more than one block while others wait (docs/task.md,
 * theorem 2). */
#include "bound/analysis/analysis.h"
#include "bound/kernel/kernel_bounds.h"
#include "wings/task/task.h"

/* Cycles of an SM in which some of its caches misses a line of the code or its constants, each once. */
static cycles cold_time(const struct grid_work *work) {
    if (work->cold_sets.any == NULL) return 0;
    return cycles_add(work->cold.shared, cold_turns_time(&work->cold_sets, work->machine->sub_cores));
}

/* On M SMs all this takes (work + (M - 1) span) / M: work alone on one, span where there are ever more. */
static struct task_span span_of(const struct grid_work *work, uint64_t resident) {
    const uint64_t blocks = work->block_count;
    const cycles delay = work->machine->memory.dispatch_latency;
    const cycles together = grid_work_most(work, cycles_min(resident, blocks));
    const cycles all = cycles_add(grid_work_total(work), work->latency_total);
    return (struct task_span){cycles_add(all, cycles_mul(blocks, delay)),
                              cycles_add(together, cycles_add(work->latency_most, delay))};
}

static cycles time_on(const struct task_span *span, uint64_t sms) {
    const cycles sum = cycles_add(span->work, cycles_mul(sms - 1, span->span));
    return sum == CYCLES_SATURATED ? sum : cycles_ceiling(sum, sms);
}

static struct kernel_time shared_time(const struct grid_work *work, uint64_t resident) {
    const struct machine_memory *memory = &work->machine->memory;
    const struct task_span span = span_of(work, resident);
    const cycles all = time_on(&span, memory->sms);
    if (all == CYCLES_SATURATED) return (struct kernel_time){.tail = all};
    struct kernel_time time = {.busy = grid_work_total(work) / memory->sms,
                               .latency = work->latency_total / memory->sms};
    time.tail = all - kernel_time_sum(&time);
    time.dispatch = cycles_mul(memory->dispatch_service, work->block_count);
    time.fetch = cycles_mul(2, cold_time(work));
    return time;
}

struct task_span task_span_of_node(const struct task_node *node) {
    const struct grid_work *work = &node->analysis->work;
    struct task_span span = span_of(work, work->resident_most);
    const cycles besides = cycles_sub(node->time, time_on(&span, work->machine->memory.sms));
    return (struct task_span){cycles_add(span.work, besides), cycles_add(span.span, besides)};
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

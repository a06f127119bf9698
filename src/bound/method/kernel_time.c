#include "bound/method/kernel_time.h"

cycles kernel_time_sum(const struct kernel_time *time) {
    cycles sum = cycles_add(cycles_add(time->busy, time->extras), time->latency);
    sum = cycles_add(sum, cycles_add(time->memory, time->dispatch));
    return cycles_add(sum, cycles_add(time->fetch, time->tail));
}

struct kernel_time kernel_time_max(struct kernel_time a, struct kernel_time b) {
    return kernel_time_sum(&a) >= kernel_time_sum(&b) ? a : b;
}

struct kernel_time kernel_time_min(struct kernel_time a, struct kernel_time b) {
    return kernel_time_sum(&a) <= kernel_time_sum(&b) ? a : b;
}

void kernel_time_to_bound(const struct kernel_time *time, wb_bound *bound) {
    bound->cycles = kernel_time_sum(time);
    if (bound->cycles == CYCLES_SATURATED) return;
    bound_add_part(bound, WB_PART_BUSY, NULL, time->busy);
    bound_add_part(bound, WB_PART_SUB_CORES, NULL, time->extras);
    bound_add_part(bound, WB_PART_LATENCY, NULL, time->latency);
    bound_add_part(bound, WB_PART_MEMORY, NULL, time->memory);
    bound_add_part(bound, WB_PART_FETCH, NULL, time->fetch);
    bound_add_part(bound, WB_PART_DISPATCH, NULL, time->dispatch);
    bound_add_part(bound, WB_PART_TAIL, NULL, time->tail);
}

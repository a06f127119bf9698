#include "bound/method/kernel_time.h"

cycles kernel_time_sum(const struct kernel_time *time) {
    cycles sum = cycles_add(time->busy, time->latency);
    sum = cycles_add(sum, cycles_add(time->memory, time->dispatch));
    return cycles_add(sum, cycles_add(time->fetch, time->tail));
}

struct kernel_time kernel_time_max(struct kernel_time a, struct kernel_time b) {
    return kernel_time_sum(&a) >= kernel_time_sum(&b) ? a : b;
}

struct kernel_time kernel_time_min(struct kernel_time a, struct kernel_time b) {
    return kernel_time_sum(&a) <= kernel_time_sum(&b) ? a : b;
}

void bound_add_part(wb_bound *bound, const char *what, const char *unit, cycles value) {
    if (value == 0 || bound->part_count == WB_PARTS_MAX) return;
    size_t at = bound->part_count++;
    for (; at > 0 && bound->parts[at - 1].cycles < value; at--)
        bound->parts[at] = bound->parts[at - 1];
    bound->parts[at] = (wb_part){what, unit, value};
}

void kernel_time_to_bound(const struct kernel_time *time, wb_bound *bound) {
    bound->cycles = kernel_time_sum(time);
    if (bound->cycles == CYCLES_SATURATED) return;
    bound_add_part(bound, "busy", NULL, time->busy);
    bound_add_part(bound, "latency", NULL, time->latency);
    bound_add_part(bound, "memory", NULL, time->memory);
    bound_add_part(bound, "fetch", NULL, time->fetch);
    bound_add_part(bound, "dispatch", NULL, time->dispatch);
    bound_add_part(bound, "tail", NULL, time->tail);
}

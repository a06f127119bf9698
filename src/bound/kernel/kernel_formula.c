#include "bound/kernel/kernel_formula.h"

#include "bound/block/sib.h"
#include "bound/grid/contention.h"

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
        for (size_t k = 0; k < work->kinds.count; k++) {
            const struct block_kind *kind = &work->kinds.items[k];
            of_unit = cycles_add(of_unit, cycles_mul(kind->units[u], kind->blocks));
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

/* The lesser of two times: that with all waiting for memory at once, and that with each request's waiting in
 * its latency. *work: what it is made of. */
static struct kernel_time least_time(kernel_formula formula, const struct grid_work **work) {
    struct kernel_time time = kernel_time_worst(*work, formula);
    if ((*work)->in_order == NULL) return time;
    struct kernel_time in_order = kernel_time_worst((*work)->in_order, formula);
    if (kernel_time_sum(&in_order) >= kernel_time_sum(&time)) return time;
    *work = (*work)->in_order;
    return in_order;
}

wb_status kernel_upper(const struct bound_input *input, kernel_formula formula, wb_bound *bound) {
    const struct grid_work *work = input->work;
    const struct kernel_time time = least_time(formula, &work);
    kernel_bound_set(work, &time, bound);
    bound->kind = WB_UPPER;
    bound_assume_model(input, bound);
    assume(bound, WB_ASSUME_UNITS_NOT_IDLE);
    if (sib_unproven(work->machine) == NULL) assume(bound, WB_ASSUME_UNITS_IN_ISSUE_ORDER);
    grid_assume_dispatch(work, bound);
    contention_assume(work, bound);
    return WB_OK;
}

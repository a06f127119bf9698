/* The bounds of whole kernels on machines without caches: their parts, each divided in proportion to what the
 * instructions of all blocks do. */
#include <string.h>

#include "cost/costs.h"

/* What weights a part is divided by. */
struct part_filter {
    const struct cost_work *work;
    const struct wb_machine *machine;
    const wb_part *part;
    size_t instructions;
};

/* Whether a weight is of the part: of a unit, those of its instructions; behind the last dispatch, all. */
static bool part_has(const void *user, size_t row, wb_part_kind what) {
    const struct part_filter *filter = user;
    const wb_part *part = filter->part;
    if (part->what == WB_PART_TAIL) return true;
    if (part->what != what) return false;
    if (part->unit == NULL) return true;
    return row < filter->instructions && filter->work[row].unit != UNIT_NONE &&
           strcmp(filter->machine->units[filter->work[row].unit].name, part->unit) == 0;
}

static enum cost_apart apart_of(wb_part_kind what) {
    switch (what) {
    case WB_PART_DISPATCH: return COST_DISPATCH;
    case WB_PART_FETCH: return COST_FETCH;
    case WB_PART_MEMORY: return COST_MEMORY;
    default: return COST_OTHER;
    }
}

/* Adds a class of blocks to the weights, and to what instructions do. */
static wb_status add_class(struct cost_maker *maker, uint32_t number, struct tally *weights) {
    const struct wb_analysis *analysis = maker->analysis;
    const struct block_class *class = &analysis->work.classes.items[number];
    struct class_times made = {0};
    const struct timed_block *timed = class->timed;
    wb_status status = WB_OK;
    if (timed == NULL) {
        status = class_times_make(&analysis->grid_times, &analysis->work, number, maker->diagnostics, &made);
        timed = &made.timed;
    }
    if (status == WB_OK) status = cost_work_add(maker, timed, class->blocks);
    if (status == WB_OK) status = cost_add_elb(maker, timed, class->blocks, weights);
    class_times_clear(&made);
    return status;
}

static wb_status add_classes(struct cost_maker *maker, struct tally *weights) {
    const struct grid_work *work = &maker->analysis->work;
    for (uint32_t k = 0; k < work->classes.count; k++) {
        WB_TRY(add_class(maker, k, weights));
        if (maker->watch == NULL || maker->watch->poll == NULL) continue;
        if (maker->watch->poll(maker->watch->user, "costs", k, work->classes.count)) continue;
        diagnose(maker->diagnostics, SEVERITY_ERROR, "costs", "analysis stopped");
        return WB_ERR_LIMIT;
    }
    return WB_OK;
}

/* Divides the parts of the bound by the weights. */
static wb_status divide_parts(struct cost_maker *maker, const struct tally *weights) {
    for (size_t p = 0; p < maker->bound->part_count; p++) {
        const wb_part *part = &maker->bound->parts[p];
        const struct part_filter filter = {maker->work, maker->analysis->machine, part,
                                           weights->instructions};
        if (tally_apportion(&maker->shares, part->what, part->cycles, weights, part_has, &filter,
                            apart_of(part->what)) != WB_OK)
            return diagnose_out_of_memory(maker->diagnostics, "costs");
    }
    return WB_OK;
}

wb_status kernel_costs(struct cost_maker *maker) {
    struct tally weights;
    if (maker->bound->part_count == 0) return cost_decline(maker, "nothing says where its cycles go");
    if (tally_init(&weights, maker->shares.instructions, &maker->costs->arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    WB_TRY(add_classes(maker, &weights));
    return divide_parts(maker, &weights);
}

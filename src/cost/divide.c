/* Dividing the parts of a bound among instructions. */
#include <string.h>

#include "cost/costs.h"

/* What weights a part is divided by. */
struct part_filter {
    const struct cost_work *work;
    const struct wb_machine *machine;
    wb_part_kind what;
    const char *unit; /* or NULL */
    size_t instructions;
};

/* Whether a weight is of the part: of a unit, those of its instructions. What was busy, or behind the last
 * dispatch, is of issue, units and latencies alike. */
static bool part_has(const void *user, size_t row, wb_part_kind what) {
    const struct part_filter *filter = user;
    const bool is_busy = what == WB_PART_ISSUE || what == WB_PART_UNIT;
    if (filter->what == WB_PART_BUSY || filter->what == WB_PART_SUB_CORES) return is_busy;
    if (filter->what == WB_PART_TAIL) return true;
    if (filter->what != what) return false;
    if (filter->unit == NULL) return true;
    return row < filter->instructions && filter->work[row].unit != UNIT_NONE &&
           strcmp(filter->machine->units[filter->work[row].unit].name, filter->unit) == 0;
}

static enum cost_apart apart_of(wb_part_kind what) {
    switch (what) {
    case WB_PART_DISPATCH: return COST_DISPATCH;
    case WB_PART_FETCH: return COST_FETCH;
    case WB_PART_MEMORY: return COST_MEMORY;
    default: return COST_OTHER;
    }
}

static wb_status divide(struct cost_maker *maker, const wb_part *part, const struct tally *weights) {
    const struct part_filter filter = {.work = maker->work,
                                       .machine = maker->analysis->machine,
                                       .what = part->what,
                                       .unit = part->unit,
                                       .instructions = weights->instructions};
    if (tally_apportion(&maker->shares, part->what, part->cycles, weights, part_has, &filter,
                        apart_of(part->what)) == WB_OK)
        return WB_OK;
    return diagnose_out_of_memory(maker->diagnostics, "costs");
}

wb_status cost_divide(struct cost_maker *maker, wb_part_kind what, cycles total,
                      const struct tally *weights) {
    const wb_part part = {what, NULL, total};
    return divide(maker, &part, weights);
}

wb_status cost_divide_parts(struct cost_maker *maker, const struct tally *weights,
                            const struct tally *latencies, const struct tally *last) {
    for (size_t p = 0; p < maker->bound->part_count; p++) {
        const wb_part *part = &maker->bound->parts[p];
        const struct tally *by = weights;
        if (part->what == WB_PART_LATENCY) by = latencies;
        if (part->what == WB_PART_TAIL) by = last;
        WB_TRY(divide(maker, part, by));
    }
    return WB_OK;
}

/* Which kinds of weights count: bits. */
static bool kinds_have(const void *user, size_t row, wb_part_kind what) {
    const uint32_t *kinds = user;
    (void)row;
    return (*kinds >> what & 1) != 0;
}

wb_status cost_divide_kinds(struct cost_maker *maker, uint32_t kinds, cycles total,
                            const struct tally *weights, enum cost_apart apart) {
    if (tally_apportion(&maker->shares, WB_PART_COUNT, total, weights, kinds_have, &kinds, apart) == WB_OK)
        return WB_OK;
    return diagnose_out_of_memory(maker->diagnostics, "costs");
}

wb_status cost_divide_unit(struct cost_maker *maker, const char *unit, cycles total) {
    const struct wb_machine *machine = maker->analysis->machine;
    struct tally weights;
    uint32_t number = 0;
    while (strcmp(machine->units[number].name, unit) != 0)
        number++;
    if (tally_init(&weights, maker->shares.instructions, &maker->costs->arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    for (size_t i = 0; i < weights.instructions; i++)
        tally_add(&weights, i, WB_PART_UNIT, maker->by_unit[i * machine->unit_count + number]);
    return cost_divide(maker, WB_PART_UNIT, total, &weights);
}

cycles cost_left(const struct cost_maker *maker) {
    return cycles_sub(maker->bound->cycles, tally_sum(&maker->shares));
}

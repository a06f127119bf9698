/* Dividing cycles into whole ones, and the parts of a bound among instructions. */
#include <stdlib.h>
#include <string.h>

#include "cost/costs.h"

wb_status tally_init(struct tally *tally, size_t instructions, struct arena *arena) {
    *tally = (struct tally){.instructions = instructions};
    tally->cycles = arena_array(arena, tally_rows(tally) * WB_PART_COUNT, sizeof *tally->cycles);
    return tally->cycles == NULL ? WB_ERR_LIMIT : WB_OK;
}

cycles tally_sum(const struct tally *tally) {
    cycles sum = 0;
    for (size_t i = 0; i < tally_rows(tally) * WB_PART_COUNT; i++)
        sum = cycles_add(sum, tally->cycles[i]);
    return sum;
}

void tally_add_all(struct tally *tally, const struct tally *other, uint64_t times) {
    for (size_t i = 0; i < tally_rows(tally) * WB_PART_COUNT; i++)
        tally->cycles[i] = cycles_add(tally->cycles[i], cycles_mul(other->cycles[i], times));
}

/* The remainder of rounding down. */
struct remainder {
    unsigned __int128 left;
    size_t weight; /* its number */
};

static int compare_remainders(const void *a, const void *b) {
    const struct remainder *x = a, *y = b;
    if (x->left != y->left) return x->left < y->left ? 1 : -1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

bool tally_divide(uint64_t total, const struct tally_weight *weights, size_t count, bool *no_memory) {
    unsigned __int128 sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += weights[i].weight;
    if (sum == 0) return false;
    struct remainder *remainders = calloc(count, sizeof *remainders);
    if (remainders == NULL) {
        *no_memory = true;
        return false;
    }
    uint64_t divided = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned __int128 product = (unsigned __int128)total * weights[i].weight;
        const uint64_t part = (uint64_t)(product / sum);
        remainders[i] = (struct remainder){product % sum, i};
        *weights[i].into += part;
        divided += part;
    }
    qsort(remainders, count, sizeof *remainders, compare_remainders);
    for (size_t i = 0; divided < total; i++, divided++)
        ++*weights[remainders[i].weight].into;
    free(remainders);
    return true;
}

wb_status tally_apportion(struct tally *tally, wb_part_kind what, uint64_t total, const struct tally *weights,
                          tally_filter filter, const void *user, enum cost_apart apart) {
    VEC(struct tally_weight) list = {0};
    bool no_memory = false;
    for (size_t row = 0; row < tally_rows(weights) && !no_memory && total > 0; row++) {
        for (wb_part_kind kind = 0; kind < WB_PART_COUNT && !no_memory; kind++) {
            const uint64_t weight = *tally_at(weights, row, kind);
            if (weight == 0 || !filter(user, row, kind)) continue;
            const struct tally_weight one = {weight,
                                             tally_at(tally, row, what == WB_PART_COUNT ? kind : what)};
            no_memory = vec_push(&list, one) != WB_OK;
        }
    }
    if (total > 0 && !no_memory && !tally_divide(total, list.items, list.count, &no_memory))
        tally_add(tally, tally_apart(tally, apart), what == WB_PART_COUNT ? WB_PART_BUSY : what, total);
    vec_free(&list);
    return no_memory ? WB_ERR_LIMIT : WB_OK;
}

/* ---- Parts of a bound ------------------------------------------------------------------------------- */

/* The weights by which a part is divided. */
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
    case WB_PART_MEMORY:
    case WB_PART_NEIGHBOURS:
    case WB_PART_TRANSLATIONS:
    case WB_PART_DRAM: return COST_MEMORY;
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
    if (machine->fills.held > 0 && number == machine->fills.unit) { /* no instruction holds it */
        tally_add(&maker->shares, tally_apart(&maker->shares, COST_MEMORY), WB_PART_UNIT, total);
        return WB_OK;
    }
    if (tally_init(&weights, maker->shares.instructions, &maker->costs->arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    for (size_t i = 0; i < weights.instructions; i++)
        tally_add(&weights, i, WB_PART_UNIT, maker->by_unit[i * machine->unit_count + number]);
    return cost_divide(maker, WB_PART_UNIT, total, &weights);
}

cycles cost_left(const struct cost_maker *maker) {
    return cycles_sub(maker->bound->cycles, tally_sum(&maker->shares));
}

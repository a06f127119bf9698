/* code-elb of a block: theorem 3 of docs/machine-code-bounds.md, section 5. */
#include "code.h"

#include <stdlib.h>

uint64_t work_of(const struct code *code) {
    const uint64_t all = holds(code, UINT64_MAX);
    if (code->operand > 0 || code->stages == 0) return add(code->slot, all);
    return add(max(code->slot, code->way[0].hold), all - code->way[0].hold);
}

static uint64_t hold_of(const struct code *code) {
    const uint64_t first = code->stages > 0 ? code->way[0].hold : 0;
    return code->operand > 0 ? max(1, first) : max(code->slot, first);
}

/* Times of a warp in latencies; behind them when a stage began on each unit, then counters. */
enum { ISSUE, ENDS, WORK, TIMES };

struct amount {
    uint64_t work, lam;
};

static void meet_lam(struct walk *walk, uint64_t number) {
    const struct code *code = &walk->block->code.items[number];
    struct passage *passage = walk->context;
    const struct code *last = passage->last;
    uint64_t *times = walk->times, *began = times + TIMES, at = code->fetch;
    if (last != NULL) at = add(times[ISSUE], beyond(max(last->stall, code->fetch), hold_of(last)));
    times[ISSUE] = at = add(max(at, counted(walk, code)), code->operand);
    uint64_t over = at;
    if (code->barrier) over = add(at, beyond(max(code->stall, code->behind), hold_of(code)));
    for (uint64_t s = 0; s < code->stages; s++) {
        if (s > 0) at = add(at, code->way[s - 1].transfer);
        began[code->way[s].unit] = at = max(at, began[code->way[s].unit]);
    }
    count_up(walk, code, at);
    times[ENDS] = max(times[ENDS], max(over, add(at, max(code->write, code->read))));
    times[WORK] = add(times[WORK], work_of(code));
    passage->last = code;
}

static struct amount amount_of(const struct block *of, const struct section *section) {
    struct passage passage = passage_of(of, TIMES + machine.units);
    const uint64_t count = passage.counts + times_of_counts(&passage);
    uint64_t *times = times_behind(of, &section->steps, meet_lam, count, &passage);
    const struct amount amount = {times[WORK], times[ENDS]};
    free(times);
    return amount;
}

/* The longest chain. */
static uint64_t row_latency(const struct block *of, const struct amount *amounts, uint64_t row, bool ends) {
    uint64_t longest = 0;
    (void)ends;
    for (uint64_t g = 0; g < of->warps.count; g++)
        longest = max(longest, amounts[cell(of, row, of->warps.items[g].path)].lam);
    return longest;
}

/* The same with all that is held. */
static uint64_t row_time(const struct block *of, const struct amount *amounts, uint64_t row, bool ends) {
    uint64_t sum = row_latency(of, amounts, row, ends);
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const uint64_t work = amounts[cell(of, row, of->warps.items[g].path)].work;
        sum = add(sum, mul(work, of->warps.items[g].count));
    }
    return sum;
}

static uint64_t code_time(const struct block *of, row_time_function row) {
    struct amount *amounts = zeroed(of->sections.count, sizeof *amounts);
    find_units(of);
    for (uint64_t s = 0; s < of->sections.count; s++)
        amounts[s] = amount_of(of, &of->sections.items[s]);
    const uint64_t sum = sum_of_rows(of, amounts, row);
    free(amounts);
    return sum;
}

uint64_t code_latency(const struct block *of) {
    return code_time(of, row_latency);
}

uint64_t code_elb(struct block *of) {
    return code_time(of, row_time);
}

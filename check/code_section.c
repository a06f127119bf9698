/* A section of machine code by itself: the graphs and sums of docs/machine-code-bounds.md, sections 2 to 5
 * (sass/CodeElb.v, sass/CodeSpill.v). */
#include "code.h"

#include <stdlib.h>

/* Times of a warp, with its own holds and in latencies alone; sums; behind them of each unit when it is free
 * of own holds, when a stage began there in latencies, and what of NEAR latches are held beyond the slots.
 * Then the times of counters, of both graphs: when each of the last counts is undone, the last first, and all
 * older ones. Then those of Q. */
enum { ISSUE, ENDS, LAM_ISSUE, LAM_ENDS, WORK, NEAR, WIDE, CLASH, TIMES };

static uint64_t *of_units(const struct walk *walk, int what) {
    return walk->times + TIMES + (uint64_t)what * walk->block->machine->units;
}
enum { FREE, BEGAN, SPARE, PER_UNIT };

/* ---- Counters: E3 and E4 ---- */

static uint64_t counts_before(const struct passage *passage, uint64_t counter) {
    uint64_t sum = 0;
    for (uint64_t c = 0; c < counter; c++)
        sum += passage->recent[c] + 1;
    return sum;
}

static uint64_t *counts_of(const struct walk *walk, bool lam, uint64_t counter) {
    const struct passage *passage = walk->context;
    const uint64_t first = lam ? counts_before(passage, COUNTERS) : 0;
    return of_units(walk, PER_UNIT) + first + counts_before(passage, counter);
}

static uint64_t *times_left(const struct walk *walk) {
    return counts_of(walk, true, COUNTERS);
}

/* When the counters let it go on. */
static uint64_t counted(const struct walk *walk, bool lam, const struct code *code) {
    const struct passage *passage = walk->context;
    uint64_t at = 0;
    for (uint64_t c = 0; c < COUNTERS; c++) {
        const uint64_t *counts = counts_of(walk, lam, c);
        const bool all = has(code->waits, c);
        for (uint64_t i = 0; (all || code->depbar == c) && i <= passage->recent[c]; i++)
            if (all || i >= code->left) at = max(at, counts[i]);
    }
    return at;
}

static void count_one(const struct walk *walk, bool lam, uint64_t counter, uint64_t at) {
    const struct passage *passage = walk->context;
    if (counter == NO_COUNTER) return;
    uint64_t *counts = counts_of(walk, lam, counter), oldest = passage->recent[counter];
    if (oldest > 0) counts[oldest] = max(counts[oldest], counts[oldest - 1]);
    for (uint64_t i = oldest; i > 1; i--)
        counts[i - 1] = counts[i - 2];
    counts[0] = oldest > 0 ? at : max(counts[0], at);
}

/* What it counts up when its last stage is over at `at`; what ends then, and its last step `over`. */
static void end_code(const struct walk *walk, bool lam, const struct code *code, uint64_t at, uint64_t over) {
    uint64_t *ends = &walk->times[lam ? LAM_ENDS : ENDS];
    count_one(walk, lam, code->reads, add(at, code->read));
    count_one(walk, lam, code->writes, add(at, code->write));
    *ends = max(*ends, max(over, add(at, max(code->write, code->read))));
}

/* ---- What is held ---- */

uint64_t holds(const struct code *code, uint64_t of_units) {
    uint64_t sum = 0;
    for (uint64_t s = 0; s < code->stages; s++)
        if (has(of_units, code->way[s].unit)) sum = add(sum, code->way[s].hold);
    return sum;
}

/* Its slot and what it holds, where the slot of one that does not wait for operands passes with the first. */
static uint64_t work_of(const struct code *code) {
    const uint64_t all = holds(code, UINT64_MAX), first = code->stages > 0 ? code->way[0].hold : 0;
    return code->operand > 0 ? add(code->slot, all) : add(max(code->slot, first), all - first);
}

/* occ for warps of the same sub-core. */
static uint64_t charge_near(const struct machine *machine, const struct code *code) {
    if (!is_latch(machine, code)) return add(code->slot, holds(code, UINT64_MAX));
    return work_of(code) - (code->operand > 0);
}

/* Of its slot and first hold what passes before the next can go on. */
static uint64_t hold_of(const struct code *code) {
    const uint64_t first = code->stages > 0 ? code->way[0].hold : 0;
    return code->operand > 0 ? max(1, first) : max(code->slot, first);
}

static uint64_t latest_of(const uint64_t *at, uint64_t units, uint64_t set) {
    uint64_t latest = 0;
    for (uint64_t u = 0; u < units; u++)
        if (has(set, u)) latest = max(latest, at[u]);
    return latest;
}

/* ---- Both graphs ---- */

/* The own graph: E1 to E7, and the ends. */
static void meet_own(const struct walk *walk, const struct code *code) {
    const struct machine *machine = walk->block->machine;
    const struct passage *passage = walk->context;
    const struct code_units *units = passage->units;
    const struct code *last = passage->last;
    const bool latch = is_latch(machine, code);
    uint64_t *times = walk->times, *free_at = of_units(walk, FREE), waits = units->held, at = code->fetch;
    if (last != NULL) at = add(times[ISSUE], max(max(last->stall, last->slot), code->fetch));
    if (latch || is_queued(machine, code)) waits |= units->blocking[code->way[0].unit];
    at = max(max(at, counted(walk, false, code)), latest_of(free_at, machine->units, waits));
    times[ISSUE] = at = add(at, code->operand);
    const uint64_t over = add(at, max(code->slot, code->barrier ? max(code->stall, code->behind) : 0));
    for (uint64_t s = 0; s < code->stages; s++) {
        const struct stage *stage = &code->way[s];
        if (s > 0) at = add(at, stage[-1].transfer);
        if (s > 0 || !latch) at = max(at, latest_of(free_at, machine->units, units->blocking[stage->unit]));
        at = add(at, stage->hold);
        free_at[stage->unit] = max(free_at[stage->unit], at);
    }
    end_code(walk, false, code, at, over);
}

/* What of its stall, or the next one's fetch, passes without its hold. Parts of paths may have another one
 * before what is fetched, with less of a hold. */
static uint64_t unheld(const struct walk *walk, const struct code *code, uint64_t fetch) {
    const uint64_t hold = hold_of(code);
    return max(less(code->stall, hold), less(fetch, walk->block->parts ? 0 : hold));
}

/* The graph without holds. */
static void meet_lam(const struct walk *walk, const struct code *code) {
    const struct code *last = ((const struct passage *)walk->context)->last;
    uint64_t *times = walk->times, *began = of_units(walk, BEGAN), at = code->fetch;
    if (last != NULL) at = add(times[LAM_ISSUE], unheld(walk, last, code->fetch));
    times[LAM_ISSUE] = at = add(max(at, counted(walk, true, code)), code->operand);
    uint64_t over = at;
    if (code->barrier) over = add(at, unheld(walk, code, code->behind));
    for (uint64_t s = 0; s < code->stages; s++) {
        if (s > 0) at = add(at, code->way[s - 1].transfer);
        began[code->way[s].unit] = at = max(at, began[code->way[s].unit]);
    }
    end_code(walk, true, code, at, over);
}

static void meet_code(struct walk *walk, uint64_t number) {
    const struct block *of = walk->block;
    const struct code *code = &of->code.items[number];
    struct passage *passage = walk->context;
    uint64_t *times = walk->times;
    const uint64_t near = charge_near(of->machine, code);
    meet_own(walk, code);
    meet_lam(walk, code);
    meet_left(of, passage, times_left(walk), code);
    times[WORK] = add(times[WORK], work_of(code));
    times[NEAR] = add(times[NEAR], near);
    times[WIDE] = add(times[WIDE], holds(code, passage->units->wide));
    times[CLASH] = add(times[CLASH], holds(code, passage->units->clash));
    for (uint64_t s = 0; s < code->stages; s++)
        passage->used |= (uint64_t)1 << code->way[s].unit;
    if (code->fixed && code->stages > 0) {
        uint64_t *spare = &of_units(walk, SPARE)[code->way[0].unit];
        *spare = add(*spare, near - code->slot);
    }
    passage->last = code;
}

static struct code_amount amount_of(const struct block *of, const struct section *section) {
    struct passage passage = {.units = units_of(of->check)};
    for (uint64_t i = 0; i < of->code.count; i++) {
        const struct code *code = &of->code.items[i];
        if (code->depbar != NO_COUNTER)
            passage.recent[code->depbar] = max(passage.recent[code->depbar], code->left);
    }
    const uint64_t units = of->machine->units, left = times_of_left(of);
    const uint64_t count = TIMES + PER_UNIT * units + 2 * counts_before(&passage, COUNTERS) + left;
    uint64_t *times = times_behind(of, &section->steps, meet_code, count, &passage);
    struct code_amount amount = {times[ENDS], times[LAM_ENDS], times[WORK],
                                 times[NEAR], times[WIDE],     times[CLASH],
                                 0,           passage.used,    {0}};
    amount.left = left_behind(of, &passage, times + count - left);
    for (uint64_t u = 0; u < units; u++)
        amount.spare[u] = times[TIMES + SPARE * units + u];
    free(times);
    return amount;
}

const struct code_amount *amounts_of(struct block *of) {
    if (of->of_codes != NULL) return of->of_codes;
    of->of_codes = zeroed(of->check, of->sections.count, sizeof *of->of_codes);
    for (uint64_t s = 0; s < of->sections.count; s++)
        of->of_codes[s] = amount_of(of, &of->sections.items[s]);
    return of->of_codes;
}

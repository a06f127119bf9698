/* An execution of a block: rules R1 to R7 of docs/proofs.md, section 1. */
#include "check.h"

#include <stdlib.h>

/* When an instruction of a warp was issued and started, and what it took. */
struct execution {
    uint64_t issue, start, init, latency, line;
    uint64_t ready;                     /* when the warp could issue it, but for slots and units */
    uint64_t sub_core, unit, instances; /* units that sub-cores have for themselves are numbered apart */
};

/* Of the last block for which there are any: row by row, warp by warp, in program order. */
static LIST(struct execution) executions;
static uint64_t last_block, executed; /* its number, from 1 on; executions of it that were met so far */

/* Forgets those of a block before. */
static void begin_block(void) {
    if (last_block != blocks.count) executions.count = 0;
    last_block = blocks.count;
}

static void read_at(const uint64_t *n) {
    begin_block();
    PUSH(&executions, (struct execution){n[0], n[1], n[2], n[3], .line = line_number});
}

static void hold(bool kept, const char *rule, const struct execution *x) {
    line_number = kept ? line_number : x->line;
    if (!kept) stop(1, "NOT PROVEN: this is no execution, as it breaks %s", rule);
}

/* R1, R2 and R7 for the next instruction of a warp. One without a unit is executed as soon as these allow. */
static void meet_execution(struct walk *walk, uint64_t number) {
    const struct inst *inst = &walk->block->insts.items[number];
    const struct warps *warps = walk->context;
    const uint64_t ready = operands_there(walk, walk->times, inst), u = inst->unit;
    uint64_t done = add(ready, inst->latency);
    walk->times[NOW] = ready;
    if (u != NO_UNIT) {
        if (executed == executions.count) refuse("not all instructions are executed");
        struct execution *one = &executions.items[executed++];
        hold(one->init > 0 && one->init <= inst->init, "the stated initiation", one);
        hold(one->latency <= inst->latency, "the stated latency", one);
        hold(one->issue >= ready, "R1, R2 or R7", one);
        hold(one->start >= one->issue, "R3 (it starts before its issue)", one);
        one->ready = ready;
        one->sub_core = warps->sub_core;
        one->unit = add(mul(u, machine.sub_cores), machine.shared[u] ? 0 : warps->sub_core);
        one->instances = machine.instances[u];
        done = add(add(one->start, one->init), one->latency);
        walk->times[NOW] = one->issue + 1;
    }
    result_there(walk, walk->times, inst, done);
}

/* A row of sections, of all warps, and the release before it. */
static void meet_executed_row(struct walk *walk, uint64_t row) {
    const struct block *of = walk->block;
    const uint64_t count = times_of(of);
    uint64_t *times = walk->times, *is_behind = times + walk->time_count - 1;
    if (*is_behind) release_all(walk, (walk->time_count - 1) / count);
    *is_behind = 1;
    for (uint64_t g = 0; g < of->warps.count; g++) {
        struct warps *warps = &of->warps.items[g];
        const program *steps = &section_of(of, row, warps->path)->steps;
        for (uint64_t w = 0; w < warps->count; w++, times += count) {
            struct walk own = {of, steps, meet_execution, times, count, warps, true};
            walk_all(&own);
        }
    }
}

/* By unit, and by the cycle of issue. */
static int in_order(const void *a, const void *b) {
    const struct execution *x = a, *y = b;
    if (x->unit != y->unit) return x->unit < y->unit ? -1 : 1;
    if (x->issue != y->issue) return x->issue < y->issue ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* R3, R4 and R6 of the instructions of a unit, with what sub-cores issue in each cycle until `end`. */
static void check_unit(const struct execution *all, uint64_t count, const uint32_t *issued, uint64_t end) {
    uint32_t *busy = zeroed(mul(2, end), sizeof *busy), *queue = busy + end;
    for (uint64_t i = 0; i < count; i++) {
        const struct execution *x = &all[i];
        hold(i == 0 || x[-1].start <= x->start, "R3 (first in, first out)", x);
        for (uint64_t t = x->issue; t < x->start; t++)
            hold(++queue[t] <= machine.depth, "R4", x);
        for (uint64_t t = x->start; t < x->start + x->init; t++)
            hold(++busy[t] <= x->instances, "R3 (instances)", x);
        count_work(x->start + x->init - x->ready);
    }
    for (uint64_t i = 0; i < count; i++) {
        const struct execution *x = &all[i];
        for (uint64_t t = x->issue; t < x->start; t++)
            hold(busy[t] == x->instances, "R3 (it waits for a unit that is free)", x);
        for (uint64_t t = x->ready; t < x->issue; t++)
            hold(issued[x->sub_core * end + t] == machine.width ||
                     (busy[t] == x->instances && queue[t] == machine.depth),
                 "R6", x);
    }
    free(busy);
}

/* R3 to R6, cycle by cycle, until all units are free in cycle `end`. */
static void check_cycles(const struct execution *all, uint64_t count, uint64_t end) {
    uint32_t *issued = zeroed(mul(machine.sub_cores, end), sizeof *issued);
    for (uint64_t i = 0; i < count; i++)
        hold(++issued[all[i].sub_core * end + all[i].issue] <= machine.width, "R5", &all[i]);
    for (uint64_t first = 0, last = 0; first < count; first = last) {
        while (last < count && all[last].unit == all[first].unit)
            last++;
        count_work(end);
        check_unit(all + first, last - first, issued, end);
    }
    free(issued);
}

/* How long the execution takes. */
uint64_t lower(struct block *of) {
    uint64_t end = 0, longest = 0;
    const uint64_t warps = of->warp_count, count = times_of(of), all = mul(warps, count) + 1;
    struct walk walk = {of, &of->rows, meet_executed_row, zeroed(all, sizeof(uint64_t)), all, NULL, true};
    begin_block();
    executed = 0;
    walk_all(&walk);
    if (executed < executions.count) refuse("more is executed than there is");
    for (uint64_t w = 0; w < warps; w++)
        longest = max(longest, walk.times[w * count + COMPLETE]);
    free(walk.times);
    for (uint64_t i = 0; i < executed; i++)
        end = max(end, executions.items[i].start + executions.items[i].init);
    if (executed > 0) qsort(executions.items, executed, sizeof(struct execution), in_order);
    check_cycles(executions.items, executed, end);
    return longest;
}

const struct key execution_keys[] = {
    {"at", "tttt", OF_BLOCK, read_at}, /* issue, start, initiation, latency: of the next that a warp issues */
    {.name = NULL},
};

/* An execution of a block: rules R1 to R7 of docs/proofs.md, section 1
 * (check/CheckSchedule.v:valid_ok). */
#include "check.h"

#include <stdlib.h>

/* When an instruction of a warp was issued and started, and what it took. */
struct execution {
    uint64_t issue, start, init, latency, line;
    uint64_t ready;                     /* when the warp could issue it, but for slots and units */
    uint64_t sub_core, unit, instances; /* units that sub-cores have for themselves are numbered apart */
};

/* Those of a block are row by row, warp by warp, in program order. */
static void read_at(struct check *check, const uint64_t *n) {
    PUSH(check, &check->block->executions, (struct execution){n[0], n[1], n[2], n[3], .line = check->line});
}

static void hold(struct check *check, bool kept, const char *rule, const struct execution *x) {
    if (kept) return;
    check->line = x->line;
    stop(check, 1, "NOT PROVEN: this is no execution, as it breaks %s", rule);
}

/* A warp on its way, and how many executions of its block were met so far. */
struct executed {
    const struct warps *warps;
    uint64_t *count;
};

/* R1, R2 and R7 for the next instruction of a warp. One without a unit is executed as soon as these allow. */
static void meet_execution(struct walk *walk, uint64_t number) {
    const struct block *of = walk->block;
    const struct machine *machine = of->machine;
    const struct inst *inst = &of->insts.items[number];
    const struct executed *warp = walk->context;
    const uint64_t ready = operands_there(of, walk->times, inst), u = inst->unit;
    uint64_t done = add(ready, inst->latency);
    walk->times[NOW] = ready;
    if (u != NO_UNIT) {
        if (*warp->count == of->executions.count) refuse(of->check, "not all instructions are executed");
        struct execution *one = &of->executions.items[(*warp->count)++];
        hold(of->check, one->init > 0 && one->init <= inst->init, "the stated initiation", one);
        hold(of->check, one->latency <= inst->latency, "the stated latency", one);
        hold(of->check, one->issue >= ready, "R1, R2 or R7", one);
        hold(of->check, one->start >= one->issue, "R3 (it starts before its issue)", one);
        one->ready = ready;
        one->sub_core = warp->warps->sub_core;
        one->unit = add(mul(u, machine->sub_cores), machine->shared[u] ? 0 : one->sub_core);
        one->instances = machine->instances[u];
        done = add(add(one->start, one->init), one->latency);
        walk->times[NOW] = one->issue + 1;
    }
    result_there(of, walk->times, inst, done);
}

/* A row of sections, of all warps, and the release before it. */
static void meet_executed_row(struct walk *walk, uint64_t row) {
    const struct block *of = walk->block;
    const uint64_t count = times_of(of);
    uint64_t *times = walk->times, *is_behind = times + walk->time_count - 1;
    if (*is_behind) release_all(of, times, (walk->time_count - 1) / count);
    *is_behind = 1;
    for (uint64_t g = 0; g < of->warps.count; g++) {
        struct executed warp = {&of->warps.items[g], walk->context};
        const program *steps = &section_of(of, row, warp.warps->path)->steps;
        for (uint64_t w = 0; w < warp.warps->count; w++, times += count)
            walk_in(walk, steps, meet_execution, times, count, &warp);
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
static void check_unit(const struct block *of, const struct execution *all, uint64_t count,
                       const uint32_t *issued, uint64_t end) {
    uint32_t *busy = zeroed(of->check, mul(2, end), sizeof *busy), *queue = busy + end;
    for (uint64_t i = 0; i < count; i++) {
        const struct execution *x = &all[i];
        hold(of->check, i == 0 || x[-1].start <= x->start, "R3 (first in, first out)", x);
        for (uint64_t t = x->issue; t < x->start; t++)
            hold(of->check, ++queue[t] <= of->machine->depth, "R4", x);
        for (uint64_t t = x->start; t < x->start + x->init; t++)
            hold(of->check, ++busy[t] <= x->instances, "R3 (instances)", x);
        count_work(of->check, x->start + x->init - x->ready);
    }
    for (uint64_t i = 0; i < count; i++) {
        const struct execution *x = &all[i];
        for (uint64_t t = x->issue; t < x->start; t++)
            hold(of->check, busy[t] == x->instances, "R3 (it waits for a unit that is free)", x);
        for (uint64_t t = x->ready; t < x->issue; t++)
            hold(of->check,
                 issued[x->sub_core * end + t] == of->machine->width ||
                     (busy[t] == x->instances && queue[t] == of->machine->depth),
                 "R6", x);
    }
    free(busy);
}

/* R3 to R6, cycle by cycle, until all units are free in cycle `end`. */
static void check_cycles(const struct block *of, const struct execution *all, uint64_t count, uint64_t end) {
    uint32_t *issued = zeroed(of->check, mul(of->machine->sub_cores, end), sizeof *issued);
    for (uint64_t i = 0; i < count; i++)
        hold(of->check, ++issued[all[i].sub_core * end + all[i].issue] <= of->machine->width, "R5", &all[i]);
    for (uint64_t first = 0, last = 0; first < count; first = last) {
        while (last < count && all[last].unit == all[first].unit)
            last++;
        count_work(of->check, end);
        check_unit(of, all + first, last - first, issued, end);
    }
    free(issued);
}

/* How long the execution takes. */
uint64_t lower(struct block *of) {
    struct execution *executions = of->executions.items;
    uint64_t end = 0, longest = 0, executed = 0;
    const uint64_t warps = of->warp_count, count = times_of(of), all = mul(warps, count) + 1;
    uint64_t *times = zeroed(of->check, all, sizeof *times);
    struct walk walk = {of, &of->rows, meet_executed_row, times, all, &executed, UNLIMITED, false};
    walk_all(&walk);
    if (executed < of->executions.count) refuse(of->check, "more is executed than there is");
    for (uint64_t w = 0; w < warps; w++)
        longest = max(longest, times[w * count + COMPLETE]);
    free(times);
    for (uint64_t i = 0; i < executed; i++)
        end = max(end, executions[i].start + executions[i].init);
    if (executed > 0) qsort(executions, executed, sizeof(struct execution), in_order);
    check_cycles(of, executions, executed, end);
    return longest;
}

const struct key execution_keys[] = {
    {"at", "tttt", OF_BLOCK, read_at}, /* issue, start, initiation, latency: of the next that a warp issues */
    {.name = NULL},
};

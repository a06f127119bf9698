/* Sections of warps: when operands and results are there (docs/proofs.md, sections 1 and 13), the longest
 * paths by what instructions cost, and sums of initiations: block/Paths.v, block/IsolationPaths.v. */
#include "check.h"

#include <stdlib.h>

uint64_t times_of(const struct block *of) {
    return WARP_TIMES + of->registers + 2 * of->machine->units;
}

uint64_t *unit_times(const struct block *of, uint64_t *times, uint64_t unit) {
    return times + WARP_TIMES + of->registers + 2 * unit;
}

/* When all is there that an instruction waits for. */
uint64_t operands_there(const struct block *of, const uint64_t *times, const struct inst *inst) {
    uint64_t since = times[NOW];
    for (uint64_t i = inst->first; i < inst->first + inst->operands; i++)
        since = max(since, times[WARP_TIMES + of->operands.items[i]]);
    return since;
}

/* Its result is there. */
void result_there(const struct block *of, uint64_t *times, const struct inst *inst, uint64_t at) {
    uint64_t *registers = times + WARP_TIMES;
    for (uint64_t i = inst->first + inst->sources; i < inst->first + inst->operands; i++)
        registers[of->operands.items[i]] = at;
    for (uint64_t q = 0; q < of->queues; q++) {
        uint64_t *queue = registers + of->queue_first[q], count = of->queue_count[q];
        if (inst->joins >> q & 1) queue[0] = max(queue[0], at);
        for (; (inst->commits >> q & 1) != 0 && count > 1; count--)
            queue[count - 1] = queue[count - 2];
    }
    times[COMPLETE] = max(times[COMPLETE], at);
}

void execute(const struct block *of, uint64_t *times, const struct inst *inst, const struct cost *cost) {
    const uint64_t waits = cost->waits != NULL && inst->unit != NO_UNIT ? cost->waits[inst->unit] : 0;
    const uint64_t depth = of->machine->queue;
    uint64_t at = operands_there(of, times, inst);
    if (cost->latency) {
        times[NOW] = at = add(at, waits);
    } else if (inst->unit == NO_UNIT) {
        times[NOW] = at;
    } else {
        uint64_t *unit = unit_times(of, times, inst->unit);
        if (depth <= 1) at = max(at, unit[depth]);
        times[NOW] = at + 1;
        unit[1] = at = add(max(at, unit[0]), waits);
        unit[0] = at = add(at, inst->init);
    }
    result_there(of, times, inst, add(at, inst->latency));
}

void meet_inst(struct walk *walk, uint64_t number) {
    execute(walk->block, walk->times, &walk->block->insts.items[number], walk->context);
}

static void compute_section(const struct block *of, struct section *section) {
    struct cost alone = {.latency = false};
    uint64_t *times = times_behind(of, &section->steps, meet_inst, times_of(of), &alone);
    section->alone = times[COMPLETE];
    free(times);
    for (struct place at = {0}; next_of(&section->steps, &at);) {
        const struct inst *inst = &of->insts.items[at.thing];
        if (inst->unit == NO_UNIT) continue;
        uint64_t *count = &section->count[inst->unit], *work = &section->work[inst->unit];
        *count = add(*count, at.often);
        *work = add(*work, mul(inst->init, at.often));
    }
}

/* ---- The path that counts latencies only ---- */

void release_all(const struct block *of, uint64_t *times, uint64_t count) {
    const uint64_t time_count = times_of(of);
    uint64_t at = 0;
    for (uint64_t w = 0; w < count; w++)
        at = max(at, times[w * time_count + NOW]);
    at = add(at, of->machine->release);
    for (uint64_t w = 0; w < count; w++)
        times[w * time_count + NOW] = at;
}

/* A release, and the row of sections behind it, on all paths. Of the release before the first row everything
 * is later by as much, which is taken off at the end. */
static void meet_row(struct walk *walk, uint64_t row) {
    const struct block *of = walk->block;
    const uint64_t count = times_of(of);
    release_all(of, walk->times, of->paths);
    for (uint64_t p = 0; p < of->paths; p++)
        walk_in(walk, &section_of(of, row, p)->steps, meet_inst, walk->times + p * count, count,
                walk->context);
}

uint64_t latency_of(const struct block *of) {
    const uint64_t count = times_of(of);
    struct cost cost = {.latency = true};
    uint64_t *times = times_behind(of, &of->rows, meet_row, mul(of->paths, count), &cost), longest = 0;
    for (uint64_t p = 0; p < of->paths; p++)
        longest = max(longest, max(times[p * count + NOW], times[p * count + COMPLETE]));
    free(times);
    return longest - (of->paths > 0 ? of->machine->release : 0); /* that before the first row */
}

/* ---- What is said ---- */

/* What a claim of a block rests on is said, and it has as many warps as are launched. */
static void check_said(const struct block *of) {
    uint64_t width;
    const uint64_t threads = count_of_subject(of->check, "threads", &width);
    for (uint64_t k = 0; k < HELD_KINDS; k++)
        if ((of->machine->held_kinds >> k & 1) == 0)
            refuse(of->check, "it is not said what is held by %s", held_names[k]);
    if (!of->states_stalls) refuse(of->check, "it is not said how long a block is stalled");
    if (threads > 0 && rounded_up(threads, width) != of->warp_count)
        refuse(of->check, "it is of blocks of %" PRIu64 " threads, and what follows of %" PRIu64 " warps",
               threads, of->warp_count);
}

void finish(struct block *of) {
    if (of->finished) return;
    check_said(of);
    for (uint64_t s = 0; s < of->sections.count; s++)
        compute_section(of, &of->sections.items[s]);
    of->finished = true;
}

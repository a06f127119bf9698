/* Sections of warps: when operands and results are there (docs/proofs.md, sections 1 and 13), the longest
 * path through a section, iso, and sums of initiations. */
#include "check.h"

#include <stdlib.h>

uint64_t times_of(const struct block *of) {
    return WARP_TIMES + of->registers + 2 * machine.units;
}

struct section *section_of(const struct block *of, uint64_t row, uint64_t path) {
    return &of->sections.items[of->cells.items[row * of->paths + path]];
}

/* When all is there that an instruction waits for. */
uint64_t operands_there(const struct walk *walk, const uint64_t *times, const struct inst *inst) {
    uint64_t since = times[NOW];
    for (uint64_t i = inst->first; i < inst->first + inst->operands; i++)
        since = max(since, times[WARP_TIMES + walk->block->operands.items[i]]);
    return since;
}

/* Its result is there. */
void result_there(const struct walk *walk, uint64_t *times, const struct inst *inst, uint64_t at) {
    const struct block *of = walk->block;
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

/* An instruction of a section alone on the machine. */
static void meet_alone(struct walk *walk, uint64_t number) {
    const struct inst *inst = &walk->block->insts.items[number];
    uint64_t *times = walk->times, at = operands_there(walk, times, inst);
    if (inst->unit != NO_UNIT) {
        uint64_t *unit = times + WARP_TIMES + walk->block->registers + 2 * inst->unit;
        if (machine.queue <= 1) at = max(at, unit[machine.queue]);
        times[NOW] = at + 1;
        unit[1] = at = max(at, unit[0]);
        unit[0] = add(at, inst->init);
    } else {
        times[NOW] = at;
    }
    result_there(walk, times, inst, add(add(at, inst->init), inst->latency));
}

static void compute_section(const struct block *of, struct section *section) {
    uint64_t *times = times_behind(of, &section->steps, meet_alone, times_of(of), NULL);
    section->alone = times[COMPLETE];
    free(times);
    for (uint64_t s = 0; s < section->steps.count; s++) {
        const struct step *step = &section->steps.items[s];
        for (uint64_t i = step->first; i < step->first + step->count; i++) {
            const struct inst *inst = &of->insts.items[i];
            if (inst->unit == NO_UNIT) continue;
            uint64_t *count_of = &section->count[inst->unit], *work = &section->work[inst->unit];
            *count_of = add(*count_of, step->often);
            *work = add(*work, mul(inst->init, step->often));
        }
    }
}

/* What a claim of a block rests on is said, and it has as many warps as are launched. */
static void check_said(const struct block *of) {
    uint64_t width;
    const uint64_t threads = count_of_subject("threads", &width);
    for (uint64_t k = 0; k < HELD_KINDS; k++)
        if ((machine.held_kinds >> k & 1) == 0) refuse("it is not said what is held by %s", held_names[k]);
    if (!of->states_stalls) refuse("it is not said how long a block is stalled");
    if (threads > 0 && rounded_up(threads, width) != of->warp_count)
        refuse("it is of blocks of %" PRIu64 " threads, and what follows of %" PRIu64 " warps", threads,
               of->warp_count);
}

void finish(struct block *of) {
    if (of->finished) return;
    check_said(of);
    for (uint64_t s = 0; s < of->sections.count; s++)
        compute_section(of, &of->sections.items[s]);
    of->finished = true;
}

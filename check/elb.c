/* ELB of a block: theorem 2 of docs/proofs.md, section 8. */
#include "check.h"

#include <stdlib.h>

uint64_t initiations_of(const struct block *of) {
    uint64_t sum = 0;
    for (struct rows at = {0}; next_row(of, &at);)
        for (uint64_t g = 0; g < of->warps.count; g++) {
            const struct warps *warps = &of->warps.items[g];
            const struct section *section = section_of(of, at.row, warps->path);
            for (uint64_t u = 0; u < machine.units; u++)
                sum = add(sum, mul(mul(section->work[u], warps->count), at.often));
        }
    return sum;
}

/* An instruction on the path that counts latencies only. */
static void meet_latency(struct walk *walk, uint64_t number) {
    const struct inst *inst = &walk->block->insts.items[number];
    walk->times[NOW] = operands_there(walk, walk->times, inst);
    result_there(walk, walk->times, inst, add(walk->times[NOW], inst->latency));
}

void release_all(struct walk *walk, uint64_t count) {
    const uint64_t time_count = times_of(walk->block);
    uint64_t at = 0;
    for (uint64_t w = 0; w < count; w++)
        at = max(at, walk->times[w * time_count + NOW]);
    at = add(at, machine.release);
    for (uint64_t w = 0; w < count; w++)
        walk->times[w * time_count + NOW] = at;
}

/* A release, and the row of sections behind it, on all paths. Of the release before the first row everything
 * is later by as much, which is taken off at the end. */
static void meet_row(struct walk *walk, uint64_t row) {
    const struct block *of = walk->block;
    const uint64_t count = times_of(of);
    release_all(walk, of->paths);
    for (uint64_t p = 0; p < of->paths; p++) {
        struct walk own = {
            of, &section_of(of, row, p)->steps, meet_latency, walk->times + p * count, count, NULL, false};
        walk_all(&own);
    }
}

uint64_t latency_of(const struct block *of) {
    const uint64_t count = times_of(of);
    uint64_t *times = times_behind(of, &of->rows, meet_row, mul(of->paths, count), NULL), longest = 0;
    for (uint64_t p = 0; p < of->paths; p++)
        longest = max(longest, max(times[p * count + NOW], times[p * count + COMPLETE]));
    free(times);
    return longest - (of->paths > 0 ? machine.release : 0); /* that before the first row */
}

uint64_t elb(struct block *of) {
    return add(initiations_of(of), latency_of(of));
}

/* ELB of a block: theorem 2 of docs/proofs.md, section 8. */
#include "check.h"

#include <stdlib.h>

uint64_t initiations_of(const struct block *of) {
    uint64_t sum = 0;
    for (uint64_t s = 0; s < of->rows.count; s++)
        for (uint64_t i = 0; i < of->rows.items[s].count; i++)
            for (uint64_t g = 0; g < of->warps.count; g++) {
                const struct warps *warps = &of->warps.items[g];
                const struct section *section = section_of(of, of->rows.items[s].first + i, warps->path);
                for (uint64_t u = 0; u < machine.units; u++)
                    sum = add(sum, mul(mul(section->work[u], warps->count), of->rows.items[s].often));
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
    const uint64_t count = times_of(of), all = mul(of->paths, count);
    struct walk walk = {of, &of->rows, meet_row, zeroed(all, sizeof(uint64_t)), all, NULL, false};
    uint64_t longest = 0;
    walk_all(&walk);
    for (uint64_t p = 0; p < of->paths; p++)
        longest = max(longest, max(walk.times[p * count + NOW], walk.times[p * count + COMPLETE]));
    free(walk.times);
    return longest - (of->paths > 0 ? machine.release : 0); /* that before the first row */
}

static uint64_t elb(struct block *of) {
    return add(initiations_of(of), latency_of(of));
}

static const struct method methods[] = {{.name = "elb", .of_block = elb, .several = true}, {.name = NULL}};

const struct part elb_part = {NULL, methods};

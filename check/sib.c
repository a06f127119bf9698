/* SIB and FIB of a block: theorem 1 of docs/proofs.md, section 3. */
#include "check.h"

/* What another warp delays one: initiations on units that both reach, with queues each as the longest of its
 * unit; of fib issue slots where this one does not use the unit. */
static uint64_t delay(const struct block *of, const struct section *own, const struct section *other,
                      bool together, bool slots) {
    uint64_t sum = 0;
    for (uint64_t u = 0; u < machine.units; u++) {
        if (slots && own->count[u] == 0)
            sum = add(sum, together ? other->count[u] : 0);
        else if (together || machine.shared[u])
            sum = add(sum, machine.queue == 1 ? mul(other->count[u], of->largest[u]) : other->work[u]);
    }
    return sum;
}

/* The most that any warp takes in a row that has anything to wait for, and the release behind it. */
static uint64_t row_time(const struct block *of, uint64_t row, bool slots) {
    const struct warps *warps = of->warps.items;
    uint64_t most = 0;
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const struct section *own = section_of(of, row, warps[g].path);
        uint64_t time = own->alone;
        for (uint64_t h = 0; h < of->warps.count; h++) {
            const bool together = warps[g].sub_core == warps[h].sub_core;
            const uint64_t one = delay(of, own, section_of(of, row, warps[h].path), together, slots);
            time = add(time, mul(one, warps[h].count - (g == h)));
        }
        if (own->alone > 0) most = max(most, time);
    }
    return add(most, machine.release);
}

/* The sum over all rows; behind the last there is no release. */
static uint64_t block_time(const struct block *of, bool slots) {
    uint64_t sum = 0;
    for (struct rows at = {0}; next_row(of, &at);)
        sum = add(sum, mul(row_time(of, at.row, slots), at.often));
    return sum - (of->paths > 0 ? machine.release : 0);
}

uint64_t sib(struct block *of) {
    return block_time(of, false);
}

uint64_t fib(struct block *of) {
    return block_time(of, true);
}

/* Chains that change their sub-core: chg and X of docs/sub-core-bounds.md, section 2, and
 * docs/wave-bounds.md. */
#include "kernel.h"

#include <stdlib.h>

/* Times that end with each sub-core: the longest sequence of sub-cores of which each is another one than that
 * before. Behind a row also that of one of its own. */
static void meet_turns(struct walk *walk, uint64_t row) {
    const struct block *of = walk->block;
    const uint64_t count = walk->time_count / 2;
    uint64_t *before = walk->times + count;
    for (uint64_t c = 0; c < count; c++)
        before[c] = walk->times[c];
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const struct warps *warps = &of->warps.items[g];
        bool active = false;
        const program *steps = &section_of(of, row, warps->path)->steps;
        for (uint64_t s = 0; s < steps->count; s++)
            active = active || steps->items[s].count > 0;
        uint64_t others = 0;
        for (uint64_t c = 0; c < count && active; c++)
            others = max(others, c == warps->sub_core ? 0 : before[c]);
        uint64_t *own = &walk->times[warps->sub_core];
        if (active) *own = max(*own, others + 1);
        count_work(count);
    }
}

uint64_t turns_of(const struct block *of) {
    uint64_t *times = times_behind(of, &of->rows, meet_turns, mul(2, machine.sub_cores), NULL), most = 1;
    for (uint64_t c = 0; c < machine.sub_cores; c++)
        most = max(most, times[c]);
    free(times);
    return most;
}

static int most_first(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

uint64_t add_extras(ranking *extras, uint64_t *private, uint64_t often) {
    qsort(private, machine.sub_cores, sizeof *private, most_first);
    for (uint64_t c = 1; c<machine.sub_cores &&private[c]> 0; c++)
        PUSH(extras, (struct amount){private[c], often});
    return private[0];
}

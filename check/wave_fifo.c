/* k-wave-fifo of a kernel: FIFO of one block that has all warps of an SM (docs/wave-bounds.md, section 2). */
#include "wave.h"

#include <stdlib.h>

/* Whether every sub-core has as many warps, and all are alike; or there is one. */
static bool is_even(const struct block *of) {
    uint64_t *warps = zeroed(machine.sub_cores, sizeof *warps);
    bool even = true;
    for (uint64_t g = 0; g < of->warps.count; g++)
        warps[of->warps.items[g].sub_core] += of->warps.items[g].count;
    for (uint64_t c = 1; c < machine.sub_cores; c++)
        even = even && of->paths == 1 && warps[c] == warps[0];
    free(warps);
    return even;
}

static uint64_t of_all_warps(const struct wave_class *own) {
    struct block all = own->of;
    if (machine.depth != UNLIMITED) refuse("no claim where queues have limits");
    if (wave_classes.count > 1) refuse("blocks of several kinds");
    if (all.rows.count != 1) refuse("a block of other than one section");
    if (!is_even(&all)) refuse("sub-cores with other warps");
    all.warps.items = zeroed(all.warps.count, sizeof *all.warps.items);
    for (uint64_t g = 0; g < all.warps.count; g++) {
        all.warps.items[g] = own->of.warps.items[g];
        all.warps.items[g].count = mul(all.warps.items[g].count, together());
    }
    const uint64_t time = fifo(&all);
    DROP(&all.warps);
    return time;
}

uint64_t k_wave_fifo(void) {
    return wave_time(of_all_warps);
}

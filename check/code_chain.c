/* code-k-chain, code-k-chain-area and code-k-chain-bal of a kernel of machine code: theorem 5 of
 * docs/machine-code-bounds.md, section 7. */
#include "code.h"
#include "kernel.h"

#include <stdlib.h>

/* chg: sections, unless its warps are all in one sub-core. */
static uint64_t changes_of(const struct block *of) {
    uint64_t sections = 0;
    bool several = false;
    for (uint64_t g = 1; g < of->warps.count; g++)
        several = several || of->warps.items[g].sub_core != of->warps.items[0].sub_core;
    for (struct rows at = {0}; next_row(of, &at);)
        sections = add(sections, at.often);
    return several ? max(sections, 1) : 1;
}

/* W, own and X. */
void share_code(struct class *class) {
    const struct block *of = &blocks.items[class->block];
    const uint64_t turns = changes_of(of);
    uint64_t *sums = held_by_sub_core(of), *private = zeroed(machine.sub_cores, sizeof *private), shared = 0;
    for (uint64_t c = 0; c < machine.sub_cores; c++) {
        private[c] = sums[c * HELD + HELD_WORK] - sums[c * HELD + HELD_WIDE];
        shared = add(shared, sums[c * HELD + HELD_WIDE]);
    }
    const uint64_t most = add_extras(&chained.forms[COARSE].extras, private, class->blocks);
    const uint64_t work = add(add(shared, of->stalls), most);
    uint64_t beyond = 0, met = 0; /* of the other sub-cores; of those that its own chain comes to */
    for (uint64_t c = 1; c < machine.sub_cores; c++) {
        beyond = add(beyond, private[c]);
        if (c < turns) met = add(met, private[c]);
    }
    class->shares[COARSE] = (struct share){class->initiations, work, add(class->latency, met), beyond};
    class->turns = turns;
    chained.coarse = true;
    free(private);
    free(sums);
}

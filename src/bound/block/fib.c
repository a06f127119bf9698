/* FIB, SIB by functional units: an instruction of another warp costs its initiation only where the warp uses
 * the same unit in that section, else its issue slot. docs/proofs.md, theorem 1. */
#include "bound/block/pairwise.h"
#include "bound/block/sib.h"

static wb_status fib_value(struct pairwise *pairwise, const struct align_rules *rules, uint32_t own,
                           uint32_t other, cycles *value) {
    *value = pairwise_fib(pairwise, rules, own, other);
    return WB_OK;
}

static cycles fib_total(const struct pairwise *pairwise, uint32_t own, cycles sum) {
    return cycles_add(pairwise->isolated.items[own], sum);
}

static wb_status fib_run(const struct bound_input *input, wb_bound *bound) {
    return pairwise_run(input, fib_value, fib_total, bound);
}

const struct bound_method bound_fib = {
    .name = "fib",
    .summary = "like sib, but initiations on units that the warp does not use cost only their issue slot",
    .run = fib_run,
    .needs = FOR_BLOCKS,
};

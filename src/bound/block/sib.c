/* SIB, the sum-of-initiations bound: what a warp takes alone, plus all initiations of all others, section by
 * section. docs/proofs.md, theorem 1. */
#include "bound/block/sib.h"

#include "bound/method/method.h"

cycles sib_term(const struct section_profile *warp, const struct row_sums *sums) {
    return warp->iso + (sums->shared + sums->local - warp->charge);
}

const char *sib_unproven(const struct wb_machine *machine) {
    uint32_t depth = machine->dispatch_depth;
    if (depth == 0 || depth == 1 || depth == DEPTH_UNLIMITED) return NULL;
    return "tested, but proven only for dispatch depths 0, 1 and unlimited: in a longer queue an instruction "
           "can hold back others for more than its own initiation";
}

static wb_status sib_run(const struct bound_input *input, wb_bound *bound) {
    bound->cycles = profile_sum_of_maxima(input->profile, sib_term);
    bound->reason = sib_unproven(input->block->machine);
    bound->kind = bound->reason == NULL ? WB_UPPER : WB_ESTIMATE;
    bound_assume_model(input, bound);
    assume(bound, WB_ASSUME_UNITS_IN_ISSUE_ORDER);
    if (input->block->machine->dispatch_depth == 1) assume(bound, WB_ASSUME_LARGEST_INITIATIONS);
    return WB_OK;
}

const struct bound_method bound_sib = {
    .name = "sib",
    .summary = "sum of initiations: one warp alone plus every initiation of the others, by section",
    .run = sib_run,
    .needs = FOR_BLOCKS,
    .term = sib_term,
};

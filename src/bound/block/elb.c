/* ELB: all initiations of all warps, plus the longest path through the block that counts latencies only.
 * Proven for every dispatch depth, issue width, number of sub-cores and of unit instances, and every order in
 * which units start what waits for them (docs/proofs.md, theorem 2). */
#include "bound/method/method.h"

static wb_status elb_run(const struct bound_input *input, wb_bound *bound) {
    bound->cycles = cycles_add(input->profile->initiations, input->profile->latency);
    bound->kind = WB_UPPER;
    bound_assume_model(input, bound);
    assume(bound, WB_ASSUME_UNITS_NOT_IDLE);
    return WB_OK;
}

const struct bound_method bound_elb = {
    .name = "elb",
    .summary = "all initiations plus the longest chain of latencies; proven for every queue and width",
    .run = elb_run,
    .needs = FOR_BLOCKS,
    .any_order = true,
};

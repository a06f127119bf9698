/* Loose round-robin: as GPGPU-Sim has it, the search starts behind the warp issued last and skips whoever
 * cannot issue. */
#include "sim/policy.h"

static uint32_t lrr_pick(const struct policy_view *view) {
    return warp_set_next_of_both(view->ready, view->members, view->words, policy_round_start(view));
}

const struct sim_policy policy_lrr = {
    .name = "lrr",
    .summary = "loose round-robin: the next ready warp behind the one issued last",
    .work_conserving = true,
    .pick = lrr_pick,
};

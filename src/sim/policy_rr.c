/* Strict round-robin: warps take turns, and the one whose turn it is is waited for unless it has ended or a
 * barrier holds it. Slots stay empty while others could go: the policy is not work-conserving. */
#include "sim/policy.h"

static uint32_t rr_pick(const struct policy_view *view) {
    uint32_t turn =
        warp_set_next_of_both(view->running, view->members, view->words, policy_round_start(view));
    return turn != WARP_NONE && warp_set_has(view->ready, turn) ? turn : WARP_NONE;
}

const struct sim_policy policy_rr = {
    .name = "rr",
    .summary = "strict round-robin: waits for the warp whose turn it is (not work-conserving)",
    .work_conserving = false,
    .pick = rr_pick,
};

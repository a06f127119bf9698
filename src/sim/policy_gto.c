/* Greedy-then-oldest: the warp issued last as long as it can go on, else the oldest. The warps of a block
 * start together; the lowest index counts as the oldest of them. */
#include "sim/policy.h"

static uint32_t gto_pick(const struct policy_view *view) {
    if (view->last != WARP_NONE && warp_set_has(view->ready, view->last)) return view->last;
    return policy_oldest_ready(view);
}

const struct sim_policy policy_gto = {
    .name = "gto",
    .summary = "greedy, then oldest: the warp issued last, else the ready warp of lowest index",
    .work_conserving = true,
    .pick = gto_pick,
};

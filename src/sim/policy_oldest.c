/* Oldest first: fixed priorities, the lowest index highest. */
#include "sim/policy.h"

static uint32_t oldest_pick(const struct policy_view *view) {
    return warp_set_first_of_both(view->ready, view->members, view->words, 0);
}

const struct sim_policy policy_oldest = {
    .name = "oldest",
    .summary = "oldest first: the ready warp of lowest index",
    .work_conserving = true,
    .pick = oldest_pick,
};

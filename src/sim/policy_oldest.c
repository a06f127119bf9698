/* Oldest first: fixed priorities, older blocks higher, within a block the lowest index highest. */
#include "sim/policy.h"

const struct sim_policy policy_oldest = {
    .name = "oldest",
    .summary = "oldest first: the ready warp of lowest index",
    .work_conserving = true,
    .pick = policy_oldest_ready,
};

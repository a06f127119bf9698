#include "sim/policy.h"

#include "warpbound.h"

static const struct sim_policy *const policies[] = {&policy_lrr, &policy_gto, &policy_rr, &policy_oldest};

const struct sim_policy *policy_at(size_t index) {
    return index < sizeof policies / sizeof policies[0] ? policies[index] : NULL;
}

uint32_t policy_oldest_ready(const struct policy_view *view) {
    if (view->blocks <= 1) return warp_set_first_of_both(view->ready, view->members, view->words, 0);
    for (uint32_t i = 0; i < view->blocks; i++) {
        uint32_t first = view->oldest_first[i] * view->block_warps;
        uint32_t warp = warp_set_first_of_both(view->ready, view->members, view->words, first);
        if (warp != WARP_NONE && warp - first < view->block_warps) return warp;
    }
    return WARP_NONE;
}

const char *wb_policy_name(size_t index) {
    const struct sim_policy *policy = policy_at(index);
    return policy == NULL ? NULL : policy->name;
}

const char *wb_policy_summary(size_t index) {
    const struct sim_policy *policy = policy_at(index);
    return policy == NULL ? NULL : policy->summary;
}

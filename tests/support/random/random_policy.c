#include "random_policy.h"

#include "base/containers.h"

static uint32_t random_pick(const struct policy_view *view) {
    const struct random_policy *policy = (const struct random_policy *)view->policy;
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->words; i++)
        count += (uint32_t)__builtin_popcountll(view->ready[i] & view->members[i]);
    if (count == 0) return WARP_NONE;
    struct random_state random = random_seeded(policy->seed ^ view->issued * UINT64_C(0x9e3779b97f4a7c15));
    uint64_t skip = random_below(&random, count);
    uint32_t warp = warp_set_first_of_both(view->ready, view->members, view->words, 0);
    for (; skip > 0; skip--)
        warp = warp_set_first_of_both(view->ready, view->members, view->words, warp + 1);
    return warp;
}

struct random_policy random_policy_seeded(uint64_t seed) {
    return (struct random_policy){
        .policy = {.name = "random", .summary = "any", .work_conserving = true, .pick = random_pick},
        .seed = seed};
}

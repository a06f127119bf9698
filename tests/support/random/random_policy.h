/* A work-conserving policy that issues any ready warp, by chance: what no policy of the library does. */
#ifndef WB_TESTS_RANDOM_POLICY_H
#define WB_TESTS_RANDOM_POLICY_H

#include "sim/sm/host.h"

struct random_policy {
    struct sim_policy policy; /* first, so that the choice finds the rest */
    uint64_t seed;
};

struct random_policy random_policy_seeded(uint64_t seed);

#endif

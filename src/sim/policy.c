#include "sim/policy.h"

#include <string.h>

#include "warpbound.h"

static const struct sim_policy *const policies[] = {&policy_lrr, &policy_gto, &policy_rr, &policy_oldest};

const struct sim_policy *policy_at(size_t index) {
    return index < sizeof policies / sizeof policies[0] ? policies[index] : NULL;
}

size_t policy_find(const char *name, size_t length) {
    for (size_t i = 0; policy_at(i) != NULL; i++) {
        const char *known = policies[i]->name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) return i;
    }
    return SIZE_MAX;
}

const char *wb_policy_name(size_t index) {
    const struct sim_policy *policy = policy_at(index);
    return policy == NULL ? NULL : policy->name;
}

const char *wb_policy_summary(size_t index) {
    const struct sim_policy *policy = policy_at(index);
    return policy == NULL ? NULL : policy->summary;
}

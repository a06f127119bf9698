/* Checks a schedule against every rule of docs/proofs.md, section 1, one rule at a time, in a naive way. */
#ifndef WB_TESTS_ISSUE_RULES_H
#define WB_TESTS_ISSUE_RULES_H

#include "sim/gpu/gpu.h"

struct issue_events {
    VEC(struct sim_event) events;
};

/* A sim_sink that keeps the events; `user` is a struct issue_events. */
wb_status issue_events_keep(void *user, const struct sim_event *event);

/* NULL, or which rule the events of the block break. */
const char *issue_rules_broken(const struct timed_block *block, const struct issue_events *schedule,
                               const wb_simulation *simulation);

#endif

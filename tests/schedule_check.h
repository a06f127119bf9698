/* Checks a schedule against every rule of docs/proofs.md, section 1, one rule at a time, in a naive way. */
#ifndef WB_TESTS_SCHEDULE_CHECK_H
#define WB_TESTS_SCHEDULE_CHECK_H

#include "sim/simulator.h"

struct schedule {
    VEC(struct sim_event) events;
};

/* A sim_sink that keeps the events; `user` is a struct schedule. */
wb_status schedule_keep(void *user, const struct sim_event *event);

/* NULL, or which rule the schedule of the block breaks. */
const char *schedule_check(const struct timed_block *block, const struct schedule *schedule,
                           const wb_simulation *simulation);

#endif

/* A schedule that a search found, as what is to be decided to see it again in the simulator. */
#ifndef WB_BOUND_SEARCH_WITNESS_H
#define WB_BOUND_SEARCH_WITNESS_H

#include "sim/gpu/gpu.h"

struct schedule_witness {
    const char *method;
    cycles cycles;                   /* that it takes */
    const struct sim_policy *policy; /* whose choices make it */
    /* Of a kernel: */
    uint32_t dispatch;                /* enum block_dispatch */
    const struct dispatch_plan *plan; /* or NULL */
};

#endif

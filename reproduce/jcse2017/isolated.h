/* Kernels with one block on each SM: there no other block explains why an estimate is too low. */
#ifndef WB_REPRODUCE_JCSE2017_ISOLATED_H
#define WB_REPRODUCE_JCSE2017_ISOLATED_H

#include "warpbound.h"

/* With 16 kB under reordering. */
struct isolated {
    uint64_t simulated, wcet_miss_rate;    /* cycles */
    uint64_t short_simulated, short_wcet;  /* the same where a hit takes a cycle, as in eq. (4) */
    uint64_t requests, misses, under_miss; /* of loads; hits on lines that are still on their way */
    uint64_t instructions, waiting;        /* loads; those of them with a miss or such a hit */
};

/* Measures the kernel of a launch, whose grid is changed. */
wb_status isolated_measure(const wb_kernel *kernel, wb_launch *launch, wb_diagnostics *diagnostics,
                           struct isolated *isolated);

#endif

/* How soon a dependence counter goes down at the earliest: the shortest latencies known of the instructions
 * that take no fixed time. docs/machine-code.md has the table with its sources. */
#ifndef WB_SASS_LEAST_LATENCY_H
#define WB_SASS_LEAST_LATENCY_H

#include "sass/sass.h"

/* Cycles from the issue of an instruction to that of one that waits for its counter, where nothing is known:
 * sooner the waiting one would not even see that the counter has gone up. */
#define SASS_COUNTER_SEEN 2u

/* Cycles from the issue of an instruction to the earliest issue of one that waits for its counter. */
struct sass_latency {
    uint8_t written; /* for the counter that goes down when the result is written */
    uint8_t read;    /* for the one that goes down when the sources have been read */
};

/* Of an instruction that has a lane for which it does something; of one that may do nothing for the lane, as
 * its guard or another predicate can be false, or as nothing is to be written: SASS_COUNTER_SEEN. */
struct sass_latency sass_least_latency(uint32_t sm, const struct sass_inst *inst);

#endif

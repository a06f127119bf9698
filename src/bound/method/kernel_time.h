/* A bound of a whole kernel in the parts that it is a sum of: what its cycles are spent on. */
#ifndef WB_BOUND_METHOD_KERNEL_TIME_H
#define WB_BOUND_METHOD_KERNEL_TIME_H

#include "base/cycles.h"
#include "method/bound.h"

struct kernel_time {
    cycles busy;   /* issue and initiations, of all blocks before the tail */
    cycles extras; /* the same in other sub-cores than the busiest of a block, where only some of it counts */
    cycles latency;  /* latencies, before the tail */
    cycles memory;   /* waiting for memory that SMs share */
    cycles fetch;    /* of instructions */
    cycles dispatch; /* of blocks */
    cycles tail;     /* behind the last dispatch, when no new blocks fill the slots */
};

/* The sum of all parts. */
cycles kernel_time_sum(const struct kernel_time *time);

/* The larger of two times, and the smaller. */
struct kernel_time kernel_time_max(struct kernel_time a, struct kernel_time b);
struct kernel_time kernel_time_min(struct kernel_time a, struct kernel_time b);

/* Sets cycles and parts of a bound, nothing being known of which units are busy. */
void kernel_time_to_bound(const struct kernel_time *time, wb_bound *bound);

#endif

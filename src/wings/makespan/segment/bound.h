/* Upper bounds for problems that are too large for the run abstraction (docs/makespan-bounds.md). */
#ifndef WB_MAKESPAN_SEGMENT_BOUND_H
#define WB_MAKESPAN_SEGMENT_BOUND_H

#include "wings/makespan/method/method.h"

/* The least bound on the makespan that several segment abstractions of different fineness and the closed form
 * give, within the memory and time of the run and a fixed amount of work: a minute or two, and the same bound
 * whatever the number of threads unless a limit of the run cuts it short: then it is the least so far.
 * `lower` is a makespan that is known to be possible, or 0: a bound that reaches it is not improved.
 * run->arena is protected. */
uint64_t segment_bound(const struct makespan_run *run, uint64_t lower);

#endif

/* What others than the kernel add to its bounds, where a budget is stated of them: once, to a whole bound
 * (docs/machine-code-bounds.md, section 7). */
#ifndef WB_BOUND_METHOD_NEIGHBOURS_H
#define WB_BOUND_METHOD_NEIGHBOURS_H

#include "machine/machine.h"
#include "method/bound.h"

/* The most cycles that takes beside its neighbours what takes `alone` without them, with so many atomics of
 * global memory; CYCLES_SATURATED: too many. */
cycles time_beside_neighbours(const struct wb_machine *machine, cycles alone, uint64_t atomics);

/* Makes a bound of what runs alone one of what has neighbours. */
void bound_add_neighbours(const struct wb_machine *machine, uint64_t atomics, wb_bound *bound);

#endif

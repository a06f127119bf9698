/* Counters of 64 bits in two registers: two phis of a loop's header that an addition of halves advances
 * together (docs/control-flow.md, counters in two registers). */
#ifndef WB_FLOW_BOUNDS_WIDE_COUNTERS_H
#define WB_FLOW_BOUNDS_WIDE_COUNTERS_H

#include "flow/bounds/halves.h"
#include "flow/bounds/loop_iterations.h"

/* The whole as iterations find it; false when it is no such counter and a constant of the loop. */
bool wide_induction_of(const struct loop_view *view, const struct halves *whole, struct induction *induction);

#endif

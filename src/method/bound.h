/* What every bound says of itself, whatever it is of: its kind, what it rests on, and what its cycles are
 * spent on. */
#ifndef WB_METHOD_BOUND_H
#define WB_METHOD_BOUND_H

#include "method/assumption.h"

/* Adds an assumption behind the others, unless the bound has it. */
void assume(wb_bound *bound, wb_assumption what);

/* Adds what the execution of a kernel takes for granted. */
void assume_execution(wb_bound *bound, assumed_set set);

/* Adds a part to a bound, among the others by its size; none of 0 cycles. */
void bound_add_part(wb_bound *bound, wb_part_kind what, const char *unit, uint64_t value);

#endif

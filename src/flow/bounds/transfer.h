/* What instructions make of ranges and linear forms: the abstract semantics of integer instructions, for one
 * thread. What is not modelled may give anything. */
#ifndef WB_FLOW_BOUNDS_TRANSFER_H
#define WB_FLOW_BOUNDS_TRANSFER_H

#include "flow/bounds/value_state.h"

/* The range of a value that an instruction defines, from the ranges of what it reads. */
struct value_range transfer_range(struct value_state *state, uint32_t value);

/* The linear form of it: its own symbol where it is no linear form of fewer than LINEAR_TERMS_MAX others. A
 * guard is not looked at. */
struct linear transfer_form(struct value_state *state, uint32_t value);

#endif

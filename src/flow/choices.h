/* Words that an instruction chooses between two others: selp, min and max (docs/control-flow.md, choices). */
#ifndef WB_FLOW_CHOICES_H
#define WB_FLOW_CHOICES_H

#include "flow/value_state.h"

/* The range of a linear form. Where a symbol of it is one of two words, the form is looked at with either in
 * its place, under what holds when that one is chosen: what they have in common with the rest cancels. The
 * state is as before afterwards. */
struct value_range choices_linear(struct value_state *state, const struct linear *form);

#endif

/* Values of an axis, as sweep files say them: one, or a list; each a value, a range or a pattern of files. */
#ifndef WB_WINGS_SWEEP_VALUES_H
#define WB_WINGS_SWEEP_VALUES_H

#include "wings/sweep/sweep.h"

/* Reads the values of an axis, which has its row and its name; each is kept once. Memory is of the sweep's
 * arena, which is protected. WB_ERR_INPUT with a message for each that is wrong. */
wb_status values_read(wb_sweep *sweep, const struct ytree_node *node, struct sweep_axis *axis);

#endif

/* Machine instructions to groups of PTX instructions. */
#ifndef WB_LIFT_LIFT_H
#define WB_LIFT_LIFT_H

#include "lift/state.h"
#include "sass/sass.h"

/* Starts a function without instructions. */
void lift_begin(struct lift *lift);

/* Writes the group of a machine instruction: guard and meaning. `place` has `at`, `location` and `machine`.
 */
void lift_instruction(struct lift *lift, const struct sass_inst *sass, const struct ptx_inst *place);

#endif

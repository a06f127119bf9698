/* Which approximate functions are refined to the correctly rounded, or exact, result of a division or root:
 * ptxas makes sequences of them, of which PTX states the result to the last bit.
 *
 * Such a function is known: what is computed here, correctly rounded, leads to that result, too. What else
 * could see its last bits must not exist: the value, and all that is computed of it, is read by nothing but
 * the sequence until it is overwritten. */
#ifndef WB_LIFT_REFINEMENT_H
#define WB_LIFT_REFINEMENT_H

#include "ptx/ptx.h"

/* Marks them in the functions of a module of machine code whose issued instructions are numbered (relies_on,
 * ptx.h). WB_ERR_LIMIT when memory is exhausted. */
wb_status lift_mark_refinements(struct wb_module *module);

#endif

/* Where functions return to: an address in a register that the caller wrote. */
#ifndef WB_LIFT_RETURN_H
#define WB_LIFT_RETURN_H

#include "lift/plan.h"

/* Whether a RET of a copy goes behind the call that the copy is for, on every way that leads to it. */
bool return_is_to_caller(const struct plan *plan, uint32_t copy, uint32_t inst);

#endif

/* Where control goes by an address in a register: returns, and calls of functions that the file does not
 * have. */
#ifndef WB_LIFT_TARGET_H
#define WB_LIFT_TARGET_H

#include "lift/plan.h"

/* Whether a RET of a copy goes behind the call that the copy is for, on every way that leads to it; in
 * *by_stack whether local memory says so, on the stack. */
bool target_is_caller(const struct plan *plan, uint32_t copy, uint32_t inst, bool *by_stack);

/* What a register contains before an instruction, on every way that leads to it; false: not always the same
 * number. */
bool target_number(const struct plan *plan, uint32_t copy, uint32_t inst, uint16_t reg, bool uniform,
                   uint32_t *number);

/* The name of the function outside of the file that a CALL.ABS goes to, on every way that leads to it; NULL:
 * that is not known. */
const char *target_name(const struct plan *plan, uint32_t copy, uint32_t inst);

/* Whether what a CALL.ABS calls comes back behind it: the address is in R20, as NVIDIA's compilers pass it.
 */
bool target_comes_back(const struct plan *plan, uint32_t copy, uint32_t inst);

#endif

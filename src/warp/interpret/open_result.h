/* Results that the PTX ISA leaves open: it bounds the error of approximate functions and does not say what an
 * integer division by zero gives. They are unknown unless the launch takes them for what is computed here,
 * or where, with the data that it gives, control or an address depends on them: that is then assumed. */
#ifndef WB_WARP_INTERPRET_OPEN_RESULT_H
#define WB_WARP_INTERPRET_OPEN_RESULT_H

#include "warp/interpret/warp.h"

/* Whether some results of the form are open. Sets op->open, and op->execute to open_execute, if so; to be
 * called when op->execute and op->compute are set. */
void open_result_decode(struct micro *op);

/* The name of what the launch has to assume for the results of a form to be known, or NULL. */
const char *open_result_assumption(const struct ptx_form *form);

/* What the result of an instruction of machine code relies on is noted when it is executed; an approximate
 * function that is refined is not open. To be called in place of open_result_decode, of one that relies on
 * something. */
void relying_decode(struct micro *op);

/* Executes an instruction whose results may be open in some lanes. */
wb_status open_execute(struct warp *warp, const struct micro *op, uint32_t mask);

#endif

/* The method `exhaustive` on machines that time machine code. */
#ifndef WB_BOUND_SEARCH_CODE_EXHAUSTIVE_H
#define WB_BOUND_SEARCH_CODE_EXHAUSTIVE_H

#include "bound/method/method.h"

/* As the members of struct bound_method. */
const char *code_exhaustive_objection(const struct bound_input *input);
bool code_exhaustive_too_large(const struct bound_input *input);
wb_status code_exhaustive_run(const struct bound_input *input, wb_bound *bound);

#endif

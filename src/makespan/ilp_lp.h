/* A linear program as text that other solvers read: the LP format of CPLEX. */
#ifndef WB_MAKESPAN_ILP_LP_H
#define WB_MAKESPAN_ILP_LP_H

#include "base/text.h"
#include "makespan/ilp_model.h"

/* Appends the program. `title` becomes a comment; it has no line breaks. Always WB_OK: what fails shows
 * in out->failed. */
wb_status ilp_lp_write(const struct ilp_model *model, const char *title, struct text *out);

#endif

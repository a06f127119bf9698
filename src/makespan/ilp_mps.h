/* A linear program as text that other solvers read: free MPS. */
#ifndef WB_MAKESPAN_ILP_MPS_H
#define WB_MAKESPAN_ILP_MPS_H

#include "base/text.h"
#include "makespan/ilp_model.h"

/* Appends the program, with the names that ilp_lp_write gives rows and columns. MPS has no word for the
 * largest value of the objective that all readers know: the row obj is minus the objective, to be made
 * small. `title` becomes a comment; it has no line breaks. WB_ERR_LIMIT without a message when memory is
 * exhausted. */
wb_status ilp_mps_write(const struct ilp_model *model, const char *title, struct text *out);

#endif

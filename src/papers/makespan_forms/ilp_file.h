/* A linear program as text that other solvers read: in the LP format of CPLEX and in free MPS. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_ILP_FILE_H
#define WB_PAPERS_MAKESPAN_FORMS_ILP_FILE_H

#include "base/text.h"
#include "papers/makespan_forms/ilp_program.h"

/* Appends the program. `title` becomes a comment; it has no line breaks. What fails shows in out->failed. */
typedef void ilp_writer(const struct ilp_model *model, const char *title, struct text *out);

ilp_writer ilp_lp_write;

/* With the names that ilp_lp_write gives rows and columns. MPS has no word for the largest value of the
 * objective that all readers know: the row obj is minus the objective, to be made small. */
ilp_writer ilp_mps_write;

#endif

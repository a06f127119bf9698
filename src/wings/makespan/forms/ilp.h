/* Makespans by integer linear programming: the methods ilp-short, ilp-long and ilp-cumulative. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_ILP_H
#define WB_PAPERS_MAKESPAN_FORMS_ILP_H

#include "wings/makespan/forms/ilp_program.h"
#include "wings/makespan/method/method.h"

/* The formulation of the method whose name is the first `length` bytes of `name`, or NULL. */
const struct ilp_form *ilp_form_find(const char *name, size_t length);

/* Appends the program to be solved for the run's problem. WB_ERR_LIMIT with a message when it takes more
 * memory than the settings allow. */
wb_status ilp_write(const struct makespan_run *run, const struct ilp_form *form, struct text *out);

#endif

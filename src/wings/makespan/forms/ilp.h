/* Makespans by integer linear programming: the methods ilp-short, ilp-long and ilp-cumulative. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_ILP_H
#define WB_PAPERS_MAKESPAN_FORMS_ILP_H

#include "wings/makespan/forms/ilp_program.h"
#include "wings/makespan/method/method.h"

/* The formulation of the method whose name is the first `length` bytes of `name`, or NULL. */
const struct ilp_form *ilp_form_find(const char *name, size_t length);

/* The instance of the run's problem and its program, in its arena. WB_ERR_LIMIT with a message when it takes
 * more memory than the settings allow. */
wb_status ilp_make(const struct makespan_run *run, const struct ilp_form *form, struct ilp_instance *instance,
                   struct ilp_model *model);

/* Reads the schedule, which has been made for the problem, off a solution: whether each column is 1. */
void ilp_decode(const struct ilp_instance *instance, const struct ilp_form *form, const bool *one,
                struct schedule *schedule);

/* Appends the program to be solved for the run's problem. WB_ERR_LIMIT with a message when it takes more
 * memory than the settings allow. */
wb_status ilp_write(const struct makespan_run *run, const struct ilp_form *form, ilp_writer *write,
                    struct text *out);

#endif

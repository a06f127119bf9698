/* Makespans by integer linear programming: the methods ilp-short, ilp-long and ilp-cumulative. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_ILP_H
#define WB_PAPERS_MAKESPAN_FORMS_ILP_H

#include "base/diagnostics.h"
#include "papers/makespan_forms/ilp_program.h"
#include "strings/settings.h"

/* The formulation of the method whose name is the first `length` bytes of `name`, or NULL. */
const struct ilp_form *ilp_form_find(const char *name, size_t length);

/* The instance of a problem and its program. WB_ERR_LIMIT with a message when it takes more memory than the
 * settings allow; both are to be freed also then. */
wb_status ilp_make(const struct makespan_problem *problem, const struct ilp_form *form,
                   const struct makespan_settings *settings, wb_diagnostics *diagnostics,
                   struct ilp_instance *instance, struct ilp_model *model);

/* Reads the schedule, which has been made for the problem, off a solution: whether each column is 1. */
void ilp_decode(const struct ilp_instance *instance, const struct ilp_form *form, const bool *one,
                struct schedule *schedule);

/* Appends the program to be solved for the problem as `write` writes one (ilp_lp_write, ilp_mps_write).
 * WB_ERR_LIMIT with a message when it takes more memory than the settings allow. */
typedef wb_status ilp_writer(const struct ilp_model *model, const char *title, struct text *out);
wb_status ilp_write(const struct makespan_problem *problem, const struct ilp_form *form, ilp_writer *write,
                    const struct makespan_settings *settings, wb_diagnostics *diagnostics, struct text *out);

#endif

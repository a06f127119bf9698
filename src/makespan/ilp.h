/* Makespans by integer linear programming: the methods ilp-short, ilp-long and ilp-cumulative. */
#ifndef WB_MAKESPAN_ILP_H
#define WB_MAKESPAN_ILP_H

#include "base/diagnostics.h"
#include "makespan/ilp_form.h"
#include "strings/settings.h"

/* The formulation of the method whose name is the first `length` bytes of `name`, or NULL. */
const struct ilp_form *ilp_form_find(const char *name, size_t length);

/* Appends the program to be solved for the problem as `write` writes one (ilp_lp_write, ilp_mps_write).
 * WB_ERR_LIMIT with a message when it takes more memory than the settings allow. */
typedef wb_status ilp_writer(const struct ilp_model *model, const char *title, struct text *out);
wb_status ilp_write(const struct makespan_problem *problem, const struct ilp_form *form, ilp_writer *write,
                    const struct makespan_settings *settings, wb_diagnostics *diagnostics, struct text *out);

#endif

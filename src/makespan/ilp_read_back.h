/* A schedule from the values that another solver found for one of the integer programs. */
#ifndef WB_MAKESPAN_ILP_READ_BACK_H
#define WB_MAKESPAN_ILP_READ_BACK_H

#include "makespan/ilp.h"

/* Most bytes of a solution file. */
#define ILP_SOLUTION_SIZE_MAX ((size_t)64 << 20)

/* Reads a solution file (makespan/ilp_solution_file.h) of the problem's program of any form, which the names
 * of its variables tell; variables that are not in it are 0. The values must satisfy all rows of the program,
 * and the schedule that they say is checked against the definition, which knows nothing of programs: it is a
 * schedule of the problem, whatever the solver did. WB_ERR_INPUT or WB_ERR_LIMIT, with a message. Freed with
 * schedule_free, also after an error. */
wb_status ilp_read_back(const struct makespan_problem *problem, const struct makespan_settings *settings,
                        const struct source *source, wb_diagnostics *diagnostics, struct schedule *schedule);

#endif

/* A schedule from the values that another solver found for one of the integer programs. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_ILP_SOLUTION_H
#define WB_PAPERS_MAKESPAN_FORMS_ILP_SOLUTION_H

#include "wings/makespan/forms/ilp.h"

/* Most bytes of a solution file. */
#define ILP_SOLUTION_SIZE_MAX ((size_t)64 << 20)

/* Reads a solution file of CBC ("solu"), GLPK ("glpsol -o") or SCIP, or lines of a name and a value, as
 * Gurobi writes them: values of the variables of the program of any form, which their names tell, for the
 * run's problem; variables that are not in it are 0. The values must satisfy all rows of the program, and the
 * schedule that they say is checked against the definition, which knows nothing of programs: it is a schedule
 * of the problem, whatever the solver did. It is in `arena`; this and the run's are protected. WB_ERR_INPUT
 * or WB_ERR_LIMIT, with a message. */
wb_status ilp_read_back(const struct makespan_run *run, const struct source *source, struct arena *arena,
                        struct schedule *schedule);

#endif

/* Files in which solvers of integer programs write the values of the variables, as they are: which variables
 * there are is for others to know. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_ILP_SOLUTION_H
#define WB_PAPERS_MAKESPAN_FORMS_ILP_SOLUTION_H

#include "base/diagnostics.h"
#include "papers/makespan_forms/ilp.h"

/* A value differs from a whole number by no more: what solvers take for whole. */
#define ILP_WHOLE_TOLERANCE 1e-5

struct ilp_entry {
    size_t at;     /* of the name, in the text */
    size_t length; /* of the name */
    int64_t value;
};

struct ilp_solution_file {
    VEC(struct ilp_entry) entries; /* in the order of the file */
};

/* Reads the solution files of CBC ("solu"), GLPK ("glpsol -o") and SCIP, and lines of a name and a value, as
 * Gurobi writes them. WB_ERR_INPUT with a message that names the place; WB_ERR_LIMIT when memory is
 * exhausted. Freed with ilp_solution_file_free, also after an error. */
wb_status ilp_solution_file_parse(const struct source *source, wb_diagnostics *diagnostics,
                                  struct ilp_solution_file *file);
void ilp_solution_file_free(struct ilp_solution_file *file);

/* A schedule from the values that another solver found for one of the integer programs. */

/* Most bytes of a solution file. */
#define ILP_SOLUTION_SIZE_MAX ((size_t)64 << 20)

/* Reads a solution file of the problem's program of any form, which the names
 * of its variables tell; variables that are not in it are 0. The values must satisfy all rows of the program,
 * and the schedule that they say is checked against the definition, which knows nothing of programs: it is a
 * schedule of the problem, whatever the solver did. WB_ERR_INPUT or WB_ERR_LIMIT, with a message. Freed with
 * schedule_free, also after an error. */
wb_status ilp_read_back(const struct makespan_problem *problem, const struct makespan_settings *settings,
                        const struct source *source, wb_diagnostics *diagnostics, struct schedule *schedule);

#endif

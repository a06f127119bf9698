/* Files in which solvers of integer programs write the values of the variables, as they are: which variables
 * there are is for others to know. */
#ifndef WB_MAKESPAN_ILP_SOLUTION_FILE_H
#define WB_MAKESPAN_ILP_SOLUTION_FILE_H

#include "base/diagnostics.h"

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

#endif

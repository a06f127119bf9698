/* The terms of a linear program by columns, as solvers and files of columns take them. */
#ifndef WB_MAKESPAN_ILP_MATRIX_H
#define WB_MAKESPAN_ILP_MATRIX_H

#include "makespan/ilp_model.h"

/* The terms of column c stand from start[c] on, before start[c + 1], by rows. */
struct ilp_matrix {
    int *start;
    int *row;
    double *coefficient; /* whole */
};

/* WB_ERR_LIMIT without a message when memory is exhausted. Freed with ilp_matrix_free, also then. */
wb_status ilp_matrix_make(const struct ilp_model *model, struct ilp_matrix *matrix);
void ilp_matrix_free(struct ilp_matrix *matrix);

#endif

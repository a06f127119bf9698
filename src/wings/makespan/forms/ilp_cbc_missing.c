/* In place of ilp_cbc.c where CBC is not installed. */
#include <math.h>

#include "wings/makespan/forms/ilp_cbc.h"

const char *ilp_cbc_missing(void) {
    return "CBC";
}

wb_status ilp_cbc_solve(const struct ilp_model *model, const struct makespan_run *run, const char *stage,
                        struct ilp_solution *solution) {
    (void)model;
    (void)run;
    (void)stage;
    *solution = (struct ilp_solution){.end = ILP_FAILED, .bound = INFINITY};
    return WB_ERR_DECLINED;
}

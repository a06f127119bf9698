/* One method applied to one problem: what the public interface, the tests and the other methods call. */
#ifndef WB_MAKESPAN_SOLVE_H
#define WB_MAKESPAN_SOLVE_H

#include "makespan/method.h"

/* Runs a method and checks its witness, if it made one, against the definition of a schedule: a witness that
 * is none, or that does not take bound.lower cycles, is WB_ERR_INPUT with a message (a defect of the method).
 * With WB_ERR_LIMIT and result->bound.cycles set the result is what was found before a limit. The ends of
 * the run are set from the settings. The result is freed with makespan_result_free, also after an error. */
wb_status makespan_solve(const struct makespan_method *method, struct makespan_run *run,
                         struct makespan_result *result);

void makespan_result_free(struct makespan_result *result);

#endif

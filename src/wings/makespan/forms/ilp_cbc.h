/* Linear programs solved by CBC. CBC keeps global state, prints, ends the process when memory is exhausted
 * and cannot be told to stop: none of this is seen outside its child process (solver_process.h). */
#ifndef WB_PAPERS_MAKESPAN_FORMS_ILP_CBC_H
#define WB_PAPERS_MAKESPAN_FORMS_ILP_CBC_H

#include "wings/makespan/forms/ilp_program.h"
#include "wings/makespan/method/method.h"

enum ilp_end {
    ILP_OPTIMAL, /* the solution is proven to be a best one */
    ILP_STOPPED, /* by the run's time limit or its watch */
    ILP_FAILED,  /* CBC ended without an answer: no memory, no library, or its arithmetic went wrong */
};

struct ilp_solution {
    enum ilp_end end;
    bool *one;    /* per column: whether it is 1 in the best solution found; NULL: none was found */
    double bound; /* no solution's objective is larger; infinite where nothing is known */
};

/* What the library was built without: "CBC", or NULL where it is there. */
const char *ilp_cbc_missing(void);

/* Solves the program within what the run's settings allow; `stage` names the work to its watch. The solution
 * is in the run's arena. WB_ERR_LIMIT without a message when no child process can be made; WB_ERR_DECLINED
 * without CBC. */
wb_status ilp_cbc_solve(const struct ilp_model *model, const struct makespan_run *run, const char *stage,
                        struct ilp_solution *solution);

#endif

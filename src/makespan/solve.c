#include "makespan/solve.h"

#include <inttypes.h>

/* A method that says a schedule takes so long must have one that does. */
static wb_status check_witness(const struct makespan_run *run, const struct makespan_result *result) {
    const struct schedule *witness = &result->witness;
    if (witness->cycle == NULL) return WB_OK;
    const char *name = result->bound.method;
    WB_TRY(schedule_check(run->problem, witness, name, run->diagnostics));
    if (witness->makespan == result->bound.lower) return WB_OK;
    diagnose(run->diagnostics, SEVERITY_ERROR, name,
             "the witness takes %u cycles where %" PRIu64 " are claimed", witness->makespan,
             result->bound.lower);
    return WB_ERR_INPUT;
}

wb_status makespan_solve(const struct makespan_method *method, struct makespan_run *run,
                         struct makespan_result *result) {
    double start = clock_elapsed();
    double limit = run->settings->time_limit;
    double processor_limit = run->settings->processor_limit;
    run->end = limit > 0 ? start + limit : 0;
    run->processor_end = processor_limit > 0 ? clock_processor() + processor_limit : 0;
    *result = (struct makespan_result){.bound = {.method = method->name}};
    wb_status status = method->run(run, result);
    result->bound.seconds = clock_elapsed() - start;
    bool partial = status == WB_ERR_LIMIT && result->bound.cycles > 0;
    if (status != WB_OK && !partial) return status;
    WB_TRY(check_witness(run, result));
    return status;
}

void makespan_result_free(struct makespan_result *result) {
    schedule_free(&result->witness);
    vec_free(&result->anneal_log.steps);
    *result = (struct makespan_result){0};
}

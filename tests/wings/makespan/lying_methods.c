/* A method that lies, in place of the wing's own (tests/cli/contradiction_test.py). */
#include "wings/makespan/method/closed.h"

static wb_status lie_of_strings(const struct makespan_run *run, struct makespan_result *result) {
    (void)run;
    result->bound.kind = WB_UPPER;
    result->bound.cycles = 1;
    return WB_OK;
}

const struct makespan_method makespan_pessimistic = {
    .name = "pessimistic", .summary = "strings take one cycle", .run = lie_of_strings};

/* Speed of the integer linear programs on the string of ECRTS'12, Fig. 5: processor time of CBC, which runs
 * in child processes. */
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "makespan_support.h"
#include "wings/makespan/analysis/makespan.h"

/* Processor seconds of the child processes so far. */
static double child_seconds(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0) return 0;
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void bench_method(const struct makespan_method *method, uint32_t warps) {
    static const uint32_t capacity[UNIT_TYPES] = {1, 1, 1, 1};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (diagnostics == NULL) exit(1);
    struct makespan_problem problem = identical_warps("LLCLL", warps, capacity, ISSUE_UNLIMITED, diagnostics);
    const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    struct makespan_run run = {.problem = &problem, .settings = &settings, .diagnostics = diagnostics};
    struct makespan_result result;
    double start = child_seconds();
    require(makespan_solve(method, &run, &result), diagnostics);
    printf("%-14s LLCLL %u warps, L=1 C=1: %2" PRIu64 " cycles, %6.2f s of CBC\n", method->name, warps,
           result.bound.cycles, child_seconds() - start);
    makespan_result_free(&result);
    problem_free(&problem);
    wb_diagnostics_free(diagnostics);
}

int main(int argc, char **argv) {
    bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    for (uint32_t warps = 1; warps <= (all ? 4 : 3); warps++) {
        bench_method(&makespan_ilp_short, warps);
        bench_method(&makespan_ilp_long, warps);
    }
    for (uint32_t warps = 1; warps <= (all ? 6 : 4); warps++)
        bench_method(&makespan_ilp_cumulative, warps);
    return 0;
}

/* Speed of the makespan method `sat`, from the first clause to the proof. */
#include <inttypes.h>

#include "makespan_support.h"
#include "wings/makespan/analysis/makespan.h"

static void bench_string(const char *string, uint32_t warps, uint32_t cores) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (diagnostics == NULL) exit(1);
    const uint32_t capacity[UNIT_TYPES] = {1, cores, 1, 1};
    struct makespan_problem problem = identical_warps(string, warps, capacity, ISSUE_UNLIMITED, diagnostics);
    const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    struct makespan_run run = {.problem = &problem, .settings = &settings, .diagnostics = diagnostics};
    struct makespan_result result;
    double start = seconds();
    require(makespan_solve(&makespan_sat, &run, &result), diagnostics);
    printf("sat %-9s %2u warps, L=1 C=%u: %3" PRIu64 " cycles, %6.2f s\n", string, warps, cores,
           result.bound.cycles, seconds() - start);
    makespan_result_free(&result);
    problem_free(&problem);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    for (uint32_t warps = 5; warps <= 8; warps++)
        bench_string("LLCLL", warps, 1);
    bench_string("LLCLL", 12, 1);
    bench_string("LLCLL", 24, 1);
    for (uint32_t warps = 2; warps <= 6; warps++)
        bench_string("LLCLLCLL", warps, 1);
    bench_string("LLCLLCLL", 10, 1);
    bench_string("LLCLLCLL", 16, 1);
    bench_string("C4", 16, 4);
    bench_string("L5C9L2C9", 4, 4);
    return 0;
}

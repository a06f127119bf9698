/* The exact method on the Voronoi string of ETFA'13 and on the string of ECRTS'12, each in a process of its
 * own, so that the peak of memory is that of one case. The last takes a minute on two idle cores. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "makespan_support.h"
#include "wings/makespan/analysis/makespan.h"

static const struct exact_case {
    const char *string;
    uint32_t warps;
    uint32_t capacity[UNIT_TYPES];
    uint32_t issue;
    double time_limit;
} cases[] = {
    {"LLCLL", 8, {1, 1, 1, 1}, ISSUE_UNLIMITED, 0},
    {"(LC)5", 16, {1, 1, 1, 1}, ISSUE_UNLIMITED, 0},
    {"L5C9L2C9", 8, {1, 4, 1, 1}, ISSUE_UNLIMITED, 0},
    {"L5C9L2C9", 16, {1, 4, 1, 1}, ISSUE_UNLIMITED, 0},
    {"L5C9L2C9", 16, {1, 4, 1, 1}, 4, 0},
    {"L5C9L2C9", 24, {1, 4, 1, 1}, ISSUE_UNLIMITED, 0},
    {"L5C9L2C9", 32, {1, 4, 1, 1}, ISSUE_UNLIMITED, 120},
};

static void measure(const struct exact_case *c) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct makespan_problem problem =
        identical_warps(c->string, c->warps, c->capacity, c->issue, diagnostics);
    struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    settings.time_limit = c->time_limit;
    struct makespan_run run = {.problem = &problem, .settings = &settings, .diagnostics = diagnostics};
    struct makespan_result result;
    double start = clock_elapsed();
    double processor = seconds();
    wb_status status = makespan_solve(&makespan_exact, &run, &result);
    if (status != WB_ERR_LIMIT) require(status, diagnostics);
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    printf("exact: %-9s W = %2u, Omega %-4s [%llu, %llu] %8.3f s, processors %8.3f s, %6.0f MB\n", c->string,
           c->warps, c->issue == ISSUE_UNLIMITED ? "none" : "4", (unsigned long long)result.bound.lower,
           (unsigned long long)result.bound.cycles, clock_elapsed() - start, seconds() - processor,
           (double)usage.ru_maxrss / 1024);
    makespan_result_free(&result);
    problem_free(&problem);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        (void)fflush(stdout);
        pid_t child = fork();
        if (child < 0) return EXIT_FAILURE;
        if (child == 0) {
            measure(&cases[i]);
            (void)fflush(stdout);
            _exit(EXIT_SUCCESS);
        }
        int status;
        if (waitpid(child, &status, 0) != child || status != 0) return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

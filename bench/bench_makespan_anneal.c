/* Speed of the annealing on the case study of ETFA'13: candidates a second on one thread, and how often
 * and how soon runs with the default settings find the worst case, 160 cycles. */
#include "makespan_support.h"
#include "wings/makespan/analysis/makespan.h"

#define WARPS 16u
#define WORST_CASE 160u
#define SEEDS 20u

/* One run of the method. */
static struct makespan_result anneal(const struct makespan_problem *problem,
                                     const struct makespan_settings *settings, wb_diagnostics *diagnostics) {
    struct makespan_run run = {.problem = problem, .settings = settings, .diagnostics = diagnostics};
    struct makespan_result result;
    require(makespan_solve(&makespan_anneal, &run, &result), diagnostics);
    return result;
}

/* Candidates that one thread tries in a processor second, with everything around them. */
static void bench_candidates(const struct makespan_problem *problem, wb_diagnostics *diagnostics) {
    struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    settings.threads = 1;
    settings.anneal_iterations = 2000000;
    double start = seconds();
    struct makespan_result result = anneal(problem, &settings, diagnostics);
    double elapsed = seconds() - start;
    printf("anneal, one thread: %.2f million candidates/s (%u instances of %u), %u cycles\n",
           (double)settings.anneal_instances * settings.anneal_iterations / elapsed * 1e-6,
           settings.anneal_instances, settings.anneal_iterations, (unsigned)result.bound.cycles);
    makespan_result_free(&result);
}

/* What whole runs with the default settings take, and how many of them find the worst case. */
static void bench_seeds(const struct makespan_problem *problem, wb_diagnostics *diagnostics) {
    uint32_t found = 0;
    double elapsed = 0;
    double start = seconds();
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
        settings.seed = seed;
        struct makespan_result result = anneal(problem, &settings, diagnostics);
        if (result.bound.cycles == WORST_CASE) found++;
        elapsed += result.bound.seconds;
        makespan_result_free(&result);
    }
    printf(
        "anneal, default settings: %u cycles found with %u of %u seeds, in %.2f s (%.2f processor seconds)\n",
        WORST_CASE, found, SEEDS, elapsed / SEEDS, (seconds() - start) / SEEDS);
}

int main(void) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (diagnostics == NULL) return 1;
    static const uint32_t capacity[UNIT_TYPES] = {1, 4, 1, 1};
    struct makespan_problem problem =
        identical_warps("L5C9L2C9", WARPS, capacity, ISSUE_UNLIMITED, diagnostics);
    bench_candidates(&problem, diagnostics);
    bench_seeds(&problem, diagnostics);
    problem_free(&problem);
    wb_diagnostics_free(diagnostics);
    return 0;
}

#include "study.h"

#include <stdio.h>

#include "example.h"
#include "timing.h"

#define TEXT_OF(number) #number
#define AS_TEXT(number) TEXT_OF(number)

const struct example study_annealing = {.operand = VORONOI_STRING,
                                        .warps = "16",
                                        .units = VORONOI_UNITS,
                                        .iterations = "2000000",
                                        .methods = "anneal"};

/* Solves the example by its one method. */
static wb_status time_bound(const struct example *example, wb_diagnostics *diagnostics,
                            struct timed_bound *timed) {
    double start = timing_seconds();
    WB_TRY(example_bound(example, diagnostics, &timed->bound));
    timed->seconds = timing_seconds() - start;
    return WB_OK;
}

static wb_status run_exact(wb_diagnostics *diagnostics, struct study *study) {
    for (unsigned w = 1; w <= VORONOI_WARPS; w++) {
        char warps[16];
        struct worst_case *worst = &study->worst[w - 1];
        (void)snprintf(warps, sizeof warps, "%u", w);
        const struct example limited = {.operand = VORONOI_STRING,
                                        .warps = warps,
                                        .units = VORONOI_UNITS,
                                        .issue = VORONOI_SCHEDULERS,
                                        .memory = VORONOI_MEMORY,
                                        .methods = "exact"};
        double start = timing_seconds();
        WB_TRY(example_worst_case(VORONOI_STRING, VORONOI_UNITS, NULL, w, diagnostics, &worst->cycles));
        worst->seconds = timing_seconds() - start;
        WB_TRY(example_bound(&limited, diagnostics, &study->limited[w - 1]));
    }
    return example_worst_case(SHORTER_STRING, VORONOI_UNITS, NULL, PUBLISHED_X, diagnostics, &study->shorter);
}

/* The formulas of ECRTS 2012 and the one that replaces eq. (5). */
static wb_status run_formulas(wb_diagnostics *diagnostics, struct study *study) {
    struct example example = study_annealing;
    example.iterations = NULL;
    example.methods = "pessimistic";
    WB_TRY(example_bound(&example, diagnostics, &study->pessimistic));
    example.methods = "closed";
    WB_TRY(example_bound(&example, diagnostics, &study->closed));
    example.methods = "extrapolate";
    example.x = AS_TEXT(PUBLISHED_X);
    return time_bound(&example, diagnostics, &study->extrapolation);
}

static wb_status run_annealing(wb_diagnostics *diagnostics, struct study *study) {
    struct example limited = study_annealing;
    double start = timing_seconds();
    WB_TRY(example_solve(&study_annealing, diagnostics, &study->annealed));
    study->annealing.seconds = timing_seconds() - start;
    study->annealing.bound = *wb_makespan_bound(study->annealed, 0);
    limited.issue = VORONOI_SCHEDULERS;
    return example_bound(&limited, diagnostics, &study->limited_annealing);
}

wb_status study_run(wb_diagnostics *diagnostics, struct study *study) {
    *study = (struct study){0};
    WB_TRY(run_exact(diagnostics, study));
    WB_TRY(run_formulas(diagnostics, study));
    return run_annealing(diagnostics, study);
}

void study_free(struct study *study) {
    wb_makespan_free(study->annealed);
}

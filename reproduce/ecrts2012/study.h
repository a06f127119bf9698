/* The experiments of ECRTS 2012: K. Berezovskyi, K. Bletsas, B. Andersson, "Makespan Computation for GPU
 * Threads Running on a Single Streaming Multiprocessor". */
#ifndef WB_REPRODUCE_ECRTS2012_STUDY_H
#define WB_REPRODUCE_ECRTS2012_STUDY_H

#include "warpbound.h"

/* Fig. 5: times of solvers, each with a limit of processor time. */
#define FIG5_STRING "LLCLL"
#define FIG5_UNITS "L=1,C=1"
#define FIG5_WARPS 8u
#define FIG5_TIME_LIMIT 100

enum fig5_method { FIG5_SHORT, FIG5_LONG, FIG5_CUMULATIVE, FIG5_EXACT, FIG5_METHODS };

extern const char *const fig5_methods[FIG5_METHODS]; /* their names in the registry */

struct solver_time {
    bool solved;    /* before the limit */
    double seconds; /* of processor time; the limit where it is not solved */
};

/* Fig. 6 and 7: the estimate of eq. (42) for many warps, from exact worst cases T(1), T(2), ... of few. The
 * paper goes to 8. */
#define CONVERGENCE_X 16u

struct convergence_setting {
    const char *string, *units;
    unsigned warps;
};

enum convergence_figure { FIG6, FIG7, CONVERGENCE_FIGURES };

extern const struct convergence_setting convergence_settings[CONVERGENCE_FIGURES];

struct convergence {
    uint64_t worst[CONVERGENCE_X]; /* T(y) at y - 1 */
    double seconds[CONVERGENCE_X];
    uint64_t pessimistic;  /* eq. (5) for all warps */
    uint64_t closed;       /* the closed form that replaces it */
    uint64_t lower, upper; /* the worst case of all warps, as method exact bounds it */
    double interval_seconds;
};

/* Eq. (43) for y warps, and eq. (42): the least of it for up to x warps. */
uint64_t convergence_scaled(const struct convergence *convergence, enum convergence_figure figure,
                            unsigned y);
uint64_t convergence_estimate(const struct convergence *convergence, enum convergence_figure figure,
                              unsigned x);

struct study {
    uint64_t fig5_worst[FIG5_WARPS]; /* T(W) at W - 1 */
    struct solver_time fig5[FIG5_WARPS][FIG5_METHODS];
    struct convergence convergence[CONVERGENCE_FIGURES];
};

wb_status study_run(wb_diagnostics *diagnostics, struct study *study);

#endif

/* The case study of ETFA 2013: K. Berezovskyi, K. Bletsas, S. M. Petters, "Faster Makespan Estimation for GPU
 * Threads on a Single Streaming Multiprocessor". */
#ifndef WB_REPRODUCE_ETFA2013_STUDY_H
#define WB_REPRODUCE_ETFA2013_STUDY_H

#include "wings/makespan/analysis/makespan.h"

/* Section VIII: the Voronoi kernel. */
#define VORONOI_STRING "L5C9L2C9"
#define VORONOI_KERNEL "kernels/voronoi_case_study"
#define VORONOI_UNITS "L=1,C=4"
#define VORONOI_WARPS 16u
#define VORONOI_MEMORY "8G"    /* that all worst cases with so many issues a cycle take */
#define VORONOI_SCHEDULERS "4" /* of a streaming multiprocessor of Kepler */

/* What the paper reports for it. */
#define PUBLISHED_ANNEALING 160u
#define PUBLISHED_EXTRAPOLATION 176u
#define PUBLISHED_X 4 /* the most warps whose exact worst case it has */

/* A string that would explain the published extrapolation. */
#define SHORTER_STRING "L5C9L2C8"

struct worst_case {
    uint64_t cycles;
    double seconds;
};

struct timed_bound {
    wb_bound bound;
    double seconds;
};

struct study {
    struct worst_case worst[VORONOI_WARPS]; /* T(W) at W - 1 */
    /* The same with as many issues a cycle as there are schedulers: where it was not found, an interval. */
    wb_bound limited[VORONOI_WARPS];
    uint64_t shorter; /* T(4) of SHORTER_STRING */
    wb_bound pessimistic, closed;
    struct timed_bound extrapolation; /* from PUBLISHED_X warps */
    struct timed_bound annealing;
    wb_bound limited_annealing;
    wb_makespan *annealed; /* with the log of the annealing */
};

/* Freed with study_free, also after an error. */
wb_status study_run(wb_diagnostics *diagnostics, struct study *study);
void study_free(struct study *study);

/* The command of Fig. 12. */
extern const struct example study_annealing;

#endif

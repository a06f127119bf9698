/* TriangleSum, the example of WCET 2014: V. Hirvisalo, "On Static Timing Analysis of GPU Kernels", of which
 * the slides are public; and what else is compared with them. */
#ifndef WB_REPRODUCE_WCET2014_STUDY_H
#define WB_REPRODUCE_WCET2014_STUDY_H

#include "conventions.h"

#define SLIDE_PTX "kernels/triangle_sum_slide.ptx"
#define SLIDE_LAUNCH "kernels/triangle_sum.yaml"
#define SLIDE_FILE "docs/examples/triangle-sum-slide.yaml"
#define MACHINE "hirvisalo"

/* Rows of the longest warp. */
#define ROWS 16u

/* Kernels on the simple machine with warps of 32 threads. */
#define KERNELS 10u

struct kernel_times {
    const char *name;
    cycles sum, turns, safe;
    cycles simulated; /* the slowest work-conserving policy */
};

/* How far warps can be apart: before and behind each row's barrier, and without barriers. */
struct analysis_windows {
    cycles before[ROWS], behind[ROWS], without[ROWS];
};

/* Slide 9: abstract warps by hand, for one formula each. */
#define FORMULAS 9u

struct formula {
    const char *what, *program, *loops; /* as in a file */
    unsigned warps, latency;
    const char *published; /* by the formula */
    cycles sum, turns;
};

struct study {
    struct acta_warp_file slide;
    struct conventions conventions;
    wb_module *module;
    wb_launch *launch;
    wb_machine *machine;
    wb_block *block;
    wb_analysis *analysis; /* from PTX, with the three methods and all policies */
    wb_analysis *executed; /* the same, counting executed sides of uniform branches */
    wb_machine *executed_machine;
    struct analysis_windows windows;
    struct formula formulas[FORMULAS];
    struct kernel_times kernels[KERNELS];
};

/* Freed with study_free, also after an error. */
wb_status study_run(wb_diagnostics *diagnostics, struct study *study);
void study_free(struct study *study);

/* The bound of a method; it must be there. */
const wb_bound *study_bound(const wb_analysis *analysis, const char *method);

/* The time under a policy; it must be there. */
cycles study_simulated(const wb_analysis *analysis, const char *policy);

#endif

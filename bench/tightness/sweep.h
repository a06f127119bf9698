/* What is measured: every kernel of kernels/index.txt whose data is known, on some machines with some SMs, in
 * grids that fill the slots of all SMs once (one wave) and three and a half times. */
#ifndef WB_BENCH_TIGHTNESS_SWEEP_H
#define WB_BENCH_TIGHTNESS_SWEEP_H

#include "base/base.h"
#include "warpbound.h"

struct sweep_kernel {
    char name[64], ptx[96], launch[96];
};

struct sweep_machine {
    const char *name;    /* in tables */
    const char *preset;  /* and what it is: a preset, */
    const char *setting; /* and what of it is set otherwise; or NULL */
};

/* Slots that a grid fills, in halves of all there are. */
struct sweep_size {
    const char *name;
    uint32_t halves;
};

/* Cases of one machine, one number of SMs and one size follow one another: a table. */
struct sweep_case {
    const struct sweep_machine *machine;
    const char *sms; /* a number, or "max": as many as the machine has */
    const struct sweep_size *size;
    const struct sweep_kernel *kernel;
    bool searches; /* for slow executions */
};

/* What of all that is measured: lists of names separated by commas, "all" for all of them. */
struct sweep_choice {
    const char *machines, *sms, *sizes, *kernels;
    bool no_search; /* the slowest simulation stands for the slowest execution: in a tenth of the time */
};

struct sweep {
    VEC(struct sweep_kernel) kernels; /* of the index */
    VEC(struct sweep_case) cases;
};

/* The cases that are chosen. The program runs from the project's top folder. Freed in any case. */
wb_status sweep_make(const struct sweep_choice *choice, wb_diagnostics *diagnostics, struct sweep *sweep);
void sweep_free(struct sweep *sweep);

/* Whether two cases are rows of the same table. */
bool sweep_same_table(const struct sweep_case *a, const struct sweep_case *b);

#endif

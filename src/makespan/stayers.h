/* Which warps of a state execute an instruction of their run and stay in it, where it is given how many do so
 * in each run (docs/makespan-proofs.md, T2): all ways to distribute them over the positions of the runs. */
#ifndef WB_MAKESPAN_STAYERS_H
#define WB_MAKESPAN_STAYERS_H

#include "makespan/run_layout.h"

struct stayer_place {
    uint32_t position; /* not the last of its run */
    uint32_t run;
    uint32_t warps;  /* there */
    uint32_t served; /* of them, in this distribution */
    uint32_t behind; /* warps at later places of the run */
};

struct stayers {
    struct stayer_place *places;
    uint32_t count;
    uint32_t left[LAYOUT_RUNS_MAX]; /* per run: those not placed yet; 0 when the distribution is made */
};

/* WB_ERR_LIMIT without a message. */
wb_status stayers_make(const struct run_list *runs, struct stayers *stayers);
void stayers_free(struct stayers *stayers);

/* The first distribution of stay[j] warps in every run j of a state with counts[p] warps at position p; so
 * many must be there. */
void stayers_first(const struct run_list *runs, const uint16_t *counts, const uint32_t *stay,
                   struct stayers *stayers);

/* The next one; false when there is none. */
bool stayers_next(struct stayers *stayers);

#endif

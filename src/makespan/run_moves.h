/* What one cycle does to the warps of the runs: abstract transitions of the run abstraction
 * (docs/makespan-proofs.md, T2). How many each run serves is a choice of serve_choice.h; how many of those
 * leave it is chosen here. */
#ifndef WB_MAKESPAN_RUN_MOVES_H
#define WB_MAKESPAN_RUN_MOVES_H

#include "makespan/run_layout.h"
#include "makespan/serve_choice.h"

/* All by run. The fewest and the most of the served warps that can leave are the caller's. */
struct run_moves {
    uint32_t fewest[LAYOUT_RUNS_MAX];
    uint32_t most[LAYOUT_RUNS_MAX];
    uint32_t leave[LAYOUT_RUNS_MAX];
    uint32_t arrive[LAYOUT_RUNS_MAX];
    uint32_t stay[LAYOUT_RUNS_MAX]; /* served, but do not leave */
    uint32_t leavers;               /* of all runs */
};

/* The first moves for what the runs serve. */
void run_moves_first(const struct run_list *runs, const struct serve_choice *serve, struct run_moves *moves);

/* The next ones; false when there are none. */
bool run_moves_next(const struct run_list *runs, const struct serve_choice *serve, struct run_moves *moves);

/* The composition that the moves lead to. */
void run_moves_target(const struct run_layout *layout, const struct composition *from,
                      const struct run_moves *moves, struct composition *target);

#endif

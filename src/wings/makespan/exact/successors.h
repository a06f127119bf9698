/* Which warps of a state execute an instruction of their run and stay in it, where it is given how many do so
 * in each run (docs/makespan-proofs.md, T2): all ways to distribute them over the positions of the runs. */
#ifndef WB_MAKESPAN_EXACT_SUCCESSORS_H
#define WB_MAKESPAN_EXACT_SUCCESSORS_H

#include "wings/makespan/exact/run_layout.h"
#include "wings/makespan/exact/run_table.h"
#include "wings/makespan/method/closed.h"

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

/* The states that one cycle can lead to, with a bound on the time that then remains. */

/* Who is told about them. */
struct successor_user {
    void *user;
    /* Whether successors with this bound are wanted, `issued` instructions further on. */
    bool (*wants)(void *user, uint32_t issued, uint64_t bound);
    /* Takes one: counts[p] warps at position p, `warps` in all. */
    void (*take)(void *user, uint32_t issued, uint64_t bound, const uint16_t *counts, uint32_t warps);
};

struct successors {
    const struct makespan_problem *problem;
    const struct run_list *runs;
    const struct run_table *table; /* bounds, or estimates, are from it; NULL: from the closed form */
    struct remaining_bound closed;
    struct serve_choice serve; /* over runs with a table, else over positions */
    struct run_moves moves;
    struct stayers stayers;
    uint16_t *next;
};

/* `table` may be NULL; bounds are estimates unless it is full. In a protected arena. */
void successors_make(const struct run_list *runs, const struct run_table *table, struct arena *arena,
                     struct successors *successors);

/* Goes through the successors of a state that has not ended, leaving out those not wanted, and, where there
 * are more than `most` of one kind, further ones; then *all becomes false. Kinds are what the table tells
 * apart. */
void successors_visit(struct successors *successors, const uint16_t *counts, uint64_t most,
                      const struct successor_user *user, bool *all);

#endif

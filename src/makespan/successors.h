/* The states that one cycle can lead to, with a bound on the time that then remains. */
#ifndef WB_MAKESPAN_SUCCESSORS_H
#define WB_MAKESPAN_SUCCESSORS_H

#include "makespan/remaining_bound.h"
#include "makespan/run_moves.h"
#include "makespan/run_table.h"
#include "makespan/stayers.h"

/* Who is told about them. */
struct successor_user {
    void *user;
    /* Whether successors with this bound are wanted, `issued` instructions further on. */
    bool (*wants)(void *user, uint32_t issued, uint64_t bound);
    /* Takes one: counts[p] warps at position p, `warps` in all. */
    wb_status (*take)(void *user, uint32_t issued, uint64_t bound, const uint16_t *counts, uint32_t warps);
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

/* `table` may be NULL; bounds are estimates unless it is full. WB_ERR_LIMIT without a message. Freed with
 * successors_free, also after an error. */
wb_status successors_make(const struct run_list *runs, const struct run_table *table,
                          struct successors *successors);
void successors_free(struct successors *successors);

/* Goes through the successors of a state that has not ended, leaving out those not wanted, and, where there
 * are more than `most` of one kind, further ones; then *all becomes false. Kinds are what the table tells
 * apart. */
wb_status successors_visit(struct successors *successors, const uint16_t *counts, uint64_t most,
                           const struct successor_user *user, bool *all);

#endif

/* The strings of a problem as *runs*: maximal stretches of instructions of one unit type. */
#ifndef WB_MAKESPAN_RUNS_H
#define WB_MAKESPAN_RUNS_H

#include "strings/problem.h"

struct unit_run {
    uint8_t unit;
    bool last; /* of its string */
    uint32_t group;
    uint32_t first;  /* its first position */
    uint32_t length; /* its positions */
};

struct run_list {
    const struct makespan_problem *problem;
    struct unit_run *items; /* of all groups, in the order of positions */
    uint32_t count;
    uint32_t *of_position; /* the run that a position lies in */
};

/* WB_ERR_LIMIT without a message. Freed with run_list_free, also after an error. */
wb_status run_list_make(const struct makespan_problem *problem, struct run_list *runs);
void run_list_free(struct run_list *runs);

#endif

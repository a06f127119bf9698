/* A closed form that bounds the makespan for all capacities, issue limits and groups of warps. */
#ifndef WB_MAKESPAN_METHOD_CLOSED_H
#define WB_MAKESPAN_METHOD_CLOSED_H

#include "wings/makespan/method/method.h"

extern const struct makespan_method makespan_closed, makespan_pessimistic;

/* No schedule of the problem takes longer. */
uint64_t closed_bound(const struct makespan_problem *problem);

/* The same for any state: the proof asks only for how many instructions the warp that finishes last has left
 * itself, and how many the others have. */
struct remaining_bound {
    const struct makespan_problem *problem;
    uint32_t (*left)[UNIT_TYPES]; /* per position: instructions by unit type from there to the end */
    uint64_t weight[UNIT_TYPES];  /* with an issue limit: of an instruction, in parts of a cycle of waiting */
    uint64_t parts;               /* as many parts are a cycle */
};

/* In a protected arena. */
void remaining_bound_make(const struct makespan_problem *problem, struct arena *arena,
                          struct remaining_bound *bound);

/* A bound on the time that remains with counts[p] warps at position p. */
uint64_t remaining_cycles(const struct remaining_bound *bound, const uint16_t *counts);

#endif

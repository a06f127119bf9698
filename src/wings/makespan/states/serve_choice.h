/* All that work-conserving schedules can do in one cycle: how many of the warps at each place execute. A
 * place is whatever warps that need the same unit type are counted by, such as a position or a run. */
#ifndef WB_MAKESPAN_STATES_SERVE_CHOICE_H
#define WB_MAKESPAN_STATES_SERVE_CHOICE_H

#include <assert.h>

#include "base/base.h"
#include "wings/makespan/strings/problem.h"

struct serve_place {
    uint32_t at;                 /* which place: the caller's number */
    uint32_t warps;              /* there: at least 1 */
    uint32_t served;             /* of them, in this choice */
    uint32_t behind[UNIT_TYPES]; /* warps at later places, by unit type */
    uint8_t unit;
};

/* Places are put in with serve_choice_add after serve_choice_clear; then serve_choice_first and
 * serve_choice_next go through the choices, each once. */
struct serve_choice {
    struct serve_place *places;
    uint32_t count;
    uint32_t room;                  /* places there is memory for: no more are added */
    uint32_t unit_left[UNIT_TYPES]; /* warps the units still have to serve, or may, with an issue limit */
    uint32_t issue_left;            /* warps that still have to execute; 0 when the choice is made */
    uint32_t issues;                /* warps that execute in this cycle: the same in all choices */
    const struct makespan_problem *problem;
};

/* With room for so many places, in a protected arena. */
void serve_choice_make(const struct makespan_problem *problem, uint32_t room, struct arena *arena,
                       struct serve_choice *choice);

/* The most warps that can execute in one cycle. */
uint32_t serve_choice_most(const struct makespan_problem *problem);

static inline void serve_choice_clear(struct serve_choice *choice) {
    choice->count = 0;
}

static inline void serve_choice_add(struct serve_choice *choice, uint32_t at, uint8_t unit, uint32_t warps) {
    assert(choice->count < choice->room && warps > 0);
    struct serve_place *place = &choice->places[choice->count++];
    place->at = at;
    place->unit = unit;
    place->warps = warps;
}

/* Makes the first choice: at least one warp must be at some place. */
void serve_choice_first(struct serve_choice *choice);

/* Makes the next choice; false when there is none. */
bool serve_choice_next(struct serve_choice *choice);

#endif

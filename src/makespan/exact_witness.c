#include "makespan/exact_witness.h"

#include <stdlib.h>
#include <string.h>

/* What is served from one state to the next: of a position, who is gone from it and did not come from the
 * position before. */
static void serve_between(const struct makespan_problem *problem, const uint16_t *from, const uint16_t *to,
                          uint16_t *served) {
    uint32_t arrived = 0;
    for (uint32_t p = 0; p < problem->position_count; p++) {
        uint32_t leave = from[p] + arrived - to[p];
        served[p] = (uint16_t)leave;
        arrived = problem->last[p] ? 0 : leave;
    }
}

/* The state that the choice leads to. */
static void apply(const struct makespan_problem *problem, const struct serve_choice *choice,
                  const uint16_t *from, uint16_t *to) {
    memcpy(to, from, problem->position_count * sizeof *to);
    for (uint32_t i = 0; i < choice->count; i++) {
        uint32_t p = choice->places[i].at;
        uint32_t served = choice->places[i].served;
        to[p] = (uint16_t)(to[p] - served);
        if (!problem->last[p]) to[p + 1] = (uint16_t)(to[p + 1] + served);
    }
}

/* Goes from a state of the tail to a successor from which it takes one cycle less; there is one. */
static void follow_tail(const struct exact_tail *tail, struct serve_choice *choice, const uint16_t *from,
                        uint16_t *to) {
    const struct makespan_problem *problem = tail->problem;
    uint32_t left = exact_tail_cycles(tail, from);
    serve_choice_clear(choice);
    for (uint32_t p = 0; p < problem->position_count; p++)
        if (from[p] > 0) serve_choice_add(choice, p, problem->unit[p], from[p]);
    serve_choice_first(choice);
    do {
        apply(problem, choice, from, to);
    } while (exact_tail_cycles(tail, to) + 1 != left && serve_choice_next(choice));
}

/* Everything that is allocated to make a schedule. */
struct witness_maker {
    uint16_t *served; /* of all cycles */
    uint16_t *state;
    uint16_t *next;
    struct serve_choice choice;
};

static wb_status make(const struct exact_tail *tail, const uint16_t *states, uint32_t state_count,
                      struct witness_maker *maker, struct schedule *schedule) {
    const struct makespan_problem *problem = tail->problem;
    size_t positions = problem->position_count;
    const uint16_t *last = states + (state_count - 1) * positions;
    uint32_t cycle_count = state_count - 1 + exact_tail_cycles(tail, last);
    maker->served = calloc(cycle_count, positions * sizeof *maker->served);
    maker->state = malloc(positions * sizeof *maker->state);
    maker->next = malloc(positions * sizeof *maker->next);
    if (maker->served == NULL || maker->state == NULL || maker->next == NULL) return WB_ERR_LIMIT;
    WB_TRY(serve_choice_make(problem, problem->position_count, &maker->choice));
    uint16_t *served = maker->served;
    for (uint32_t i = 0; i + 1 < state_count; i++, served += positions, states += positions)
        serve_between(problem, states, states + positions, served);
    memcpy(maker->state, last, positions * sizeof *maker->state);
    for (uint32_t t = state_count - 1; t < cycle_count; t++, served += positions) {
        follow_tail(tail, &maker->choice, maker->state, maker->next);
        serve_between(problem, maker->state, maker->next, served);
        memcpy(maker->state, maker->next, positions * sizeof *maker->state);
    }
    return schedule_from_counts(problem, maker->served, cycle_count, schedule);
}

wb_status exact_witness(const struct exact_tail *tail, const uint16_t *states, uint32_t state_count,
                        struct schedule *schedule) {
    struct witness_maker maker = {0};
    wb_status status = make(tail, states, state_count, &maker, schedule);
    free(maker.served);
    free(maker.state);
    free(maker.next);
    serve_choice_free(&maker.choice);
    return status;
}

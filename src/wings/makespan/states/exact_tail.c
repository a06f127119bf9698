#include "wings/makespan/states/exact_tail.h"

#include <assert.h>
#include <string.h>

/* Times are kept in 16 bits, and others compare them as signed numbers. */
#define TAIL_CYCLES_MAX 32767u

/* How many states are made between two questions whether to go on. */
#define TAIL_POLL 65536u

static uint32_t slots_of(const struct makespan_problem *problem) {
    return problem->position_count + problem->group_count - 1;
}

uint64_t exact_tail_size(const struct makespan_problem *problem, uint32_t warps) {
    uint64_t slots = slots_of(problem);
    if (slots * warps > TAIL_CYCLES_MAX) return UINT64_MAX;
    uint64_t count = multiset_count((uint32_t)slots, warps);
    if (count >= UINT64_MAX / 4) return UINT64_MAX;
    return count * sizeof(uint16_t) + multiset_rank_bytes((uint32_t)slots, warps);
}

uint32_t exact_tail_warps(const struct makespan_problem *problem, uint32_t most, uint64_t states,
                          uint64_t bytes) {
    uint32_t warps = most < problem->warp_count ? most : problem->warp_count;
    while (warps > 0 &&
           (multiset_count(slots_of(problem), warps) > states || exact_tail_size(problem, warps) > bytes))
        warps--;
    return warps;
}

/* Numbers the slots. */
static void lay_slots(struct exact_tail *tail, struct arena *arena) {
    const struct makespan_problem *problem = tail->problem;
    tail->position = arena_array(arena, tail->slot_count, sizeof *tail->position);
    tail->slot = arena_array(arena, problem->position_count, sizeof *tail->slot);
    uint32_t slot = 0;
    for (uint32_t p = 0; p < problem->position_count; p++) {
        tail->slot[p] = slot;
        tail->position[slot++] = p;
        if (problem->last[p] && slot < tail->slot_count) tail->position[slot++] = UINT32_MAX;
    }
    assert(slot == tail->slot_count);
}

/* One state in the making: the number of its successors is its own less what the served warps take away. */
struct tail_state {
    uint32_t *counts; /* per slot */
    uint32_t rest;    /* warps of the X that are out */
    struct serve_choice choice;
    uint32_t *cumulative; /* per place of the choice */
};

/* The number of the state that the choice leads to. */
static uint64_t successor(const struct exact_tail *tail, const struct tail_state *state, uint64_t number) {
    for (uint32_t i = 0; i < state->choice.count; i++) {
        const struct serve_place *place = &state->choice.places[i];
        const uint64_t *steps = multiset_steps(&tail->rank, place->at);
        assert(steps[state->cumulative[i]] - steps[state->cumulative[i] - place->served] <= number);
        number -= steps[state->cumulative[i]] - steps[state->cumulative[i] - place->served];
    }
    return number;
}

/* The number of the state whose warps in gaps are out. */
static uint64_t without_gaps(const struct exact_tail *tail, const uint32_t *counts) {
    uint64_t number = 0;
    uint32_t cumulative = 0;
    for (uint32_t slot = 0; slot < tail->slot_count; slot++) {
        if (tail->position[slot] != UINT32_MAX) cumulative += counts[slot];
        number += multiset_steps(&tail->rank, slot)[cumulative];
    }
    return number;
}

/* The longest remaining time of the state with this number, from those with lower ones. */
static uint16_t longest(const struct exact_tail *tail, struct tail_state *state, uint64_t number) {
    serve_choice_clear(&state->choice);
    uint32_t cumulative = 0;
    for (uint32_t slot = 0; cumulative + state->rest < tail->warps; slot++) {
        if (state->counts[slot] == 0) continue;
        uint32_t position = tail->position[slot];
        if (position == UINT32_MAX) return tail->cycles[without_gaps(tail, state->counts)];
        cumulative += state->counts[slot];
        state->cumulative[state->choice.count] = cumulative;
        serve_choice_add(&state->choice, slot, tail->problem->unit[position], state->counts[slot]);
    }
    uint16_t most = 0;
    serve_choice_first(&state->choice);
    do {
        uint16_t cycles = tail->cycles[successor(tail, state, number)];
        if (cycles > most) most = cycles;
    } while (serve_choice_next(&state->choice));
    return (uint16_t)(most + 1);
}

/* Fills the table in the order of numbers. False when it was stopped. */
static bool fill(const struct makespan_run *run, struct exact_tail *tail, struct tail_state *state) {
    tail->cycles[0] = 0;
    state->rest = tail->warps;
    for (uint64_t number = 1; multiset_next(&tail->rank, state->counts, &state->rest); number++) {
        if (number % TAIL_POLL == 0 && !makespan_goes_on(run, "exact: last warps", number, tail->rank.count))
            return false;
        tail->cycles[number] = longest(tail, state, number);
    }
    return true;
}

bool exact_tail_make(const struct makespan_run *run, uint32_t warps, struct arena *arena,
                     struct exact_tail *tail) {
    assert(warps > 0 && exact_tail_size(run->problem, warps) != UINT64_MAX);
    *tail =
        (struct exact_tail){.problem = run->problem, .warps = warps, .slot_count = slots_of(run->problem)};
    lay_slots(tail, arena);
    multiset_rank_make(tail->slot_count, warps, arena, &tail->rank);
    tail->cycles = arena_array(arena, tail->rank.count, sizeof *tail->cycles);
    struct tail_state state = {.counts = arena_array(arena, tail->slot_count, sizeof *state.counts),
                               .cumulative = arena_array(arena, warps, sizeof *state.cumulative)};
    serve_choice_make(tail->problem, warps, arena, &state.choice);
    return fill(run, tail, &state);
}

uint32_t exact_tail_cycles(const struct exact_tail *tail, const uint16_t *counts) {
    uint64_t number = 0;
    uint32_t cumulative = 0;
    for (uint32_t slot = 0; slot < tail->slot_count; slot++) {
        if (tail->position[slot] != UINT32_MAX) cumulative += counts[tail->position[slot]];
        number += multiset_steps(&tail->rank, slot)[cumulative];
    }
    assert(cumulative <= tail->warps && number < tail->rank.count);
    return tail->cycles[number];
}

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

void exact_witness(const struct exact_tail *tail, const uint16_t *states, uint32_t state_count,
                   struct arena *arena, struct schedule *schedule) {
    const struct makespan_problem *problem = tail->problem;
    const size_t positions = problem->position_count;
    const uint16_t *last = states + (state_count - 1) * positions;
    const uint32_t cycle_count = state_count - 1 + exact_tail_cycles(tail, last);
    struct arena scratch = {0};
    struct serve_choice choice;
    arena_bind(&scratch, arena);
    uint16_t *all_served = arena_array(&scratch, cycle_count, positions * sizeof *all_served);
    uint16_t *state = arena_array(&scratch, positions, sizeof *state);
    uint16_t *next = arena_array(&scratch, positions, sizeof *next);
    serve_choice_make(problem, problem->position_count, &scratch, &choice);
    uint16_t *served = all_served;
    for (uint32_t i = 0; i + 1 < state_count; i++, served += positions, states += positions)
        serve_between(problem, states, states + positions, served);
    memcpy(state, last, positions * sizeof *state);
    for (uint32_t t = state_count - 1; t < cycle_count; t++, served += positions) {
        follow_tail(tail, &choice, state, next);
        serve_between(problem, state, next, served);
        memcpy(state, next, positions * sizeof *state);
    }
    schedule_from_counts(problem, all_served, cycle_count, arena, schedule);
    arena_free(&scratch);
}

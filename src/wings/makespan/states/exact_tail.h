/* The longest remaining time of every state with at most X unfinished warps, by dynamic programming backwards
 * over all multisets of X positions (docs/makespan-proofs.md). */
#ifndef WB_MAKESPAN_STATES_EXACT_TAIL_H
#define WB_MAKESPAN_STATES_EXACT_TAIL_H

#include "wings/makespan/method/method.h"
#include "wings/makespan/states/multiset_rank.h"
#include "wings/makespan/states/serve_choice.h"
#include "wings/makespan/strings/schedule.h"

/* Positions, and between two groups one *gap* for warps that have finished there, are numbered in one row:
 * a *slot* is a position plus its group's index. A warp that finishes goes to the gap, or from the last group
 * out. So every warp moves by one slot, and numbers of multisets (multiset_rank.h) only fall. */
struct exact_tail {
    const struct makespan_problem *problem;
    uint32_t warps; /* X */
    uint32_t slot_count;
    uint32_t *position; /* per slot: its position, UINT32_MAX in a gap */
    uint32_t *slot;     /* per position */
    struct multiset_rank rank;
    uint16_t *cycles; /* by number of the multiset */
};

/* Bytes that the table for X warps takes; UINT64_MAX when there is none: it would be too large, or its times
 * would not fit. */
uint64_t exact_tail_size(const struct makespan_problem *problem, uint32_t warps);

/* The most warps, up to `most` and to those of the problem, whose table has at most so many states and bytes;
 * 0 where there is none. */
uint32_t exact_tail_warps(const struct makespan_problem *problem, uint32_t most, uint64_t states,
                          uint64_t bytes);

/* Makes the table for X warps, at least 1, whose size is known not to be UINT64_MAX. It is in a
 * protected arena. False when makespan_goes_on said no. */
bool exact_tail_make(const struct makespan_run *run, uint32_t warps, struct arena *arena,
                     struct exact_tail *tail);

/* The longest remaining time of a state that has counts[p] warps at position p and at most X in all. */
uint32_t exact_tail_cycles(const struct exact_tail *tail, const uint16_t *counts);

/* The schedule behind an exact search, which anyone can check: it passes `state_count` states, each counts
 * per position, one cycle apart, the initial one first, and then, from the last, takes as long as the tail
 * says. It takes the place of *schedule, or is made in the arena, which is protected. */
void exact_witness(const struct exact_tail *tail, const uint16_t *states, uint32_t state_count,
                   struct arena *arena, struct schedule *schedule);

#endif

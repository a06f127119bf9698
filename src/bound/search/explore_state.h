/* The state of a block in the middle of a schedule, and the steps that a schedule can take from it. All times
 * are cycles from now; what cannot matter any more is not kept, so that equal futures have equal states. */
#ifndef WB_BOUND_SEARCH_EXPLORE_STATE_H
#define WB_BOUND_SEARCH_EXPLORE_STATE_H

#include <stddef.h>

#include "bound/search/explore_parts.h"

#define EXPLORE_WARPS_MAX 32u
#define EXPLORE_UNITS_MAX 16u

struct explore_model {
    const struct timed_block *block;
    struct explore_program *programs; /* by path */
    uint32_t warp_count;
    uint32_t unit_count;
    uint32_t depth; /* DEPTH_UNLIMITED too when it can never fill */
};

struct explore_state {
    uint32_t opened; /* barriers that have let the warps go */
    struct explore_unit units[EXPLORE_UNITS_MAX];
    struct explore_warp warps[EXPLORE_WARPS_MAX]; /* sorted: identical warps are interchangeable */
};

/* Bytes of a state that are in use, from its start: what a copy must take. */
static inline size_t explore_state_size(const struct explore_model *model) {
    return offsetof(struct explore_state, warps) + model->warp_count * sizeof(struct explore_warp);
}

/* Longest key of a state in bytes. */
#define EXPLORE_KEY_MAX (EXPLORE_WARPS_MAX * EXPLORE_WARP_KEY_MAX + EXPLORE_UNITS_MAX * EXPLORE_UNIT_KEY_MAX)

/* The state before the first cycle. */
void explore_start(const struct explore_model *model, struct explore_state *state);

/* Lets time pass until a warp can issue: true, with the time in *passed, or false when every warp has ended.
 * Sorts the warps. */
bool explore_settle(const struct explore_model *model, struct explore_state *state, uint32_t *passed);

/* The warps that can issue now, as their indices; of identical warps in identical states only the first. */
uint32_t explore_choices(const struct explore_model *model, const struct explore_state *state,
                         uint8_t choices[EXPLORE_WARPS_MAX]);

/* Issues the next instruction of a warp and goes to the next cycle. Returns the time from before the issue
 * until the instruction is complete. */
uint32_t explore_issue(const struct explore_model *model, struct explore_state *state, uint32_t warp);

/* Writes the state as bytes, equal for equal states only; returns their number. */
size_t explore_key(const struct explore_model *model, const struct explore_state *state,
                   uint8_t key[EXPLORE_KEY_MAX]);

#endif

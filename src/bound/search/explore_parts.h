/* What the states of the searches over schedules are made of: a warp in the middle of its program, and a unit
 * with its queue. All times are cycles from now. */
#ifndef WB_BOUND_SEARCH_EXPLORE_PARTS_H
#define WB_BOUND_SEARCH_EXPLORE_PARTS_H

#include "bound/search/explore_program.h"

#define EXPLORE_INSTANCES_MAX 4u
#define EXPLORE_DEPTH_MAX 8u

struct explore_warp {
    uint16_t path;
    uint16_t position;
    uint32_t live_count;
    uint32_t live[EXPLORE_LIVE_MAX]; /* until each live result can be read */
};

struct explore_unit {
    uint32_t busy[EXPLORE_INSTANCES_MAX]; /* per instance, until its initiations end; falling */
    uint32_t waiting[EXPLORE_DEPTH_MAX];  /* until each queued instruction starts; rising */
    uint32_t waiting_count;
};

/* Longest forms of them in a key: every number takes at most five bytes. */
#define EXPLORE_WARP_KEY_MAX (5u * (1 + EXPLORE_LIVE_MAX))
#define EXPLORE_UNIT_KEY_MAX (5u * (1 + EXPLORE_INSTANCES_MAX + EXPLORE_DEPTH_MAX))

/* Whether queues have a length that can matter. */
static inline bool explore_depth_is_finite(uint32_t depth) {
    return depth != 0 && depth != DEPTH_UNLIMITED;
}

/* Until the operands of the warp's next instruction can be read. */
static inline uint32_t explore_operands_in(const struct explore_warp *warp, const struct explore_inst *inst) {
    uint32_t latest = 0;
    for (uint32_t waits = inst->waits; waits != 0; waits &= waits - 1) {
        uint32_t result = warp->live[__builtin_ctz(waits)];
        if (result > latest) latest = result;
    }
    return latest;
}

/* Until an instruction may be issued to a unit with queues of `depth` entries. */
static inline uint32_t explore_unit_open_in(const struct explore_unit *unit, uint32_t instances,
                                            uint32_t depth) {
    if (depth == DEPTH_UNLIMITED) return 0;
    if (depth == 0) return unit->busy[instances - 1];
    return unit->waiting_count < depth ? 0 : unit->waiting[unit->waiting_count - depth];
}

/* Puts the warp behind its next instruction, whose result can be read in `result` cycles. */
void explore_warp_advance(struct explore_warp *warp, const struct explore_inst *inst, uint32_t result);

/* Gives an instruction to a unit that is open. Returns the time until it is complete. */
uint32_t explore_unit_take(struct explore_unit *unit, const struct explore_inst *inst, uint32_t instances,
                           uint32_t depth);

/* Lets time pass. */
void explore_warp_pass(struct explore_warp *warp, uint32_t passed);
void explore_unit_pass(struct explore_unit *unit, uint32_t instances, uint32_t passed);

/* 0 for warps of one path in the same state, which may be exchanged. */
int explore_warp_order(const struct explore_warp *a, const struct explore_warp *b);

/* Sorts warps: insertion, as nearly all are in order. */
void explore_warps_sort(struct explore_warp *warps, uint32_t count);

/* Write a part of a key; each returns the place behind it. The path of a warp is not written. */
uint8_t *explore_put_number(uint8_t *at, uint32_t number);
uint8_t *explore_put_warp(uint8_t *at, const struct explore_warp *warp);
uint8_t *explore_put_unit(uint8_t *at, const struct explore_unit *unit, uint32_t instances, uint32_t depth);

#endif

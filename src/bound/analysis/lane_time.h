/* How long the way of one lane takes at least, by the stall counts and dependence counters of its machine
 * instructions and the shortest latencies known; docs/machine-code.md proves it. */
#ifndef WB_BOUND_ANALYSIS_LANE_TIME_H
#define WB_BOUND_ANALYSIS_LANE_TIME_H

#include "base/cycles.h"
#include "sass/sass.h"
#include "warp/path/path.h"

#define LANE_COUNTERS 6u

/* Increments of one counter under way that are remembered: the counter goes up to 63. */
#define LANE_UNDER_WAY 64u

/* The rule of issuing an instruction: its waits, and its effect on the waits of others. */
struct issue_rule {
    uint8_t stall;       /* cycles until the next one of the lane at least; 0: it may be jumped over */
    uint8_t waits;       /* mask of counters that must be 0 */
    uint8_t limited;     /* a counter that must be .. */
    uint8_t limit;       /* .. at most this, or SASS_NO_COUNTER */
    uint8_t counters[2]; /* that it counts up: until its result is written, until it has read */
    uint8_t least[2];    /* cycles until then, for an instruction that waits, at least */
    bool copies;         /* its result is what the next group is about (LDGSTS) */
    bool closes;         /* a group: its counter waits for all copies before it (LDGDEPBAR) */
};

/* Cycles from the issue of an instruction to that of the next one of its warp at least. */
uint32_t stalls_of_control(const struct sass_control *control);

struct issue_rule issue_rule_of(uint32_t sm, const struct sass_inst *inst);

struct lane_time {
    cycles total; /* from the first issue to the last one */
    cycles waits; /* of these, for counters: the rest are stall counts */
};

/* The way through `path` of the lanes of `lanes`, which are active in the same entries; `rules` are of issued
 * instructions, by index. Where `profile` is not NULL, what waits cost is added per instruction: those for
 * counters to the one that waits, stall counts to the one that has them (to the last one, too). */
struct lane_time lane_time(const struct issue_rule *rules, const struct path *path, uint32_t lanes,
                           uint64_t *profile);

#endif

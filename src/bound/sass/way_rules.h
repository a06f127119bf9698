/* Tables of a block's code for the bounds of machine code: which units keep which others waiting, which parts
 * of a machine an instruction can block, and how many increments of each dependence counter are distinguished
 * (docs/machine-code-bounds.md). */
#ifndef WB_BOUND_SASS_WAY_RULES_H
#define WB_BOUND_SASS_WAY_RULES_H

#include "base/base.h"
#include "warp/timed/timed.h"

_Static_assert(MACHINE_UNITS_MAX <= 32, "units are the bits of a number");

struct pipeline_rules {
    const struct timed_block *block;
    bool parts;                           /* warps execute parts of the paths, which are covering ones */
    uint32_t blocking[MACHINE_UNITS_MAX]; /* per unit those that it waits for when its instructions do:
                                             itself, and every unit behind it with a queue that can be full */
    bool unseen;         /* some instruction waits for a counter before it is sure to see it counted up */
    uint32_t shared;     /* units that sub-cores share, and those that can keep these blocked */
    uint32_t clash;      /* units that two ways of the code reach differently, and all that these wait for:
                            own instructions may overtake there */
    uint32_t latches;    /* units of instructions of fixed latency */
    uint32_t held_issue; /* those that every instruction waits for, as one that finds a queue full holds the
                            issue stage */
    const uint32_t
        *apart; /* per entry whether what it takes is counted apart from the paths: not 0; or NULL */
    uint8_t recent[SASS_COUNTERS]; /* per counter the largest `left` of an instruction that waits for it */
};

/* Looks through the instructions that some path has. WB_ERR_LIMIT when memory is exhausted. */
wb_status pipeline_rules_make(const struct timed_block *block, struct pipeline_rules *rules);

/* Whether the unit of the first stage starts an instruction when it is issued. */
bool code_starts_at_issue(const struct pipeline_rules *rules, const struct sass_timed *inst);

/* Most cycles that an instruction of another warp can keep a warp waiting: of the same sub-core, and of
 * another one. */
cycles code_charge_near(const struct pipeline_rules *rules, const struct sass_timed *inst);
cycles code_charge_far(const struct pipeline_rules *rules, const struct sass_timed *inst);

/* What an instruction is to ELB: all that it holds, and the cycles from its issue in which something is held
 * for certain. */
cycles code_work(const struct sass_timed *inst);
cycles code_hold(const struct sass_timed *inst);

/* Of an instruction the cycles that it holds its stages. */
static inline cycles code_stage_time(const struct sass_timed *inst) {
    cycles sum = 0;
    for (uint32_t i = 0; i < inst->stage_count; i++)
        sum += inst->stages[i].init;
    return sum;
}

#endif

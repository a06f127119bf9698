/* A schedule of a makespan problem: the cycle in which every instruction of every warp executes. */
#ifndef WB_STRINGS_SCHEDULE_H
#define WB_STRINGS_SCHEDULE_H

#include "base/base.h"
#include "wings/makespan/strings/problem.h"

/* Warps are numbered from 0 in the order of the problem's groups. Zero-initialised it is none. */
struct schedule {
    uint32_t *cycle; /* warp after warp, instruction after instruction; from 1 */
    uint32_t makespan;
};

/* Makes an empty one (all cycles 0) in the arena; without cycles where that is exhausted and not protected.
 */
void schedule_make(const struct makespan_problem *problem, struct arena *arena, struct schedule *schedule);

/* Where a warp's cycles start in schedule.cycle. */
uint64_t schedule_start(const struct makespan_problem *problem, uint32_t warp);

/* The group that a warp belongs to. */
uint32_t schedule_group(const struct makespan_problem *problem, uint32_t warp);

/* Makes the schedule in which in cycle t (from 1), for every position p, served[(t - 1) * position_count + p]
 * of the warps that stand there execute it: those with the least numbers. The warps must be there.
 * It takes the place of a schedule of the same problem, if there is one, else it is made in the arena, which
 * is protected. */
void schedule_from_counts(const struct makespan_problem *problem, const uint16_t *served,
                          uint32_t cycle_count, struct arena *arena, struct schedule *schedule);

/* Checks that the schedule is one of the problem, from the definition alone: every instruction executes once
 * and in order, no capacity and no issue limit is exceeded, no warp waits without need, and the makespan is
 * what it says. WB_ERR_INPUT with a message that names the warp and the cycle when it is not; `where` stands
 * for the file name. */
wb_status schedule_check(const struct makespan_problem *problem, const struct schedule *schedule,
                         const char *where, wb_diagnostics *diagnostics);

#endif

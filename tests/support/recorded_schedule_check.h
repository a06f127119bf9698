/* What is true of every schedule, whatever it is of. */
#ifndef WB_TESTS_RECORDED_SCHEDULE_CHECK_H
#define WB_TESTS_RECORDED_SCHEDULE_CHECK_H

#include "warpbound.h"

/* Fails the running test, naming `what`, unless the schedule, all of which was kept, holds together: the
 * waits and issues of every warp follow one another from the start of its block to its end; no unit does two
 * things at a time; what a warp waits for comes to be when the wait ends; blocks stay in their slots one
 * after another. */
void recorded_schedule_check(const wb_schedule *schedule, const char *what);

#endif

/* The exact worst case of a tiny block over all schedules and all latencies inside the instructions'
 * intervals, cycle by cycle: whoever issues draws a latency. Knows issue width 1, one instance of every unit,
 * barriers, dispatch depth 0 and unlimited; initiations take as long as stated. */
#ifndef WB_TESTS_INTERVAL_EXPLORER_H
#define WB_TESTS_INTERVAL_EXPLORER_H

#include "warp/timed/timed.h"

#define INTERVAL_WARPS 4
#define INTERVAL_INSTS 16
#define INTERVAL_REGISTERS 16
#define INTERVAL_UNITS 8 /* units times sub-cores */

/* The longest execution, or 0 when the block has more than this or the search more than `states` states. */
cycles explore_intervals(const struct timed_block *block, size_t states);

#endif

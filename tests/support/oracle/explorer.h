/* The exact worst case of a small block over all schedules that the rules of docs/proofs.md, section 1, allow
 * with the stated times: a memoised search through every choice of every cycle. */
#ifndef WB_TESTS_EXPLORER_H
#define WB_TESTS_EXPLORER_H

#include "warp/timed/timed.h"

/* What a block may have for the search to be tried. */
#define EXPLORER_WARPS 8
#define EXPLORER_INSTS 64
#define EXPLORER_REGISTERS 16
#define EXPLORER_UNITS 12 /* units times sub-cores */
#define EXPLORER_INSTANCES 3
#define EXPLORER_DEPTH 4 /* of finite queues */
#define EXPLORER_SUB_CORES 4

/* The longest schedule, or 0 when the block has more than this or the search more than `states` states. */
cycles explore(const struct timed_block *block, size_t states);

#endif

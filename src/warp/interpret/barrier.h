/* Barriers of a block. Warps arrive as wholes, as on GPUs before Volta: a barrier that only some lanes of a
 * warp execute counts for all of them. */
#ifndef WB_WARP_INTERPRET_BARRIER_H
#define WB_WARP_INTERPRET_BARRIER_H

#include "warp/interpret/warp.h"

/* Releases the barriers that wait for nobody but warps that are done. */
void barrier_warp_done(struct run *run);

/* Reports which warps wait for which barrier when none can go on; returns WB_ERR_INPUT. */
wb_status barrier_deadlock(const struct run *run);

#endif

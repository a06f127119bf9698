/* The execution of a launch: what is done once for all its blocks, and one block after another. */
#ifndef WB_WARP_INTERPRET_RUN_H
#define WB_WARP_INTERPRET_RUN_H

#include "warp/interpret/warp.h"

/* Checks the launch, decodes the code and fills the memory of a run in which kernel, launch, diagnostics,
 * watch, instruction_limit (0: 10^8), memory_limit (0: 2 GiB), warp_width (0: WARP_LANES), steers,
 * allow_unmapped and the block's index are set (`assumptions` may be), and all else is zero. The arena and
 * code_first must outlive it. To be ended with run_end in any case. */
wb_status run_begin(struct run *run, struct arena *arena, const uint32_t *code_first);

/* Forgets what executions of blocks have noted so far: what they take for granted and do not record. */
void run_forget_notes(struct run *run);

/* Executes the block run->index on what memory holds: all warps until they are done (or steered), recording
 * their accesses unless `accesses` (of each warp, emptied by the caller) is NULL. */
wb_status run_block(struct run *run, struct access_list *accesses);

/* Goes on to the next block of the grid, x first; false behind the last. */
bool run_next_block(struct run *run);

void run_end(struct run *run);

#endif

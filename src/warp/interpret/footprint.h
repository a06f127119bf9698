/* How much memory an execution takes: the part that grows with what is executed, as counted bytes, so that
 * the limit is met at the same instruction in every run. */
#ifndef WB_WARP_INTERPRET_FOOTPRINT_H
#define WB_WARP_INTERPRET_FOOTPRINT_H

#include "warp/interpret/warp.h"
#include "warp/path/grid.h"

/* Bytes that a traced block keeps: its paths and their accesses. */
uint64_t footprint_of_block(const struct wb_block *block);

/* Bytes that the grid keeps of its blocks so far, and what it needs to find equal ones. */
uint64_t footprint_of_grid(const struct wb_grid *grid);

/* WB_ERR_LIMIT with a message when the run with what was kept of earlier blocks (run->kept) takes more than
 * run->memory_limit. */
wb_status footprint_check(const struct run *run);

/* The same before `size` bytes of contents are written to a buffer or variable, which it then counts. */
wb_status footprint_add_contents(struct run *run, const char *name, uint64_t size);

#endif

/* What bounds count besides the times of blocks: cycles in which a memory, or instruction fetch, keeps
 * everything waiting (docs/certificates.md). */
#ifndef WB_REPORT_CERTIFICATE_HELD_PART_H
#define WB_REPORT_CERTIFICATE_HELD_PART_H

#include "bound/analysis/analysis.h"

/* Writes how often all stands still, and for how long: the requests that memories serve, and fetches. */
void held_part_machine(struct text *out, const wb_analysis *analysis);

/* Writes what the second level and DRAM serve of the grid when the first levels let through so many loads. */
void held_part_services(struct text *out, const struct memory_work *work, uint64_t misses);

/* Writes of the last block how long its requests are held back, and by which units they leave where they can
 * delay each other there. */
void held_part_block(struct text *out, const wb_analysis *analysis);

/* The same of a class of blocks of a kernel. */
void held_part_class(struct text *out, const struct grid_work *work, const struct block_class *class);

#endif

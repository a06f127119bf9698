/* Executes a whole grid for what it leaves in memory: what the interpreter computes, for tests. */
#ifndef WB_TESTS_SUPPORT_GRID_EXECUTE_H
#define WB_TESTS_SUPPORT_GRID_EXECUTE_H

#include "warp/trace/trace.h"

/* Executes all blocks of the grid one after another (in index order) for their effect on memory and hands out
 * the final contents of buffer argument number `argument` (from 0, all arguments counted): *bytes is
 * malloc'd, *known has one bit per byte (bit i of byte i/8), malloc'd too. */
wb_status grid_execute(const wb_kernel *kernel, const wb_launch *launch, size_t argument,
                       wb_diagnostics *diagnostics, uint8_t **bytes, uint8_t **known, size_t *size);

#endif

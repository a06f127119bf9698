/* A grid with times: what the blocks of a launch execute, their memory requests, and how long each
 * instruction takes. What the GPU simulator executes and the bounds of whole grids are of. */
#ifndef WB_MEMORY_TIMED_GRID_H
#define WB_MEMORY_TIMED_GRID_H

#include "memory/traffic.h"
#include "warp/timed/timed_block.h"

struct timed_grid {
    struct arena arena; /* of the code */
    const struct wb_grid *grid;
    const struct wb_machine *machine;
    struct timed_code code;
    struct traffic traffic;
};

/* Makes a timed grid, to be freed with timed_grid_free in any case; grid and machine must outlive it, and it
 * must not be moved. Errors, each with a message: WB_ERR_DECLINED when a warp is steered by an unknown value
 * or a barrier joins a part of the block only; WB_ERR_INPUT when the machine lacks a class that is needed or
 * parts of it do not fit together; WB_ERR_LIMIT when memory is exhausted. */
wb_status timed_grid_make(const struct wb_grid *grid, const struct wb_machine *machine,
                          wb_diagnostics *diagnostics, struct timed_grid *timed);

/* Cycles from the end of a request's service by the memory that all SMs share until its data, or of a store
 * the acknowledgement, is back: what the instruction's class counts for memory, or the machine, where the
 * class counts nothing. */
static inline uint32_t request_return(const struct wb_machine *machine, const struct timed_inst *inst) {
    return inst->memory_latency != 0 ? inst->memory_latency : machine->mem_latency;
}

void timed_grid_free(struct timed_grid *timed);

#endif

/* A grid with times: what the blocks of a launch execute, their memory requests, and how long each
 * instruction takes. What the GPU simulator executes and the bounds of whole grids are of. */
#ifndef WB_MEMORY_REQUESTS_TIMED_GRID_H
#define WB_MEMORY_REQUESTS_TIMED_GRID_H

#include "base/arena.h"
#include "memory/requests/traffic.h"
#include "warp/synthetic/synthetic_block.h"
#include "warp/timed/timed_block.h"
#include "warp/trace/grid.h"

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

/* A grid written by hand (warp/synthetic/synthetic_block.h) in the form that the GPU simulator executes. */

/* Makes the grid of a block's kinds, those of the first kind first, and the same with times; both refer to
 * the block and its machine. To be freed with grid_clear and timed_grid_free in any case. WB_ERR_LIMIT with a
 * message when memory is exhausted. */
wb_status synthetic_grid_make(const struct synthetic_block *block, wb_diagnostics *diagnostics,
                              struct wb_grid *grid, struct timed_grid *timed);

/* The same of a grid of one block, of kind number `kind`. */
wb_status synthetic_grid_make_block(const struct synthetic_block *block, size_t kind,
                                    wb_diagnostics *diagnostics, struct wb_grid *grid,
                                    struct timed_grid *timed);

/* From when on the data of a load is surely there: instructions that read or overwrite the register of a load
 * wait for all of its data (docs/proofs.md, R2), so that whatever its warp issues behind them comes after the
 * data. */

/* The first instruction of a warp that waits for an access of it. */
struct data_wait {
    uint32_t access; /* the first access of the warp that is issued no sooner; NEVER_WAITED: none */
    uint32_t phase;  /* barriers that the warp has crossed before it; NEVER_WAITED: there is none */
};

#define NEVER_WAITED UINT32_MAX

struct wait_row {
    const struct data_wait *waits; /* per access of a stream */
};

struct data_waits {
    uint32_t warp_count;
    struct wait_row *rows; /* per shape and warp */
};

/* The waits of all shapes of a grid with the registers of its code, in memory of a protected arena. */
struct data_waits data_waits_make(const struct wb_grid *grid, const struct timed_code *code,
                                  struct arena *arena);

/* Per access of a warp of a shape. */
static inline const struct data_wait *data_waits_of(const struct data_waits *waits, uint32_t shape,
                                                    uint32_t warp) {
    return waits->rows[(size_t)shape * waits->warp_count + warp].waits;
}

#endif

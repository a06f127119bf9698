/* One block alone on a GPU whose SMs share one memory: what that adds to the bounds of blocks whose times are
 * known (docs/memory-bounds.md, section 12). */
#ifndef WB_BOUND_GRID_CONTENDED_BLOCK_H
#define WB_BOUND_GRID_CONTENDED_BLOCK_H

#include "bound/grid/request_load.h"
#include "bound/method/method.h"
#include "memory/requests/timed_grid.h"

/* A block as a grid of its own, for the simulator, and what it asks for. */
struct contended_block {
    struct wb_grid grid; /* empty for covering paths */
    struct timed_grid timed;
    struct request_load load;
};

/* Makes *made, which is zero, of a traced block. Errors, each with a message: WB_ERR_DECLINED when not all
 * accesses are known; WB_ERR_LIMIT when memory is exhausted. contended_block_free in any case. */
wb_status contended_block_make(const struct wb_block *block, const struct wb_machine *machine,
                               wb_diagnostics *diagnostics, struct contended_block *made);

/* The same of a block of kind number `kind` of a grid by hand. */
wb_status contended_block_by_hand(const struct synthetic_block *block, size_t kind,
                                  wb_diagnostics *diagnostics, struct contended_block *made);

void contended_block_free(struct contended_block *block);

/* Adds to a bound of a block what the memory adds; where no proof covers the machine it is an estimate. */
void contended_block_add(const struct bound_method *method, const struct wb_machine *machine,
                         const struct request_load *load, wb_bound *bound);

#endif

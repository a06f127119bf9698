/* Which registers of a function are read later without being written before. */
#ifndef WB_FLOW_LIVENESS_H
#define WB_FLOW_LIVENESS_H

#include "flow/cfg.h"

/* The registers live at the start of node n of the graph are regs[first[n]] .. regs[first[n + 1] - 1], in
 * order; of the exit, they are those that a caller reads (.reg results). The carry flag is register reg_count
 * of the function. */
struct liveness {
    uint32_t *first; /* node_count + 1 entries */
    uint32_t *regs;
};

/* The live registers of every block, in memory of the arena. A guarded instruction reads what it writes.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status liveness_build(const struct cfg *cfg, struct arena *arena, struct liveness *liveness);

/* Whether a register is live at the start of a block. */
bool live_at_start(const struct liveness *liveness, uint32_t block, uint32_t reg);

#endif

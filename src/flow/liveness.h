/* Which registers of a function are read later without being written before. */
#ifndef WB_FLOW_LIVENESS_H
#define WB_FLOW_LIVENESS_H

#include "flow/cfg.h"

/* Sets of registers as bits. Most registers live within one block only; those that are live at the start of
 * some block have a column each, in order. The carry flag is register reg_count of the function. */
struct liveness {
    uint32_t *column; /* per register: its bit in the sets, or GRAPH_NONE: it is in none */
    uint32_t words;   /* 64-bit words of a set */
    uint64_t *in;     /* per node of the graph, `words` each: live at the start of the block; of the exit: the
                         registers that a caller reads (.reg results) */
};

/* The live registers of every block, in memory of the arena. A guarded instruction reads what it writes.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status liveness_build(const struct cfg *cfg, struct arena *arena, struct liveness *liveness);

/* Whether a register is live at the start of a block. */
static inline bool live_at_start(const struct liveness *liveness, uint32_t block, uint32_t reg) {
    uint32_t column = liveness->column[reg];
    if (column == GRAPH_NONE) return false;
    return (liveness->in[(size_t)block * liveness->words + column / 64] >> (column % 64) & 1) != 0;
}

#endif

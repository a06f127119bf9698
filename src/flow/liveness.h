/* Which registers of a function are read later without being written before. */
#ifndef WB_FLOW_LIVENESS_H
#define WB_FLOW_LIVENESS_H

#include "flow/cfg.h"

/* Sets of registers as bits; the carry flag is register reg_count of the function. */
struct liveness {
    uint32_t words; /* 64-bit words of a set */
    uint64_t *in;   /* per node of the graph, `words` each: live at the start of the block; of the exit: the
                       registers that a caller reads (.reg results) */
};

/* The live registers of every block, in memory of the arena. A guarded instruction reads what it writes.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status liveness_build(const struct cfg *cfg, struct arena *arena, struct liveness *liveness);

/* Whether a register is live at the start of a block. */
static inline bool live_at_start(const struct liveness *liveness, uint32_t block, uint32_t reg) {
    return (liveness->in[(size_t)block * liveness->words + reg / 64] >> (reg % 64) & 1) != 0;
}

#endif

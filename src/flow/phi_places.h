/* Where phis stand: the first half of making SSA form. */
#ifndef WB_FLOW_PHI_PLACES_H
#define WB_FLOW_PHI_PLACES_H

#include "flow/dominators.h"
#include "flow/liveness.h"

/* The registers that each block joins: those of block b are regs[first[b]] .. regs[first[b + 1] - 1], in
 * order. */
struct phi_places {
    uint32_t *first; /* block_count + 1 entries */
    uint32_t *regs;
};

/* The iterated dominance frontiers of the blocks that write a register, where the register is live: the
 * pruned form of Choi, Cytron and Ferrante (POPL 1991). In memory of the arena; WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status phi_places_find(const struct cfg *cfg, const struct dominators *dominators,
                          const struct liveness *liveness, struct arena *arena, struct phi_places *places);

#endif

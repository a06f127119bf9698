/* Where lanes of machine code meet that a branch has divided (docs/convergence.md): not at the branch's
 * post-dominator, but where hardware makes them wait for each other. */
#ifndef WB_FLOW_GRAPH_CONVERGENCE_H
#define WB_FLOW_GRAPH_CONVERGENCE_H

#include "flow/graph/cfg.h"

/* Per block with a choice the node where all lanes go on together that its last instruction divides: the
 * block behind the BSYNC of a set that was opened (BSSY) on every way to the branch, and that all ways from
 * the branch pass which do not end before. The graph's exit: there is none that is known, the parts may go on
 * separately up to their ends. For a function of machine code. */
uint32_t *convergence_find(const struct cfg *cfg, const struct dominators *dominators, struct arena *arena);

/* The same as instructions: as reconvergence_of (cfg.h) has them of PTX. */
uint32_t *convergence_points(const struct cfg *cfg, const struct dominators *dominators, struct arena *arena);

#endif

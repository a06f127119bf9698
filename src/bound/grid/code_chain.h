/* What a block of machine code amounts to by sub-cores (docs/machine-code-bounds.md, theorem 5). */
#ifndef WB_BOUND_GRID_CODE_CHAIN_H
#define WB_BOUND_GRID_CODE_CHAIN_H

#include "bound/grid/chain_work.h"
#include "bound/sass/code_profile.h"

/* As block_chain_make, not cut at barriers; `latency` is lam, with releases. */
wb_status code_chain_make(const struct code_profile *profile, cycles latency, struct arena *arena,
                          struct block_chain *chain);

#endif

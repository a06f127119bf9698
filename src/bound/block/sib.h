#ifndef WB_BOUND_BLOCK_SIB_H
#define WB_BOUND_BLOCK_SIB_H

struct wb_machine;

/* Why SIB is not proven on a machine, or NULL where it is (docs/proofs.md, theorem 1). */
const char *sib_unproven(const struct wb_machine *machine);

#endif

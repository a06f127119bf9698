/* The eta functions of gated SSA: values that are used outside of the loop they are defined in. */
#ifndef WB_FLOW_ETAS_H
#define WB_FLOW_ETAS_H

#include "flow/gates.h"
#include "flow/predicate_lists.h"

/* Fills gates->etas (memory of the arena) and adds their predicates to the lists. WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status etas_find(const struct ssa *ssa, const struct loops *loops, struct predicate_lists *lists,
                    struct arena *arena, struct gates *gates);

#endif

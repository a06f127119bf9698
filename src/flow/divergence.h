/* Divergence analysis (Hirvisalo, WCET 2014) on gated SSA: which values and branches can differ between the
 * threads of a warp. */
#ifndef WB_FLOW_DIVERGENCE_H
#define WB_FLOW_DIVERGENCE_H

#include "flow/gates.h"
#include "flow/loops.h"
#include "flow/ssa.h"

/* Why a value is divergent. */
enum divergence_cause {
    DIVERGENCE_NONE,   /* it is uniform: the same in all threads of a warp that compute it together */
    DIVERGENCE_SOURCE, /* its instruction gives each thread a value of its own: %tid, an atomic's result */
    DIVERGENCE_MEMORY, /* a load of what may differ between threads, although the address does not */
    DIVERGENCE_DATA,   /* an operand is divergent: `from` */
    DIVERGENCE_GATE    /* which operand it takes depends on the divergent predicate `from` */
};

struct divergence_reason {
    uint8_t cause; /* enum divergence_cause */
    uint32_t from; /* a value, or SSA_NONE */
};

struct divergence {
    struct divergence_reason *values; /* per value of the SSA form */
    bool *branches;                   /* per block: its last instruction is a branch that may divide a warp */
};

/* Every chain of `from` ends at a source. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status divergence_analyse(const struct ssa *ssa, const struct gates *gates, const struct loops *loops,
                             struct arena *arena, struct divergence *divergence);

#endif

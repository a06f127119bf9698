/* What divergence analysis takes from each instruction: what differs between threads by itself, and what of
 * its operands shows in its results. docs/control-flow.md has the reasons. */
#ifndef WB_FLOW_VALUES_DIVERGENCE_RULES_H
#define WB_FLOW_VALUES_DIVERGENCE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

/* Why a value is divergent. */
enum divergence_cause {
    DIVERGENCE_NONE,   /* it is uniform: the same in all threads of a warp that compute it together */
    DIVERGENCE_SOURCE, /* its instruction gives each thread a value of its own: %tid, an atomic's result */
    DIVERGENCE_MEMORY, /* a load of what may differ between threads, although the address does not */
    DIVERGENCE_DATA,   /* an operand is divergent: `from` */
    DIVERGENCE_GATE    /* which operand it takes, or in which iteration that was computed, depends on the
                          divergent predicate `from` */
};

/* What the rules need to know of the function as a whole. */
struct divergence_rules {
    const struct ptx_function *function;
    bool has_calls;
    bool has_private_addresses; /* some generic addresses may be those of local memory or of parameters */
};

struct divergence_rules divergence_rules_of(const struct ptx_function *function);

/* Why register `reg`, which the instruction writes, differs between the threads that execute it together even
 * if all that it reads is the same in them: DIVERGENCE_SOURCE or _MEMORY; DIVERGENCE_NONE: it does not. */
enum divergence_cause divergence_rule_result(const struct divergence_rules *rules,
                                             const struct ptx_inst *inst, uint32_t reg);

/* Whether results can differ because register `reg`, which the instruction reads otherwise than as its guard,
 * does. False for the values that lanes only vote on: all of them get the same result. */
bool divergence_rule_passes(const struct divergence_rules *rules, const struct ptx_inst *inst, uint32_t reg);

/* Whether the special register can differ between the threads of a warp that read it together. */
bool divergence_rule_sreg(enum ptx_sreg sreg);

#endif

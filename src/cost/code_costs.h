/* Where cycles of machine code go that its machine times: what instructions hold and miss, and the bounds of
 * a block of them (docs/machine-code-bounds.md). */
#ifndef WB_COST_CODE_COSTS_H
#define WB_COST_CODE_COSTS_H

#include "cost/code_chain.h"
#include "cost/costs.h"

/* Adds all that the warps of a block hold of the machine (E of ELB), `times` times: to a tally by
 * instruction, to `units` (may be NULL) by instruction and unit, [instruction * units of the machine + unit],
 * and by cause (may be NULL). WB_ERR_LIMIT without a message when memory is exhausted. */
wb_status code_add_work(const struct timed_block *timed, uint64_t times, struct tally *tally, cycles *units,
                        struct code_causes *causes);

/* Adds weights for what the misses of a block take that each line makes once: of instructions and of
 * constants, to those that have them. WB_ERR_LIMIT likewise. */
wb_status code_add_misses(const struct timed_block *timed, struct tally *weights);

/* Adds code-sib, code-fib or code-elb of the analysed block: what barriers add left out. The sum is less, or
 * more, than the bound, should a formula have changed that is not followed here. Errors leave a message. */
wb_status code_block_costs(struct cost_maker *maker, struct tally *tally, struct code_causes *causes);

#endif

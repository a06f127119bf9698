/* Costs while they are made: where the cycles of one number go (warpbound.h). */
#ifndef WB_COST_COSTS_H
#define WB_COST_COSTS_H

#include "bound/analysis/analysis.h"
#include "cost/tally.h"

struct wb_costs {
    struct arena arena; /* of everything below */
    const char *method;
    const struct wb_module *module; /* of the instructions; NULL of what is written by hand */
    const uint32_t *code_first;     /* of the module: as in struct wb_block */
    VEC(wb_cost) rows;              /* in the arena */
    uint64_t total;
};

/* Costs on their way. */
struct cost_maker {
    struct wb_costs *costs;
    const struct wb_analysis *analysis;
    const wb_bound *bound;
    struct tally shares;
    struct cost_work *work; /* per instruction */
    const wb_watch *watch;  /* or NULL */
    wb_diagnostics *diagnostics;
};

/* Adds what the warps of a block do, `times` times. WB_ERR_LIMIT with a message when memory is exhausted. */
wb_status cost_work_add(struct cost_maker *maker, const struct timed_block *timed, uint64_t times);

/* How often the block executes each entry of its code, all its warps; an array from `arena`, or NULL when
 * memory is exhausted. */
uint64_t *cost_executions(const struct timed_block *timed, struct arena *arena);

/* The message that a number cannot be attributed; WB_ERR_DECLINED. */
wb_status cost_decline(const struct cost_maker *maker, const char *reason);

/* Adds the shares of a bound of a block. Errors, here and below, leave a message. */
wb_status block_costs(struct cost_maker *maker);

/* The same of a bound of a kernel on a machine without caches. */
wb_status kernel_costs(struct cost_maker *maker);

/* Adds what `times` blocks are bounded by in ELB: to `weights` their initiations and longest chain of
 * latencies. */
wb_status cost_add_elb(const struct cost_maker *maker, const struct timed_block *timed, uint64_t times,
                       struct tally *weights);

/* Where an instruction of a module stands. */
wb_cost_place cost_place_of(const struct wb_costs *costs, size_t instruction);

/* Fills costs->rows from what was made. */
wb_status cost_rows_make(struct cost_maker *maker);

#endif

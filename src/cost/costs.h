/* Costs while they are made: where the cycles of one number go (warpbound.h). */
#ifndef WB_COST_COSTS_H
#define WB_COST_COSTS_H

#include "bound/analysis/analysis.h"
#include "bound/profile/sections.h"
#include "bound/sass/code_profile.h"
#include "cost/work.h"

/* What the cycles of a bound of machine code are spent on; all of these sum up to it. */
struct code_causes {
    cycles of[WB_PART_COUNT]; /* what belongs to no unit; charges of other warps are among their causes */
    cycles units[MACHINE_UNITS_MAX];
};

struct wb_costs {
    struct arena arena; /* of everything below */
    const char *method;
    const struct wb_module *module;   /* of the instructions; NULL of what is written by hand */
    const uint32_t *code_first;       /* of the module: as in struct wb_block */
    VEC(wb_cost) rows;                /* in the arena */
    const struct code_causes *causes; /* of machine code that is timed, if they are known; else NULL */
    uint64_t total;
};

/* Costs on their way. */
struct cost_maker {
    struct wb_costs *costs;
    const struct wb_analysis *analysis;
    const char *name; /* of the method, or of who issues in an execution */
    const struct bound_method *method;
    size_t index;          /* of the method in the registry */
    const wb_bound *bound; /* NULL of an execution, as is the method */
    struct tally shares;
    struct cost_work *work;     /* per instruction */
    struct code_causes *causes; /* of machine code that is timed; NULL: not known */
    cycles *
        by_unit; /* of a kernel of such code, what blocks hold: [instruction * units of the machine + unit] */
    const wb_watch *watch; /* or NULL */
    wb_diagnostics *diagnostics;
};

/* Makes room for what instructions do and for their shares, of which there are none yet. WB_ERR_LIMIT with a
 * message when memory is exhausted. */
wb_status costs_begin(struct cost_maker *maker);

/* Sets the parts of all bounds of machine code that its machine times, of a kernel and of its longest block,
 * to what costs say that they are spent on. Bounds whose cycles cannot be attributed keep those that they
 * have. WB_ERR_LIMIT, with a message, when memory is exhausted or the watch ends it. */
wb_status costs_set_parts(struct wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics);

/* A bound of a kernel with the parts that its formula gives. */
const wb_bound *cost_formula_of(const struct wb_analysis *analysis, const wb_bound *bound);

/* The message that a number cannot be attributed; WB_ERR_DECLINED. */
wb_status cost_decline(const struct cost_maker *maker, const char *reason);

/* Room for what chains over entries of the code are found to spend (chain_spend). NULL when memory is
 * exhausted. */
cycles *chain_spent_new(const struct timed_code *code, struct arena *arena);

/* Adds that, `times` times, by instruction and, of machine code that is timed, by cause (may be NULL). */
void chain_spent_add(const struct timed_code *code, const cycles *spent, uint64_t times, struct tally *tally,
                     struct code_causes *causes);

/* Asks the caller of a long walk whether it may go on. */
struct chain_watch {
    const wb_watch *watch; /* or NULL */
    uint64_t walked;
    bool stopped;
};

bool chain_may_go_on(struct chain_watch *watch, uint64_t walked);

/* Frees the chains of a walk that ended with a status, for which this leaves the message. */
wb_status chain_end(struct chains *chains, const struct chain_watch *watch, wb_status status,
                    wb_diagnostics *diagnostics);

/* Adds the longest path of a block that counts latencies only (lam), `times` times; *length is its length, of
 * PTX with the releases of barriers. Errors, each with a message: WB_ERR_LIMIT when memory is exhausted or
 * `watch` (may be NULL) stopped it. */
wb_status latency_chain(const struct timed_block *block, uint64_t times, struct tally *tally,
                        const wb_watch *watch, wb_diagnostics *diagnostics, cycles *length);

/* The path of latencies, among those of `count` walkers, that is complete last. */
const struct own_graph *code_latest(const struct own_walker *walkers, uint32_t count);

/* Adds all that the warps of a block of machine code hold of the machine (E of ELB), `times` times: to a
 * tally by instruction, to `units` (may be NULL) by instruction and unit, [instruction * units of the machine
 * + unit], and by cause (may be NULL). WB_ERR_LIMIT without a message when memory is exhausted. */
wb_status code_add_work(const struct timed_block *timed, uint64_t times, struct tally *tally, cycles *units,
                        struct code_causes *causes);

/* Adds weights for what the misses of a block take that each line makes once: of instructions and of
 * constants, to those that have them. WB_ERR_LIMIT likewise. */
wb_status code_add_misses(const struct timed_block *timed, struct tally *weights);

/* Adds code-sib, code-fib or code-elb of the analysed block: what barriers add left out. The sum is less, or
 * more, than the bound, should a formula have changed that is not followed here. Errors leave a message. */
wb_status code_block_costs(struct cost_maker *maker, struct tally *tally, struct code_causes *causes);

/* Adds the shares of a bound of a block. Errors, here and below, leave a message. */
wb_status block_costs(struct cost_maker *maker);

/* Adds the windows of abstract CTA simulation, which sum up to `total`. */
wb_status window_costs(struct cost_maker *maker, cycles total);

/* The same of a bound of a kernel on a machine without caches. */
wb_status kernel_costs(struct cost_maker *maker);

/* The same of a bound of a grid on a machine with caches. */
wb_status cached_costs(struct cost_maker *maker);

/* Divides cycles of one kind by weights of it. */
wb_status cost_divide(struct cost_maker *maker, wb_part_kind what, cycles total, const struct tally *weights);

/* Divides the parts of the bound: by weights of their kinds, latency by those of `latencies`, the tail by
 * issue, unit and latency of `last`. */
wb_status cost_divide_parts(struct cost_maker *maker, const struct tally *weights,
                            const struct tally *latencies, const struct tally *last);

/* Divides cycles in proportion to weights of the kinds that a mask names, each part a share of its own kind.
 */
wb_status cost_divide_kinds(struct cost_maker *maker, uint32_t kinds, cycles total,
                            const struct tally *weights, enum cost_apart apart);

/* Divides cycles of a unit in proportion to what instructions hold of it (by_unit). */
wb_status cost_divide_unit(struct cost_maker *maker, const char *unit, cycles total);

/* Cycles of the bound that no share has yet. */
cycles cost_left(const struct cost_maker *maker);

/* Where an instruction of a module stands. */
wb_cost_place cost_place_of(const struct wb_costs *costs, size_t instruction);

/* Fills costs->rows from what was made. */
wb_status cost_rows_make(struct cost_maker *maker);

#endif

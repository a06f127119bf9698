/* Costs while they are made: where the cycles of one number go (warpbound.h). */
#ifndef WB_COST_COSTS_H
#define WB_COST_COSTS_H

#include "base/base.h"
#include "base/cycles.h"
#include "bound/analysis/analysis.h"
#include "bound/profile/sections.h"
#include "bound/sass/code_profile.h"
#include "memory/requests/requests.h"
#include "warp/timed/timed.h"
#include "warpbound.h"

/* Cycles by instruction and by cause: the data of costs. All sums are exact. */

/* Cycles of no instruction. */
enum cost_apart {
    COST_DISPATCH,
    COST_RELEASE, /* of barriers */
    COST_FETCH,
    COST_MEMORY,
    COST_DIVERGENCE,
    COST_OTHER, /* cycles of a kind for which no instruction does anything */
    COST_APART_COUNT
};

/* Shares, or weights for them: one number for each kind of part of each instruction, and behind those of all
 * instructions the same of what belongs to none. */
struct tally {
    size_t instructions; /* of the code */
    uint64_t *cycles;    /* [row * WB_PART_COUNT + kind] */
};

/* An empty tally; WB_ERR_LIMIT when memory is exhausted. */
wb_status tally_init(struct tally *tally, size_t instructions, struct arena *arena);

/* The row of what belongs to no instruction. */
static inline size_t tally_apart(const struct tally *tally, enum cost_apart apart) {
    return tally->instructions + apart;
}

static inline size_t tally_rows(const struct tally *tally) {
    return tally->instructions + COST_APART_COUNT;
}

static inline uint64_t *tally_at(const struct tally *tally, size_t row, wb_part_kind what) {
    return &tally->cycles[row * WB_PART_COUNT + what];
}

static inline void tally_add(struct tally *tally, size_t row, wb_part_kind what, uint64_t amount) {
    *tally_at(tally, row, what) = cycles_add(*tally_at(tally, row, what), amount);
}

/* The sum of all, or CYCLES_SATURATED. */
cycles tally_sum(const struct tally *tally);

/* Adds `times` times another tally of as many rows. */
void tally_add_all(struct tally *tally, const struct tally *other, uint64_t times);

/* One of those that something is divided among. */
struct tally_weight {
    uint64_t weight;
    uint64_t *into; /* what its part is added to */
};

/* Divides `total` in proportion to the weights, into whole parts that sum up to it: each rounded down, and
 * one more of those with the largest remainders, of equal ones the first. Weights of 0 get nothing. False,
 * and nothing is divided, when all are 0 or memory is exhausted (*no_memory). */
bool tally_divide(uint64_t total, const struct tally_weight *weights, size_t count, bool *no_memory);

/* Which parts of weights count. */
typedef bool (*tally_filter)(const void *user, size_t row, wb_part_kind what);

/* Divides `total` in proportion to the parts of `weights` that `filter` lets count: each becomes a share of
 * kind `what`, or, with WB_PART_COUNT, of its own kind, of its own row. What nothing has weight for is
 * `apart`. WB_ERR_LIMIT when memory is exhausted. */
wb_status tally_apportion(struct tally *tally, wb_part_kind what, uint64_t total, const struct tally *weights,
                          tally_filter filter, const void *user, enum cost_apart apart);

/* The work of instructions in the subject of a number: executions and demands. */

/* The work of one instruction (wb_cost). */
struct cost_work {
    uint64_t executions;
    uint64_t issue, busy;
    uint64_t requests, conflicts;
    uint64_t fetches; /* that it begins, at most */
    uint8_t unit;     /* the last that it used, or UNIT_NONE */
    bool executed;
};

/* How often the block executes each entry of its code, all its warps; an array from `arena`, or NULL when
 * memory is exhausted. */
uint64_t *cost_executions(const struct timed_block *timed, struct arena *arena);

/* Adds what the warps of a block do, `times` times, to `work`, by instruction. Its requests and conflicts are
 * those that were recorded; of a block written by hand, instructions of the units of the mask `asking` make
 * as many as they keep their unit. WB_ERR_LIMIT when memory is exhausted. */
wb_status cost_work_add(const struct timed_block *timed, uint32_t asking, uint64_t times,
                        struct cost_work *work);

/* The same of one block of a grid on a machine with caches. */
void cost_work_add_block(const struct timed_grid *timed, uint32_t block, uint64_t times,
                         struct cost_work *work);

/* Adds the initiations of a block, `times` times, to a tally: as issue and unit. WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status cost_add_initiations(const struct timed_block *timed, uint64_t times, struct tally *tally);

/* Adds the requests of all instructions as weights for WB_PART_MEMORY, their fetches for WB_PART_FETCH. */
void cost_add_asking(const struct cost_work *work, struct tally *weights);

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

/* Adds code-sib, code-fib or code-elb of the analysed block, without barriers. The sum differs from the bound
 * if a formula has changed that is not followed here. Errors leave a message. */
wb_status code_block_costs(struct cost_maker *maker, struct tally *tally, struct code_causes *causes);

/* Adds the shares of a bound of a block. Errors, here and below, leave a message. */
wb_status block_costs(struct cost_maker *maker);

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

/* Fills costs->rows from what was made. */
wb_status cost_rows_make(struct cost_maker *maker);

#endif

/* Where the longest paths of a block of machine code come from, section by section: block_chain.h of machines
 * that time machine code. */
#ifndef WB_COST_CODE_CHAIN_H
#define WB_COST_CODE_CHAIN_H

#include "cost/code_walk.h"
#include "cost/tally.h"

/* What the cycles of a number are spent on; all of these sum up to it. */
struct code_causes {
    cycles of[WB_PART_COUNT]; /* what belongs to no unit; charges of other warps are among their causes */
    cycles units[MACHINE_UNITS_MAX];
};

/* What chains are wanted. */
struct code_walk_kind {
    const struct way_rules *rules;
    bool alone; /* of the own graph; else of latencies alone */
    bool cold;  /* with misses that each line makes once (MISSES_ON_PATHS), if all of the paths is executed */
};

/* A section of all paths, `times` times. */
struct code_row {
    const struct way_rules *rules;
    struct code_walker *walkers;        /* per path: `runs`, and `complete` has a chain */
    const struct own_section *sections; /* per path what it amounts to */
    uint64_t times;
};

struct code_row_visitor {
    wb_status (*row)(void *user, const struct code_row *row);
    void *user;
};

/* Visits all sections of a block, of which those that repeat themselves come as one. Errors, each with a
 * message: WB_ERR_LIMIT when memory is exhausted or `watch` (may be NULL) stopped it; what the visitor
 * returned. */
wb_status code_rows_visit(const struct code_walk_kind *kind, const struct code_row_visitor *visitor,
                          const wb_watch *watch, wb_diagnostics *diagnostics);

/* Adds the longest chain of latencies of a block (lam), `times` times; *length is its length, without times.
 * Errors as above. */
wb_status code_latency_chain(const struct way_rules *rules, uint64_t times, struct tally *tally,
                             const wb_watch *watch, wb_diagnostics *diagnostics, cycles *length);

/* The walker of a row that is complete last. */
const struct code_walker *code_latest(const struct code_row *row);

/* Room for what chains over entries of the code are found to spend (chain_spend). NULL when memory is
 * exhausted. */
cycles *code_spent_new(const struct timed_code *code, struct arena *arena);

/* Adds that, `times` times, by instruction and by cause. */
void code_spent_add(const struct timed_code *code, const cycles *spent, uint64_t times, struct tally *tally,
                    struct code_causes *causes);

#endif

/* What decides the length of the longest paths of a block, by entry of its code. */
#ifndef WB_COST_BLOCK_CHAIN_H
#define WB_COST_BLOCK_CHAIN_H

#include "bound/profile/profile.h"
#include "cost/chain_walk.h"
#include "cost/tally.h"

/* What the cycles of a step are spent on. */
wb_part_kind chain_step_part(enum chain_step step);

/* Adds to a tally, by instruction, what a chain over entries of the code was found to spend, `times` times.
 */
void chain_spent_add(const struct timed_code *code, const cycles *spent, uint64_t times, struct tally *tally);

/* Adds the longest path of a block that counts latencies and releases only (lam), `times` times; *length is
 * its length.
 * Errors, each with a message: WB_ERR_LIMIT when memory is exhausted or `watch` (may be NULL) stopped it. */
wb_status latency_chain(const struct timed_block *block, uint64_t times, struct tally *tally,
                        const wb_watch *watch, wb_diagnostics *diagnostics, cycles *length);

/* What one section of one path asks of a unit. */
struct unit_charge {
    cycles charge; /* as SIB sums initiations */
    uint64_t slots;
};

/* A section of all paths, `times` times. */
struct block_section {
    const struct timed_block *block;
    struct chain_walker
        *walkers;           /* per path, at the end of the section: `runs`, and `complete` has a chain */
    const cycles *isolated; /* per path the time alone */
    const struct unit_charge *charges; /* [path * unit_count + unit] */
    uint64_t times;
};

struct section_visitor {
    wb_status (*section)(void *user, const struct block_section *section);
    void *user;
};

/* Visits all sections of a block, of which those that repeat themselves come as one. Errors, each with a
 * message, as above and what the visitor returned. */
wb_status sections_visit(const struct timed_block *block, const struct section_visitor *visitor,
                         const wb_watch *watch, wb_diagnostics *diagnostics);

#endif

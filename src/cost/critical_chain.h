/* The critical chain of a simulation, backwards in time: which instruction each cycle of it belongs to, and
 * what it is spent on. From the last result of the block that ends last it goes along the instructions of the
 * warp that gave it; at a barrier it goes on in the warp that came last, and at the start of a block in the
 * block whose slot it took. */
#ifndef WB_COST_CRITICAL_CHAIN_H
#define WB_COST_CRITICAL_CHAIN_H

#include "cost/sm_record.h"
#include "warpbound.h"

/* Of cycles that belong to no instruction. */
#define CHAIN_NO_ENTRY UINT32_MAX

/* Takes cycles of the chain: `entry` of the code, or CHAIN_NO_ENTRY. */
struct chain_sink {
    void (*spend)(void *user, uint32_t entry, wb_part_kind what, cycles count);
    void *user;
};

struct critical_chain {
    const struct sm_record *record;
    const struct wb_machine *machine;
    struct chain_sink sink;
};

/* Hands out the cycles from `start` until `end`, when the last block of the SM has ended: exactly so many. */
void critical_chain_walk(const struct critical_chain *chain, cycles start, cycles end);

#endif

/* The critical chain of a simulation, backwards in time: the instruction and the cause of each cycle. From
 * the last result of the block that ends last it follows the instructions of the warp that gave it; at a
 * barrier it goes on in the warp that came last, and at the start of a block in the block whose slot it took.
 * */
#ifndef WB_COST_CRITICAL_CHAIN_H
#define WB_COST_CRITICAL_CHAIN_H

#include "base/base.h"
#include "sim/sm/host.h"
#include "warp/timed/timed.h"
#include "warpbound.h"

/* All that one SM executed in a simulation, with what it waited for: what a chain through it is found in. */

#define RECORD_NONE UINT32_MAX

/* Most instructions that are kept: some 170 bytes each. */
#define SM_RECORD_MAX UINT32_C(8000000)

/* An executed instruction; one without a unit was executed in cycle event.issue, and took none. */
struct executed {
    struct sim_event event;
    uint32_t before;  /* the one before it of its warp, or RECORD_NONE */
    uint32_t barrier; /* of one that is a barrier: how many its warp had come to before */
};

/* Indices that are found in a list by a number; RECORD_NONE: there is none. */
struct record_indices {
    uint32_t *items;
    size_t count, capacity;
};

/* A block of the SM. */
struct executed_block {
    uint32_t block;                  /* of the grid */
    uint32_t before;                 /* the one that had its slot before it: index into `blocks` */
    uint32_t last;                   /* the instruction whose result comes last */
    struct record_indices warp_ends; /* per warp its last instruction */
    struct record_indices barriers;  /* per warp the last barrier that it has come to */
    struct record_indices arrivals;  /* per barrier the instruction of the warp that came last */
};

struct sm_record {
    const struct timed_code *code;
    uint32_t warp_count; /* of a block */
    VEC(struct executed) executed;
    VEC(struct executed_block) blocks;
    struct record_indices issued;  /* those that took an issue slot, in the order of their issue */
    struct record_indices flights; /* by number of the flight */
    struct record_indices slots;   /* per slot the block in it */
    struct sim_landing early;      /* of the instruction that is issued next */
    cycles longest_hold;           /* most cycles from an issue until the unit is free again */
    bool failed;                   /* memory was exhausted */
    bool full;                     /* there were more than SM_RECORD_MAX */
};

/* Zero-initialised but for `code` and `warp_count` it takes events; each of these is a function of a sink,
 * with the record as its user. */
wb_status sm_record_issue(void *user, const struct sim_event *event);
void sm_record_land(void *user, const struct sim_landing *landing);
void sm_record_pass(void *user, const struct sim_event *event);

/* Call it when the simulation has ended, before any query: all times are known then. */
void sm_record_close(struct sm_record *record);

void sm_record_free(struct sm_record *record);

/* The cycle from which on the warp went on behind the instruction: a barrier holds it from then on. */
static inline cycles executed_end(const struct executed *executed) {
    return executed->event.issue + (executed->event.unit != UNIT_NONE);
}

/* The first of `issued` that was not issued before cycle `at`; their count where there is none. */
uint32_t sm_record_from(const struct sm_record *record, cycles at);

/* For cycles of no instruction. */
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

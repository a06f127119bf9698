/* What a simulated SM tells of the instructions that it issues. */
#ifndef WB_SIM_SM_EVENTS_H
#define WB_SIM_SM_EVENTS_H

#include "base/cycles.h"
#include "base/status.h"

/* Of an event: all its times are known. */
#define FLIGHT_NONE UINT64_MAX

/* One issued instruction. Its initiation takes [start, init_end), its result can be read from `completion`
 * on; it waited in the dispatch queue during [issue, start). CYCLES_SATURATED: not known at the issue. */
struct sim_event {
    uint64_t flight; /* number among the SM's instructions with times that are not known, or FLIGHT_NONE */
    uint32_t block;  /* of the grid; 0 of a block alone */
    uint32_t slot;   /* of the SM, that the block is in */
    uint32_t warp;   /* of the block */
    uint32_t sub_core;
    uint64_t step;        /* position in the warp's path, from 0 */
    uint32_t instruction; /* index into the code */
    uint32_t unit;        /* index into the machine's units */
    uint32_t instance;    /* of the unit, within its sub-core unless the unit is shared */
    cycles issue, start, init_end, completion;
};

/* What was not known of an event at the issue. It can be known before the event is handed on. */
struct sim_landing {
    uint64_t flight;
    uint32_t instance;
    cycles start, init_end; /* 0 where they are of the event */
    cycles completion;
};

/* Takes the events in order of issue, within a cycle in order of sub-cores. NULL: nobody does. A status other
 * than WB_OK ends the simulation with it (a message has then been left). */
struct sim_sink {
    wb_status (*event)(void *user, const struct sim_event *event);
    void *user;
    void (*land)(void *user, const struct sim_landing *landing); /* or NULL */
};

#endif

/* What a simulated SM tells of the instructions that it issues. */
#ifndef WB_SIM_SM_EVENTS_H
#define WB_SIM_SM_EVENTS_H

#include "base/cycles.h"
#include "base/status.h"

/* Of an event: all its times are known. */
#define FLIGHT_NONE UINT64_MAX

/* Of waits: no instruction of the warp has written the operand. */
#define STEP_NONE UINT64_MAX

/* What an instruction waited for before it was issued: for each in turn until the cycle named here, if that
 * is later than those before it, and for the last of them until the issue. */
struct sim_waits {
    cycles from;       /* the cycle behind the warp's instruction before it, or in which its block started */
    cycles barrier;    /* when the barrier before it opened; else `from` */
    cycles operands;   /* when the last of its operands could be read; 0: it has none */
    uint64_t producer; /* the step that wrote that one, or STEP_NONE */
    cycles fetched;    /* when it had been fetched; 0: at once */
    cycles entry;      /* when it had an entry of its warp's memory channel; 0: it needs none */
    cycles open;       /* when its unit had room the last time before the issue */
};

/* What the cycles of such a wait are spent on. */
enum sim_wait_kind {
    SIM_WAIT_BARRIER, /* other warps of the block have not come to the barrier, or it takes time to open */
    SIM_WAIT_RESULT,  /* an operand cannot be read yet */
    SIM_WAIT_FETCH,   /* the instruction is being fetched */
    SIM_WAIT_CHANNEL, /* no entry of the warp's memory channel is free */
    SIM_WAIT_UNIT,    /* the unit has no room */
    SIM_WAIT_TURN,    /* other warps are issued */
    SIM_WAIT_KINDS
};

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
    uint32_t unit;        /* index into the machine's units; of machine code that takes none their number */
    uint32_t instance;    /* of the unit, within its sub-core unless the unit is shared */
    cycles issue, start, init_end, completion;
    struct sim_waits waits; /* all zero on a machine of model gpgpusim */
};

/* The cycles [from, to) of a wait, all of one kind. */
struct sim_wait {
    enum sim_wait_kind kind;
    cycles from, to;
};

/* Writes what the event waited for to `spans`, in the order of time, without empty ones; returns how many.
 * They follow each other without gaps until the issue. */
uint32_t sim_waits_of(const struct sim_event *event, struct sim_wait spans[SIM_WAIT_KINDS]);

/* "barrier", "result", "fetch", ... */
const char *sim_wait_name(enum sim_wait_kind kind);

/* What was not known of an event at the issue. It can be known before the event is handed on. */
struct sim_landing {
    uint64_t flight;
    uint32_t instance;
    cycles start, init_end; /* 0 where they are of the event */
    cycles completion;
};

/* What becomes of an instruction of machine code between its first being chosen and its last stage. */
enum sim_moment_kind {
    SIM_MISSED, /* chosen, its constant is there at `until` only; the issue stage is held for `probe` */
    SIM_ROOM,   /* it waits for room in its queue no more */
    SIM_STAGE   /* it begins `stage`, whose unit it holds until `until` */
};

struct sim_moment {
    enum sim_moment_kind kind;
    uint32_t block, warp, stage;
    uint64_t step;
    cycles at, until, probe;
};

/* A block was in a slot in [start, end). */
struct sim_block {
    uint32_t block, slot;
    cycles start, end;
};

/* Takes the events in order of issue, within a cycle in order of sub-cores. NULL: nobody does. A status other
 * than WB_OK ends the simulation with it (a message has then been left). */
struct sim_sink {
    wb_status (*event)(void *user, const struct sim_event *event);
    void *user;
    void (*land)(void *user, const struct sim_landing *landing); /* or NULL */
    /* Or NULL; takes instructions without a unit, which are not issued: they are executed, in the order of
     * their warp, in the cycle that stands for the issue. */
    void (*pass)(void *user, const struct sim_event *event);
    void (*block)(void *user, const struct sim_block *block); /* or NULL; when it has ended */
    /* Or NULL; of machine code, as it happens: latches of fixed latency, which begin at their issue, have
     * none. */
    void (*moment)(void *user, const struct sim_moment *moment);
};

#endif

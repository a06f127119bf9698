/* What the states of the search over executions of machine code are made of. */
#ifndef WB_BOUND_SEARCH_CODE_PARTS_H
#define WB_BOUND_SEARCH_CODE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

/* Cycles until something is over: it is not before the least, and surely after the most. */
struct code_span {
    uint32_t least, most;
};

/* How far an instruction is. */
enum code_phase {
    CODE_BEFORE_QUEUE, /* it holds the issue stage, as its queue is full */
    CODE_WAITS,        /* for its stage */
    CODE_HOLDS,        /* the unit of its stage */
    CODE_BLOCKS,       /* it keeps that unit as the next stage has no room */
    CODE_MOVES,        /* between its stage and the next */
    CODE_COUNTS,       /* it has ended: a counter is to be counted down */
};

struct code_entry {
    uint16_t inst; /* of the program; 0 of what counts */
    uint8_t phase, stage;
    uint8_t counter; /* SASS_NO_COUNTER: only the end of the block is behind it */
    bool fresh;      /* of the instruction that its warp issued last: its count may not be seen yet */
    bool asked;      /* it goes on in this cycle */
    uint8_t unused;
    struct code_span left; /* of holding, moving or counting */
};

struct code_warp {
    uint16_t position;
    uint8_t path, core;
    uint8_t probe; /* cycles that the next instruction has held the issue stage for its constant */
    bool probed, at_barrier;
    uint8_t fresh; /* cycles for which the counts of the last instruction may not be seen */
    bool opening;  /* it may go on behind its barrier, or wait until all that join it have ended */
    uint8_t unused[3];
    uint32_t stall;            /* while it is opening: most cycles of its stall */
    struct code_span earliest; /* no issue before: stall, fetch, release, constant */
    uint16_t flights, entries; /* those on their way, in program order, and behind them those that count */
    struct code_entry list[];
};

struct code_core {
    struct code_span slot; /* of the issue stage */
    bool no_room;          /* held by an instruction whose queue is full */
    bool decided;          /* issues nothing more in this cycle */
    uint8_t unused[2];
};

struct code_unit {
    struct code_span hold; /* of a latch that nothing follows */
    bool taken;            /* by an instruction on its way, until that goes on */
    bool declined;         /* held in this cycle, which was open */
    uint8_t unused[2];
};

enum code_moment {
    CODE_ENDING,
    CODE_ORDERING,
    CODE_STARTING,
    CODE_ISSUING,
    CODE_STARTING_ISSUED,
    CODE_PASSING
};

struct code_state {
    uint8_t moment;
    bool acted;      /* something has happened in this cycle */
    bool promptly;   /* what is issued in this cycle starts before the next issue */
    bool half_open;  /* a barrier lets warps go that not all instructions that join it have ended for */
    uint16_t opened; /* barriers before that */
    uint16_t unused2;
};

#endif

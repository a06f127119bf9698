/* The parts of the states of the search over executions of machine code. */
#ifndef WB_BOUND_SEARCH_CODE_STATE_H
#define WB_BOUND_SEARCH_CODE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "bound/search/schedule_search.h"
#include "warp/timed/timed.h"

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

/* A block of machine code as its executions are searched: machine M of docs/machine-code-bounds.md, section
 * 1, with every duration an interval. */

/* Most warps, sub-cores, and instructions of a path that a search covers; and what one warp may have under
 * way at a time: instructions on their way through stages, and counts that are to be undone. */
#define CODE_WARPS_MAX 32u
#define CODE_CORES_MAX 8u
#define CODE_PROGRAM_MAX 4096u
#define CODE_ENTRIES_MAX 120u

/* The choices that an execution is free to make. An analysis allows all; tests fix one of each pair to
 * compare with executions that do so. */
struct code_freedom {
    bool shorter;                           /* what is held takes no longer than stated; else exactly that */
    bool start_first, issue_first;          /* in a cycle: what waits starts before something is issued */
    bool paced_from_issue, paced_from_room; /* stall and slot of what holds the issue stage for room */
    bool seen_at_once, seen_late;           /* in the cycle behind its issue a count is seen, or not */
    bool prompt_start,
        late_start; /* what is issued starts before other sub-cores issue in the cycle, or behind */
    bool open_at_issue, open_at_end; /* barriers, behind the last issue or end of what joins them */
    bool merges;                     /* an access at a unit in any order may have waited for another's fill */
};

struct code_inst {
    struct sass_timed timed; /* with the misses that are made once on its path */
    bool starts_at_issue;    /* its first unit takes it then or not at all */
    bool on_its_way;         /* it has something to do behind its issue beside holding a latch */
    struct code_span stall, slot, fetch;
    uint32_t probe; /* most cycles of the slot in which a constant is looked for; 0: it cannot miss */
    struct code_span operand, write, read;
    struct code_span init[SASS_STAGES_MAX], transfer[SASS_STAGES_MAX];
};

/* A path. */
struct code_program {
    struct code_inst *insts;
    uint32_t count;
    uint8_t *awaited;   /* per position, the end included: mask of the counters that are still waited for */
    uint16_t *barriers; /* per position those before it */
};

struct code_model {
    const struct wb_machine *machine;
    const struct timed_block *block;
    struct code_freedom freedom;
    uint32_t clash;                /* units on which own instructions may overtake each other */
    struct code_program *programs; /* per path */
    uint32_t warps, cores, units;  /* units are counted once for each sub-core */
    uint32_t entries;              /* most of a warp */
    bool order_matters;            /* of issues of different sub-cores in one cycle */
    bool start_matters;            /* whether what waits starts before or behind issues */
    bool cold;                     /* some line may be missed once: each path has these misses */
    struct code_span release;      /* of a barrier */
    size_t core_at, unit_at, warp_at, warp_size, state_size, key_max;
    bool *entries_overflow; /* set when a warp has too much under way to be searched, */
    bool *stuck;            /* and with it when nothing goes on any more */
};

/* Writes out the block's paths, into the arena, for a search with this freedom; `clash` as in struct
 * pipeline_rules. WB_ERR_DECLINED without a message when the block is too large; WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status code_model_make(const struct timed_block *block, uint32_t clash, const struct code_freedom *freedom,
                          struct arena *arena, struct code_model *model);

/* The state of a block of machine code in the middle of an execution, and what can happen next. All times are
 * intervals of cycles from now; which time it was is left open until it makes a difference: what can be over
 * is so as soon as somebody goes on because of it, and only then. */

enum code_choice_kind {
    CODE_END,         /* of a stage or transfer: on to the next */
    CODE_SKIP,        /* the same, and what was to come of the way is passed over */
    CODE_GO_ON,       /* not in this cycle */
    CODE_ISSUE_FIRST, /* before what waits starts */
    CODE_START_FIRST,
    CODE_START_PROMPTLY, /* and what is issued before the next issue */
    CODE_UNBLOCK,        /* there is room for what keeps its unit */
    CODE_START,
    CODE_MERGE,   /* what waited at its unit was fetched for another: it holds neither that nor what is behind
                   */
    CODE_DECLINE, /* unit number `sm` is still held */
    CODE_ENTER,   /* what holds the issue stage goes into its queue */
    CODE_ISSUE,   /* warp `which`; its constant misses with a probe of `slot` cycles, 0: it does not */
    CODE_NONE,    /* sub-core `sm` issues nothing */
};

/* The space of all executions of a model; in its choices `which` is a warp, `slot` an entry of its list. */
struct search_space code_space(const struct code_model *model);

/* ---- For the files that make it up ----------------------------------------------------------------------
 */

static inline struct code_core *code_cores(const struct code_model *model, void *state) {
    return (struct code_core *)((unsigned char *)state + model->core_at);
}

static inline struct code_unit *code_units(const struct code_model *model, void *state) {
    return (struct code_unit *)((unsigned char *)state + model->unit_at);
}

static inline struct code_warp *code_warp_at(const struct code_model *model, void *state, uint32_t w) {
    return (struct code_warp *)((unsigned char *)state + model->warp_at + w * model->warp_size);
}

static inline const struct code_program *code_program_of(const struct code_model *model,
                                                         const struct code_warp *warp) {
    return &model->programs[warp->path];
}

/* The number of the unit that a warp's sub-core uses. */
static inline uint32_t code_unit_number(const struct code_model *model, const struct code_warp *warp,
                                        uint8_t unit) {
    return unit * model->cores + (model->machine->units[unit].shared ? 0 : warp->core);
}

/* Whether an instruction waits to begin a stage, which is *stage then. */
static inline bool code_awaits(const struct code_entry *entry, uint32_t *stage) {
    *stage = entry->stage + (entry->phase == CODE_BLOCKS);
    return entry->phase == CODE_WAITS || entry->phase == CODE_BLOCKS;
}

/* Instructions in the queue in front of unit `number`, as their first stage, or as a later one. */
uint32_t code_queued(const struct code_model *model, void *state, uint32_t number, bool first);

/* Whether there is room in the queue of an instruction's first unit. */
bool code_has_room(const struct code_model *model, void *state, const struct code_warp *warp,
                   const struct code_inst *inst);

/* Whether older instructions of the warp have yet to begin on a unit; `flights`: so many are older. */
bool code_is_behind(const struct code_model *model, const struct code_warp *warp, uint32_t flights,
                    uint8_t unit);

/* An instruction takes the unit of its stage. */
void code_start(const struct code_model *model, void *state, struct code_warp *warp, struct code_entry *entry,
                uint32_t stage);

/* The instruction has ended: entry number `at` of the warp becomes those of its counters. */
void code_end(const struct code_model *model, struct code_warp *warp, uint32_t at);

/* Adds an entry behind the warp's flights, or behind everything; false when there is no place. */
bool code_add(const struct code_model *model, struct code_warp *warp, const struct code_entry *entry);

/* ---- code_issue.c */

void code_list_issues(const struct code_model *model, void *state, struct search_choices *choices);

/* Warp `w` issues, or finds that its constant is not there when `probe` is not 0. */
void code_issue(const struct code_model *model, void *state, uint32_t w, uint32_t probe);

/* The instruction of the warp that holds the issue stage goes into its queue. */
void code_enter(const struct code_model *model, void *state, struct code_warp *warp);

/* Opens the barrier that all warps have come to that have not ended, as far as that is possible by now. */
void code_release(const struct code_model *model, void *state);

/* Most cycles of a barrier that need not open yet. */
#define CODE_OPEN (UINT32_C(1) << 30)

/* ---- code_key.c */

size_t code_key(const void *of, void *state, uint8_t *scratch, uint8_t *key);

#endif

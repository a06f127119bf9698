/* Simulates a block on a machine that times machine code (`code: sass`): sub-cores that issue by control
 * fields, dependence counters, units with queues, what misses once. docs/sass-simulator.md says how. */
#ifndef WB_SIM_SASS_SASS_SIMULATE_H
#define WB_SIM_SASS_SASS_SIMULATE_H

#include "base/heap.h"
#include "memory/requests/requests.h"
#include "sim/sm/host.h"
#include "warp/timed/timed.h"

/* Lines that code touches, from the first to the last. */
struct sass_line_range {
    uint32_t count, first;       /* lines of instructions of the L0 */
    uint32_t l1_count, l1_first; /* of the L1; 0: there is none */
    uint32_t constants;
};

/* What is executed: a block alone, or the blocks of a grid, and what of that is the same on all SMs. */
struct sass_sm_program {
    const struct wb_machine *machine;
    const struct timed_code *code;   /* with times: sass */
    const struct timed_block *block; /* NULL: the blocks of traffic->grid */
    const struct traffic *traffic;   /* of a block alone: where its accesses are, or NULL */
    uint32_t warp_count;             /* of a block */
    uint32_t clash;                  /* bit u: instructions come to unit u in several ways */
    struct sass_line_range lines;
};

/* The number of a line of the L1 of instructions that has the beginning of line `line` of the L0. */
static inline uint32_t sass_l1_line(const struct wb_machine *machine, uint32_t line) {
    const struct machine_sass *sass = &machine->sass;
    return (uint32_t)((uint64_t)line * sass->l0.line_bytes / sass->l1_instructions.line_bytes);
}

/* sass_program.c: the program of a block alone. */
struct sass_sm_program sass_program_of_block(const struct timed_block *block);

/* The program of the blocks of a grid, whose accesses have entries in the code. */
struct sass_sm_program sass_program_of_grid(const struct wb_machine *machine, const struct timed_code *code,
                                            const struct traffic *traffic);

/* How it is simulated. */
struct sass_run {
    const struct sim_policy *policy;
    /* The duration of something that takes `least` to `most` cycles. NULL: the most. */
    uint32_t (*choose)(void *user, uint32_t least, uint32_t most);
    void *user;
};

/* sass_run.c: an SM with free slots; program and run must outlive it. WB_ERR_LIMIT when memory is exhausted.
 * sass_sm_free in any case; NULL does nothing. */
wb_status sass_sm_make(const struct sass_sm_program *program, const struct sass_run *run, uint32_t slots,
                       struct sm_host **host);

void sass_sm_free(struct sm_host *host);

/* Simulates a block alone, whose code has times (timed_code.sass); sink and watch may be NULL. All of *result
 * but `seconds` is set. Errors as sm_host_run_block. */
wb_status sass_simulate(const struct timed_block *block, const struct sass_run *run,
                        const struct sim_sink *sink, const wb_watch *watch, wb_diagnostics *diagnostics,
                        wb_simulation *result);

/* A streaming multiprocessor that executes machine code while it does so: machine M of
 * docs/machine-code-bounds.md, with every choice that it leaves open made in one way
 * (docs/sass-simulator.md). Of the files that work on it, sass_code_lines has what is missed once,
 * sass_stages units and the instructions on their way through them, sass_warps program order, dependence
 * counters and barriers, and on top of them sass_run issue, slots and cycles. What of the code is the same
 * for all SMs sass_program finds out. */

#define FLIGHT_END UINT32_MAX

/* An instruction of variable latency from its issue to its last stage. */
struct sass_flight {
    uint64_t number;   /* of the simulation, for the sink */
    uint64_t step;     /* of its warp */
    uint32_t accesses; /* of its warp up to this step */
    const struct sass_timed *timed;
    struct sass_unit *unit; /* of the stage that it waits for or holds */
    uint32_t warp;
    uint32_t next;                     /* in the queue of a unit, or among those that are free */
    uint32_t tickets[SASS_STAGES_MAX]; /* per stage: its place among its warp's on that unit */
    cycles start, init_end;            /* of the first stage */
    uint8_t stage;                     /* the number of that stage */
    bool blocks;                       /* it waits for room, and holds the stage before until then */
    bool moves;                        /* between two stages */
};

/* A unit of one sub-core, or one that all share. */
struct sass_unit {
    cycles free_at;       /* the end of the hold under way */
    bool blocked;         /* held beyond that, as the next stage has no room */
    bool dirty;           /* in the list of those that something may start on */
    bool clash;           /* reached in several ways: instructions of a warp may overtake each other */
    uint8_t number;       /* of the machine */
    uint32_t queue;       /* as machine_unit has it */
    uint32_t first, last; /* of the flights that wait, in the order in which they came; FLIGHT_END: none */
    uint32_t entered;     /* of them those at their first stage */
    uint32_t passing;     /* of them those at a later one that do not block, */
    uint32_t blocking;    /* and those that do */
};

struct sass_warp {
    struct path_cursor cursor;
    const struct traffic_pattern *pattern; /* its accesses; of a grid which entries they execute; or NULL */
    uint32_t access;                       /* of them the next one */
    uint32_t slot;
    const struct sass_timed *head; /* the next instruction; NULL: the warp has ended */
    uint32_t entry;                /* its number */
    uint64_t step;                 /* its position in the path */
    cycles earliest;               /* no issue before: stall count, fetch, barrier, constant */
    cycles visible_at;             /* when what the last instruction incremented is seen */
    uint32_t counts[SASS_COUNTERS];
    uint32_t fresh[SASS_COUNTERS]; /* of them not seen before visible_at */
    uint8_t up, up_fresh;          /* mask: counters that are not 0, */
    uint32_t sub_core;
    struct sass_core *core;
    struct sass_unit *unit; /* the first one of the head, or NULL */
    uint32_t line;          /* of instructions, that the head is in */
    uint32_t saved;         /* bubbles that the head does not have, as registers are kept */
    uint32_t probe;         /* cycles that the head has held the issue stage for its constant */
    bool probed;            /* the head has found its constant, or waits for it */
    bool asleep;            /* until `earliest` */
    bool held;              /* by a counter */
    bool before_visible;    /* could issue only as long as counters are not seen */
    bool at_barrier;
    bool unit_full;                   /* the head's unit had no room when it was looked at last */
    uint32_t *taken;                  /* per unit of the machine: tickets given out, */
    uint32_t *served;                 /* and those that have started */
    cycles from;                      /* behind the instruction before the head, or when the block started */
    cycles released;                  /* when the barrier before the head opened; or `from` */
    cycles fetched;                   /* when the head was */
    cycles paced;                     /* when the stall count let it go */
    cycles allowed;                   /* when a counter did that held it; 0: none has */
    cycles opened;                    /* when its unit had room again; 0: it always had */
    cycles counted_at[SASS_COUNTERS]; /* when the last of those that count it down does, */
    uint64_t counted_by[SASS_COUNTERS]; /* and the step of that */
};

/* A register in the register cache of a sub-core. */
struct sass_kept {
    uint32_t warp; /* WARP_NONE: none */
    uint8_t number;
};

struct sass_core {
    struct policy_view view;
    struct sass_kept kept[SASS_BANKS_MAX][SASS_OPERANDS];
    uint64_t *allowed; /* warps of it that lack nothing but their turn and room in a unit, */
    uint32_t allowed_count;
    cycles hold_until;                  /* of the issue stage */
    uint32_t no_room;                   /* the flight that holds it as its queue is full, or FLIGHT_END */
    const struct sass_unit *no_room_in; /* the unit of that queue */
    cycles no_room_since;               /* its issue */
};

/* Caches whose lines are missed once: per line when it is there, CYCLES_SATURATED while nobody has asked. */
struct sass_code_lines {
    struct sass_line_range range;
    cycles *l0;          /* [sub-core * count + line - first]; NULL: what misses, misses each time */
    cycles *l1;          /* [line - l1_first] */
    cycles *constant;    /* [sub-core * constants + line] */
    cycles *l1_constant; /* [line] */
};

/* What is filled once: pages of the TLB, sectors from DRAM, and of the first level; with the cycles in which
 * they are there. */
struct sass_fills {
    struct number_table pages, sectors, loaded;
    VEC(cycles) translated;
    VEC(cycles) fetched;
    VEC(cycles) asked;
    cycles each, level_free; /* that a sector holds the second level, which is free from then on */
    cycles dram_free;        /* in parts of a cycle, of which there are as many as SMs */
    bool has_dram;
};

struct sass_sm {
    struct sm_host host;
    const struct sass_sm_program *program;
    const struct timed_code *code;
    const struct wb_machine *machine;
    const struct sass_run *run;
    struct arena arena;
    struct sass_warp *warps;    /* slot by slot */
    uint32_t warp_count, words; /* of all slots */
    struct sass_core *cores;
    bool keeps_registers;    /* sub-cores have register caches */
    uint32_t waiting;        /* mask: the sub-cores some warp of which lacks nothing but its turn and room */
    struct sass_unit *units; /* [unit * sub_cores + sub-core], a shared one at sub-core 0 */
    struct sass_unit **unit_of; /* [sub-core * units of the machine + unit] */
    struct sass_unit **dirty;   /* units that something may start on in this cycle */
    uint32_t dirty_count;
    uint32_t no_room_count; /* sub-cores whose issue stage is held as a queue is full */
    uint64_t *ready, *running;
    struct policy_warp *places;
    VEC(struct sass_flight) flights;
    uint32_t free_flights;
    struct wheel events; /* ends of stages and transfers, id: the flight; and others, id: see sass_run.c */
    struct wheel wakes;  /* id: the warp */
    struct sass_code_lines lines;
    struct sass_fills fills;
    cycles now;
    cycles look_at;        /* a cycle in which warps may issue that wait for no event */
    uint64_t flight_count; /* so far */
};

/* A duration between the least and the most that are stated. */
static inline uint32_t sass_take(const struct sass_sm *sm, uint32_t least, uint32_t most) {
    return sm->run->choose == NULL ? most : sm->run->choose(sm->run->user, least, most);
}

static inline bool sass_has_counters(const struct sass_timed *timed) {
    return timed->write_counter != SASS_NO_COUNTER || timed->read_counter != SASS_NO_COUNTER;
}

/* The warp lacks more than its turn and room again. */
static inline void sass_disallow(struct sass_sm *sm, uint32_t index) {
    struct sass_core *core = sm->warps[index].core;
    warp_set_remove(core->allowed, index);
    if (--core->allowed_count == 0) sm->waiting &= ~(1u << sm->warps[index].sub_core);
}

/* ---- sass_program.c: lines
 * -------------------------------------------------------------------------------------- */

/* Empty caches. */
void sass_code_lines_init(struct sass_sm *sm);

/* When the line of an instruction that a sub-core asks for in this cycle is there. */
cycles sass_line_fetched(struct sass_sm *sm, uint32_t sub_core, uint32_t line);

/* The same of a line of constants. *missed: it was not on its way. */
cycles sass_constant_there(struct sass_sm *sm, uint32_t sub_core, uint32_t line, bool *missed);

/* ---- sass_fills.c ---- */

/* Nothing is filled. */
void sass_fills_init(struct sass_sm *sm);

/* When all that an access whose last stage ends in this cycle asks for is filled. */
cycles sass_filled(struct sass_sm *sm, const struct sass_flight *flight);

/* ---- sass_program.c: registers ---- */

/* The warp's next instruction, which is issued in this cycle, reads its operands: by how many bubbles fewer
 * than its times have, as registers are kept. */
uint32_t sass_bubbles_saved(const struct sass_sm *sm, struct sass_core *core, uint32_t index);

/* Nothing is kept of these warps. */
void sass_registers_forget(struct sass_sm *sm, uint32_t first, uint32_t count);

/* ---- sass_stages.c ------------------------------------------------------------------------------------- */

/* Free units. */
void sass_units_init(struct sass_sm *sm);

/* The unit of the warp's sub-core. */
static inline struct sass_unit *sass_unit_of(const struct sass_sm *sm, const struct sass_warp *warp,
                                             uint8_t unit) {
    return sm->unit_of[warp->sub_core * sm->machine->unit_count + unit];
}

/* Whether the instruction takes its first unit when it is issued. */
static inline bool sass_starts_at_issue(const struct sass_timed *timed, const struct sass_unit *unit) {
    return timed->fixed || unit->queue == 0;
}

static inline bool sass_unit_is_free(const struct sass_sm *sm, const struct sass_unit *unit) {
    return unit->free_at <= sm->now && !unit->blocked;
}

/* Whether another instruction can wait for the unit at its first stage. */
static inline bool sass_unit_has_room(const struct sass_unit *unit) {
    return unit->queue == DEPTH_UNLIMITED || unit->entered < unit->queue;
}

/* Whether the first unit of the warp's next instruction lets it be issued in this cycle. */
static inline bool sass_unit_open(const struct sass_sm *sm, const struct sass_warp *warp) {
    const struct sass_unit *unit = warp->unit;
    if (unit == NULL) return true;
    if (!sass_starts_at_issue(warp->head, unit))
        return sm->machine->sass.full_queue == SASS_FULL_HOLDS_ISSUE || sass_unit_has_room(unit);
    return sass_unit_is_free(sm, unit) &&
           (unit->clash || warp->taken[unit->number] == warp->served[unit->number]);
}

/* The next instruction of the warp, which has been issued in this cycle, takes its unit or the queue of it.
 * What is known of its times is written to *event. */
void sass_enter(struct sass_sm *sm, struct sass_core *core, uint32_t index, struct sim_event *event);

/* A unit that nobody on his way through stages has held is free in this cycle. */
void sass_unit_freed(struct sass_sm *sm, uint32_t unit);

/* A stage or transfer of flight `number` ends in this cycle. */
void sass_flight_moves(struct sass_sm *sm, uint32_t number);

/* All that can start in this cycle does. */
void sass_serve(struct sass_sm *sm);

/* ---- sass_warps.c -------------------------------------------------------------------------------------- */

/* The warps of the slot's block begin in this cycle. */
void sass_begin(struct sass_sm *sm, struct sm_slot *slot);

/* The counters of the head, which is issued in this cycle, go up. */
void sass_count_up(const struct sass_sm *sm, struct sass_warp *warp);

/* The head has been issued in this cycle: the warp goes on to the next one. */
void sass_advance(struct sass_sm *sm, uint32_t index);

/* Of an instruction whose last stage ends in this cycle, and whose data is filled at `there`: has its
 * counters go down when the result is there and the sources are read; returns when both are. */
cycles sass_count_back(struct sass_sm *sm, uint32_t index, uint64_t step, const struct sass_timed *timed,
                       cycles there);

/* The counter of an event of sass_count_back goes down. */
void sass_count_down(struct sass_sm *sm, uint32_t id);

/* Looks whether the warp lacks nothing but its turn and room in a unit, or what it waits for. */
void sass_await(struct sass_sm *sm, uint32_t index);

/* The warp, whose next instruction is looked at, cannot be issued before cycle `at`. */
void sass_put_off(struct sass_sm *sm, uint32_t index, cycles at);

/* ---- sass_run.c ---- */

/* Ids of events that are no flights: a counter goes down, or unit number .. is free. */
#define SASS_COUNT_DOWN UINT32_C(0x80000000)
#define SASS_UNIT_FREE UINT32_C(0x40000000)

/* Of a count down: of what has not been seen counted up. */
#define SASS_NEVER_SEEN UINT32_C(0x40000000)

/* Something happens in cycle `at`, behind all that has been told of that cycle. */
static inline void sass_event(struct sass_sm *sm, cycles at, uint32_t id) {
    wheel_add(&sm->events, at, id);
}

/* The slot in which warp number `index` is. */
static inline struct sm_slot *sass_slot_of(const struct sass_sm *sm, uint32_t index) {
    return &sm->host.slots[sm->warps[index].slot];
}

/* Tells who asks what becomes of a warp's instruction in this cycle. */
static inline void sass_tell_moment(const struct sass_sm *sm, uint32_t index, struct sim_moment moment) {
    const struct sim_sink *sink = sm->host.sink;
    if (sink == NULL || sink->moment == NULL) return;
    moment.block = sass_slot_of(sm, index)->block;
    moment.warp = index - sm->warps[index].slot * sm->program->warp_count;
    moment.at = sm->now;
    sink->moment(sink->user, &moment);
}

/* The block of the slot is not over before cycle `at`. */
static inline void sass_lasts(struct sm_slot *slot, cycles at) {
    slot->commit = cycles_max(slot->commit, at);
}

#endif

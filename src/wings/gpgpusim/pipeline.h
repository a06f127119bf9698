/* The parts of the SM that follows GPGPU-Sim, and the instructions on their way through it. pipeline.c has
 * issue, operand collectors and units, memory.c the load/store unit and what all of them share of
 * instructions. */
#ifndef WB_WINGS_GPGPUSIM_PIPELINE_H
#define WB_WINGS_GPGPUSIM_PIPELINE_H

#include "base/base.h"
#include "sim/sm/host.h"
#include "warp/timed/timed.h"
#include "wings/gpgpusim/code.h"

#define GS_NONE UINT32_MAX

/* An instruction between its issue and its completion. */
struct gs_flight {
    const struct gs_inst *inst;
    const struct access *accesses; /* its records, access_count of them; of stores and atomics only */
    uint32_t access_count;
    uint32_t warp;
    uint32_t replies; /* of an atomic: replies that have not been written back */
    size_t event;     /* number of its event, counted from the first */
};

/* One warp as the issue stage sees it. */
struct gs_warp {
    struct path_cursor cursor;
    struct path_step next;                    /* the instruction that it issues next */
    const struct gs_inst *head;               /* the same, decoded */
    uint64_t step;                            /* its position in the path */
    const struct access *access, *access_end; /* records of that step and later ones */
    uint8_t *pending;                         /* per register, whether a result of it is under way */
    uint32_t pending_count;                   /* how many are */
    uint32_t blocked_on;                      /* the pending register that the head waits for, or GS_NONE */
    uint32_t atomic;                          /* replies that its atomic still waits for */
    uint32_t buffered;                        /* instructions in the instruction buffer */
    bool stale; /* the instruction buffer holds what follows in the text, not in the path */
    bool fenced, at_barrier, ended;
};

/* Issue: warps that nothing but a full unit keeps from issuing, by the unit of their head; and warps that
 * would be as well, had they not to flush their instruction buffer first. */
struct gs_frontend {
    struct gs_warp *warps;
    uint64_t ready[GPGPUSIM_UNITS];
    uint64_t stale;
    uint64_t running, members; /* neither ended nor at a barrier; all */
    uint32_t last;             /* warp issued last, or WARP_NONE */
    uint32_t live, arrived;    /* warps that have not ended; of these, held by a barrier */
};

/* Collector units that take instructions of one kind, and the ports that empty them. */
struct gs_collector_set {
    uint64_t members;
    uint32_t ports;
    uint8_t last[GPGPUSIM_COLLECTORS_MAX]; /* per port the collector unit it emptied last, in the set */
    uint32_t first, count;                 /* the members' numbers */
};

/* A read that waits for its bank, in a list per bank. */
struct gs_read {
    uint16_t next;
    uint8_t collector;
};

#define GS_READS_MAX (GPGPUSIM_COLLECTORS_MAX * GS_OPERANDS_MAX)

struct gs_collector {
    uint32_t id_oc[GPGPUSIM_UNITS][GPGPUSIM_WIDTH_MAX]; /* issued instructions, oldest first */
    uint32_t id_oc_count[GPGPUSIM_UNITS];
    struct gs_collector_set generic, own[GPGPUSIM_UNITS];
    uint32_t flight[GPGPUSIM_COLLECTORS_MAX]; /* per collector unit its instruction */
    uint8_t missing[GPGPUSIM_COLLECTORS_MAX]; /* operands still to be read */
    uint64_t busy, complete;                  /* collector units with an instruction; with all operands */
    uint64_t heading[GPGPUSIM_UNITS];         /* busy collector units by the unit of their instruction */
    struct gs_read reads[GS_READS_MAX];
    uint16_t free_read;
    uint16_t first_read[GPGPUSIM_BANKS_MAX], last_read[GPGPUSIM_BANKS_MAX];
    uint64_t requested; /* banks with reads that wait */
    uint64_t written;   /* banks that a result was written to in this cycle, before the first step */
};

/* What comes out of the units in one cycle. */
struct gs_slot {
    uint32_t flights[GPGPUSIM_WIDTH_MAX];
    uint8_t count;
    uint8_t units; /* bit per unit that has a result in it */
};

struct gs_units {
    uint32_t oc_ex[GPGPUSIM_UNITS]; /* instruction that waits for the unit, or GS_NONE */
    uint32_t waiting;               /* bit per unit for which one waits */
    cycles free_at[GPGPUSIM_UNITS]; /* when the dispatch register of the unit is free */
    struct gs_slot *slots;          /* ring, by cycle of the write-back */
    uint64_t *filled;               /* bit per slot that is not empty */
    uint32_t slot_mask;             /* number of slots, a power of two, minus 1 */
    uint32_t filled_count;
};

/* A shared-memory access on its way through the LSU's pipeline, or an access of a store or an atomic that
 * waits for its acknowledgement or reply. */
struct gs_due {
    cycles at;
    uint32_t flight; /* GS_NONE: accesses of a store */
    uint32_t count;  /* accesses; 1 of an atomic's */
};

/* A queue that a ring of growing size holds. */
struct gs_queue {
    struct gs_due *items;
    size_t head, count, capacity; /* capacity: a power of two, or 0 */
};

/* The way of acknowledgements and replies back to the SM: one a cycle. */
struct gs_replies {
    struct gs_queue cache; /* stores in the first-level cache, until `at` or later */
    struct gs_queue way;   /* sent in cycle `at`, there in the next or later */
    cycles done;           /* all cycles before it have been accounted for */
    cycles last;           /* when the last acknowledgement came */
    uint32_t atomics;      /* replies to atomics on the way */
};

/* Most accesses of one instruction: 32 lanes, each with two sectors, or with eight words of local memory. */
#define GS_SECTORS_MAX 256u

struct gs_lsu {
    uint32_t dispatch; /* instruction in the dispatch register, or GS_NONE */
    uint64_t sectors[GS_SECTORS_MAX];
    uint32_t sector_count;    /* accesses of it that have not been handed on */
    struct gs_queue pipeline; /* loads from shared memory: `at` is when they can leave */
    cycles pipeline_free;     /* the oldest of them leaves no earlier */
    uint32_t next_global;     /* atomic with a reply to be written back, or GS_NONE */
    uint32_t writing;         /* instruction being written back, or GS_NONE */
    uint32_t written;         /* results of it that are */
    bool global_first;        /* who is asked first for the next one to write back */
    struct gs_replies replies;
};

/* Events of instructions that are not complete or behind such a one. */
struct gs_events {
    const struct sim_sink *sink; /* NULL: no events are made */
    VEC(struct sim_event) queue;
    size_t passed_on; /* events that have left the queue */
    size_t head;      /* first of the queue that has not */
};

struct gs_sm {
    const struct wb_block *block;
    const struct timed_block *timed;
    const struct machine_gpgpusim *config;
    const struct sim_policy *policy;
    struct arena arena;
    struct gs_code code;
    VEC(struct gs_flight) flights;
    VEC(uint32_t) free_flights;
    struct gs_frontend frontend;
    struct gs_collector collector;
    struct gs_units units;
    struct gs_lsu lsu;
    struct gs_events events;
    cycles now;
    bool moved;       /* something has changed in this cycle: the next one can differ from it */
    wb_status status; /* of what has failed in this cycle */
    uint64_t executed, total, watch_at;
    wb_simulation result;
};

static inline struct gs_flight *gs_flight_at(struct gs_sm *sm, uint32_t flight) {
    return &sm->flights.items[flight];
}

/* memory.c: the next instruction of flight->warp is issued now, as a copy of *flight, with an event
 * when events are made: the number of the copy, or GS_NONE when memory is exhausted. */
uint32_t gs_flight_begin(struct gs_sm *sm, const struct gs_flight *flight);

/* A flight's event, or NULL when none are made. */
struct sim_event *gs_event_of(struct gs_sm *sm, uint32_t flight);

/* The instruction has completed: it is counted, and gone. */
void gs_complete(struct gs_sm *sm, uint32_t flight);

void gs_flights_free(struct gs_sm *sm);

/* pipeline.c: warps at the start of their paths; false when memory is exhausted. */
bool gs_frontend_init(struct gs_sm *sm);

/* The issue stage: at most one instruction. */
void gs_frontend_issue(struct gs_sm *sm);

/* The results of `inst` of warp number `index` can be read. */
void gs_frontend_release(struct gs_sm *sm, uint32_t index, const struct gs_inst *inst);

/* The atomic of warp number `index` has got a reply. */
void gs_frontend_reply(struct gs_sm *sm, uint32_t index);

/* pipeline.c: empty collectors; WB_ERR_INPUT with a message when there are too many. */
wb_status gs_collector_init(struct gs_sm *sm, wb_diagnostics *diagnostics);

/* All steps of a cycle. */
void gs_collector_cycle(struct gs_sm *sm);

static inline bool gs_collector_has_room(const struct gs_sm *sm, uint32_t unit) {
    return sm->collector.id_oc_count[unit] < sm->config->id_oc[unit];
}

/* Writes results of an instruction, from result *written on, to their banks until one of the banks is taken;
 * whether all are written. */
bool gs_collector_write(struct gs_sm *sm, uint32_t flight, uint32_t *written);

/* pipeline.c: idle units; false when memory is exhausted. */
bool gs_units_init(struct gs_sm *sm);

/* The write-back stage. */
void gs_units_write_back(struct gs_sm *sm);

/* Waiting instructions enter the units whose dispatch register, pipeline slot and result bus are free. */
void gs_units_start(struct gs_sm *sm);

/* When the units next do something by themselves; CYCLES_SATURATED when never. */
cycles gs_units_next(const struct gs_sm *sm);

/* memory.c: the load/store unit; a cycle ends with the start of an instruction that waits for it. */
void gs_lsu_init(struct gs_sm *sm);
void gs_lsu_cycle(struct gs_sm *sm);

/* Whether the unit does something in the next cycle. */
bool gs_lsu_busy(const struct gs_sm *sm);

/* memory.c: the sectors of 32 bytes that a store accesses, ascending, each once: their number. */
uint32_t gs_store_sectors(const struct gs_sm *sm, const struct gs_flight *flight,
                          uint64_t sectors[GS_SECTORS_MAX]);

/* The accesses of an atomic on global memory: lanes that touch the same element need one each. */
uint32_t gs_atomic_accesses(const struct gs_sm *sm, const struct gs_flight *flight);

/* Whether the instruction's records are of shared memory. */
bool gs_accesses_shared(const struct gs_flight *flight);

/* memory.c: accounts for all cycles before `now`, while no atomic waits for a reply. */
void gs_replies_advance(struct gs_replies *replies, cycles now, wb_status *status);

/* What comes back in cycle `now`: GS_NONE for nothing or an acknowledgement; a flight for a reply to it,
 * which stays on the way unless `take`. */
uint32_t gs_replies_receive(struct gs_replies *replies, cycles now, bool take);

/* The first-level cache sends one access of a store on its way. */
void gs_replies_send(struct gs_replies *replies, cycles now, wb_status *status);

/* `count` accesses of a store enter the cache in cycle `now`, to be acknowledged `delay` cycles later. */
void gs_replies_store(struct gs_replies *replies, cycles now, uint32_t count, uint32_t delay,
                      wb_status *status);

/* An access of an atomic. */
void gs_replies_atomic(struct gs_replies *replies, cycles now, uint32_t flight, wb_status *status);

void gs_replies_free(struct gs_replies *replies);

/* Queues: a failed push leaves WB_ERR_LIMIT in *status. */
void gs_queue_push(struct gs_queue *queue, struct gs_due due, wb_status *status);
struct gs_due *gs_queue_front(const struct gs_queue *queue);
void gs_queue_pop(struct gs_queue *queue);

#endif

/* One functional unit with its dispatch queue, as docs/proofs.md, R3 and R4, has it: instructions start in
 * the order of their issue as soon as an instance is free, so that the start is known at the issue and the
 * queue needs no entries of its own, only the starts of the last `depth` instructions. */
#ifndef WB_SIM_SM_SM_H
#define WB_SIM_SM_SM_H

#include "base/base.h"
#include "base/cycles.h"
#include "base/heap.h"
#include "machine/machine.h"
#include "memory/caches/caches.h"
#include "memory/requests/requests.h"
#include "sim/memory/memory.h"
#include "sim/sm/host.h"
#include "warp/timed/timed.h"

struct unit_queue {
    cycles open_from; /* first cycle in which the next instruction may be issued to it */
    cycles *free_at;  /* per instance, when its last initiation ends */
    uint32_t count;   /* instances */
    uint32_t depth;   /* queue entries, or DEPTH_UNLIMITED */
    cycles *starts;   /* ring of the last `depth` starts; none for depth 0 and DEPTH_UNLIMITED */
    uint32_t next;    /* ring position of the oldest of them */
};

/* An idle unit; its arrays come from `arena`. WB_ERR_LIMIT when memory is exhausted. */
wb_status unit_queue_init(struct unit_queue *queue, uint32_t count, uint32_t depth, struct arena *arena);

/* The instance that is free first; the lowest of them. */
static inline uint32_t unit_queue_first_free(const struct unit_queue *queue) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < queue->count; i++) {
        if (queue->free_at[i] < queue->free_at[first]) first = i;
    }
    return first;
}

/* Issues an instruction in cycle `issue` (open_from or later): returns the cycle in which its initiation
 * starts, and on which instance. */
static inline cycles unit_queue_push(struct unit_queue *queue, cycles issue, uint32_t init,
                                     uint32_t *instance) {
    uint32_t chosen = unit_queue_first_free(queue);
    cycles start = cycles_max(issue, queue->free_at[chosen]);
    queue->free_at[chosen] = start + init;
    *instance = chosen;
    if (queue->depth == 0) {
        queue->open_from = queue->free_at[unit_queue_first_free(queue)];
    } else if (queue->depth != DEPTH_UNLIMITED) {
        /* Fewer than `depth` instructions wait once the `depth`-th last of them has started; the ring starts
         * as zeros, so a queue that was never full is open. */
        queue->starts[queue->next] = start;
        queue->next = queue->next + 1 == queue->depth ? 0 : queue->next + 1;
        queue->open_from = queue->starts[queue->next];
    }
    return start;
}

/* A streaming multiprocessor (SM) while it executes: docs/proofs.md, section 1, with several resident blocks
 * as docs/memory-model.md, section 2, has them. Of the files that work on it, sm_warps has
 * program order, operands, barriers and queues, sm_events what is told of it, sm_flights and sm_l1 memory
 * instructions, sm_ifetch instruction fetch, and on top of them sm_run parts, slots and
 * cycles. */

/* What is executed: a block alone, or the blocks of a grid with their accesses. */
struct sm_program {
    const struct wb_machine *machine;
    const struct timed_code *code;
    const struct timed_block *block; /* NULL: the blocks of traffic->grid */
    const struct traffic *traffic;
    uint32_t warp_count; /* of a block */
    uint32_t late_units; /* bit u: instructions keep unit u until the first level has taken their requests, or
                            until they have left for the memory that all SMs share */
    uint32_t least_return; /* of that memory: the least request_return of any instruction */
};

/* A list of memory instructions, linked by sm_flight.next. */
struct flight_list {
    uint32_t first, last; /* SM_NONE: it is empty */
    uint32_t count;
};

#define FLIGHT_LIST_EMPTY ((struct flight_list){SM_NONE, SM_NONE, 0})

/* A register of a queue (struct timed_queue). */
struct sm_joined {
    cycles known;     /* when what is known to complete has completed */
    uint64_t last;    /* the step of an instruction that completes then */
    uint32_t unknown; /* instructions that complete nobody knows when */
};

struct sm_warp {
    struct path_cursor cursor;
    const struct timed_inst *head; /* the next instruction */
    uint64_t step;                 /* its position in the path */
    cycles earliest;               /* no issue before: the cycle behind the last issue, or a release */
    cycles *ready;     /* per register, when it can be read; CYCLES_SATURATED while that is not known */
    uint64_t *writers; /* per register the step that wrote it last; NULL: nobody takes the events */
    cycles held_from;  /* when a barrier held it that has opened since the last event; or CYCLES_SATURATED */
    struct sm_joined *joined[QUEUE_COUNT];            /* per register of the queue */
    uint64_t commits[QUEUE_COUNT];                    /* so far */
    const struct traffic_pattern *pattern;            /* its accesses, or NULL */
    const struct traffic_access *access, *access_end; /* those behind the head's */
    const struct traffic_access *request;             /* the head's that makes requests, or NULL */
    cycles *entries;            /* when the channel's entries are free, as a ring; NULL: it needs none */
    uint32_t next_entry;        /* the ring's oldest: the one that the next instruction takes */
    struct flight_list channel; /* memory instructions that took an entry and have not had their turn */
    struct sm_unit **unit_of;   /* per unit of the machine the one of the warp's sub-core */
    struct sm_unit *unit;       /* of the head, or NULL */
    uint32_t busy;              /* cycles that the head keeps it */
    uint64_t buffer_from, buffer_end; /* addresses that the instruction buffer has behind the head */
    cycles fetched_at; /* when the head has been fetched; CYCLES_SATURATED: the fetch has not begun */
    uint32_t slot, sub_core;
    bool at_barrier;
    bool blocked; /* nobody knows yet when the head can issue */
};

/* A unit of one sub-core, or one that all share. */
struct sm_unit {
    struct unit_queue queue;
    uint64_t *waiting;       /* warps whose next instruction is for it and lacks nothing but room */
    struct flight_list held; /* of a unit with late ends: issued, not started */
    bool ends_late;          /* as sm_program.late_units has it */
    bool closed;             /* in the list of closed units: their waiting warps are not ready */
    cycles opened_at;        /* when it left that list last */
};

/* A warp that issues, and what it may still issue in this cycle. */
struct sm_turn {
    uint32_t warp;
    uint32_t left;  /* instructions behind the last one */
    uint32_t units; /* bit u: one has been issued to unit u of the machine */
};

struct sm {
    struct sm_host host; /* its sink is set by sm_take_events */
    const struct sm_program *program;
    const struct sim_policy *policy;
    struct arena arena;
    struct sm_warp *warps; /* slot by slot */
    uint32_t warp_count;   /* of all slots */
    struct sm_unit *units; /* [unit * sub_cores + sub-core], a shared one at sub-core 0 */
    uint32_t unit_count;
    struct sm_unit **unit_of; /* [sub-core * units of the machine + unit] */
    uint32_t held_count;      /* instructions that units hold */
    struct policy_view *sub_cores;
    uint32_t *closed; /* units that admit nothing before their open_from */
    uint32_t closed_count;
    uint64_t *ready, *running;
    struct policy_warp *places; /* per warp where it is, for policies */
    uint32_t words;
    struct sm_turn turn;
    struct heap wakes;  /* when warps have what they wait for; id: the warp */
    struct heap passes; /* the same of those whose next instruction has no unit */
    cycles now;
    cycles look_at; /* a cycle in which warps may issue that wait for no event; CYCLES_SATURATED: none */
    struct sm_memory *memory; /* NULL: no memory system, latencies stand for it */
    struct sm_ifetch *ifetch; /* NULL: every warp always has its next instruction */
    uint64_t channel_waits;   /* cycles that warps waited only for an entry of their channel */
};

/* sm_run.c: an SM with free slots on the program's machine; all its memory is of sm->arena. WB_ERR_LIMIT
 * when memory is exhausted. */
wb_status sm_init(struct sm *sm, const struct sm_program *program, const struct sim_policy *policy,
                  uint32_t slots);

void sm_free(struct sm *sm);

/* sm_events.c: from now on, before any block is placed, `sink` takes the events. WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status sm_take_events(struct sm *sm, const struct sim_sink *sink);

/* Fills in what the head of warp number `index` has waited for, before it enters its unit or is executed. */
void sm_fill_waits(const struct sm *sm, uint32_t index, struct sim_waits *waits);

/* Hands the issue of the head on to the sink; *event has its times and waits. */
wb_status sm_tell_issue(struct sm *sm, uint32_t index, struct sim_event *event);

/* The same of a head without a unit that is executed in cycle `at`. */
void sm_tell_pass(const struct sm *sm, uint32_t index, cycles at);

/* sm_warps.c: the warps of the slot's block begin to execute in cycle slot->release. */
void sm_begin_warps(struct sm *sm, struct sm_slot *slot);

/* The head of warp number `index` has issued in this cycle: goes on to what follows. */
void sm_advance(struct sm *sm, uint32_t index);

/* The head of the warp pass.id, which has no unit, has its operands in cycle pass.at. */
void sm_pass(struct sm *sm, struct heap_item pass);

/* Something that warp number `index` may have waited for is known now. */
void sm_unblock(struct sm *sm, uint32_t index);

/* An instruction of the slot's block, one of its flights, has its last result in cycle `completion`. */
void sm_land(struct sm *sm, uint32_t slot, cycles completion);

/* Counts an executed instruction. */
static inline void sm_count(struct sm *sm, const struct timed_inst *inst) {
    sm->host.executed++;
    if (!inst->uncounted) sm->host.warp_instructions++;
}

/* The latency of the head of warp number `index`: as stated, or the least that the machine promises. */
static inline uint32_t sm_latency(const struct sm *sm, uint32_t index) {
    const struct sm_warp *warp = &sm->warps[index];
    const struct sim_policy *policy = sm->policy;
    if (policy->hurries == NULL || !policy->hurries(policy, index, warp->step)) return warp->head->latency;
    return warp->head->latency_least;
}

/* sm_warps.c: the head of the warp joins its queues, complete in cycle `at`; CYCLES_SATURATED: nobody knows.
 * Then its commits count. */
void sm_join_queues(const struct sm *sm, struct sm_warp *warp, cycles at);

/* The instruction of step `step`, which joined when the warp had made `commits`, is known now to complete in
 * cycle `at`. */
void sm_know_joined(const struct sm *sm, struct sm_warp *warp, const struct timed_inst *inst, uint64_t step,
                    const uint64_t commits[QUEUE_COUNT], cycles at);

/* The results of an instruction of the warp can be read from cycle `at` on; CYCLES_SATURATED: nobody knows.
 */
static inline void sm_set_results(const struct sm *sm, struct sm_warp *warp, const struct timed_inst *inst,
                                  cycles at) {
    const uint32_t *written = sm->program->code->operands + inst->first_operand + inst->source_count;
    for (uint32_t i = 0; i < inst->destination_count; i++)
        warp->ready[written[i]] = at;
}

/* The head of the warp is executed; its results can be read from cycle `completion` on. */
static inline void sm_complete(struct sm *sm, struct sm_warp *warp, cycles completion) {
    struct sm_slot *slot = &sm->host.slots[warp->slot];
    sm_set_results(sm, warp, warp->head, completion);
    if ((warp->head->joins | warp->head->commits) != 0) sm_join_queues(sm, warp, completion);
    slot->commit = cycles_max(slot->commit, completion);
    sm_count(sm, warp->head);
}

/* sm_run.c: the next cycle in which something but its memory side does something by itself, or
 * CYCLES_SATURATED. */
cycles sm_next_event(const struct sm *sm);

/* The memory side of an SM: its memory instructions, the first level with its entries, what it sends down and
 * what comes back. docs/memory-model.md, sections 3 and 5. On a machine without caches the SM sends requests
 * straight to the memory that all SMs share (section 9).
 *
 * Time runs in windows: before one begins, all answers that arrive in it are known, so that the first level
 * can be asked about any cycle before its end, ahead of the cycle that sm_run has reached. */

/* A memory instruction between its issue and its completion; one without requests until its start. */
struct sm_flight {
    const struct timed_inst *inst;
    const struct traffic_access *access; /* NULL: it makes no requests */
    const uint64_t *offsets;             /* of its requests */
    uint64_t base, step;
    uint64_t commits[QUEUE_COUNT]; /* of the warp before it */
    uint64_t number;               /* in the order of issue */
    cycles issue;                  /* when it was issued */
    cycles start;                  /* when it started; under reordering, when it is in its channel */
    cycles left;                   /* without reordering: when its unit is free again */
    cycles data;                   /* when the data that is known of is there, and the unit is free again */
    uint32_t warp;                 /* of the SM */
    uint32_t unit, instance;       /* index into sm.units */
    uint32_t busy;                 /* cycles that it keeps them if nothing stalls */
    uint32_t next_request;         /* the first that has not had its turn */
    cycles turn_at;                /* without caches: when that is possible but for the limit on requests */
    uint32_t missing;              /* requests that had, and whose data comes at an unknown time */
    uint32_t entry;                /* of the warp's channel */
    uint32_t next;                 /* in a list */
    uint32_t older, newer;         /* those before and behind it of sm_reorder.pending */
};

/* One who waits for a fetch. */
struct sm_waiter {
    uint32_t flight, next;
};

/* What a request did at the first level. */
enum l1_outcome { L1_MISS, L1_HIT, L1_HIT_UNDER_MISS, L1_PASSED };

/* A request's turn. */
struct sm_access {
    cycles at; /* its first cycle */
    uint32_t block, warp;
    uint64_t step;
    uint32_t instruction;
    uint64_t address;
    uint8_t kind;    /* enum traffic_kind */
    uint8_t outcome; /* enum l1_outcome; of stores and atomics L1_PASSED */
};

/* Takes the turns of an SM's first level, in their order; NULL: nobody does. */
struct sm_access_sink {
    wb_status (*access)(void *user, const struct sm_access *access);
    void *user;
};

/* The reordering unit. */
struct sm_reorder {
    struct access_order order;
    struct ordered_access next; /* whose turn it is */
    bool has_next;
    bool waited_for; /* the cycles that were spent waiting for its issue have been counted */
    struct {
        uint32_t first, last;
    } pending; /* issued, without all their turns, in the order of issue */
};

struct sm_memory {
    const struct machine_memory *config;
    cycles until;     /* the end of the window */
    cycles free_at;   /* when the first level can take the next request */
    cycles resume_at; /* when it goes on; CYCLES_SATURATED: nothing to do, or with the next data */
    struct cache cache;
    struct fetch_table fetches; /* its entries (MSHRs) */
    struct fetch_line arriving; /* those whose data's time is known */
    struct flight_list port;    /* without reordering: started, without all their turns */
    struct sm_reorder *reorder; /* or NULL */
    VEC(struct sm_flight) flights;
    VEC(struct sm_waiter) waiters;
    uint32_t free_flight, free_waiter; /* first of the free ones, or SM_NONE */
    uint64_t issued;                   /* flights so far */
    struct gpu_mailbox *boxes;         /* per partition, of this window */
    struct heap answers;               /* on their way, id: sender */
    size_t answers_capacity;
    cycles
        first_sent; /* when the first request of this window arrives below; CYCLES_SATURATED: none was sent */
    uint64_t answered;
    bool is_contended;   /* no caches: requests go to the memory that all SMs share, and of those */
    uint32_t on_the_way; /* so many, if there is a limit, have no data yet, */
    struct heap returns; /* which comes then, as far as known */
    bool held_back;      /* since held_back_from a request waits for nothing but the limit */
    cycles held_back_from;
    cycles reply_free_at; /* when the SM can take the next answer */
    struct sm_access_sink sink;
    wb_gpu_simulation counts;
    wb_instruction_traffic *instructions; /* per instruction of the code */
};

/* An answer to a store or an atomic names the flight, else the fetch. */
#define SENDER_IS_FLIGHT (UINT32_C(1) << 31)

static inline struct sm_flight *sm_flight_at(const struct sm *sm, uint32_t flight) {
    return &sm->memory->flights.items[flight];
}

/* sm_flights.c: a memory side for an SM that has none yet; with `share` its requests are reordered.
 * WB_ERR_LIMIT when memory is exhausted. */
wb_status sm_memory_init(struct sm *sm, struct sm_memory *memory, const struct sm_share *share);

void sm_memory_free(struct sm_memory *memory);

/* Makes a flight of the head of warp number `index`, which is counted, its results unknown. */
wb_status sm_take_off(struct sm *sm, uint32_t index, uint32_t *flight);

/* The same as soon as all its requests have had their turn and the times of their data are known. */
void sm_try_land(struct sm *sm, uint32_t index);

void flight_list_append(struct sm *sm, struct flight_list *list, uint32_t flight);
uint32_t flight_list_pop(struct sm *sm, struct flight_list *list);

/* sm_l1.c: serves the requests of a flight from cycle `from` on, as far as their turns begin in the window;
 * *done: all have begun, and the last ends at memory->free_at. */
wb_status sm_l1_serve(struct sm *sm, uint32_t index, cycles from, bool *done);

/* sm_l1.c, without caches. Sends the requests down whose turn it is in this cycle. */
wb_status sm_send(struct sm *sm);

/* When the next request can be sent, as far as known. */
cycles sm_next_send(const struct sm *sm);

/* The data of a request of the flight is there in cycle `at`, which is in this window. */
void sm_note_return(struct sm_memory *memory, cycles at);

/* sm_flights.c: begins a window: takes the answers that arrive in it, and goes on with the first level. */
wb_status sm_begin_window(struct sm *sm, struct gpu_mailbox *boxes, cycles until);

/* When the SM or its memory side next does something by itself, or CYCLES_SATURATED. */
cycles sm_next_activity(const struct sm *sm);

/* sm_flights.c, without reordering. A warp's head is issued to a unit that ends late; *event: when it starts,
 * if that is known. */
wb_status sm_hold(struct sm *sm, uint32_t warp, struct sim_event *event);

/* Starts held instructions whose units are free in this cycle, in the order of their issue. */
wb_status sm_start_held(struct sm *sm);

/* When that is next possible, as far as known. */
cycles sm_next_start(const struct sm *sm);

/* The last turn of a started instruction ends in cycle `turns_end`. */
void sm_end_turns(struct sm *sm, uint32_t index, cycles turns_end);

/* sm_l1.c, with reordering. A warp's head is issued and will be in the warp's channel from cycle `at`
 * on. */
wb_status sm_enter_channel(struct sm *sm, uint32_t index, cycles at);

/* Serves the channels in the order of the keys. */
wb_status sm_serve_channels(struct sm *sm);

/* How an SM fetches instructions: its instruction cache, and the fetches of its warps. docs/memory-model.md,
 * section 10. */

/* A line of code on its way to the cache. */
struct line_under_way {
    uint64_t number;
    cycles data_at;
};

struct sm_ifetch {
    const struct machine_fetch *config;
    struct cache cache;
    struct line_under_way *under_way; /* config->misses at most */
    uint32_t under_way_count;
    uint64_t
        *asking;    /* warps whose next instruction is not in their buffer and that nothing is fetched for */
    uint32_t last;  /* the warp that was fetched for last, or WARP_NONE */
    cycles look_at; /* when a fetch may be possible next; CYCLES_SATURATED: no warp asks */
    uint64_t fetches, misses; /* so far; a fetch of a line under way is no miss */
};

/* Fetch for an SM on a machine where it can stall; its memory is the arena's, which
 * a pass protects. */
void sm_ifetch_init(struct sm *sm);

/* The warp number `index` has come to its next instruction: notes whether its buffer has it, and asks for a
 * fetch if not. */
void sm_ifetch_ask(struct sm *sm, uint32_t index);

/* The fetches that begin in this cycle. */
void sm_ifetch_cycle(struct sm *sm);

#endif

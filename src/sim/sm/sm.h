/* A streaming multiprocessor (SM) while it executes: docs/proofs.md, section 1, with several resident blocks
 * as docs/memory-model.md, section 2, has them. Of the files that work on it, sm_warps has
 * program order, operands, barriers and queues, sm_events what is told of it, sm_flights and sm_l1 memory
 * instructions (see sm_memory.h), sm_ifetch instruction fetch, and on top of them sm_run parts, slots and
 * cycles. */
#ifndef WB_SIM_SM_SM_H
#define WB_SIM_SM_SM_H

#include "base/heap.h"
#include "memory/requests/timed_grid.h"
#include "sim/sm/events.h"
#include "sim/sm/host.h"
#include "sim/sm/policy.h"
#include "sim/sm/unit_queue.h"
#include "warp/timed/timed_block.h"

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

#endif

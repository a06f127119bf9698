/* The memory side of an SM: its memory instructions, the first level with its entries, what it sends down and
 * what comes back. docs/memory-model.md, sections 3 and 5. On a machine without caches the SM sends requests
 * straight to the memory that all SMs share (section 9).
 *
 * Time runs in windows: before one begins, all answers that arrive in it are known, so that the first level
 * can be asked about any cycle before its end, ahead of the cycle that sm_run has reached. */
#ifndef WB_SIM_SM_SM_MEMORY_H
#define WB_SIM_SM_SM_MEMORY_H

#include "memory/caches/cache.h"
#include "memory/requests/access_order.h"
#include "sim/memory/fetch_table.h"
#include "sim/memory/partitions.h"
#include "sim/sm/sm.h"

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

/* Serves the started instructions one after the other. */
wb_status sm_serve_started(struct sm *sm);

/* The last turn of a started instruction ends in cycle `turns_end`. */
void sm_end_turns(struct sm *sm, uint32_t index, cycles turns_end);

/* sm_l1.c, with reordering. A warp's head is issued and will be in the warp's channel from cycle `at`
 * on. */
wb_status sm_enter_channel(struct sm *sm, uint32_t index, cycles at);

/* Serves the channels in the order of the keys. */
wb_status sm_serve_channels(struct sm *sm);

#endif

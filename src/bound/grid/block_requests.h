/* The instructions that a warp of a grid executes, in order, each with the requests that it makes; how many
 * of these are in flight at a time; and what all requests of a block to a memory of all SMs come to. */
#ifndef WB_BOUND_GRID_BLOCK_REQUESTS_H
#define WB_BOUND_GRID_BLOCK_REQUESTS_H

#include "base/base.h"
#include "memory/requests/requests.h"
#include "warp/timed/timed.h"

struct wb_block;

struct warp_step {
    const struct timed_inst *inst;
    const struct traffic_access *access; /* that makes requests, or NULL */
    uint32_t access_index;               /* of `access` in the warp's pattern */
    bool maybe_executed;                 /* it is only maybe executed */
    cycles init;                         /* cycles that its unit is busy with it if nothing stalls */
    uint64_t times;                      /* in sums: how often it is executed so */
};

/* Where a reader of a warp's instructions stands. */
struct warp_steps {
    const struct timed_code *code;
    struct path_cursor cursor;
    const struct traffic_pattern *pattern;
    uint64_t step;   /* position in the path of the next instruction */
    uint32_t access; /* the next access of the pattern */
    const struct access_stream *stream;
    uint32_t maybe_executed;         /* the next stretch of steps that are only maybe executed */
    struct path_runs summed;         /* in sums: what is left of a fold, */
    struct path_entry run;           /* and of one of its runs, */
    uint64_t run_times, repetitions; /* which is executed so often in each of so many repetitions */
};

/* At the first instruction of a warp. */
struct warp_steps warp_steps_begin(const struct timed_grid *timed, uint32_t block, uint32_t warp);

/* Reads the next instruction; false at the end. */
bool warp_steps_next(struct warp_steps *steps, struct warp_step *step);

/* As warp_steps_next, for sums, which need no order: all repetitions of a quiet fold at once. */
bool warp_steps_next_of_sum(struct warp_steps *steps, struct warp_step *step);

/* Whether the reader has read the body of a fold that is quiet (fold_is_quiet). */
bool warp_steps_at_quiet(const struct warp_steps *steps, struct path_fold *fold, uint64_t *length);

/* Goes on behind such a fold. */
void warp_steps_skip(struct warp_steps *steps, uint64_t length);

/* How many requests of loads a warp can have in flight at a time: what it issues before it waits for one of
 * their registers, or for several of them together; or of all accesses, of which those that nothing waits for
 * stay in flight. */
struct flying_load {
    uint32_t requests; /* 0 when the warp has waited for it */
    uint32_t before;   /* 1 + the load of the same register that the warp has waited for, too, when it has
                          waited for this one; or 0 */
};

/* A warp on its way. */
struct loads_in_flight {
    uint32_t *last_load;         /* per register of the code, 1 + the load that wrote it last, or 0 */
    struct queue_members queues; /* of loads that are waited for together: 1 + the load, or 0 */
    VEC(struct flying_load) loads;
    bool unlimited;     /* nothing is known: which loads are waited for together is not */
    bool stores_too;    /* all accesses count, not only loads */
    uint64_t now, most; /* requests in flight; their largest number so far */
};

/* A warp at its start, of a grid with this code; to be freed in any case. WB_ERR_LIMIT when memory is
 * exhausted.
 */
wb_status loads_in_flight_init(struct loads_in_flight *flight, const struct timed_code *code);

/* The warp executes its next instruction. WB_ERR_LIMIT when memory is exhausted. */
wb_status loads_in_flight_step(struct loads_in_flight *flight, const struct timed_code *code,
                               const struct warp_step *step);

/* Puts it at the start of another warp. */
void loads_in_flight_begin(struct loads_in_flight *flight, const struct timed_code *code);

void loads_in_flight_free(struct loads_in_flight *flight);

/* The requests of a block to the memory that all SMs share, and for how long an SM waits because only so many
 * of its requests may be on their way (docs/memory-bounds.md, section 12). */
struct request_load {
    uint64_t requests;  /* q: of all warps */
    uint64_t most;      /* of one instruction */
    uint64_t in_flight; /* between issue and completion at a time: of loads, and of all stores before */
    cycles returns;     /* of all of them, from the end of their service until their data is back */
    uint32_t units;     /* bit u: instructions of unit u make requests */
};

/* The requests of block number `block` of a grid; `flight` is of the grid's code. WB_ERR_LIMIT without a
 * message when memory is exhausted. */
wb_status request_load_of_block(const struct timed_grid *timed, uint32_t block,
                                struct loads_in_flight *flight, struct request_load *load);

/* The same of the only block of a grid. */
wb_status request_load_alone(const struct timed_grid *timed, struct request_load *load);

/* The most requests of a block with recorded accesses, some of which may not be known. */
void request_load_of_covering(const struct wb_block *block, const struct wb_machine *machine,
                              struct request_load *load);

/* Cycles that units wait for the limit on requests, at most, because of a block with `load`, when an SM can
 * have `in_flight` requests at a time and each waits `wait` cycles to be served. */
cycles request_stalls(const struct machine_memory *memory, const struct request_load *load,
                      uint64_t in_flight, cycles wait);

/* Whether requests of an SM leave it from more than one place. */
bool request_ports_several(const struct wb_machine *machine, uint32_t units);

#endif

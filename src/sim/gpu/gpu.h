/* A whole GPU that executes a grid: SMs with their first-level caches, the second level, DRAM, the block
 * dispatcher. docs/memory-model.md states the rules. */
#ifndef WB_SIM_GPU_GPU_H
#define WB_SIM_GPU_GPU_H

#include "base/heap.h"
#include "memory/requests/requests.h"
#include "sim/memory/memory.h"
#include "sim/sass/sass_simulate.h"
#include "sim/sm/host.h"
#include "sim/sm/sm.h"
#include "warp/timed/timed.h"

/* How warps get at the first level (JCSE'17, Fig. 8): a warp scheduling policy, and whether requests are
 * reordered. */
struct gpu_scheme {
    const char *name, *summary;
    const struct sim_policy *policy;
    bool reorder;
};

/* The schemes in the order of help texts and of results; NULL past the end. */
const struct gpu_scheme *gpu_scheme_at(size_t index);

/* All SMs, of a sink. */
#define GPU_EVERY_SM UINT32_MAX

/* Takes what happens on one SM, each kind of event in its order; each may be NULL, `land`, `pass` and
 * `block` go with `issue` (see struct sim_sink).
 * Of every SM, SMs may call at the same time when there are several threads. */
struct gpu_sink {
    uint32_t sm;
    wb_status (*issue)(void *user, uint32_t sm, const struct sim_event *event);
    wb_status (*access)(void *user, uint32_t sm, const struct sm_access *access);
    void *user;
    void (*land)(void *user, uint32_t sm, const struct sim_landing *landing);
    void (*pass)(void *user, uint32_t sm, const struct sim_event *event);
    void (*block)(void *user, uint32_t sm, const struct sim_block *block);
};

/* Choices of somebody who wants to see what a dispatcher might do. Where all blocks fit at the start, they
 * are dealt out to the SMs in turn whatever the choices say. */
struct dispatch_plan {
    const uint32_t *blocks; /* in the order in which they are dispatched */
    const uint32_t
        *choices; /* per dispatch: of the n SMs with a free slot the one of number choice mod n, from 0 */
};

struct gpu_options {
    uint32_t threads; /* 0: one */
    const struct gpu_sink *sink;
    const wb_watch *watch;
    struct block_times *block_times;  /* room for those of every block, or NULL */
    const struct dispatch_plan *plan; /* of DISPATCH_ANY, or NULL */
};

/* Instructions that all warps of a grid execute. */
uint64_t gpu_instructions(const struct wb_grid *grid);

/* Simulates a grid; the arrays of *result are of `arena`. The result does not depend on the number of
 * threads. Errors, each with a message: WB_ERR_DECLINED of covering paths; WB_ERR_INPUT when the machine or
 * the scheme does not fit, or no room for a block; WB_ERR_LIMIT when memory is exhausted or the watch stopped
 * it; else what the sink answers. */
wb_status gpu_simulate(const struct timed_grid *grid, const struct gpu_scheme *scheme,
                       const struct gpu_options *options, wb_diagnostics *diagnostics, struct arena *arena,
                       wb_gpu_simulation *result);

/* A grid on a GPU with what was simulated of it so far. */

/* A scheme under a policy, by their places in the registries. */
struct gpu_run {
    size_t scheme, policy;
};

struct wb_gpu {
    struct timed_grid timed;
    struct wb_grid *owned; /* that it frees with itself; or NULL */
    struct arena arena;    /* of the simulations' arrays */
    uint32_t threads;
    VEC(wb_gpu_simulation) simulations; /* by scheme, then by policy, in the order of their registries */
    VEC(struct gpu_run) runs;           /* which each of them is */
};

/* The simulation of a scheme with its own policy; it is run when it has not been. */
wb_status gpu_simulation_of(struct wb_gpu *gpu, const char *scheme, const wb_watch *watch,
                            wb_diagnostics *diagnostics, const wb_gpu_simulation **simulation);

/* What is known of the loads of a grid at the first-level caches: estimated under reordering, guaranteed
 * without it, and simulated beside both. */

/* Of covering paths the first three are at most, misses_estimated at least, guaranteed are hits of those
 * requests that are made, and simulated ones are not there. */
struct cache_counts {
    uint64_t accesses;         /* warp instructions that make requests */
    uint64_t requests;         /* of them all: lines, or sectors */
    uint64_t loads;            /* requests of loads; all numbers below are of these */
    uint64_t misses_estimated; /* by replaying the order of the reordering extension */
    uint64_t most_estimated;   /* of covering paths at most so many; else the same */
    uint64_t guaranteed_hits;  /* hits in every order, without reordering */
    uint64_t misses_reordered; /* simulated, scheme reorder */
    uint64_t misses_default;   /* simulated, scheme default */
};

struct cache_summary {
    struct cache_counts total;
    struct cache_counts *instructions; /* per instruction of the grid */
    uint32_t instruction_count;
    bool covering;        /* the paths cover those of all data */
    uint64_t most_misses; /* of all loads, in any order, without reordering */
    char *no_order;       /* of covering paths: why nothing is known under reordering, or NULL */
};

/* Estimates, analyses and simulates; freed with cache_summary_free in any case. Errors, each with a message:
 * as gpu_simulate. */
wb_status cache_summary_make(struct wb_gpu *gpu, const wb_watch *watch, wb_diagnostics *diagnostics,
                             struct cache_summary *summary);

void cache_summary_free(struct cache_summary *summary);

/* The cycle-level streaming multiprocessor: executes the warp paths of one block under one warp scheduling
 * policy. docs/architecture.md describes the machine, docs/proofs.md section 1 states its rules. */

/* Simulates the block, on the model that the machine names (sim/gpgpusim/gpgpusim.h and
 * sim/sass/sass_simulate.h: the other ones). All of
 * `result` except `seconds` is set. WB_ERR_LIMIT with a message when memory is exhausted or `watch` (may be
 * NULL) stopped it. */
wb_status simulate(const struct timed_block *block, const struct sim_policy *policy,
                   const struct sim_sink *sink, const wb_watch *watch, wb_diagnostics *diagnostics,
                   wb_simulation *result);

/* How SMs and partitions execute at the same time without waiting for each other in every cycle. An answer
 * comes back many cycles after its request has left: time runs in windows no longer than that, in which each
 * SM, and each partition of the second level with the requests of the window before, goes on by itself. What
 * they have sent is exchanged between windows, and is served in an order that does not depend on who was
 * first. */

struct gpu_sm {
    struct sm_host *host;    /* the SM, of whichever model: `sm`, or one that executes machine code */
    struct sm sm;            /* on machines that time PTX, */
    struct sm_memory memory; /* and what goes with it */
    struct sim_sink issues;  /* hands on what sm takes for the sink of gpu_options */
    const struct gpu_sink *sink;
    uint32_t number;
};

/* A partition of the second level; on a GPU without caches the one memory. */
struct gpu_channel {
    struct gpu_partition partition;
    struct gpu_server server;
    struct heap arrivals; /* the next request of each SM */
    uint32_t *taken;      /* per SM its requests of the window that have been served */
};

/* What somebody has to know of tasks to choose the next window. It is kept apart from them, so that threads
 * do not look into what others work on. */
struct gpu_summary {
    cycles next;       /* when something happens next, as far as known */
    cycles first_sent; /* when the first of the requests that were sent in the window arrives */
    uint64_t executed; /* instructions so far */
    uint32_t failed;   /* the first task whose status is not WB_OK */
    wb_status status;  /* of that */
};

#define GPU_SUMMARY_EMPTY                                                                                    \
    ((struct gpu_summary){.next = CYCLES_SATURATED, .first_sent = CYCLES_SATURATED, .failed = UINT32_MAX})

/* The free CTA slots of one SM. */
struct free_slots {
    uint32_t *slots; /* the lowest first */
    uint32_t count;
    uint32_t next_block; /* of static dispatch */
};

struct gpu_dispatcher {
    uint32_t rule;                    /* enum block_dispatch */
    const struct dispatch_plan *plan; /* or NULL */
    bool fits;                        /* all blocks have slots at the start */
    uint32_t sm_count, block_count;
    uint32_t dispatched;     /* blocks so far */
    uint32_t last_sm;        /* that got the last one */
    cycles busy_until;       /* the dispatcher itself */
    struct heap freed;       /* slots that have become free and may not be given away yet; id: the SM */
    struct free_slots *free; /* per SM: free in the cycle that is being looked at */
    uint32_t free_count;     /* of all SMs */
};

struct gpu {
    const struct timed_grid *grid;
    const struct gpu_scheme *scheme;
    const struct gpu_options *options;
    wb_diagnostics *diagnostics;
    struct arena arena;
    struct sm_program program;
    struct sass_sm_program sass; /* on machines that time machine code, */
    struct sass_run sass_run;    /* and how it is executed */
    const struct machine_memory *memory;
    bool has_hierarchy;
    bool dispatches;   /* one dispatcher serves all SMs; else each has its blocks from the start */
    bool is_contended; /* SMs share one memory without caches */
    uint32_t block_count;
    uint32_t sm_count; /* those that can get blocks */
    uint32_t slots;    /* of an SM */
    struct gpu_sm *sms;
    struct gpu_channel *channels; /* none if SMs wait for nothing outside */
    uint32_t channel_count;
    struct gpu_mailbox *boxes[2]; /* of every second window; [sm * channel_count + partition] */
    uint32_t turn;                /* whose requests SMs write in this window */
    cycles start, end;            /* of this window */
    cycles longest;               /* window */
    cycles answer_delay;          /* least time from a request's arrival to that of its answer */
    struct gpu_dispatcher dispatcher;
    uint64_t total, watch_at; /* instructions of the grid; so many when the watch is asked next */
    bool done;
    wb_status status;
};

/* gpu_dispatch.c: makes the dispatcher of gpu->sms, if gpu->dispatches. WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status gpu_dispatcher_init(struct gpu *gpu);

/* Gives the first blocks to the SMs. */
void gpu_dispatch_first(struct gpu *gpu);

/* Gives blocks to the slots that are free by cycle `now`, in the order in which they became so. WB_ERR_LIMIT
 * when memory is exhausted. */
wb_status gpu_dispatch(struct gpu *gpu, cycles now);

/* Whether the dispatcher has blocks left. */
static inline bool gpu_blocks_left(const struct gpu *gpu) {
    return gpu->dispatches && gpu->dispatcher.dispatched < gpu->block_count;
}

/* Whether SMs wait for something outside. */
static inline bool gpu_is_connected(const struct gpu *gpu) {
    return gpu->has_hierarchy || gpu->is_contended;
}

static inline uint32_t gpu_task_count(const struct gpu *gpu) {
    return gpu->channel_count + gpu->sm_count;
}

/* Runs all windows. WB_ERR_LIMIT when memory is exhausted; else gpu->status. */
wb_status gpu_run(struct gpu *gpu);

#endif

/* How SMs and partitions execute at the same time without waiting for each other in every cycle. An answer
 * comes back many cycles after its request has left: time runs in windows no longer than that, in which each
 * SM, and each partition of the second level with the requests of the window before, goes on by itself. What
 * they have sent is exchanged between windows, and is served in an order that does not depend on who was
 * first. */
#ifndef WB_SIM_GPU_GPU_STATE_H
#define WB_SIM_GPU_GPU_STATE_H

#include "base/heap.h"
#include "sim/gpu/gpu.h"
#include "sim/memory/memory.h"
#include "sim/sass/sass_simulate.h"

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

/* The one memory of a GPU without caches, which serves the requests of all SMs one by one:
 * docs/memory-model.md, section 9. */
#ifndef WB_SIM_GPU_SERVER_H
#define WB_SIM_GPU_SERVER_H

#include "base/arena.h"
#include "machine/memory.h"
#include "sim/gpu_messages.h"

/* Requests of an SM that wait, in the order of their arrival: those from `first` on. */
struct gpu_line {
    VEC(struct gpu_request) requests;
    size_t first;
};

struct gpu_server {
    const struct machine_memory *memory;
    cycles return_delay;    /* from the end of a service until its answer is sent off to the SM */
    struct gpu_line *lines; /* per SM */
    uint32_t sm_count;
    uint32_t turn;  /* round-robin: the SM behind the one that was served last */
    cycles free_at; /* when it can serve the next request */
};

/* One that has nothing to do; its lines from `arena`. WB_ERR_LIMIT when memory is exhausted. */
wb_status gpu_server_init(struct gpu_server *server, const struct machine_memory *memory, uint32_t sm_count,
                          struct arena *arena);

/* Takes the requests of all SMs, a mailbox each, and serves as far as it is known who waits: what will arrive
 * later arrives in cycle `known_to` or after it. The answers are put into the mailboxes. *answered: when the
 * first of them arrives; *next: when the next service begins, or CYCLES_SATURATED. WB_ERR_LIMIT when memory
 * is exhausted. */
wb_status gpu_server_run(struct gpu_server *server, struct gpu_mailbox *boxes, cycles known_to,
                         cycles *answered, cycles *next);

void gpu_server_free(struct gpu_server *server);

#endif

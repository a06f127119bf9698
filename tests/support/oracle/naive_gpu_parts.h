/* The parts of the naive GPU that its files share. */
#ifndef WB_TESTS_NAIVE_GPU_PARTS_H
#define WB_TESTS_NAIVE_GPU_PARTS_H

#include "base/containers.h"
#include "naive_cache.h"
#include "naive_fetch.h"
#include "naive_gpu.h"

#define NEVER UINT64_MAX

/* A request of an instruction. */
struct request {
    uint64_t address;
    cycles turn;       /* when its turn began, or NEVER */
    cycles data_at;    /* when its data is there, or NEVER */
    cycles not_before; /* its data is not there before */
    int64_t fetch;     /* the fetch of its SM that it waits for, or -1 */
};

/* An instruction that has been issued. */
struct inst {
    const struct timed_inst *code;
    const struct traffic_access *access; /* with requests, or NULL */
    uint32_t warp;                       /* of the SM */
    uint32_t block, block_warp;
    uint64_t step;
    cycles issue, start; /* start: NEVER while it waits for its unit */
    uint32_t unit, sub_core, instance;
    cycles busy;
    uint32_t generation, epoch; /* of the order of accesses */
    uint32_t request_count;
    struct request *requests;
};

/* What one warp executes. */
struct naive_warp {
    uint32_t *path;
    uint64_t length, next;
    const struct traffic_pattern *pattern;
    const struct access_position *positions;
    size_t *writers; /* per register 1 + the instruction of the SM that wrote it last */
    cycles earliest;
    bool held;
};

struct naive_slot {
    int64_t block; /* or -1 */
    bool started;
    cycles start_at;
    size_t first_inst; /* instructions of the SM before the block */
};

/* A sector that an SM, or a partition, waits for. */
struct naive_fetch {
    uint64_t sector;
    bool arrived;
    cycles data_at; /* of a partition */
};

struct answer {
    cycles at;
    uint32_t partition;
    uint64_t number;
    size_t inst;
    uint32_t request;
};

/* A request on its way to, or in, a partition. */
struct message {
    cycles at;
    uint32_t sm;
    uint64_t number;
    size_t inst;
    uint32_t request;
};

struct key {
    uint64_t generation, epoch, pc, block, warp;
};

struct sm {
    uint32_t number;
    struct naive_warp *warps;
    struct naive_slot *slots;
    uint32_t next_block; /* of static dispatch */
    VEC(struct inst) insts;
    int last[16];
    struct naive_cache l1;
    struct naive_fetch_unit fetch; /* of instructions, where that can stall */
    VEC(struct naive_fetch) fetches;
    cycles l1_free_at;
    VEC(struct answer) answers;
    cycles reply_done; /* of answers.items[0] when it is in service, else NEVER */
    VEC(struct key) keys;
    size_t next_key;
};

struct partition {
    struct naive_cache cache;
    VEC(struct message) arrivals;
    cycles free_at, channel_free_at;
    VEC(struct naive_fetch) fetches;
};

struct naive {
    const struct timed_grid *grid;
    const struct wb_machine *machine;
    const struct machine_memory *memory;
    const char *policy;
    bool reorder;
    uint32_t slots, warps; /* of an SM; of a block */
    struct sm *sms;
    struct partition *partitions;
    uint32_t next_block; /* of dispatch to any SM */
    uint32_t last_sm;    /* that got the last block */
    cycles dispatched;   /* until when the dispatcher is busy */
    uint64_t messages;
    cycles server_free_at; /* of the memory that all SMs share */
    uint32_t server_last;  /* the SM that it served last */
    const struct naive_neighbours *neighbours;
    struct random_state random; /* when they come */
    int64_t left;               /* of their budget, times `per` */
    cycles now;
    struct naive_gpu_result *result;
};

static inline const struct inst *inst_at(const struct sm *sm, size_t index) {
    return &sm->insts.items[index];
}

/* When the last turn of an instruction with requests ends, or NEVER. */
static inline cycles turns_end(const struct naive *naive, const struct inst *inst) {
    cycles last = inst->requests[inst->request_count - 1].turn;
    return last == NEVER ? NEVER : last + naive->memory->request_cycles;
}

/* All instructions with requests that the SM will execute, in the order of the keys. */
void make_order(const struct naive *naive, struct sm *sm);

/* The first level begins a turn if it can. */
void begin_turn(struct naive *naive, struct sm *sm);

/* Data that is there is taken, and the next answer. */
void serve_answers(struct naive *naive, struct sm *sm);

/* The partition serves the first arrival by time and SM, if it is free. */
void serve_arrivals(struct naive *naive, uint32_t index);

/* Without caches: requests of the SM leave, and the memory that all SMs share serves one. */
void send_requests(const struct naive *naive, struct sm *sm);
void serve_one(struct naive *naive);

#endif

/* A warp on its way along its path, all of whose times have chains: alone on the machine, as the phases of
 * its sections have it (bound/profile/phases.h), or on the path that counts latencies only (docs/proofs.md,
 * section 8). */
#ifndef WB_COST_CHAIN_WALK_H
#define WB_COST_CHAIN_WALK_H

#include "cost/chain.h"
#include "warp/timed/timed.h"

/* A unit with one instance. */
struct chain_unit {
    struct chain_time free;    /* when its last initiation ends */
    struct chain_time *starts; /* of its last instructions, the oldest first: as many as its queue holds */
};

/* A run of a path that was walked: the `count` entries of the code from `first` on, `times` times each. */
struct walked_run {
    uint32_t first, count;
    uint64_t times;
};

/* Asks the caller of a long walk whether it may go on; what is shared by the walkers of a block. */
struct chain_watch {
    const wb_watch *watch;   /* or NULL */
    uint64_t walked, ask_at; /* instructions */
    bool stopped;
};

struct chain_walker {
    struct chains *chains;
    struct chain_watch *watch;
    const struct timed_block *block;
    struct path_cursor cursor;
    bool alone;                 /* on the machine; else latencies only */
    bool ended;                 /* the path */
    struct chain_time now;      /* the earliest next issue; of latencies only the last issue */
    struct chain_time complete; /* the last result */
    struct chain_time *registers;
    struct chain_unit *units;
    VEC(struct walked_run) runs; /* of the section walked last */
    /* Of a loop whose repetitions are skipped: */
    struct chain_time **times; /* that its body touches */
    size_t time_count;
    uint32_t *touched; /* per register, and then per unit, the number of the last loop with it */
    uint32_t loop;
    struct path_cursor body;
    uint32_t mark, jump;
};

/* A walker at the start of path number `path`, its memory from `arena`. WB_ERR_LIMIT when memory is
 * exhausted; chain_walker_free in any case. */
wb_status chain_walker_init(struct chain_walker *walker, struct chains *chains, struct chain_watch *watch,
                            const struct timed_block *block, uint32_t path, bool alone, struct arena *arena);
void chain_walker_free(struct chain_walker *walker);

/* Notes an instruction whose result is there at `at` in the registers of queues, as wait_queues_step does. */
void chain_queues_step(const struct timed_code *code, const struct timed_inst *inst,
                       struct chain_time *registers, struct chain_time at);

/* Walks to the end of the next section: behind the next barrier, or to the end of the path. WB_ERR_LIMIT when
 * memory is exhausted, or the watch stopped it. */
wb_status chain_walker_section(struct chain_walker *walker);

#endif

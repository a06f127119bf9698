/* The machine that docs/access-order.md proves free of deadlocks, and readings of JCSE 2017 that are not:
 * warps with accesses, uses and barriers, channels, a load/store unit, and a reordering unit that serves
 * accesses one after another, in a list that is fixed in advance. order_explorer.h visits its states. */
#ifndef WB_TESTS_ORDER_MODEL_H
#define WB_TESTS_ORDER_MODEL_H

#include "base/containers.h"
#include "memory/requests/requests.h"

/* In which order the accesses of a grid are served. */
enum order_reading {
    READING_KEYS,               /* memory/requests/requests.h */
    READING_ANY_EXTENSION,      /* a random order that extends program, barrier and generation order */
    READING_ONE_SHOT,           /* a flag per warp and address, cleared when it is served first */
    READING_LOWEST_ADDRESS,     /* all executions of the lowest address, then of the next */
    READING_KTH_ACCESS,         /* the first access of every warp, then the second */
    READING_WITHOUT_JOIN,       /* epochs that barriers do not join */
    READING_WITHOUT_GENERATION, /* blocks that are not resident come in between */
    READING_WITH_PHANTOM,       /* the keys, with one access before all that nobody executes */
};

/* How accesses come into the channels. */
struct channel_rules {
    bool credit;           /* an entry is taken at issue; else when the access comes to the channel */
    bool in_order;         /* through one first-in first-out load/store unit; else in any order */
    bool groups;           /* an entry is a request and not an instruction */
    uint32_t depth;        /* entries of a channel */
    uint32_t unit_entries; /* of the load/store unit */
};

/* What a warp does: an access of `entries` requests, a use that waits for all its accesses so far, a barrier.
 */
enum model_op_kind { MODEL_ACCESS, MODEL_USE, MODEL_BARRIER };

struct model_op {
    uint8_t kind, entries;
};

#define MODEL_WARPS_MAX 24u    /* of all blocks */
#define MODEL_ACCESSES_MAX 16u /* of a warp */
#define MODEL_OPS_MAX 48u      /* of a warp */
#define MODEL_UNIT_ENTRIES_MAX 8u

struct model_warp {
    struct model_op ops[MODEL_OPS_MAX];
    uint32_t op_count, access_count;
    uint32_t access_ops[MODEL_ACCESSES_MAX]; /* per access its op */
    uint32_t ranks[MODEL_ACCESSES_MAX];      /* per access its place in the order; UINT32_MAX: none */
};

/* A place in the order: the access `index` of a warp, counted over all blocks. */
struct model_service {
    uint32_t warp, index; /* index UINT32_MAX: an access that is never executed */
};

struct order_model {
    uint32_t block_count, warp_count, resident;
    struct channel_rules rules;
    struct model_warp warps[MODEL_WARPS_MAX];
    struct model_service order[MODEL_WARPS_MAX * MODEL_ACCESSES_MAX + 1];
    uint32_t order_count;
};

/* The model of a hand grid's traffic on one SM; `seed` for READING_ANY_EXTENSION. */
void order_model_make(const struct traffic *traffic, enum order_reading reading, uint32_t resident,
                      const struct channel_rules *rules, uint64_t seed, struct order_model *model);

#endif

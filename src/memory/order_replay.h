/* The accesses of an SM in the order of the reordering extension (memory/access_order.h), each with what its
 * requests meet in the first-level cache: what the miss estimate counts and `warpbound cache --order` prints.
 */
#ifndef WB_MEMORY_ORDER_REPLAY_H
#define WB_MEMORY_ORDER_REPLAY_H

#include "memory/access_order.h"
#include "memory/cache.h"
#include "memory/requests.h"

/* What a request finds. Stores and atomics go to the second level whatever the first one holds. */
enum request_outcome { REQUEST_HITS, REQUEST_MISSES, REQUEST_PASSES, REQUEST_OUTCOMES };

/* A replay under way, with the access that it has come to. */
struct order_replay {
    struct access_order order;
    struct cache cache;
    struct ordered_access at;
    uint64_t addresses[REQUESTS_MAX]; /* of its access->request_count requests */
    uint8_t outcomes[REQUESTS_MAX];   /* enum request_outcome of each */
};

/* Stands before the first access of an SM, its cache empty. WB_ERR_LIMIT without a message when memory is
 * exhausted; order_replay_end in any case. */
wb_status order_replay_begin(const struct traffic *traffic, const struct sm_share *share,
                             struct order_replay *replay);

/* Goes to the next access; false at the end. */
bool order_replay_next(struct order_replay *replay);

void order_replay_end(struct order_replay *replay);

/* Blocks that an SM of the machine holds at a time under the extension. Errors, each with a message:
 * WB_ERR_INPUT when the machine has no first-level cache or no room for a block. */
wb_status order_resident_blocks(const struct traffic *traffic, wb_diagnostics *diagnostics,
                                uint32_t *resident);

#endif

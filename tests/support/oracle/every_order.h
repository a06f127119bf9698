/* Every order in which the requests of a small grid can reach the first-level cache of an SM, and every time
 * at which data can come: what the analyses of docs/must-hits.md are held against. It knows nothing of them,
 * and its caches are its own. */
#ifndef WB_TESTS_EVERY_ORDER_H
#define WB_TESTS_EVERY_ORDER_H

#include "memory/caches/caches.h"
#include "memory/requests/requests.h"

/* How the cache treats lines whose data has not come. */
enum order_cache {
    CACHE_WITHOUT_TIME,  /* data comes at once: uses wait for nothing */
    CACHE_BYPASSES,      /* allocation by the miss; a pending victim is given up */
    CACHE_STALLS,        /* allocation by the miss; a pending victim is waited for */
    CACHE_SKIPS_PENDING, /* allocation by the miss, of the least recently used line that is not pending */
    CACHE_ON_FILL,       /* allocation when the data comes */
};

struct order_question {
    const struct traffic *traffic;
    const struct timed_code *code;
    uint32_t resident; /* blocks at a time, of all blocks of the grid */
    enum order_cache cache;
    enum port_order order;
    uint32_t walks; /* 0: all orders; else only so many random ones, */
    uint64_t seed;  /* which this chooses */
};

/* What happens to a request of a load in some order. */
enum order_fate {
    FATE_HIT = 1,
    FATE_MISS = 2, /* it asks the second level */
    FATE_LATE = 4, /* a hit whose data has not come */
};

struct order_answer {
    bool complete;        /* false: there were too many states */
    uint8_t ***fates;     /* per block, warp and request of its pattern */
    uint32_t most_misses; /* of loads, in any order seen */
    struct arena arena;
};

/* Goes through the orders. Ends the program when the grid is too large for it. */
void every_order(const struct order_question *question, struct order_answer *answer);

void order_answer_free(struct order_answer *answer);

#endif

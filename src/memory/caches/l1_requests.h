/* The requests that a block makes to the first-level cache, set by set: lines of different sets know nothing
 * of each other, so that the analyses of the cache look at one set at a time. */
#ifndef WB_MEMORY_CACHES_L1_REQUESTS_H
#define WB_MEMORY_CACHES_L1_REQUESTS_H

#include "base/arena.h"
#include "memory/caches/cache.h"
#include "memory/requests/traffic.h"
#include "warp/timed/timed_block.h"

/* Which lines an access to an unknown address can ask for, set by set of a cache: those of the buffer or
 * variable that it stays inside of, or any.
 * Lines of an object; number 0 stands for all memory, as in struct access. */
struct object_lines {
    bool asked;            /* some access to unknown addresses is to it; else nothing below is set */
    bool anywhere;         /* any line: each set has as many as are listed at most */
    uint64_t first, count; /* numbers of its lines */
    uint32_t *set_counts;  /* per set how many of them are listed */
    uint64_t *listed;      /* of each set the first `most` of them */
};

struct objects_lines {
    struct object_lines *objects; /* 1 + those of the grid */
    uint32_t count;
    uint32_t most; /* lines that are listed of a set: one more than it has ways */
};

/* Whether an access to an object can ask for a line. */
static inline bool object_has_line(const struct object_lines *object, uint64_t line) {
    return object->asked && (object->anywhere || line - object->first < object->count);
}

/* Whether two objects have a line in common. */
static inline bool object_meets(const struct object_lines *a, const struct object_lines *b) {
    if (!a->asked || !b->asked) return false;
    return a->anywhere || b->anywhere || (a->first < b->first + b->count && b->first < a->first + a->count);
}

/* The lines of an object in a set that are listed. */
static inline const uint64_t *object_set_lines(const struct objects_lines *lines, uint32_t object,
                                               uint32_t set) {
    return lines->objects[object].listed + (size_t)set * lines->most;
}

/* In which order the memory instructions of an SM's warps reach its first level (docs/must-hits.md, section
 * 1). The requests of one of them always come together. */
enum port_order {
    PORT_ANY_ORDER,     /* nothing is known */
    PORT_PROGRAM_ORDER, /* those of a warp in program order */
    PORT_ISSUE_ORDER,   /* besides, those in front of a barrier of the block before those behind it */
};

/* The order that follows from the units of the memory instructions and from their queues. */
enum port_order port_order_of(const struct traffic *traffic, const struct timed_code *code);

/* What a request of a load, store or atomic does to the first level. */
static inline enum touch_kind l1_touch(enum traffic_kind kind, enum store_policy policy) {
    if (kind == TRAFFIC_LOAD) return TOUCH_LOAD;
    return kind == TRAFFIC_STORE && policy == STORE_UPDATES ? TOUCH_STORE_UPDATES : TOUCH_STORE_EVICTS;
}

struct l1_request {
    uint64_t line;         /* its number */
    uint32_t set;          /* of the line */
    uint32_t warp, access; /* of the block; of the warp */
    uint32_t request;      /* of the warp's pattern */
    uint32_t phase;        /* barriers that the warp has crossed; 0 if barriers order nothing */
    uint32_t sector;       /* its number within the line */
    uint8_t kind;          /* enum traffic_kind, never TRAFFIC_ON_CHIP */
    uint8_t touch;         /* enum touch_kind */
    bool perhaps;          /* it is perhaps not made */
    bool unordered;        /* the other requests of its access can come before it or after it */
    bool unknown;          /* an access to an unknown address perhaps uses this line, or another request of
                              an access without order: no request by itself */
};

/* What is known of a request, as a set of bits. */
enum must_verdict {
    MUST_HIT = 1,  /* a load whose sector is present (or on its way): it makes no request below */
    MUST_DATA = 2, /* besides, the data has come */
};

/* Requests of accesses to unknown addresses. */
struct unknown_requests {
    uint64_t loads, stores, atomics, uncached;
    uint64_t drops; /* those of them that drop their line */
};

/* Requests of one set. */
struct set_slice {
    uint32_t set;
    size_t first, count; /* of by_set */
};

struct l1_requests {
    struct arena *arena; /* of what is below */
    const struct traffic *traffic;
    struct cache_index index;
    enum port_order order;
    VEC(struct l1_request) items;  /* of a block, warp by warp, each in program order */
    VEC(struct l1_request) by_set; /* the same, stably sorted by set */
    VEC(struct set_slice) slices;  /* of the sets that have requests */
    size_t *slice_of;              /* per set 1 + its slice, or 0 */
    struct objects_lines objects;
    struct unknown_requests *unknown; /* of the block, per object: at most */
    uint64_t now;                     /* grows with everything that is read */
    uint64_t *known_at;               /* per set when a known request to it was read last, */
    uint64_t *asked_at;               /* and per object when it was last taken to use lines of the set */
};

/* Without requests yet, in memory of a protected arena. */
struct l1_requests l1_requests_make(const struct traffic *traffic, enum port_order order,
                                    struct arena *arena);

/* Reads the requests of a block into `items`: the known ones, and in place of those to unknown addresses a
 * use of every line that is listed of their object. Where a warp makes several with neither a known request
 * to their set nor a barrier in between, only the first stand: more of them change nothing of what is known
 * of the cache. Those that drop lines stand nowhere but in `unknown`. */
void l1_requests_read(struct l1_requests *requests, uint32_t block);

/* Sorts `items`, or what is left of them, by set. */
void l1_requests_sort(struct l1_requests *requests);

#endif

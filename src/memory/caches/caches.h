/* A set-associative cache with least-recently-used replacement, as the miss-rate estimator and the simulator
 * have it: its contents depend only on the order of accesses. */
#ifndef WB_MEMORY_CACHES_CACHES_H
#define WB_MEMORY_CACHES_CACHES_H

#include "base/base.h"
#include "machine/machine.h"
#include "memory/requests/requests.h"
#include "warp/timed/timed.h"

/* Which line, sector and set of a cache an address belongs to. */
struct cache_index {
    uint32_t set_count;                /* any number from 1 on */
    uint32_t set_bits;                 /* its logarithm, if it is a power of two */
    uint32_t line_shift, sector_shift; /* logarithms of their sizes in bytes */
    uint32_t sector_mask;              /* sectors of a line - 1 */
    bool power_of_two;                 /* set_count is one */
    bool hashed;                       /* as in struct cache_geometry */
};

/* The effect of a request on its line in the first-level cache. */
enum touch_kind {
    TOUCH_LOAD,          /* the line is there afterwards, the most recently used, with the request's sector */
    TOUCH_STORE_EVICTS,  /* a store under write-evict, or an atomic: the line is gone */
    TOUCH_STORE_UPDATES, /* a store under write-through: a line that is there becomes the most recently used
                          */
};

/* The geometry must pass machine_memory_check. */
struct cache_index cache_index_of(const struct cache_geometry *geometry);

/* The set of a line whose number is hashed. Lines that differ only in what their number is modulo set_count
 * are in different sets, as without hashing, so that no set gets more of a contiguous buffer than another. */
uint32_t cache_hashed_set(const struct cache_index *index, uint64_t line);

/* The number of an address's line. */
static inline uint64_t cache_line_number(const struct cache_index *index, uint64_t address) {
    return address >> index->line_shift;
}

/* The number of an address's sector, counted through all lines. */
static inline uint64_t cache_sector_number(const struct cache_index *index, uint64_t address) {
    return address >> index->sector_shift;
}

/* The bit of an address's sector within its line. */
static inline uint32_t cache_sector_bit(const struct cache_index *index, uint64_t address) {
    return 1u << ((address >> index->sector_shift) & index->sector_mask);
}

/* The set of a line. */
static inline uint32_t cache_set_of_line(const struct cache_index *index, uint64_t line) {
    if (index->hashed) return cache_hashed_set(index, line);
    if (index->power_of_two) return (uint32_t)line & (index->set_count - 1);
    return (uint32_t)(line % index->set_count);
}

/* One line. The lines of a set stand in the order of their last use, latest first, empty ones last. */
struct cache_line {
    uint64_t number;  /* address / line_bytes */
    uint32_t sectors; /* bit i: sector i is present (or on its way); 0: the line is empty */
    uint32_t dirty;   /* bit i: sector i was written and not written back */
};

struct cache {
    struct cache_index index;
    uint32_t ways;
    struct cache_line *lines; /* ways of set 0, ways of set 1, ... */
};

/* An empty cache whose lines come from `arena`. WB_ERR_LIMIT when memory is exhausted. */
wb_status cache_init(struct cache *cache, const struct cache_geometry *geometry, struct arena *arena);

/* Empties it; nothing is written back. */
void cache_clear(struct cache *cache);

/* The set of an address. */
static inline uint32_t cache_set_of(const struct cache *cache, uint64_t address) {
    return cache_set_of_line(&cache->index, cache_line_number(&cache->index, address));
}

/* Whether a request's sector is present; changes nothing. */
bool cache_has(const struct cache *cache, uint64_t address);

/* The effect of an access. */
struct cache_outcome {
    bool hit;
    bool evicted; /* a line made room: it is in *victim */
    struct cache_line victim;
};

/* Loads a sector, which is present afterwards, its line the most recently used. A line that was not there
 * takes the place of the least recently used one of its set. */
struct cache_outcome cache_load(struct cache *cache, uint64_t address);

/* Stores under the first level's policy, which never allocates: a line that is there is dropped with all its
 * sectors, or becomes the most recently used. Returns whether the sector was present. */
bool cache_store(struct cache *cache, uint64_t address, enum store_policy policy);

/* Stores under write-back with allocation (second level): the sector becomes present and dirty. */
struct cache_outcome cache_write_back(struct cache *cache, uint64_t address);

/* The line that a load of `address` would evict, or NULL when none has to go. */
const struct cache_line *cache_victim(const struct cache *cache, uint64_t address);

/* What is known of the contents of an LRU cache at a point of a program: the must and may states of abstract
 * interpretation (Alt, Ferdinand, Martin, Wilhelm, SAS'96; JCSE'17, section III-F and Fig. 10), kept as one
 * interval of ages a line. The age of a line is the number of lines of its set that were used after it;
 * `ways` stands for a line that is not there.
 *
 *   most  < ways: the line is surely there (must state: joined by intersection, larger age)
 *   least < ways: the line may be there (may state: joined by union, smaller age)
 */

struct line_age {
    uint64_t number;           /* of the line */
    uint32_t least, most;      /* 0 to ways */
    uint32_t sure_sectors;     /* bit i: sector i is there if the line is surely there; else 0 */
    uint32_t possible_sectors; /* bit i: sector i may be there; 0 if the line cannot be */
    uint64_t mark;             /* of a line that is surely there: see cache_state_set_mark; else 0 */
};

/* Lines that are not listed have age rest_least to ways, and any sectors. */
struct set_state {
    VEC(struct line_age) lines; /* ascending numbers */
    uint32_t rest_least;
};

struct cache_state {
    struct cache_index index;
    uint32_t ways;
    uint32_t all_sectors;
    struct set_state *sets;
};

enum cache_contents {
    CACHE_EMPTY,
    CACHE_ANYTHING, /* whatever was left there */
};

/* One request whose address may be known in part. */
struct cache_touch {
    enum touch_kind kind;
    const uint64_t *addresses; /* it has one of these; */
    size_t count;              /* 0: it may have any address of the range, or not be made at all */
    uint64_t first, size;      /* the range, in bytes; of size 0: of all memory */
};

enum cache_class { CACHE_ALWAYS_HIT, CACHE_ALWAYS_MISS, CACHE_UNCLASSIFIED };

/* The functions that return a status give WB_ERR_LIMIT when memory is exhausted; the state they were to
 * change may then only be freed. */
wb_status cache_state_init(struct cache_state *state, const struct cache_geometry *geometry,
                           enum cache_contents contents);

void cache_state_free(struct cache_state *state);

/* The state after a request. */
wb_status cache_state_update(struct cache_state *state, const struct cache_touch *touch);

/* The state after requests in any order, each of them only maybe made. */
wb_status cache_state_update_some(struct cache_state *state, enum touch_kind kind, const uint64_t *addresses,
                                  size_t count);

/* A number that stays with a line while it is surely there: of joined states the larger one. 0 when none was
 * set; set for other lines it is forgotten. */
void cache_state_set_mark(struct cache_state *state, uint64_t address, uint64_t mark);
uint64_t cache_state_mark(const struct cache_state *state, uint64_t address);

/* Makes it empty. */
void cache_state_clear(struct cache_state *state);

/* Whether the sector of a request that is about to come is present. */
enum cache_class cache_state_classify(const struct cache_state *state, const struct cache_touch *touch);

/* The requests that a block makes to the first-level cache, set by set: lines of different sets know nothing
 * of each other, so that the analyses of the cache look at one set at a time. */

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
    bool some_asked;
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

/* The order in which the memory instructions of an SM's warps reach its first level (docs/must-hits.md,
 * section 1). The requests of one of them always come together. */
enum port_order {
    PORT_ANY_ORDER,     /* nothing is known */
    PORT_PROGRAM_ORDER, /* those of a warp in program order */
    PORT_ISSUE_ORDER,   /* besides, those in front of a barrier of the block before those behind it */
};

/* The order that follows from the units of the memory instructions and from their queues. */
enum port_order port_order_of(const struct traffic *traffic, const struct timed_code *code);

/* The effect of a request of a load, store or atomic on the first level. */
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
    bool maybe_executed;   /* it is only maybe made */
    bool unordered;        /* the other requests of its access can come before it or after it */
    bool unknown; /* maybe used by an access to an unknown address, or by another request of an access without
                     order: no request by itself */
};

/* The known facts about a request, as a set of bits. */
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

/* The accesses of an SM in the order of the reordering extension (memory/requests/requests.h), each with the
 * outcomes of its requests in the first-level cache: input of the miss estimate and of `warpbound cache
 * --order`. Must and may states give the cache of covering paths. */

/* The outcome of a request. Stores and atomics go to the second level whatever the first one holds. For
 * covering paths: REQUEST_HITS if it is made; REQUEST_UNSURE: it hits, misses or is not made. */
enum request_outcome { REQUEST_HITS, REQUEST_MISSES, REQUEST_PASSES, REQUEST_UNSURE, REQUEST_OUTCOMES };

/* The requests of an access at an SM. */
struct met_requests {
    uint64_t addresses[REQUESTS_MAX]; /* of its access->request_count requests, unless these are unknown */
    uint8_t outcomes[REQUESTS_MAX];   /* enum request_outcome of each */
    uint64_t marks[REQUESTS_MAX];     /* of covering paths, of loads: see requests_meet_state */
};

/* A replay under way, with the access that it has come to. */
struct order_replay {
    struct access_order order;
    struct cache cache;
    struct cache_state state; /* in its place, of covering paths */
    struct ordered_access at;
    struct met_requests met;
    wb_status status; /* WB_ERR_LIMIT: memory was exhausted, and the replay ended */
};

/* Stands before the first access of an SM, its cache empty. The traffic is one of a known order
 * (access_order_check). WB_ERR_LIMIT without a message when memory is exhausted; order_replay_end in any
 * case. */
wb_status order_replay_begin(const struct traffic *traffic, const struct sm_share *share,
                             struct order_replay *replay);

/* Goes to the next access; false at the end, or when replay->status says so. */
bool order_replay_next(struct order_replay *replay);

void order_replay_end(struct order_replay *replay);

/* The addresses of an access. */
void requests_address(const struct traffic *traffic, const struct ordered_access *at,
                      struct met_requests *met);

/* Lets the requests of an access of covering paths, with their addresses, meet a first level of which `state`
 * is known, and says what they find. Lines that are surely there from now on are marked with `mark`, which is
 * no less than any mark before; met->marks are those of the lines that are hit, and `mark` of all others.
 * WB_ERR_LIMIT when memory is exhausted. */
wb_status requests_meet_state(const struct traffic *traffic, const struct ordered_access *at, uint64_t mark,
                              struct cache_state *state, struct met_requests *met);

/* Blocks that an SM of the machine holds at a time under the extension. Errors, each with a message:
 * WB_ERR_INPUT when the machine has no first-level cache or no room for a block; as access_order_check. */
wb_status order_resident_blocks(const struct traffic *traffic, wb_diagnostics *diagnostics,
                                uint32_t *resident);

/* Misses of the first-level caches under the reordering extension: the caches see one order of accesses
 * (memory/requests/requests.h), so that replaying it tells which loads miss (JCSE'17, section III). */

struct miss_counts {
    uint64_t accesses;      /* warp instructions that make requests */
    uint64_t requests;      /* of them all */
    uint64_t load_requests; /* of loads: stores and atomics always go to the second level */
    uint64_t load_misses;
    uint64_t load_unsure; /* of covering paths: those that hit, miss or are not made, depending on data */
};

struct miss_estimate {
    struct miss_counts total;
    struct miss_counts *instructions; /* per instruction of the grid */
    uint32_t instruction_count;
    uint32_t resident; /* blocks that an SM holds at a time */
};

/* Replays the accesses of all SMs, whose caches start empty and do not share anything; up to `threads` SMs at
 * a time, with the same result whatever the number. Errors, each with a message: WB_ERR_INPUT when the
 * machine has no first-level cache or no room for a block; WB_ERR_LIMIT when memory is exhausted.
 * miss_estimate_free in any case. */
wb_status miss_estimate_make(const struct traffic *traffic, uint32_t threads, wb_diagnostics *diagnostics,
                             struct miss_estimate *estimate);

void miss_estimate_free(struct miss_estimate *estimate);

#endif

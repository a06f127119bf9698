/* What is known of the contents of an LRU cache at a point of a program: the must and may states of abstract
 * interpretation (Alt, Ferdinand, Martin, Wilhelm, SAS'96; JCSE'17, section III-F and Fig. 10), kept as one
 * interval of ages a line. The age of a line is the number of lines of its set that were used after it;
 * `ways` stands for a line that is not there.
 *
 *   most  < ways: the line is surely there (must state: joined by intersection, larger age)
 *   least < ways: the line may be there (may state: joined by union, smaller age)
 */
#ifndef WB_MEMORY_CACHES_CACHE_STATE_H
#define WB_MEMORY_CACHES_CACHE_STATE_H

#include "base/arena.h"
#include "base/status.h"
#include "memory/caches/cache.h"

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

/* `to` becomes as `from`. Both were initialised with the same geometry. */
wb_status cache_state_copy(struct cache_state *to, const struct cache_state *from);

/* The state where control comes from `state` or from `other` (same geometry), into `state`. */
wb_status cache_state_join(struct cache_state *state, const struct cache_state *other);

/* Whether nothing more is known in one state than in the other: the test for the end of an iteration. */
bool cache_state_equal(const struct cache_state *a, const struct cache_state *b);

/* The state after a request. */
wb_status cache_state_update(struct cache_state *state, const struct cache_touch *touch);

/* The state after requests that come in any order, each of them perhaps not at all. */
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

#endif

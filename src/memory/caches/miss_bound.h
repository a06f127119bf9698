/* How often all loads of an SM together can miss its first-level cache, whatever the interleaving: theorems
 * 2 and 4 to 6 of docs/must-hits.md. Where warps share lines this is less than one miss for each load that is
 * no must hit: whoever comes first, the others hit. */
#ifndef WB_MEMORY_CACHES_MISS_BOUND_H
#define WB_MEMORY_CACHES_MISS_BOUND_H

#include "memory/caches/set_phases.h"

/* Requests of an SM; those of stores, atomics and uncached loads, which count as loads that
 * miss, always go to the second level. */
struct miss_bound {
    uint64_t load_requests, store_requests, atomic_requests;
    uint64_t must_hits;          /* requests of loads that hit in every order */
    uint64_t load_misses;        /* at most so many requests of loads miss, in any order */
    uint64_t load_misses_spread; /* the same of all SMs together, when the blocks are spread over several */
};

/* Loads of a sector that are no must hits. */
struct sector_loads {
    uint64_t line;
    uint64_t count;
};

/* A line in a run: phases in a row whose lines have room in the set together. */
struct run_line {
    uint64_t used_in; /* the last run that uses it */
    uint64_t run;     /* the last one that was charged for it, */
    uint64_t drops;   /* and how many requests of that run drop it */
};

/* How often loads of several sectors miss together. A request that drops a line at an unknown address may be
 * of any line of its memory, but of one only. */
struct dropped_misses {
    uint64_t each;    /* if every such request counts at each sector that it may be of */
    uint64_t without; /* if none does, */
    uint64_t *more;   /* and per object what these requests to it add then, likewise */
    uint32_t objects;
};

/* A bound being made. With nothing but its arena set, which is protected, it has seen nothing. */
struct miss_counter {
    struct arena *arena;
    struct miss_bound bound;
    struct number_table sectors; /* of the sets in which all lines of the SM have room */
    VEC(struct sector_loads) of_sectors;
    uint64_t run;               /* counted over all sets */
    VEC(struct run_line) lines; /* per line of the set */
    VEC(uint64_t) loads;        /* of the run, per line and sector, that are no must hits */
    struct dropped_misses runs; /* of the block */
};

/* Adds the requests of a block to a set, with their verdicts (enum must_verdict). `sectors`: of a line. */
void miss_counter_add(struct miss_counter *counter, const struct set_phases *set, const uint8_t *verdicts,
                      const struct sm_lines *sm, uint32_t sectors);

/* Adds a request without looking at its set: it can miss. */
void miss_counter_add_unseen(struct miss_counter *counter, const struct l1_request *request);

/* Ends a block, when all of its sets have been added; `unknown`: what is asked at unknown addresses while it
 * is resident, per object. */
void miss_counter_end_block(struct miss_counter *counter, const struct unknown_requests *unknown,
                            uint32_t sectors);

/* Ends the bound, when all blocks have been ended, of a cache of `set_count` sets with `sectors` a line;
 * the blocks are spread over `sms` SMs. */
void miss_counter_end(struct miss_counter *counter, const struct sm_lines *sm, uint32_t set_count,
                      uint32_t sectors, uint32_t sms);

#endif

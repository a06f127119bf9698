/* The requests that a block makes to one set of the first-level cache, phase by phase (a phase is what lies
 * between two barriers), with what other blocks do to the set in the meantime. */
#ifndef WB_MEMORY_CACHES_MISSES_H
#define WB_MEMORY_CACHES_MISSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/caches/caches.h"
#include "memory/requests/requests.h"

/* The uses by an SM's blocks of the lines of each set of its first-level cache, as far as one block depends
 * on those of the others. */

/* A line with those that use it: blocks of an SM, or warps of a block. */
struct owned_line {
    uint64_t line;
    uint32_t owner; /* the first of them */
    bool shared;    /* there are others */
};

/* Lines of one set with their owners. The list is cut off so that it takes little room: where owners other
 * than o have n lines, at least min(n, ways + 1) of them are listed (docs/must-hits.md, lemma 3). */
struct owned_lines {
    struct owned_line *items;
    uint32_t count;
    bool cut; /* some line is not listed */
};

/* Most lines of such a list. */
static inline uint32_t owned_lines_capacity(uint32_t ways) {
    return 2 * (ways + 1);
}

/* Whether somebody else uses the line, too. */
static inline bool owned_by_another(const struct owned_line *line, uint32_t owner) {
    return line->shared || line->owner != owner;
}

/* Known requests to the lines of an object; of number 0, of all memory. */
struct known_requests {
    uint64_t uses, drops;
};

struct sm_lines {
    struct arena *arena; /* of what is below */
    uint32_t ways;
    struct owned_lines *sets;    /* per set the lines that loads, and stores under write-through, use */
    uint32_t set_count, full;    /* how many there are, and how many of them are full */
    struct number_table dropped; /* the lines of sets that are not full which stores or atomics drop */
    VEC(uint64_t) drops;         /* of each of them, how many known requests do */
    const struct objects_lines *objects;
    struct unknown_requests *unknown; /* of all blocks, per object */
    struct known_requests *known;     /* likewise */
};

/* Reads all blocks of an SM. `requests` is room to read into. */
struct sm_lines sm_lines_make(const struct sm_share *share, struct l1_requests *requests,
                              struct arena *arena);

/* Whether every block finds more lines of others in the set than it has ways. */
static inline bool sm_set_is_full(const struct sm_lines *lines, uint32_t set) {
    return lines->sets[set].count == owned_lines_capacity(lines->ways);
}

/* Whether nothing that other blocks do is left to be told of: all sets are full. */
static inline bool sm_sets_are_full(const struct sm_lines *lines) {
    return lines->full == lines->set_count;
}

/* Whether all lines that are used have room in the set at the same time. */
static inline bool sm_set_fits(const struct sm_lines *lines, uint32_t set) {
    return lines->sets[set].count <= lines->ways;
}

/* Whether a line may be there at some time: stores to other lines do nothing. */
bool sm_line_may_come(const struct sm_lines *lines, uint32_t set, uint64_t line);

/* How many known requests of the SM drop a line, of a set that is not full. */
uint64_t sm_lines_drops(const struct sm_lines *lines, uint64_t line);

/* How many of the requests of accesses to unknown addresses may drop a line. */
uint64_t unknown_drops(const struct objects_lines *objects, const struct unknown_requests *unknown,
                       uint64_t line);

/* The requests of one warp in one phase, in program order. */
struct phase_segment {
    uint32_t phase, warp;
    size_t first, count; /* of the requests */
};

/* A phase in which the block makes requests to the set. */
struct set_phase {
    size_t first_segment, segment_count; /* ascending warps */
    struct owned_lines lines;            /* numbers of the lines that are used, owned by warps */
};

/* A line of the set that the block or another one uses or drops. */
struct set_line {
    uint64_t line;
    bool of_others;           /* blocks that can be resident at the same time use it */
    uint64_t drops_by_others; /* requests of such blocks that drop it */
    uint64_t drops_unknown;   /* those of any block that may do so, as their addresses are not known */
};

/* With nothing but its arena set it is empty; it can be made again and again. */
struct set_phases {
    struct arena *arena;
    uint32_t set, ways;
    const struct l1_request *requests;
    size_t request_count;
    VEC(uint32_t) line_of; /* per request the number of its line: index into `lines` */
    struct number_table numbers;
    VEC(struct set_line) lines;
    uint32_t others; /* lines of other blocks, counted up to ways + 1 at least */
    VEC(struct phase_segment) segments;
    VEC(struct set_phase) phases; /* in order of time */
    VEC(struct owned_line) owned; /* of all phases */
};

/* Uses of a slice of the requests of `block`. `alone`: no other block is resident while it is. */
void set_phases_make(struct set_phases *set, const struct l1_requests *requests,
                     const struct set_slice *slice, const struct sm_lines *sm, uint32_t block, bool alone);

/* How often all loads of an SM together can miss its first-level cache, whatever the interleaving: theorems
 * 2 and 4 to 6 of docs/must-hits.md. Where warps share lines this is less than one miss for each load that is
 * no must hit: whoever comes first, the others hit. */

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

/* A bound being made. With nothing but its arena set, which is protected, it is empty. */
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

/* Adds so many requests of a kind without looking at their sets: they can miss. */
void miss_counter_add_unseen(struct miss_counter *counter, enum traffic_kind kind, uint64_t requests);

/* Ends a block, when all of its sets have been added; `unknown`: what is asked at unknown addresses while it
 * is resident, per object. */
void miss_counter_end_block(struct miss_counter *counter, const struct unknown_requests *unknown,
                            uint32_t sectors);

/* Ends the bound, when all blocks have been ended, of a cache of `set_count` sets with `sectors` a line;
 * the blocks are spread over `sms` SMs. */
void miss_counter_end(struct miss_counter *counter, const struct sm_lines *sm, uint32_t set_count,
                      uint32_t sectors, uint32_t sms);

/* The first-level cache of an SM without reordering: loads that hit in every interleaving of its warps and
 * blocks, and how many loads can miss at most. docs/must-hits.md states the assumptions and proves both. */

/* Requests of the loads of one instruction. */
struct hit_counts {
    uint64_t loads;
    uint64_t must_hits;
    uint64_t must_data; /* must hits whose data has come */
};

struct must_hits {
    struct arena arena;
    enum port_order order;
    uint32_t warp_count, sms;
    const uint8_t **rows; /* per block of the SM and warp, per request of its pattern enum must_verdict */
    struct hit_counts *instructions; /* per instruction of the grid */
    struct miss_bound misses;
};

/* Analyses the blocks of an SM. Under static dispatch they are those of `share`; under greedy dispatch
 * share->sms is 1, so that every block may be on it, and what is found holds for each SM. The machine has a
 * first-level cache, `code` the units and registers of the grid's instructions. WB_ERR_LIMIT with a message
 * when memory is exhausted; must_hits_free in any case. */
wb_status must_hits_make(const struct traffic *traffic, const struct timed_code *code,
                         const struct sm_share *share, wb_diagnostics *diagnostics, struct must_hits *hits);

/* The verdicts on the requests of a warp of a block of the SM: one a request of its pattern. */
static inline const uint8_t *must_hits_of(const struct must_hits *hits, uint32_t block, uint32_t warp) {
    return hits->rows[(size_t)(block / hits->sms) * hits->warp_count + warp];
}

void must_hits_free(struct must_hits *hits);

#endif

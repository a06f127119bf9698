/* The requests that a block makes to one set of the first-level cache, phase by phase (a phase is what lies
 * between two barriers), with what other blocks do to the set in the meantime. */
#ifndef WB_MEMORY_CACHES_SET_PHASES_H
#define WB_MEMORY_CACHES_SET_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/caches/l1_requests.h"
#include "memory/requests/access_order.h"
#include "memory/requests/number_table.h"

/* What the blocks of an SM do to the lines of each set of its first-level cache, as far as one block has to
 * know it of the others. */

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

/* Whether all lines that are used have room in the set at the same time. */
static inline bool sm_set_fits(const struct sm_lines *lines, uint32_t set) {
    return lines->sets[set].count <= lines->ways;
}

/* Whether a line may be there at some time: stores to other lines do nothing. */
bool sm_line_may_come(const struct sm_lines *lines, uint32_t set, uint64_t line);

/* How many known requests of the SM drop a line, of a set that is not full. */
uint64_t sm_lines_drops(const struct sm_lines *lines, uint64_t line);

/* How many of the requests of accesses to unknown addresses perhaps drop a line. */
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
    uint64_t drops_unknown;   /* those of any block that perhaps do, as their addresses are not known */
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

/* Those of a slice of the requests of `block`. `alone`: no other block is resident while it is. */
void set_phases_make(struct set_phases *set, const struct l1_requests *requests,
                     const struct set_slice *slice, const struct sm_lines *sm, uint32_t block, bool alone);

#endif

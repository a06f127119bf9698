/* What the blocks of an SM do to the lines of each set of its first-level cache, as far as one block has to
 * know it of the others. */
#ifndef WB_MEMORY_SM_LINES_H
#define WB_MEMORY_SM_LINES_H

#include "memory/access_order.h"
#include "memory/l1_requests.h"
#include "memory/line_table.h"

/* A line with those that use it: blocks of an SM, or warps of a block. */
struct owned_line {
    uint64_t line;
    uint32_t owner; /* the first of them */
    bool shared;    /* there are others */
};

/* Lines of one set with their owners. The list is cut off so that it takes little room: where owners other
 * than o have n lines, at least min(n, ways + 1) of them are listed (docs/sure-hits.md, lemma 3). */
struct owned_lines {
    struct owned_line *items;
    uint32_t count;
    bool cut; /* some line is not listed */
};

/* Most lines of such a list. */
static inline uint32_t owned_lines_capacity(uint32_t ways) {
    return 2 * (ways + 1);
}

/* Adds a line; `items` has room for the capacity, or for all lines that there are. */
void owned_lines_add(struct owned_lines *lines, uint32_t ways, uint64_t line, uint32_t owner);

/* Whether somebody else uses the line, too. */
static inline bool owned_by_another(const struct owned_line *line, uint32_t owner) {
    return line->shared || line->owner != owner;
}

/* Known requests to the lines of an object; of number 0, of all memory. */
struct known_requests {
    uint64_t uses, drops;
};

struct sm_lines {
    struct arena arena;
    uint32_t ways;
    struct owned_lines *sets;  /* per set the lines that loads, and stores under write-through, use */
    struct line_table dropped; /* the lines of sets that are not full which stores or atomics drop */
    VEC(uint64_t) drops;       /* of each of them, how many known requests do */
    const struct objects_lines *objects;
    struct unknown_requests *unknown; /* of all blocks, per object */
    struct known_requests *known;     /* likewise */
};

/* Reads all blocks of an SM. `requests` is room to read into. WB_ERR_LIMIT without a message when memory is
 * exhausted; sm_lines_free in any case. */
wb_status sm_lines_make(const struct sm_share *share, struct l1_requests *requests, struct sm_lines *lines);

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

void sm_lines_free(struct sm_lines *lines);

#endif

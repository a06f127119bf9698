/* The requests that a block makes to one set of the first-level cache, phase by phase (a phase is what lies
 * between two barriers), with what other blocks do to the set in the meantime. */
#ifndef WB_MEMORY_SET_PHASES_H
#define WB_MEMORY_SET_PHASES_H

#include "memory/sm_lines.h"

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

/* Zero-initialised it is empty; it can be made again and again. */
struct set_phases {
    uint32_t set, ways;
    const struct l1_request *requests;
    size_t request_count;
    VEC(uint32_t) line_of; /* per request the number of its line: index into `lines` */
    struct line_table numbers;
    VEC(struct set_line) lines;
    uint32_t others; /* lines of other blocks, counted up to ways + 1 at least */
    VEC(struct phase_segment) segments;
    VEC(struct set_phase) phases; /* in order of time */
    VEC(struct owned_line) owned; /* of all phases */
};

/* Those of a slice of the requests of `block`. `alone`: no other block is resident while it is. WB_ERR_LIMIT
 * without a message when memory is exhausted. */
wb_status set_phases_make(struct set_phases *set, const struct l1_requests *requests,
                          const struct set_slice *slice, const struct sm_lines *sm, uint32_t block,
                          bool alone);

void set_phases_free(struct set_phases *set);

#endif

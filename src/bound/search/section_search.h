/* One section of a warp, as the search of sections (section_search.h) sees it: its instructions, the results
 * that they wait for, and how long each of these still matters. */
#ifndef WB_BOUND_SEARCH_SECTION_SEARCH_H
#define WB_BOUND_SEARCH_SECTION_SEARCH_H

#include "base/cycles.h"
#include "bound/method/search_budget.h"
#include "bound/profile/sections.h"

/* Most results that a warp can have under way at a time. */
#define SECTION_LIVE_MAX 128u

/* A result that instructions at and behind some position wait for. */
struct section_live {
    uint16_t result;   /* number of the result */
    uint16_t distance; /* instructions before the next one that waits for it: 0 is the one at the position */
};

/* A position of a program: before an instruction with a unit, or behind the last one. */
struct section_position {
    uint8_t unit;
    uint32_t init, least, most; /* initiation, exactly; latency */
    uint32_t result;            /* that it makes, or SECTION_NO_RESULT */
    uint32_t first_live;        /* results under way when the warp stands here: lives[first_live ..], */
    uint32_t live_count;        /* in the order of their numbers */
};

#define SECTION_NO_RESULT UINT32_MAX

struct section_program {
    struct section_position *positions; /* count + 1 of them */
    uint32_t count;
    struct section_live *lives;
    uint32_t old_count; /* results 0 .. old_count - 1 are of older sections */
    uint32_t *old_rest; /* per such result the most cycles from the release on until it can be read */
};

/* The most that older sections leave at the release of a barrier, at dispatch depth 0: per register the
 * cycles until the results of a warp's instructions can be read, and per unit until they have initiated. */
struct section_residue {
    uint32_t *registers, *units;
    bool *waited_for; /* scratch: per register whether an instruction behind waits for it */
};

/* Nothing is left behind. All memory of this file is of a protected arena. */
void section_residue_clear(const struct block_sections *sections, struct arena *arena,
                           struct section_residue *residue);

/* Raises a residue by what a section can leave behind. */
void section_residue_raise(const struct block_sections *sections, uint32_t code,
                           struct section_residue *residue);

/* The program of a section. False when more results are under way than the search can hold. */
bool section_program_make(const struct block_sections *sections, uint32_t code,
                          const struct section_residue *residue, struct arena *arena,
                          struct section_program *program);

/* The longest time that the warps of a sub-core can take for one section, over all work-conserving schedules
 * and all latencies inside their intervals (docs/proofs.md, section 17): states are relative to the present
 * cycle, and layer by layer, one issue further each, the latest time is kept at which each can be reached. */

/* Most warps of a sub-core. */
#define SECTION_LANES_MAX 4u

/* Times in states are of 16 bits: an instruction takes less. */
#define SECTION_TIME_MAX UINT32_C(60000)

/* The subject and the result of a search. */
struct section_task {
    const struct section_program *programs[SECTION_LANES_MAX]; /* of the warps, same ones side by side */
    uint32_t lanes;
    const uint32_t *unit_rests; /* per unit the most cycles for which older sections can keep it busy */
    bool queued;                /* dispatch depth: unlimited if true, else 0 */
    struct search_budget *budget;
    cycles issued;   /* one behind the last issue */
    cycles complete; /* the last completion */
};

/* Searches. WB_ERR_LIMIT when the budget does not suffice, or memory is exhausted; nothing is found then. */
wb_status section_search(struct section_task *task);

#endif

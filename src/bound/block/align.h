/* The alignment of ALN (docs/proofs.md, section 1): the longest path through one warp's section, jointly with
 * the most that another warp's section can add along it. */
#ifndef WB_BOUND_BLOCK_ALIGN_H
#define WB_BOUND_BLOCK_ALIGN_H

#include "bound/profile/sections.h"

/* How the instructions of another warp can delay a warp of this block. */
struct align_rules {
    const struct timed_block *block;
    const cycles *charges;           /* per unit the least charge of an instruction: phase_charges */
    bool same_sub_core;              /* of the two warps */
    const struct timed_block *other; /* of whose code the other warp is; NULL: of the same */
};

/* Sum over a section of unit(j|w) for the units that `used` marks, and of slot(j|w) for the others: what FIB
 * adds for a warp with this section. */
cycles align_fib_charge(const struct align_rules *rules, struct section_code other, const bool *used);

/* Work of a table cell (in units of search_budget), what "all" spends on them, and what is spent on them by
 * name: some seconds. */
#define ALIGNED_CELL_WORK 3u
#define ALIGNED_WORK 1000000000u
#define ALIGNED_NAMED_WORK (ALIGNED_CELL_WORK * ((uint64_t)4 << 30))

/* Table cells that one alignment fills: the measure of its time and, times eight bytes at worst, of its
 * memory. */
uint64_t align_cost(struct section_code own, struct section_code other);

/* The limits of an alignment. */
struct align_limits {
    const wb_watch *watch; /* or NULL */
    uint64_t bytes;        /* of its tables */
    bool stopped;          /* by the watch */
    bool full;             /* the tables do not fit */
};

/* align_s(w, u, m): the largest length(P) + m * charges. WB_ERR_LIMIT when memory, or a limit, is exhausted;
 * no message. */
wb_status align_longest(const struct align_rules *rules, struct section_code own, struct section_code other,
                        uint64_t m, struct align_limits *limits, cycles *longest);

/* The same for a section that others stand before: start[i] is the most until it begins with i instructions
 * of the other consumed, and ends[i], which has a least value already, becomes the most until one of its
 * instructions is complete. */
wb_status align_through(const struct align_rules *rules, struct section_code own, struct section_code other,
                        uint64_t m, const cycles *start, struct align_limits *limits, cycles *ends);

#endif

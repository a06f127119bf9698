/* What machine files say of abstract CTA simulation, a part of machines (machine/machine.h). */
#ifndef WB_WINGS_ABSTRACT_CTA_MACHINE_PART_H
#define WB_WINGS_ABSTRACT_CTA_MACHINE_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/files.h"

/* Conventions of abstract CTA simulation (WCET 2014, slides 9, 11 and 12), which the slides leave open: the
 * key `abstract_cta` of a machine file. docs/abstract-cta.md says which sets of them reproduce the published
 * figures. */

/* How often a loop's header runs when its body runs n times. */
enum abstract_header { HEADER_TESTS_THE_EXIT, HEADER_ONCE_AN_ITERATION };

/* Which warps hide a memory latency. */
enum abstract_stall { STALL_ACTIVE_WARPS, STALL_ALL_WARPS };

/* Which side of a uniform branch counts. */
enum abstract_branch { BRANCH_LARGER_SIDE, BRANCH_EXECUTED_SIDE };

/* Whether the variation by divergence is charged beside the larger time. */
enum abstract_shift { SHIFT_WIDENS_WINDOW, SHIFT_IS_ADDED };

/* The memory latency is that of the machine. */
#define ABSTRACT_LATENCY_OF_MACHINE UINT32_MAX

struct machine_abstract_cta {
    bool stated;             /* by the machine file */
    uint32_t header;         /* enum abstract_header */
    uint32_t barrier_slots;  /* cycles that a barrier takes for each warp that arrives */
    uint32_t barrier_cycles; /* and once for all of them */
    uint32_t stall_warps;    /* enum abstract_stall */
    uint32_t memory_latency; /* T_memory, or ABSTRACT_LATENCY_OF_MACHINE */
    uint32_t uniform_branch; /* enum abstract_branch */
    uint32_t shift;          /* enum abstract_shift */
    bool stores_stall;       /* stores are memory access nodes that stall, too */
};

/* Table of struct machine_abstract_cta. */
extern const struct field machine_abstract_cta_fields[];

/* Those of the machine `hirvisalo`, with the memory latency of the machine at hand. */
void machine_abstract_cta_defaults(struct machine_abstract_cta *abstract_cta);

#endif

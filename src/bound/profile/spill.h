/* The most work that the units of a sub-core have left of older sections when a barrier is released: sigma of
 * docs/sub-core-bounds.md. */
#ifndef WB_BOUND_PROFILE_SPILL_H
#define WB_BOUND_PROFILE_SPILL_H

#include "bound/profile/phases.h"
#include "bound/profile/warp_group.h"

/* The warps of a block, and where the walker of each path stands. */
struct spill_warps {
    const struct warp_group *groups;
    size_t group_count;
    const struct phase_walker *walkers; /* per path */
};

struct block_spill {
    cycles *left; /* per sub-core and unit the most in sections that come again and again; NULL of one
                     sub-core, where nobody asks */
    cycles most;  /* that a sub-core has in the others */
};

/* WB_ERR_LIMIT when memory is exhausted. */
wb_status block_spill_init(struct block_spill *spill, const struct wb_machine *machine, struct arena *arena);

/* Counts what the walkers leave behind the barrier at which they are. `again`: in sections that come again
 * and again, of which it is enough to count the first and the last time: between these what is left on a unit
 * grows or falls evenly. */
void block_spill_note(struct block_spill *spill, const struct wb_machine *machine,
                      const struct spill_warps *warps, bool again);

/* The most that a sub-core has left, at any barrier. */
cycles block_spill_most(const struct block_spill *spill, const struct wb_machine *machine);

#endif

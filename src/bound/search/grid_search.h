/* The exact worst case of a small grid: every work-conserving choice of warps on every SM, and what the
 * machine's dispatcher does. One that may do anything (DISPATCH_ANY) keeps to rules G1 to G4 of
 * docs/proofs.md, section 12: every choice of which of the blocks that are left comes next, and which of the
 * free slots it gets. Where all blocks have slots at once they are dealt out in turn: no SM gets more than
 * one block more than another. */
#ifndef WB_BOUND_SEARCH_GRID_SEARCH_H
#define WB_BOUND_SEARCH_GRID_SEARCH_H

#include "bound/grid/grid_work.h"
#include "bound/search/schedule_search.h"

/* The budget of "all" for searches of a kernel. */
#define KERNEL_SEARCH_WORK 250000000u

/* The known results for blocks that start together on one SM, by their number. Zero-initialised: nothing. */
struct together_times {
    struct together_time {
        bool exact;
        cycles time;   /* until all of them have ended, if exact */
        uint64_t work; /* else: that a search was given in vain */
    } of[SEARCH_SLOTS_MAX + 1];
};

/* Why no search covers the grid, or NULL. */
const char *grid_search_objection(const struct grid_work *work);

/* Whether a search that has no objection takes a second or so at most; a message when memory is exhausted. */
bool grid_search_is_short(const struct grid_work *work, wb_diagnostics *diagnostics);

/* Until a grid without objection has ended, for the number of resident blocks with which it takes longest, in
 * search->longest; `search` has a watch and a budget. Returns as schedule_search_run; WB_ERR_DECLINED: a
 * program is too long, or a state too large. */
wb_status grid_search_run(const struct grid_work *work, struct schedule_search *search);

/* The same until `blocks` blocks that start together on one SM have all ended, whichever blocks they are. */
wb_status grid_search_together(const struct grid_work *work, uint64_t blocks, struct schedule_search *search);

/* Whether that takes a second or so at most; false also when there is an objection. */
bool grid_search_together_is_short(const struct grid_work *work, uint64_t blocks);

#endif

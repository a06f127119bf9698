/* The exact worst case of a small grid: every work-conserving choice of warps on every SM, and every choice
 * of a dispatcher that keeps to rules G1 to G4 of docs/proofs.md, section 12: which of the blocks that are
 * left comes next, and which of the free rooms it gets. Where all blocks have room at once they are dealt out
 * in turn: no SM gets more than one block more than another. */
#ifndef WB_BOUND_SEARCH_GRID_EXPLORER_H
#define WB_BOUND_SEARCH_GRID_EXPLORER_H

#include "bound/grid/grid_work.h"
#include "bound/method/search_budget.h"
#include "bound/search/grid_explore_model.h"

/* What "all" spends on searches of a kernel, and what it spends on those for the estimates of kernels. */
#define KERNEL_SEARCH_WORK 250000000u
#define TOGETHER_SEARCH_WORK 80000000u

struct grid_search {
    const wb_watch *watch; /* or NULL */
    struct search_budget *budget;
    uint64_t states; /* kept so far */
    cycles longest;  /* time of the longest schedule found so far */
    bool stopped;    /* by the watch */
    bool spent;      /* the work that it may do */
    bool full;       /* as many states as it may keep, or bytes */
};

/* What is known of blocks that start together on one SM, by their number. Zero-initialised: nothing. */
struct together_times {
    struct together_time {
        bool exact;
        cycles time;   /* until all of them have ended, if exact */
        uint64_t work; /* else: that a search was given in vain */
    } of[GRID_EXPLORE_ROOMS_MAX + 1];
};

/* Whether a search that came to WB_ERR_LIMIT hit none of its limits: the system had no memory left. */
static inline bool grid_search_had_no_memory(const struct grid_search *search) {
    return !search->stopped && !search->spent && !search->full;
}

/* Why no search covers the grid, or NULL. */
const char *grid_search_objection(const struct grid_work *work);

/* Whether a search that has no objection takes a second or so at most; a message when memory is exhausted. */
bool grid_search_is_short(const struct grid_work *work, wb_diagnostics *diagnostics);

/* Until a grid without objection has ended, for the number of resident blocks with which it takes longest, in
 * search->longest. WB_ERR_LIMIT when the budget or the watch stopped the search: something may be longer
 * than what was found. WB_ERR_DECLINED: a program is too long. No messages. */
wb_status grid_search_run(const struct grid_work *work, struct grid_search *search);

/* The same until `blocks` blocks that start together on one SM have all ended, whichever blocks they are. */
wb_status grid_search_together(const struct grid_work *work, uint64_t blocks, struct grid_search *search);

/* Whether that takes a second or so at most; false also when there is an objection. */
bool grid_search_together_is_short(const struct grid_work *work, uint64_t blocks);

#endif

/* The block classes of a launched grid: what of it the bounds of whole kernels need. Each class is looked at
 * once, however many blocks it has. */
#ifndef WB_BOUND_GRID_BLOCK_CLASSES_H
#define WB_BOUND_GRID_BLOCK_CLASSES_H

#include "bound/grid/grid_work.h"
#include "memory/requests/requests.h"
#include "warp/synthetic/synthetic.h"

/* The code of the blocks of a class. */
struct class_times {
    struct wb_block *block;
    struct timed_block timed;
};

/* Most classes that are kept for searches over schedules: only small grids are searched. */
#define CLASSES_KEPT_MAX 64u

struct block_classes {
    struct class_times *kept[CLASSES_KEPT_MAX]; /* those of the first classes */
    uint32_t kept_count;
};

/* Fills `work`, which is zero, from a grid on a machine without caches; both must outlive it. Errors, each
 * with a message: WB_ERR_INPUT when no block fits on an SM; WB_ERR_LIMIT when memory is exhausted or `watch`
 * (may be NULL) stopped it. classes and work are to be freed in any case. */
wb_status block_classes_make(const struct timed_grid *timed, const wb_watch *watch,
                             wb_diagnostics *diagnostics, struct block_classes *classes,
                             struct grid_work *work);

/* The same of a grid of covering paths; nothing is kept for searches, which say nothing of those. Errors,
 * too, as wb_analysis_new. */
wb_status block_classes_covering(const struct wb_grid *grid, const struct wb_machine *machine,
                                 const wb_watch *watch, wb_diagnostics *diagnostics, struct grid_work *work);

/* The same of a grid written by hand, which must outlive `work`. */
wb_status block_classes_by_hand(const struct synthetic_block *block, const wb_watch *watch,
                                wb_diagnostics *diagnostics, struct grid_work *work);

void block_classes_free(struct block_classes *classes);

/* Makes again what the blocks of class number `class` of `work` execute, of a launched grid: of one of real
 * paths `timed` is the same as for block_classes_make, of covering paths its grid is. *made is zero, and to
 * be cleared in any case. Errors, each with a message, as above. */
wb_status class_times_make(const struct timed_grid *timed, const struct grid_work *work, uint32_t class,
                           wb_diagnostics *diagnostics, struct class_times *made);
void class_times_clear(struct class_times *made);

#endif

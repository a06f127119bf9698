/* What is said of the order of accesses under reordering, of all executions of a kernel, against one of them.
 */
#ifndef WB_TESTS_STEERED_ORDER_H
#define WB_TESTS_STEERED_ORDER_H

#include "gpu_record.h"

/* What was held against executions. */
struct order_census {
    uint64_t accesses, hits, misses, unsure; /* requests of loads by what is said of them */
};

/* False when an SM of the run, which is under reordering, was served in another order, or a request hit or
 * missed that was said not to. `timed` is of covering paths whose order is known. */
bool steered_order_holds(const struct timed_grid *timed, uint32_t resident, const struct gpu_record *run,
                         struct order_census *census);

#endif

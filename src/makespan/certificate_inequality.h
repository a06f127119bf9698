/* Whether the values of a table are more than those of all successors: V(a) >= 1 + V(a') for every abstract
 * transition a -> a' (docs/makespan-proofs.md, T2). */
#ifndef WB_MAKESPAN_CERTIFICATE_INEQUALITY_H
#define WB_MAKESPAN_CERTIFICATE_INEQUALITY_H

#include "makespan/certificate_table.h"

/* Looks at all cells with more than `graded` warps in their stages, by so many threads. *wrong is the number
 * of the first composition for which a cell does not hold it, UINT64_MAX when there is none. WB_ERR_LIMIT
 * without a message when memory is exhausted. */
wb_status certificate_inequality_check(const struct stage_table *table, uint32_t graded, uint32_t threads,
                                       uint64_t *wrong);

#endif

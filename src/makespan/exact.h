/* The method "exact", with the limits of its steps open to tests. */
#ifndef WB_MAKESPAN_EXACT_H
#define WB_MAKESPAN_EXACT_H

#include "makespan/method.h"

struct exact_limits {
    uint32_t tail_warps;      /* warps of the first exact tail */
    uint32_t tail_warps_more; /* and of the second, if the interval is still open */
    uint64_t tail_states;     /* states of a tail */
    uint64_t table_cells;     /* cells of a run table */
    uint32_t width;           /* states that the widest beam keeps in each layer; 0: no beam */
    uint64_t search_states;   /* states that complete searches may expand together */
};

/* What the method uses. Fewer warps of the tail suffice in most cases; the second tail and the search take
 * seconds, a table of so many cells minutes. */
#define EXACT_LIMITS_DEFAULTS                                                                                \
    {                                                                                                        \
        .tail_warps = 4, .tail_warps_more = 12, .tail_states = 4000000,                                      \
        .table_cells = UINT64_C(20000000000), .width = 4096, .search_states = 3000000                        \
    }

wb_status exact_solve(const struct makespan_run *run, const struct exact_limits *limits,
                      struct makespan_result *result);

#endif

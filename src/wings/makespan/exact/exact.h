/* The method "exact", with the limits of its steps open to tests. */
#ifndef WB_MAKESPAN_EXACT_EXACT_H
#define WB_MAKESPAN_EXACT_EXACT_H

#include "wings/makespan/method/method.h"

struct exact_limits {
    uint32_t tail_warps;        /* warps of the first exact tail */
    uint32_t tail_warps_later;  /* and of the one that replaces it if the interval stays open */
    uint64_t tail_states;       /* states of a tail */
    uint64_t table_cells;       /* cells of a run table */
    uint64_t table_cells_anew;  /* of one that is worth making anew for a larger tail */
    bool segments;              /* whether segment abstractions replace a table that is too large */
    uint32_t width;             /* states that the widest beam keeps in each layer; 0: no beam */
    uint64_t search_work;       /* successors that a complete search may look at */
    uint64_t search_work_blind; /* of one without a table */
};

/* What the method uses. A few warps of the tail suffice in most cases; the later tail and the longest
 * search take seconds, a table of so many cells minutes. */
#define EXACT_LIMITS_DEFAULTS                                                                                \
    {                                                                                                        \
        .tail_warps = 4, .tail_warps_later = 12, .tail_states = 4000000,                                     \
        .table_cells = UINT64_C(20000000000), .table_cells_anew = 200000000, .segments = true,               \
        .width = 4096, .search_work = 1000000000, .search_work_blind = 20000000                              \
    }

extern const struct makespan_method makespan_exact;

wb_status exact_solve(const struct makespan_run *run, const struct exact_limits *limits,
                      struct makespan_result *result);

#endif

/* Whether a deadline is met, and by what: the bound of a block says nothing of the kernel that it is part of.
 */
#ifndef WB_BOUND_ANALYSIS_VERDICT_H
#define WB_BOUND_ANALYSIS_VERDICT_H

#include "bound/analysis/analysis.h"

struct verdict {
    wb_verdict answer;
    wb_scope scope;                   /* what the deadline is of */
    const struct wb_analysis *judged; /* whose bound was held against it */
    const wb_bound *best;             /* its least proven bound; NULL: nothing is proven, */
    cycles proven;                    /* with the launch overhead, of a kernel; 0 */
};

struct verdict verdict_of(const struct wb_analysis *analysis, wb_scope scope, uint64_t deadline);

/* What the least proven bound at the top of a report is about: `scope`, unless there is no kernel. */
wb_scope verdict_scope(const struct wb_analysis *analysis, wb_scope scope);

#endif

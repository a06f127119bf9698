/* What the stall counts of machine code prove: no execution of a lane's path is shorter than they say. */
#ifndef WB_BOUND_ANALYSIS_STALLS_H
#define WB_BOUND_ANALYSIS_STALLS_H

#include "bound/analysis/analysis.h"

/* The bound of kind upper that the analysis' stall counts refute within the scope of a verdict, or NULL. */
const wb_bound *stalls_refute(const struct wb_analysis *analysis, const wb_verdict *verdict);

#endif

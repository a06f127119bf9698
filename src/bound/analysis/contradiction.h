/* What is proven, held against what was found: the last step of every analysis. */
#ifndef WB_BOUND_ANALYSIS_CONTRADICTION_H
#define WB_BOUND_ANALYSIS_CONTRADICTION_H

#include "bound/analysis/analysis.h"

/* An execution that takes longer than what is proven of the same subject, the furthest above; of a kernel
 * also of its blocks, of covering paths also of the given data. `found.cycles` is 0 where there is none. */
wb_contradiction analysis_contradiction(const struct wb_analysis *analysis);

#endif

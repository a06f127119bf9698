/* Slide 7: how a stack of reconvergence points steers the threads of a warp through a branch. */
#ifndef WB_REPRODUCE_WCET2014_DIVERGENCE_H
#define WB_REPRODUCE_WCET2014_DIVERGENCE_H

#include "base/text.h"
#include "warpbound.h"

/* Executes the kernel of the slide, and appends what is executed, with the stacks. */
wb_status divergence_put(wb_diagnostics *diagnostics, struct text *page);

#endif

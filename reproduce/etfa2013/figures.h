/* Fig. 2 to 5: schedules of the paper's small examples, from warp pseudo-precedence strings. */
#ifndef WB_REPRODUCE_ETFA2013_FIGURES_H
#define WB_REPRODUCE_ETFA2013_FIGURES_H

#include "output.h"

/* Appends the figures; writes the schedules of Fig. 2, 3 and 5 as files that can be checked. */
wb_status figures_put(const struct output *output, struct text *page);

#endif

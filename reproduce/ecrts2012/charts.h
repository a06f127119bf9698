/* The charts of the reproduction. */
#ifndef WB_REPRODUCE_ECRTS2012_CHARTS_H
#define WB_REPRODUCE_ECRTS2012_CHARTS_H

#include "base/base.h"
#include "study.h"

/* Fig. 5: times of the integer programs. */
void chart_fig5(struct text *out, const struct study *study);

/* Fig. 6 or 7: the estimate by x, with what is proven of the worst case. */
void chart_convergence(struct text *out, const struct study *study, enum convergence_figure figure);

#endif

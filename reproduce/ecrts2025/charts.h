/* The charts of the reproduction. */
#ifndef WB_REPRODUCE_CHARTS_H
#define WB_REPRODUCE_CHARTS_H

#include "base/base.h"
#include "study.h"

/* Mean overestimation of every bound by latency, under one policy, with the published GUB. */
void chart_methods(struct text *out, const struct study *study, enum policy policy);

/* Overestimation of GUB over LRR for one matrix product, by latency and warps, with the published one. */
void chart_sgemm(struct text *out, const struct study *study, enum sgemm sgemm);

#endif

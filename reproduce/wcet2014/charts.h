/* The pictures of docs/reproduction/wcet2014.md. */
#ifndef WB_REPRODUCE_WCET2014_CHARTS_H
#define WB_REPRODUCE_WCET2014_CHARTS_H

#include "study.h"

/* Slide 6: how far divergence can have put warps apart, before and behind each barrier, and without any. */
void chart_windows(struct text *out, const struct study *study);

/* When each barrier releases the warps: of the shortest and the longest interleavings. */
void chart_interleavings(struct text *out, const struct study *study);

/* Slide 12: an abstract warp, from left to right. */
void chart_abstract_warp(struct text *out, const struct acta_warp *warp);

#endif

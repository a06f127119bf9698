/* Abstract warps as graphs for Graphviz. */
#ifndef WB_REPORT_FLOW_ABSTRACT_WARP_DOT_H
#define WB_REPORT_FLOW_ABSTRACT_WARP_DOT_H

#include "base/text.h"
#include "papers/abstract_cta/acta_warp.h"

/* Appends the graph. What fails shows in out->failed. */
void abstract_warp_dot(const struct acta_warp *warp, const char *name, struct text *out);

#endif

/* The windows of abstract CTA simulation (docs/abstract-cta.md), as a table and as JSON. */
#ifndef WB_REPORT_ANALYSIS_WINDOWS_H
#define WB_REPORT_ANALYSIS_WINDOWS_H

#include <jansson.h>

#include "bound/analysis/analysis.h"

/* Appends a table for each bound that has windows. */
void report_put_windows(struct text *out, const struct wb_analysis *analysis);

/* The windows of a bound, as an array. */
json_t *report_windows_json(const wb_bound *bound);

#endif

/* The windows of abstract CTA simulation (docs/abstract-cta.md), as a table and as JSON. */
#ifndef WB_REPORT_PAPERS_WINDOWS_H
#define WB_REPORT_PAPERS_WINDOWS_H

#include "bound/analysis/analysis.h"
#include "report/write/json.h"
#include "report/write/layout.h"

/* Appends a table for each bound that has windows. */
void report_put_windows(struct text *out, const struct layout *layout, const struct wb_analysis *analysis);

/* The windows of a bound: members "windows" and "windows_left_out", where it has any. */
void report_windows_json(struct json *json, const wb_bound *bound);

#endif

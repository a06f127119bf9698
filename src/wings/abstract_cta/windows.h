/* The windows of abstract CTA simulation (docs/abstract-cta.md), as a table and as JSON. */
#ifndef WB_WINGS_ABSTRACT_CTA_WINDOWS_H
#define WB_WINGS_ABSTRACT_CTA_WINDOWS_H

#include "bound/analysis/analysis.h"
#include "report/write/write.h"

/* Attributes a bound of windows, which sum up to `total` (cost/costs.h). */
wb_status window_costs(struct cost_maker *maker, cycles total);

/* Appends a table for each bound that has windows. */
void windows_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis);

/* The windows of a bound: members "windows" and "windows_left_out", where it has any. */
void windows_json(struct json *json, const wb_bound *bound);

#endif

/* What reports of whole kernels say beyond their bounds: what is launched, where, and what cycles are spent
 * on. */
#ifndef WB_REPORT_ANALYSIS_KERNEL_H
#define WB_REPORT_ANALYSIS_KERNEL_H

#include "bound/analysis/analysis.h"
#include "report/write/json.h"

/* The heading: kernel or file, grid, machine, blocks on an SM; with `all` block classes. */
void kernel_put_heading(struct text *out, const struct wb_analysis *analysis, bool all);

/* Members of the innermost object: how many blocks of how many classes there are, and the slots that they
 * take turns in; */
void kernel_heading_json(struct json *json, const struct wb_analysis *analysis);

/* "dominated_by", what most cycles of a bound are spent on: a unit's name, or what the part is; null where it
 * does not say; */
void kernel_dominant_json(struct json *json, const wb_bound *best);

/* "parts" of a bound, where it says. */
void kernel_parts_json(struct json *json, const wb_bound *bound);

#endif

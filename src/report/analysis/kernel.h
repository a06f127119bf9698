/* What reports of whole kernels say beyond their bounds: what is launched, where, and what cycles are spent
 * on. */
#ifndef WB_REPORT_ANALYSIS_KERNEL_H
#define WB_REPORT_ANALYSIS_KERNEL_H

#include <jansson.h>

#include "bound/analysis/analysis.h"

/* The heading: kernel or file, grid, machine, blocks on an SM. */
void kernel_put_heading(struct text *out, const struct wb_analysis *analysis);

/* What the least proven bound is made of, largest part first; nothing where there is none. */
void kernel_put_parts(struct text *out, const struct wb_analysis *analysis);

/* That bound together with the launch overhead; nothing where there is none. */
void kernel_put_overhead(struct text *out, const struct wb_analysis *analysis);

/* How many blocks of how many kinds there are, and the rooms that they take turns in. */
json_t *kernel_heading_json(const struct wb_analysis *analysis);

/* What most cycles of a bound are spent on: a unit's name, or what the part is; null where it does not say.
 */
json_t *kernel_dominant_json(const wb_bound *best);

/* The parts of a bound as an array; empty when it does not say. */
json_t *kernel_parts_json(const wb_bound *bound);

#endif

/* All numbers of an analysis as a table for people: what is proven first, estimates apart. */
#ifndef WB_REPORT_ANALYSIS_TABLE_H
#define WB_REPORT_ANALYSIS_TABLE_H

#include "bound/analysis/analysis.h"
#include "report/write/layout.h"

/* Appends bounds, simulations, those with the data that the launch gives beside those of covering paths, and
 * the methods and policies without a result; with options->all why estimates are not proven. Of a kernel,
 * what stands above in `verdict` (or NULL) is not said again. */
void table_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
               const wb_report_options *options, const wb_verdict *verdict);

/* A sentence in place of the table of what is not asked about: the least proven bound and the slowest
 * execution that was found, but for numbers of the verdict. `subject` is at its start. */
void table_put_summary(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                       const char *subject, const wb_verdict *verdict);

#endif

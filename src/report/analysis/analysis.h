/* Reports of an analysis: what those of a stream of kernels say of each of them. */
#ifndef WB_REPORT_ANALYSIS_ANALYSIS_H
#define WB_REPORT_ANALYSIS_ANALYSIS_H

#include "bound/analysis/analysis.h"
#include "report/write/json.h"

/* What is analysed, on which machine: lines with a word in front. */
void report_heading_put(struct text *out, const struct wb_analysis *analysis);

/* The members of the JSON report. */
void report_analysis_json(struct json *json, const struct wb_analysis *analysis,
                          const wb_report_options *options);

#endif

/* Reports of an analysis: what those of a stream of kernels say of each of them. */
#ifndef WB_REPORT_ANALYSIS_ANALYSIS_H
#define WB_REPORT_ANALYSIS_ANALYSIS_H

#include "bound/analysis/analysis.h"
#include "report/write/json.h"

/* The members of the JSON report. */
void report_analysis_json(struct json *json, const struct wb_analysis *analysis,
                          const wb_report_options *options);

#endif

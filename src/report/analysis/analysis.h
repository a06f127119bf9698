/* Reports of an analysis: what those of a stream of kernels say of each of them. */
#ifndef WB_REPORT_ANALYSIS_ANALYSIS_H
#define WB_REPORT_ANALYSIS_ANALYSIS_H

#include "bound/analysis/analysis.h"
#include "bound/analysis/stream.h"
#include "report/write/json.h"

/* Of a kernel its block that takes longest; else what is analysed. */
const struct wb_analysis *report_block_of(const struct wb_analysis *analysis);

/* The block of covering paths that an analysis is of; of a grid its first one. */
const struct wb_block *report_covering_block(const struct wb_analysis *analysis);

/* Instructions that all warps of the block execute together. */
uint64_t report_count_instructions(const struct wb_block *block);

/* What is analysed, on which machine: lines with a word in front; with `all` the block classes, too. */
void report_heading_put(struct text *out, const struct wb_analysis *analysis, bool all);

/* The report for people. */
wb_status report_analysis_text(struct text *out, const struct wb_analysis *analysis,
                               const wb_report_options *options, wb_diagnostics *diagnostics);

/* The members of the JSON report. */
void report_analysis_json(struct json *json, const struct wb_analysis *analysis,
                          const wb_report_options *options);

/* The whole document of an analysis, whose object is left open for more members. */
wb_status report_analysis_document(struct json *json, const struct wb_analysis *analysis,
                                   const wb_report_options *options, wb_diagnostics *diagnostics);

/* Adds members to the object of a launch; its number counts from 0. */
typedef void (*report_launch_json)(void *user, struct json *json, size_t number,
                                   const struct wb_analysis *kernel);

/* The same of a stream; `more` may be NULL. */
void report_stream_document(struct json *json, const struct wb_stream *stream,
                            const wb_report_options *options, report_launch_json more, void *user);

#endif

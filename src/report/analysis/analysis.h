/* Reports of an analysis: what those of a stream of kernels say of each of them. */
#ifndef WB_REPORT_ANALYSIS_ANALYSIS_H
#define WB_REPORT_ANALYSIS_ANALYSIS_H

#include "bound/analysis/analysis.h"
#include "bound/analysis/stream.h"
#include "report/write/write.h"

/* The block of a kernel that takes longest; else the analysis itself. */
const struct wb_analysis *report_block_of(const struct wb_analysis *analysis);

/* The block of covering paths that an analysis is of; of a grid its first one. */
const struct wb_block *report_covering_block(const struct wb_analysis *analysis);

/* Instructions that all warps of the block execute together. */
uint64_t report_count_instructions(const struct wb_block *block);

/* The analysed code and its machine: lines with a word in front; with `all` also the block classes. */
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

/* Appends on figures of which mark a bound of machine code rests, in per cent. */
void marks_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis);

/* The same as a detail of the verdict: how much rests on figures that are assumed, and on which. */
void marks_put_brief(struct text *out, const struct layout *layout, const struct wb_analysis *analysis);

/* What the kernel takes on some of the SMs, where that was asked for (wb_analysis_share): a table behind an
 * empty line, and the member "shares". */
void shares_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                const wb_report_options *options);
void shares_json(struct json *json, const struct wb_analysis *analysis, const wb_report_options *options);

/* All that is known of single methods and policies, on request. */

/* Appends a section for each of a comma-separated list of methods and policies: its numbers for the kernel
 * and for a block, their parts and assumptions, why an estimate is no bound, why a number is missing.
 * WB_ERR_INPUT with a message if a name is unknown. */
wb_status explain_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                      const char *names, wb_diagnostics *diagnostics);

/* Adds the assumptions of a simulation of the analysis to the list of `count`; returns the new count. */
size_t explain_simulation(const struct wb_analysis *analysis, wb_assumption *list);

/* Members of the innermost object: how many blocks of how many classes there are, and the slots that they
 * take turns in; */
void kernel_heading_json(struct json *json, const struct wb_analysis *analysis);

/* "dominated_by", what most cycles of a bound are spent on: a unit's name, or what the part is; null where it
 * does not say; */
void kernel_dominant_json(struct json *json, const wb_bound *best);

/* "parts" of a bound, where it says. */
void kernel_parts_json(struct json *json, const wb_bound *bound);

/* Bounds and simulations of an analysis: how they compare, and how they are shown. */

/* The latest result of all simulations that the bounds are about (of covering paths: those of the given
 * data), 0 when there are none: of `cycles`, as it is printed. */
uint64_t report_slowest(const struct wb_analysis *analysis);

/* How far `bound` lies above the slowest of these simulations, in percent; false when nothing was simulated.
 */
bool report_overestimation(const struct wb_analysis *analysis, const wb_bound *bound, double *percent);

/* Members of the innermost object: "bounds", "simulations", "declined", "certified"; */
void results_json(struct json *json, const struct wb_analysis *analysis, const wb_report_options *options);

/* and "given" of covering paths, which has those with the data that the launch gives, or is null. */
void results_given_json(struct json *json, const struct wb_analysis *analysis,
                        const wb_report_options *options);

/* All numbers of an analysis as a table for people: what is proven first, estimates apart. */

/* Appends bounds, simulations (beside those of covering paths also those with the launch's data), and the
 * methods and policies without a result; with options->all why estimates are not proven. For a kernel,
 * numbers in `verdict` (or NULL) are not repeated. */
void table_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
               const wb_report_options *options, const wb_verdict *verdict);

/* A sentence in place of the table of what is not asked about: the least proven bound and the slowest
 * execution that was found, but for numbers of the verdict. `subject` is at its start. */
void table_put_summary(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                       const char *subject, const wb_verdict *verdict);

#endif

/* What the JSON reports of bounds have in common; docs/json.md documents every key. */
#ifndef WB_REPORT_BOUND_JSON_H
#define WB_REPORT_BOUND_JSON_H

#include <jansson.h>

#include "base/diagnostics.h"
#include "warp/assumed.h"

/* Seconds, or null unless they are asked for. */
json_t *report_seconds_json(double seconds, const wb_report_options *options);

/* Assumptions as an array of sentences; what the execution of a kernel takes for granted. */
json_t *report_assumptions_json(const char *const *assumptions, size_t count);
json_t *report_assumed_json(assumed_set assumed);

/* A bound as an object, NULL when memory is exhausted (as everywhere in jansson). */
json_t *report_bound_json(const wb_bound *bound, const wb_report_options *options);

/* Cycles as a time at a clock, rounded to nanoseconds. */
json_t *report_microseconds_json(double clock_mhz, uint64_t time);

/* The deadline of something, and whether `proven` cycles meet it; NULL: nothing is proven. */
json_t *report_deadline_json(const char *of, const uint64_t *proven, const wb_report_options *options);

/* Writes `root`, which is consumed, and hands the text over; WB_ERR_LIMIT with a message when memory was
 * exhausted on the way (`root` may be NULL for that reason). */
wb_status report_take_json(json_t *root, wb_diagnostics *diagnostics, char **text);

/* Methods without a result, each with its reason. */
json_t *report_declined_json(const wb_declined *declined, size_t count);

#endif

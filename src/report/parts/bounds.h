/* What reports of bounds have in common, for people and as JSON. */
#ifndef WB_REPORT_PARTS_BOUNDS_H
#define WB_REPORT_PARTS_BOUNDS_H

#include "base/diagnostics.h"
#include "method/bound.h"
#include "report/write/json.h"
#include "report/write/sheet.h"
#include "warp/path/execution_notes.h"

/* A part in percent of the whole; 0 of nothing. */
double report_percent(uint64_t part, uint64_t whole);

/* Cycles as a time at a clock, in a unit that leaves one to three digits before the point; as a cell; and in
 * JSON in microseconds, rounded to nanoseconds. */
void report_put_time(struct text *out, double clock_mhz, uint64_t time);
void report_time_cell(struct sheet *table, double clock_mhz, uint64_t time);
void report_time_json(struct json *json, const char *key, double clock_mhz, uint64_t time);

/* The bounds of some owner by index; NULL past the end. */
typedef const wb_bound *(*report_bound_at)(const void *owner, size_t index);

/* Numbers beside the bounds, such as simulations, and what the execution that they are of takes for granted.
 */
struct report_executed {
    const char *who; /* "simulations"; NULL ends a list */
    assumed_set assumed;
};

/* Appends what stands under a table: why an estimate is no bound, what stopped a search, what each bound
 * assumes (`at` is NULL where there are none), and what is beside them (a list, or NULL), each assumption
 * once. */
void report_put_conditions(struct text *out, report_bound_at at, const void *owner,
                           const struct report_executed *executed);

/* What is said of a method without a result, by its status (wb_declined): "declined", "limit", "left out". */
const char *report_declined_name(wb_status status);

/* Members of the innermost object: "declined" with each method's reason; "assumptions", of what the execution
 * of a kernel takes for granted; "seconds", null unless they are asked for; "certified", null where nothing
 * is. */
void report_declined_json(struct json *json, const wb_declined *declined, size_t count);
void report_assumed_json(struct json *json, assumed_set assumed);
void report_seconds_json(struct json *json, double seconds, const wb_report_options *options);
void report_certified_json(struct json *json, bool is_certified, uint64_t lower, uint64_t upper);

/* The members of a bound. */
void report_bound_json(struct json *json, const wb_bound *bound, const wb_report_options *options);

/* The members of a deadline of something, and whether `proven` cycles meet it; NULL: nothing is proven. */
void report_deadline_json(struct json *json, const char *of, const uint64_t *proven,
                          const wb_report_options *options);

#endif

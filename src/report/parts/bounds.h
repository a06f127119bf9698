/* What the tables of bounds for people have in common. */
#ifndef WB_REPORT_PARTS_BOUNDS_H
#define WB_REPORT_PARTS_BOUNDS_H

#include <jansson.h>

#include "base/diagnostics.h"
#include "method/bound.h"
#include "warp/path/execution_notes.h"

/* Appends a number that ends in front of `column` of its line. */
void report_put_right(struct text *out, size_t column, const char *number);

/* The same of a whole number, and of a part in percent of the whole. */
void report_put_count(struct text *out, size_t column, uint64_t number);
void report_put_percent(struct text *out, size_t column, uint64_t part, uint64_t whole);

/* Writes cycles as a time at a clock, in a unit that leaves one to three digits before the point. */
void report_format_time(double clock_mhz, uint64_t time, char *number, size_t size);

/* Appends the same, so that it ends in front of `column` of its line. */
void report_put_time(struct text *out, size_t column, double clock_mhz, uint64_t time);

/* A part in percent of the whole; 0 of nothing. */
double report_percent(uint64_t part, uint64_t whole);

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

/* Hands a finished report over; WB_ERR_LIMIT with a message when memory was exhausted on the way. */
wb_status report_take_text(struct text *out, wb_diagnostics *diagnostics, char **text);

/* Of a report that is written as it is made: hands what was printed so far to the writer once there is enough
 * of it, or all of it, and forgets it. WB_ERR_LIMIT when memory was exhausted, WB_ERR_INPUT when the writer
 * failed; both without a message. */
wb_status report_flush(struct text *out, const wb_writer *writer, bool all);

/* Gives the status of such a report its message; returns it. */
wb_status report_written(wb_status status, wb_diagnostics *diagnostics);

/* What the JSON reports of bounds have in common; docs/json.md documents every key. */

/* Seconds, or null unless they are asked for. */
json_t *report_seconds_json(double seconds, const wb_report_options *options);

/* What the execution of a kernel takes for granted, as an array of sentences. */
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

/* Common parts of reports of bounds, for people and as JSON. */
#ifndef WB_REPORT_PARTS_BOUNDS_H
#define WB_REPORT_PARTS_BOUNDS_H

#include "base/base.h"
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

/* The parts of a bound, largest first, in percent: "issue 57 %, tail 27 %", without parts rounded to 0 %; or
 * all of them, with their cycles. */
void report_put_parts(struct text *out, const wb_bound *bound, bool cycles);

/* ", proven by kernel (form area)" */
void report_put_proof(struct text *out, const wb_bound *bound);

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

/* The members of a deadline, and whether it is met. */
void report_deadline_json(struct json *json, const wb_verdict *verdict);

#endif

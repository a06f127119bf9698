#include "report/bound_json.h"

#include <math.h>

#include "report/analysis_report.h"

#include "report/json_parts.h"

json_t *report_seconds_json(double seconds, const wb_report_options *options) {
    return options->timing ? json_real(seconds) : json_null();
}

json_t *report_assumptions_json(const char *const *assumptions, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_add(&array, json_string(assumptions[i]));
    return array;
}

json_t *report_assumed_json(assumed_set assumed) {
    const char *texts[ASSUMED_COUNT];
    const size_t count = assumed_list(assumed, texts);
    return report_assumptions_json(texts, count);
}

json_t *report_bound_json(const wb_bound *bound, const wb_report_options *options) {
    bool proven = bound->kind == WB_UPPER || bound->kind == WB_EXACT;
    json_t *upper = proven ? json_integer((json_int_t)bound->cycles) : json_null();
    json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "method", bound->method, "kind",
                               wb_kind_name(bound->kind), "cycles", (json_int_t)bound->cycles, "lower",
                               (json_int_t)bound->lower, "upper", upper, "assumptions",
                               report_assumptions_json(bound->assumptions, bound->assumption_count),
                               "seconds", report_seconds_json(bound->seconds, options));
    if (bound->reason != NULL) json_put(&object, "reason", json_string(bound->reason));
    return object;
}

json_t *report_declined_json(const wb_declined *declined, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_add(&array, json_pack("{s:s, s:s, s:s}", "method", declined[i].method, "status",
                                   report_declined_name(declined[i].status), "reason", declined[i].reason));
    return array;
}

json_t *report_microseconds_json(double clock_mhz, uint64_t time) {
    return json_real(round((double)time / clock_mhz * 1000.0) / 1000.0);
}

json_t *report_deadline_json(const char *of, const uint64_t *proven, const wb_report_options *options) {
    json_t *met = proven != NULL ? json_boolean(*proven <= options->deadline) : json_null();
    json_t *bound = proven != NULL ? json_integer((json_int_t)*proven) : json_null();
    return json_pack("{s:I, s:s, s:o, s:o}", "cycles", (json_int_t)options->deadline, "of", of, "met", met,
                     "bound", bound);
}

wb_status report_take_json(json_t *root, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    json_write(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12), &out);
    char *dumped = text_take(&out);
    if (dumped == NULL) return diagnose_out_of_memory(diagnostics, "report");
    *text = dumped;
    return WB_OK;
}

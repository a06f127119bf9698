/* Reports of a stream as JSON; docs/json.md documents every key. */
#include "report/analysis_report.h"
#include "report/bound_json.h"
#include "report/json_parts.h"
#include "report/stream_report.h"

/* The result of each kernel. */
static json_t *kernels_json(const struct wb_stream *stream, const wb_report_options *options) {
    const wb_report_options of_kernel = {.timing = options->timing};
    json_t *array = json_array();
    for (size_t i = 0; i < stream->kernels.count; i++)
        json_add(&array, report_analysis_object(stream->kernels.items[i].analysis, &of_kernel));
    return array;
}

/* The sums of the policies that all kernels were simulated under. */
static json_t *simulations_json(const struct wb_stream *stream) {
    json_t *array = json_array();
    for (size_t p = 0; policy_at(p) != NULL; p++) {
        cycles simulated;
        if (!report_stream_simulated(stream, p, &simulated)) continue;
        json_add(&array, json_pack("{s:s, s:b, s:I}", "policy", policy_at(p)->name, "work_conserving",
                                   (int)policy_at(p)->work_conserving, "cycles", (json_int_t)simulated));
    }
    return array;
}

wb_status report_stream_json(const struct wb_stream *stream, const wb_report_options *options,
                             wb_diagnostics *diagnostics, char **text) {
    uint64_t sum;
    const bool proven = wb_stream_proven(stream, &sum);
    json_t *root =
        json_pack("{s:s, s:o, s:o, s:o, s:I}", "warpbound", wb_version(), "machine",
                  json_machine(stream->machine), "launches", kernels_json(stream, options), "simulations",
                  simulations_json(stream), "overhead", (json_int_t)stream_overhead(stream));
    json_put(&root, "carried", json_integer((json_int_t)stream_carried(stream)));
    json_put(&root, "scope", json_string("stream"));
    json_put(&root, "best_upper", proven ? json_integer((json_int_t)sum) : json_null());
    json_put(&root, "microseconds",
             proven ? report_microseconds_json(stream->machine->clock_mhz, sum) : json_null());
    json_put(&root, "dominated_by",
             proven ? json_integer((json_int_t)stream_longest(stream) + 1) : json_null());
    if (options->has_deadline)
        json_put(&root, "deadline", report_deadline_json("stream", proven ? &sum : NULL, options));
    return report_take_json(root, diagnostics, text);
}

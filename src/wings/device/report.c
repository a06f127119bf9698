/* The report of a measurement: the runs, and the analysis of the same launch. */
#include <inttypes.h>
#include <string.h>

#include "bound/analysis/verdict.h"
#include "report/analysis/analysis.h"
#include "report/parts/parts.h"
#include "wings/device/measurement.h"

#define NS_MHZ 1000.0 /* the clock whose cycles are nanoseconds */

/* ---- Text ---------------------------------------------------------------------------------------------- */

/* Whether contents that a launch leaves open were zeros. */
static bool has_zeros(const struct wb_measurement *measurement) {
    bool found = false;
    for (size_t i = 0; i < measurement->image_count; i++)
        found |= measurement->images[i].has_zeros;
    return found;
}

/* What the runs are called: "in 200 runs". */
static uint64_t run_count(const struct wb_measurement *measurement) {
    const struct exchange *exchange = measurement->exchange;
    return (uint64_t)exchange->counts[WB_MEASURED_COLD] + exchange->counts[WB_MEASURED_WARM];
}

/* A time in the unit of the deadline. */
static void put_measured(struct text *out, const wb_report_options *options, uint64_t time) {
    if (options->has_deadline && options->unit == WB_UNIT_CYCLES)
        text_printf(out, "%" PRIu64 " cycles", time);
    else
        report_put_time(out, NS_MHZ, time);
}

/* The kernel, or how many launches there are in the list. */
static void put_name(struct text *out, const struct wb_measurement *measurement) {
    if (measurement->parts == NULL)
        text_string(out, wb_kernel_name(measurement->images->run.kernel));
    else
        text_printf(out, "the list of %zu launches", measurement->image_count);
}

/* The verdict where nothing is proven beside what was measured, */
static const char *state_name(const struct wb_measurement *measurement, const wb_report_options *options) {
    if (!options->has_deadline) return "measured";
    return wb_measurement_misses(measurement, options) ? "missed" : "within";
}

/* in words. */
static void put_line(struct text *out, const struct layout *layout, const struct wb_measurement *measurement,
                     const wb_report_options *options) {
    const wb_measured *longest = &measurement->longest;
    const bool by_cycles = options->has_deadline && options->unit == WB_UNIT_CYCLES;
    const bool misses = wb_measurement_misses(measurement, options);
    const char *state = state_name(measurement, options);
    layout_styled(out, layout, misses ? STYLE_RED : STYLE_BOLD, state);
    const size_t start = out->length;
    text_string(out, ": ");
    put_name(out, measurement);
    text_string(out, " took ");
    put_measured(out, options, by_cycles ? longest->cycles : longest->ns);
    if (options->has_deadline) text_string(out, misses ? ", more than " : " of ");
    if (options->has_deadline) put_measured(out, options, options->deadline);
    text_printf(out, " on this %s", longest->gpu);
    if (!misses) text_printf(out, " in %" PRIu64 " runs: no bound", run_count(measurement));
    layout_wrap(out, layout, start, (uint32_t)strlen(state), 2);
}

static void put_gpu(struct text *out, const struct layout *layout, const struct wb_measurement *measurement) {
    const struct device_facts *facts = &measurement->exchange->facts;
    char date[DATE_MAX];
    device_date(measurement->when, false, date);
    const size_t start = out->length;
    text_printf(out, "measured on %s (sm_%u, %u SMs", facts->gpu, facts->sm, facts->sms);
    if (facts->memory_clock > 0) text_printf(out, ", memory at %u MHz", facts->memory_clock);
    text_printf(out, "), driver %s%sCUDA %u.%u, %s:", facts->driver, facts->driver[0] != '\0' ? ", " : "for ",
                facts->cuda / 1000, facts->cuda % 1000 / 10, date);
    layout_wrap(out, layout, start, 0, 2);
}

static void put_runs(struct text *out, const struct layout *layout,
                     const struct wb_measurement *measurement) {
    static const char *const headings[] = {"runs", "discarded", "least", "median", "p99", "largest", "MHz"};
    static const uint32_t at[] = {14, 25, 37, 49, 61, 73, 79};
    struct sheet table = {.layout = layout};
    sheet_column(&table, SHEET_LEFT, 2, "");
    for (size_t c = 0; c < sizeof at / sizeof *at; c++)
        sheet_column(&table, SHEET_RIGHT, at[c], headings[c]);
    sheet_row_style(&table, STYLE_BOLD);
    sheet_headings(&table);
    for (int s = 0; s < WB_MEASURED_STATES; s++) {
        const wb_measured_runs runs = wb_measurement_runs(measurement, s);
        if (runs.count == 0) continue;
        sheet_text(&table, wb_measured_state_name(s));
        sheet_count(&table, runs.count);
        sheet_count(&table, runs.discarded);
        const uint64_t times[] = {runs.runs[0].ns, runs.median, runs.p99, runs.longest};
        for (size_t t = 0; t < sizeof times / sizeof *times; t++)
            report_time_cell(&table, NS_MHZ, times[t]);
        const uint32_t clock = runs.runs[runs.count - 1].clock;
        if (clock > 0)
            sheet_count(&table, clock);
        else
            sheet_text(&table, "?");
        sheet_end_row(&table);
    }
    sheet_close(&table, out);
}

/* What the numbers are, and what was not known. */
static void put_notes(struct text *out, const struct layout *layout, const struct wb_measurement *measurement,
                      const wb_analysis *analysis) {
    const struct exchange *exchange = measurement->exchange;
    const size_t start = out->length;
    text_string(out, "a time is at least what the kernel took: between events, less ");
    report_put_time(out, NS_MHZ, exchange->empty_ns);
    text_string(out,
                ", the largest of an empty kernel of the same shape, and what events are off by; MHz: the "
                "clock in the largest");
    layout_wrap(out, layout, start, 0, 2);
    if (measurement->longest.beside)
        layout_printf(
            out, layout, 2,
            "beside it a kernel on every other SM read and wrote memory: such times refute no bound, "
            "which is of a kernel alone on the GPU");
    if (measurement->longest.ns == 0)
        layout_printf(out, layout, 2,
                      "no run was longer than what events are off by: nothing is known of it");
    if (exchange->counts[WB_MEASURED_COLD] > 0)
        layout_printf(out, layout, 2,
                      "cold: the module was loaded anew, and %" PRIu64 " MiB of other memory written",
                      exchange->swept_bytes >> 20);
    if (measurement->longest.clock == 0)
        layout_printf(out, layout, 2,
                      "%s is not there: clocks are not known, and no run was discarded for them",
                      NVML_LIBRARY);
    if (has_zeros(measurement))
        layout_printf(out, layout, 2, "contents that the launch leaves open were zeros: one input of many");
    if (analysis != NULL && wb_analysis_unmeasured(analysis) != NULL)
        layout_printf(out, layout, 2, "no bound is held against these times: %s",
                      wb_analysis_unmeasured(analysis));
}

static void put_results(struct text *out, const struct layout *layout,
                        const struct wb_measurement *measurement) {
    uint64_t bytes = 0, unknown = 0;
    if (measurement->differences == NULL) return;
    for (size_t i = 0; i < measurement->images->objects.count; i++) {
        const struct image_object *object = &measurement->images->objects.items[i];
        const struct difference *difference = &measurement->differences[i];
        bytes += object->size;
        unknown += difference->unknown;
        if (difference->count > 0)
            layout_printf(out, layout, 2,
                          "results differ: %" PRIu64 " byte%s of %s; the first is byte %" PRIu64
                          ", 0x%02x on the GPU and 0x%02x by the interpreter",
                          difference->count, plural(difference->count), object->name, difference->first,
                          difference->gpu, difference->interpreter);
    }
    layout_printf(
        out, layout, 2,
        measurement->difference_count == 0
            ? "results: all %" PRIu64 " bytes of buffers and variables are as the interpreter leaves "
              "them, but %" PRIu64 " that it does not know"
            : "results: compared were %" PRIu64 " bytes, but %" PRIu64 " that the interpreter does not "
              "know",
        bytes, unknown);
}

/* Which figures of the machine a refuted bound rests on; a model of PTX has no list of them. */
static wb_status put_figures(struct text *out, const struct wb_measurement *measurement,
                             const wb_analysis *analysis, const wb_report_options *options,
                             wb_diagnostics *diagnostics) {
    char *figures = NULL;
    if (analysis == NULL || wb_machine_takes_ptx(analysis->machine) ||
        verdict_of(analysis, options).state != WB_CONTRADICTION)
        return WB_OK;
    WB_TRY(wb_figures_report(analysis->machine, measurement->images->run.module, WB_REPORT_TEXT, diagnostics,
                             &figures));
    text_char(out, '\n');
    text_string(out, figures);
    free(figures);
    return WB_OK;
}

static wb_status put_text(struct text *out, const struct wb_measurement *measurement,
                          const wb_analysis *analysis, const wb_report_options *options,
                          wb_diagnostics *diagnostics) {
    const struct layout layout = layout_of(options);
    if (analysis != NULL)
        WB_TRY(report_analysis_text(out, analysis, options, diagnostics));
    else
        put_line(out, &layout, measurement, options);
    if (options->quiet) return WB_OK;
    text_char(out, '\n');
    put_gpu(out, &layout, measurement);
    const wb_measurement *part;
    for (size_t i = 0; (part = wb_measurement_part(measurement, i)) != NULL; i++) {
        layout_printf(out, &layout, 2, "launch %zu, %s, by itself:", i + 1,
                      wb_kernel_name(part->images->run.kernel));
        put_runs(out, &layout, part);
    }
    if (measurement->parts != NULL) layout_printf(out, &layout, 2, "all launches, one after another:");
    put_runs(out, &layout, measurement);
    put_notes(out, &layout, measurement, analysis);
    put_results(out, &layout, measurement);
    return put_figures(out, measurement, analysis, options, diagnostics);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void runs_json(struct json *json, const struct wb_measurement *measurement, wb_measured_state state) {
    const wb_measured_runs runs = wb_measurement_runs(measurement, state);
    if (!json_open_known(json, wb_measured_state_name(state), runs.count > 0)) return;
    json_put(json, "kind %s, count %zu, discarded %" PRIu64, wb_kind_name(WB_MEASURED), runs.count,
             runs.discarded);
    json_put(json, "least_ns %" PRIu64 ", median_ns %" PRIu64 ", p99_ns %" PRIu64 ", largest_ns %" PRIu64,
             runs.runs[0].ns, runs.median, runs.p99, runs.longest);
    json_open_array(json, "runs");
    for (size_t i = 0; i < runs.count; i++)
        json_put_object(json, NULL, "ns %" PRIu64 ", mhz %*" PRIu64, runs.runs[i].ns, runs.runs[i].clock > 0,
                        (uint64_t)runs.runs[i].clock);
    json_close(json);
    json_close(json);
}

static void times_json(struct json *json, const struct wb_measurement *measurement) {
    for (int s = 0; s < WB_MEASURED_STATES; s++)
        runs_json(json, measurement, s);
    json_put(json, "largest_ns %" PRIu64 ", largest_cycles %*" PRIu64, measurement->longest.ns,
             measurement->longest.cycles > 0, measurement->longest.cycles);
}

/* Of a list each launch by itself. */
static void parts_json(struct json *json, const struct wb_measurement *measurement) {
    const wb_measurement *part;
    if (measurement->parts == NULL) {
        json_put_null(json, "launches");
        return;
    }
    json_open_array(json, "launches");
    for (size_t i = 0; (part = wb_measurement_part(measurement, i)) != NULL; i++) {
        json_open_object(json, NULL);
        json_put_text(json, "kernel", wb_kernel_name(part->images->run.kernel));
        times_json(json, part);
        json_close(json);
    }
    json_close(json);
}

static void results_members_json(struct json *json, const struct wb_measurement *measurement) {
    if (measurement->differences == NULL) {
        json_put_null(json, "results");
        return;
    }
    json_open_array(json, "results");
    for (size_t i = 0; i < measurement->images->objects.count; i++) {
        const struct image_object *object = &measurement->images->objects.items[i];
        const struct difference *difference = &measurement->differences[i];
        json_put_object(json, NULL,
                        "name %s, bytes %" PRIu64 ", unknown %" PRIu64 ", different %" PRIu64
                        ", first %*" PRIu64,
                        object->name, object->size, difference->unknown, difference->count,
                        difference->count > 0, difference->first);
    }
    json_close(json);
}

/* The verdict on what was measured and what is proven together, and the bounds. */
static void analysis_json(struct json *json, const wb_analysis *analysis, const wb_report_options *options) {
    const wb_report_options of_bounds = {.size = sizeof of_bounds, .timing = options->timing};
    const wb_verdict verdict = verdict_of(analysis, options);
    json_put_text(json, "state", wb_state_name(verdict.state));
    verdict_json(json, &verdict, analysis->machine);
    json_put_text(json, "unmeasured", wb_analysis_unmeasured(analysis));
    json_open_object(json, "analysis");
    json_put_text(json, "warpbound", wb_version());
    report_analysis_json(json, analysis, &of_bounds);
    json_close(json);
}

static void state_json(struct json *json, const struct wb_measurement *measurement,
                       const wb_report_options *options) {
    json_put_text(json, "state", state_name(measurement, options));
    json_put_null(json, "verdict");
    json_put_null(json, "unmeasured");
    json_put_null(json, "analysis");
}

static void put_json(struct json *json, const struct wb_measurement *measurement, const wb_analysis *analysis,
                     const wb_report_options *options) {
    const struct exchange *exchange = measurement->exchange;
    const struct device_facts *facts = &exchange->facts;
    char date[DATE_MAX];
    device_date(measurement->when, true, date);
    struct text name = {0};
    document_open(json, "warpbound-measure", 1);
    put_name(&name, measurement);
    json_put_text(json, "kernel", name.failed ? NULL : name.data);
    text_free(&name);
    json_put_object(json, "gpu",
                    "name %s, sm %u, sms %u, driver %s, cuda %u, memory_mhz %*" PRIu64 ", date %s",
                    facts->gpu, facts->sm, facts->sms, facts->driver[0] != '\0' ? facts->driver : NULL,
                    facts->cuda, facts->memory_clock > 0, (uint64_t)facts->memory_clock, date);
    json_put(json, "empty_ns %" PRIu64 ", swept_bytes %" PRIu64 ", with_zeros %d", exchange->empty_ns,
             exchange->swept_bytes, has_zeros(measurement));
    json_put(json, "beside %d", measurement->longest.beside);
    times_json(json, measurement);
    parts_json(json, measurement);
    results_members_json(json, measurement);
    if (analysis != NULL)
        analysis_json(json, analysis, options);
    else
        state_json(json, measurement, options);
    json_close(json);
}

wb_status wb_measurement_report(const wb_measurement *measurement, const wb_analysis *analysis,
                                wb_report_format format, const wb_report_options *options,
                                wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    struct text out = {0};
    struct json json = json_begin(&out, JSON_LINES);
    wb_status status = WB_OK;
    if (format == WB_REPORT_TEXT)
        status = put_text(&out, measurement, analysis, &asked, diagnostics);
    else
        put_json(&json, measurement, analysis, &asked);
    return report_take(status, &out, diagnostics, text);
}

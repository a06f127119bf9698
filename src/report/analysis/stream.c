/* Reports of a stream of kernels, as a table for people and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis/stream.h"
#include "report/analysis/analysis.h"
#include "report/gate/gate.h"
#include "report/parts/parts.h"

/* The whole stream under policy number `policy`, launch overheads included, when every kernel was simulated
 * under it (of covering paths: with the given data); else false. */
static bool stream_simulated(const struct wb_stream *stream, size_t policy, cycles *simulated) {
    *simulated = stream_overhead(stream);
    for (size_t i = 0; i < stream->kernels.count; i++) {
        const struct wb_analysis *kernel = stream->kernels.items[i].analysis;
        size_t count, s = 0;
        const wb_simulation *simulations =
            wb_analysis_simulations(kernel->given != NULL ? kernel->given : kernel, &count);
        while (s < count && strcmp(simulations[s].policy, wb_policy_name(policy)) != 0)
            s++;
        if (s == count) return false;
        *simulated = cycles_add(*simulated, simulations[s].cycles);
    }
    return stream->kernels.count > 0;
}

/* Where the kernels are taken from in a program: those behind each other that come from one image are one
 * line. */
static void put_origins(struct text *out, const struct layout *layout, const struct wb_stream *stream) {
    const char *last = NULL;
    for (size_t i = 0; i < stream->kernels.count; i++) {
        const struct wb_kernel *kernel = stream->kernels.items[i].analysis->grid_times.grid->kernel;
        const char *origin = kernel != NULL ? kernel->module->origin.text : NULL;
        if (origin != NULL && origin != last) layout_printf(out, layout, 9, "code     %s", origin);
        last = origin;
    }
}

static void put_heading(struct text *out, const struct layout *layout, const struct wb_stream *stream) {
    const struct wb_machine *machine = stream->machine;
    const size_t count = stream->kernels.count;
    const struct wb_kernel *kernel =
        count > 0 ? stream->kernels.items[0].analysis->grid_times.grid->kernel : NULL;
    const bool is_named = kernel != NULL && kernel->module->origin.text == NULL;
    layout_printf(out, layout, 9, "stream   %zu kernel%s, one after another%s%s%s", count, plural(count),
                  is_named ? " (" : "", is_named ? kernel->module->source.name : "", is_named ? ")" : "");
    put_origins(out, layout, stream);
    layout_printf(out, layout, 9, "machine  %s at %g MHz, %u SM%s, launch overhead %u", machine->name,
                  machine->clock_mhz, machine->memory.sms, plural(machine->memory.sms),
                  machine->launch_overhead);
    text_char(out, '\n');
}

/* Whether some kernel has a simulation beside its bound. */
static bool has_above(const struct wb_stream *stream) {
    bool has = false;
    for (size_t i = 0; i < stream->kernels.count; i++) {
        const struct wb_analysis *kernel = stream->kernels.items[i].analysis;
        has = has || (wb_analysis_best(kernel) != NULL && report_slowest(kernel) > 0);
    }
    return has;
}

/* Cycles with their time and, of a bound that is known, their share of it. */
static void cycles_cells(struct sheet *table, const struct wb_stream *stream, cycles time,
                         const uint64_t *whole) {
    sheet_count(table, time);
    report_time_cell(table, stream->machine->clock_mhz, time);
    if (whole != NULL)
        sheet_printf(table, "%.2f %%", report_percent(time, *whole));
    else
        sheet_skip(table);
}

/* A kernel's readable name, or as much of it as there is room for. */
static void name_cell(struct sheet *table, const struct wb_kernel *kernel, size_t room) {
    char *readable = kernel != NULL ? demangle(wb_kernel_name(kernel)) : NULL;
    const char *name = readable != NULL ? readable : kernel != NULL ? wb_kernel_name(kernel) : "by hand";
    if (strncmp(name, "void ", 5) == 0) name += 5; /* of a template */
    if (strlen(name) <= room)
        sheet_text(table, name);
    else
        sheet_printf(table, "%.*s...", (int)(room - 3), name);
    free(readable);
}

/* Characters that the names of kernels may take: what is left of the lines. */
static size_t name_room(const struct layout *layout) {
    const size_t wider = layout->width - 80;
    return layout->width <= 80 ? 17 : wider > 100 ? 117 : 17 + wider;
}

static void put_kernel(struct sheet *table, const struct wb_stream *stream, size_t number,
                       const uint64_t *whole) {
    const struct wb_analysis *kernel = stream->kernels.items[number].analysis;
    const struct wb_grid *grid = kernel->grid_times.grid;
    const wb_bound *best = wb_analysis_best(kernel);
    double percent;
    sheet_printf(table, "%*zu", (int)strlen("launch"), number + 1);
    name_cell(table, grid->kernel, name_room(table->layout));
    if (best != NULL) {
        sheet_text(table, best->method);
        cycles_cells(table, stream, best->cycles, whole);
        if (report_overestimation(kernel, best, &percent)) sheet_printf(table, "%+.2f %%", percent);
    } else {
        sheet_span(table, "no bound is proven");
    }
    sheet_end_row(table);
}

/* A sum of all kernels, `name` of it and what kind of number it is (or ""), and how far it is above the
 * slowest simulation, if it is held against one. */
static void put_sum(struct sheet *table, const struct wb_stream *stream, const char *name, const char *kind,
                    cycles time, const uint64_t *whole, cycles slowest) {
    sheet_text(table, name);
    sheet_text(table, kind);
    sheet_skip(table);
    cycles_cells(table, stream, time, whole);
    if (slowest > 0) sheet_printf(table, "%+.2f %%", 100.0 * ((double)time / (double)slowest - 1.0));
    sheet_end_row(table);
}

static void put_simulations(struct sheet *table, const struct wb_stream *stream, bool covered) {
    size_t put = 0;
    for (size_t p = 0; policy_at(p) != NULL; p++) {
        cycles simulated;
        if (policy_at(p)->work_conserving != covered || !stream_simulated(stream, p, &simulated)) continue;
        if (put++ == 0 && !covered) {
            sheet_end_row(table);
            sheet_span(table, "not work-conserving, so that no bound above holds for it:");
            sheet_end_row(table);
        }
        put_sum(table, stream, policy_at(p)->name, wb_kind_name(WB_SIMULATED), simulated, NULL, 0);
    }
}

/* The overheads, what is written back late, and the sum when all kernels are bounded. */
static void put_sums(struct sheet *table, const struct wb_stream *stream, const uint64_t *proven) {
    cycles slowest = 0, simulated; /* of the simulations that the bounds are about */
    for (size_t p = 0; policy_at(p) != NULL; p++)
        if (policy_at(p)->work_conserving && stream_simulated(stream, p, &simulated))
            slowest = cycles_max(slowest, simulated);
    if (stream_overhead(stream) > 0)
        put_sum(table, stream, "overhead", "", stream_overhead(stream), proven, 0);
    if (stream_carried(stream) > 0) put_sum(table, stream, "carried", "", stream_carried(stream), proven, 0);
    if (proven != NULL) put_sum(table, stream, "all", wb_kind_name(WB_UPPER), *proven, NULL, slowest);
    put_simulations(table, stream, true);
    put_simulations(table, stream, false);
}

static void put_table(struct text *out, const struct layout *layout, const struct wb_stream *stream,
                      const uint64_t *proven) {
    const uint32_t names = (uint32_t)name_room(layout);
    struct sheet table = {.layout = layout};
    sheet_column(&table, SHEET_LEFT, 0, "launch");
    sheet_column(&table, SHEET_LEFT, 9, "kernel");
    sheet_column(&table, SHEET_LEFT, names + 10, "method");
    sheet_column(&table, SHEET_RIGHT, names + 32, "cycles");
    sheet_column(&table, SHEET_RIGHT, names + 43, "time");
    sheet_column(&table, SHEET_RIGHT, names + 52, "share");
    sheet_column(&table, SHEET_RIGHT, names + 62, has_above(stream) ? "above sim." : "");
    sheet_row_style(&table, STYLE_BOLD);
    sheet_headings(&table);
    for (size_t i = 0; i < stream->kernels.count; i++)
        put_kernel(&table, stream, i, proven);
    put_sums(&table, stream, proven);
    sheet_close(&table, out);
}

static void put_longest(struct text *out, const struct wb_stream *stream, const uint64_t *proven) {
    if (proven == NULL) {
        text_string(out, stream_refuted(stream) != NULL
                             ? "no bound of the stream: the bounds above are of a machine that is refuted\n"
                             : "no bound of the stream: each of its kernels needs one that is proven\n");
        return;
    }
    const size_t longest = stream_longest(stream);
    const wb_bound *best = wb_analysis_best(stream->kernels.items[longest].analysis);
    text_printf(out, "launch %zu dominates: %.2f %% of the bound\n", longest + 1,
                report_percent(best->cycles, *proven));
}

/* The assumptions of the least proven bounds of all kernels; an assumption of some names its launches. */
static void put_rests_on(struct text *out, const struct layout *layout, const struct wb_stream *stream,
                         const wb_verdict *verdict, bool all) {
    const size_t kernels = stream->kernels.count;
    struct condition_list conditions = {0};
    for (size_t i = 0; i < kernels; i++) {
        const wb_bound *best = wb_analysis_best(stream->kernels.items[i].analysis);
        if (best == NULL) continue;
        conditions_add_bound(&conditions, best, i);
    }
    if (conditions.count == 0) return;
    const wb_assumption in_turn = WB_ASSUME_LAUNCHES_IN_TURN, empty = WB_ASSUME_NOTHING_CARRIED_IN;
    for (size_t i = 0; i < kernels; i++)
        conditions_add(&conditions, &in_turn, 1, i);
    for (size_t i = 0; i < kernels && stream_carried(stream) > 0; i++)
        conditions_add(&conditions, &empty, 1, i);
    const char *title = verdict->state == WB_MISSED ? "the bound holds if" : "holds if";
    conditions_put_titled(out, layout, title, &conditions, kernels, all);
}

/* Each launch of its own, in words or as a whole report. */
static wb_status put_launches(struct text *out, const struct layout *layout, const struct wb_stream *stream,
                              const wb_report_options *options, wb_diagnostics *diagnostics) {
    wb_report_options of_kernel = *options;
    of_kernel.has_deadline = false;
    for (size_t i = 0; i < stream->kernels.count; i++) {
        const struct wb_analysis *kernel = stream->kernels.items[i].analysis;
        text_char(out, '\n');
        layout_begin(out, layout, STYLE_BOLD);
        layout_printf(out, layout, 2, "launch %zu", i + 1);
        layout_end(out, layout, STYLE_BOLD);
        if (options->all)
            WB_TRY(report_analysis_text(out, kernel, &of_kernel, diagnostics));
        else
            WB_TRY(explain_put(out, layout, kernel, options->explain, diagnostics));
    }
    return WB_OK;
}

/* The first launch whose machine code takes longer than what is proven of it, and how many there are. */
static void put_refuted(struct text *out, const struct layout *layout, const struct wb_stream *stream) {
    wb_verdict verdict, first;
    size_t refuted = 0, number = 0;
    for (size_t i = 0; i < stream->kernels.count; i++) {
        verdict = wb_analysis_judge(stream->kernels.items[i].analysis, WB_SCOPE_KERNEL, NULL);
        if (verdict.refuted == NULL || refuted++ > 0) continue;
        first = verdict;
        number = i + 1;
    }
    if (refuted > 0) verdict_put_refuted_launch(out, layout, &first, number, refuted);
}

static wb_status put_text(struct text *out, const struct wb_stream *stream, const wb_report_options *options,
                          const uint64_t *proven, wb_diagnostics *diagnostics) {
    const wb_verdict verdict = wb_stream_judge(stream, options->has_deadline ? &options->deadline : NULL);
    const struct verdict_words words = {stream->machine, options->unit, options->quiet, false};
    const struct layout layout = layout_of(options);
    verdict_put(out, &layout, &verdict, &words);
    if (options->quiet) return WB_OK;
    put_refuted(out, &layout, stream);
    if (!options->all) put_rests_on(out, &layout, stream, &verdict, false);
    text_char(out, '\n');
    put_heading(out, &layout, stream);
    if (options->all) put_rests_on(out, &layout, stream, &verdict, true);
    put_table(out, &layout, stream, proven);
    put_longest(out, stream, proven);
    return options->all || (options->explain != NULL && options->explain[0] != '\0')
               ? put_launches(out, &layout, stream, options, diagnostics)
               : WB_OK;
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

/* The result of each kernel. */
static void kernels_json(struct json *json, const struct wb_stream *stream, const wb_report_options *options,
                         report_launch_json more, void *user) {
    const wb_report_options of_kernel = {.size = sizeof of_kernel, .timing = options->timing};
    json_open_array(json, "launches");
    for (size_t i = 0; i < stream->kernels.count; i++) {
        json_open_object(json, NULL);
        json_put_text(json, "warpbound", wb_version());
        report_analysis_json(json, stream->kernels.items[i].analysis, &of_kernel);
        if (more != NULL) more(user, json, i, stream->kernels.items[i].analysis);
        json_close(json);
    }
    json_close(json);
}

/* The sums of the policies that all kernels were simulated under. */
static void simulations_json(struct json *json, const struct wb_stream *stream) {
    json_open_array(json, "simulations");
    for (size_t p = 0; policy_at(p) != NULL; p++) {
        cycles simulated;
        if (!stream_simulated(stream, p, &simulated)) continue;
        json_put_object(json, NULL, "policy %s, work_conserving %d, cycles %" PRIu64, policy_at(p)->name,
                        policy_at(p)->work_conserving, simulated);
    }
    json_close(json);
}

void report_stream_document(struct json *json, const struct wb_stream *stream,
                            const wb_report_options *options, report_launch_json more, void *user) {
    uint64_t sum = 0;
    const bool is_proven = wb_stream_proven(stream, &sum);
    const wb_verdict verdict = wb_stream_judge(stream, options->has_deadline ? &options->deadline : NULL);
    document_open(json, "warpbound-stream", 1);
    verdict_json(json, &verdict, stream->machine);
    heading_machine_json(json, stream->machine, false);
    inputs_list_json(json, stream->inputs.items, stream->inputs.count);
    kernels_json(json, stream, options, more, user);
    simulations_json(json, stream);
    json_put(json, "overhead %" PRIu64 ", carried %" PRIu64 ", scope %s, best_upper %*" PRIu64,
             stream_overhead(stream), stream_carried(stream), "stream", is_proven, sum);
    json_put(json, "microseconds %*g, dominated_by %*zu", is_proven,
             report_microseconds(stream->machine->clock_mhz, sum), is_proven,
             is_proven ? stream_longest(stream) + 1 : 0);
    if (options->has_deadline) {
        json_open_object(json, "deadline");
        report_deadline_json(json, &verdict);
        json_close(json);
    }
}

/* ---- The report -----------------------------------------------------------------------------------------
 */

wb_status wb_stream_report(const wb_stream *stream, wb_report_format format, const wb_report_options *options,
                           wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    struct text out = {0};
    struct json json = json_begin(&out, JSON_LINES);
    uint64_t sum;
    const uint64_t *proven = wb_stream_proven(stream, &sum) ? &sum : NULL;
    wb_status status = WB_OK;
    switch (format) {
    case WB_REPORT_TEXT: status = put_text(&out, stream, &asked, proven, diagnostics); break;
    case WB_REPORT_JSON:
        report_stream_document(&json, stream, &asked, NULL, NULL);
        json_close(&json);
        break;
    case WB_REPORT_JUNIT:
    case WB_REPORT_SARIF: gate_put(&out, format, NULL, stream, &asked, diagnostics); break;
    }
    return report_take(status, &out, diagnostics, text);
}

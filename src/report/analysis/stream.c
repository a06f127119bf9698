#include "report/analysis/stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/options.h"
#include "base/text.h"
#include "report/analysis/analysis.h"
#include "report/parts/bounds.h"
#include "report/write/json.h"

/* The simulation of a kernel under a policy, or NULL. */
static const wb_simulation *simulation_of(const struct wb_analysis *kernel, const char *policy) {
    size_t count;
    const wb_simulation *simulations =
        wb_analysis_simulations(kernel->given != NULL ? kernel->given : kernel, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(simulations[i].policy, policy) == 0) return &simulations[i];
    return NULL;
}

bool report_stream_simulated(const struct wb_stream *stream, size_t policy, cycles *simulated) {
    cycles sum = stream_overhead(stream);
    for (size_t i = 0; i < stream->kernels.count; i++) {
        const wb_simulation *simulation =
            simulation_of(stream->kernels.items[i].analysis, wb_policy_name(policy));
        if (simulation == NULL) return false;
        sum = cycles_add(sum, simulation->cycles);
    }
    *simulated = sum;
    return stream->kernels.count > 0;
}

cycles report_stream_slowest(const struct wb_stream *stream) {
    cycles slowest = 0, simulated;
    for (size_t p = 0; policy_at(p) != NULL; p++)
        if (policy_at(p)->work_conserving && report_stream_simulated(stream, p, &simulated))
            slowest = cycles_max(slowest, simulated);
    return slowest;
}

/* Reports of a stream as a table for people. */

/* Columns of the table, in characters. */
enum {
    COLUMN_KIND = 12,
    COLUMN_METHOD = 24,
    COLUMN_CYCLES = 42,
    COLUMN_TIME = 55,
    COLUMN_SHARE = 67,
    COLUMN_ABOVE = 80,
    COLUMN_KERNEL = 82
};

static void put_heading(struct text *out, const struct wb_stream *stream) {
    const struct wb_machine *machine = stream->machine;
    const size_t count = stream->kernels.count;
    const struct wb_kernel *kernel =
        count > 0 ? stream->kernels.items[0].analysis->grid_times.grid->kernel : NULL;
    text_printf(out, "stream   %zu kernel%s, one after another", count, count == 1 ? "" : "s");
    if (kernel != NULL) text_printf(out, " (%s)", kernel->module->source.name);
    text_printf(out, "\nmachine  %s at %g MHz, %u SM%s, launch overhead %u\n\n", machine->name,
                machine->clock_mhz, machine->memory.sms, machine->memory.sms == 1 ? "" : "s",
                machine->launch_overhead);
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

static void put_column_names(struct text *out, const struct wb_stream *stream) {
    text_string(out, "launch");
    text_pad(out, COLUMN_KIND);
    text_string(out, "kind");
    text_pad(out, COLUMN_METHOD);
    text_string(out, "method");
    report_put_right(out, COLUMN_CYCLES, "cycles");
    report_put_right(out, COLUMN_TIME, "time");
    report_put_right(out, COLUMN_SHARE, "share");
    if (has_above(stream)) report_put_right(out, COLUMN_ABOVE, "above sim.");
    text_pad(out, COLUMN_KERNEL);
    text_string(out, "kernel\n");
}

static void put_above(struct text *out, double percent) {
    char number[32];
    (void)text_format(number, sizeof number, "%+.2f %%", percent);
    report_put_right(out, COLUMN_ABOVE, number);
}

/* Cycles with their time and, of a bound that is known, their share of it. */
static void put_cycles(struct text *out, const struct wb_stream *stream, cycles time, const uint64_t *whole) {
    report_put_count(out, COLUMN_CYCLES, time);
    report_put_time(out, COLUMN_TIME, stream->machine->clock_mhz, time);
    if (whole != NULL) report_put_percent(out, COLUMN_SHARE, time, *whole);
}

static void put_kernel(struct text *out, const struct wb_stream *stream, size_t number,
                       const uint64_t *whole) {
    const struct wb_analysis *kernel = stream->kernels.items[number].analysis;
    const struct wb_grid *grid = kernel->grid_times.grid;
    const wb_bound *best = wb_analysis_best(kernel);
    double percent;
    report_put_count(out, sizeof "launch" - 1, number + 1);
    if (best != NULL) {
        text_pad(out, COLUMN_KIND);
        text_string(out, wb_kind_name(best->kind));
        text_pad(out, COLUMN_METHOD);
        text_string(out, best->method);
        put_cycles(out, stream, best->cycles, whole);
        if (report_overestimation(kernel, best, &percent)) put_above(out, percent);
    } else {
        text_pad(out, COLUMN_KIND);
        text_string(out, "no bound is proven");
    }
    text_pad(out, COLUMN_KERNEL);
    text_printf(out, "%s, %ux%ux%u blocks\n", grid->kernel != NULL ? wb_kernel_name(grid->kernel) : "by hand",
                grid->dimensions[0], grid->dimensions[1], grid->dimensions[2]);
}

static void put_simulations(struct text *out, const struct wb_stream *stream, bool covered) {
    size_t put = 0;
    for (size_t p = 0; policy_at(p) != NULL; p++) {
        cycles simulated;
        if (policy_at(p)->work_conserving != covered || !report_stream_simulated(stream, p, &simulated))
            continue;
        if (put++ == 0 && !covered)
            text_string(out, "\nnot work-conserving, so that no bound above holds for it:\n");
        text_string(out, policy_at(p)->name);
        text_pad(out, COLUMN_KIND);
        text_string(out, wb_kind_name(WB_SIMULATED));
        put_cycles(out, stream, simulated, NULL);
        text_char(out, '\n');
    }
}

/* The overheads, what is written back late, and the sum when all kernels are bounded. */
static void put_sum(struct text *out, const struct wb_stream *stream, const uint64_t *proven) {
    const cycles slowest = report_stream_slowest(stream);
    if (stream_overhead(stream) > 0) {
        text_string(out, "overhead");
        put_cycles(out, stream, stream_overhead(stream), proven);
        text_char(out, '\n');
    }
    if (stream_carried(stream) > 0) {
        text_string(out, "carried");
        put_cycles(out, stream, stream_carried(stream), proven);
        text_char(out, '\n');
    }
    if (proven != NULL) {
        text_string(out, "all");
        text_pad(out, COLUMN_KIND);
        text_string(out, wb_kind_name(WB_UPPER));
        put_cycles(out, stream, *proven, NULL);
        if (slowest > 0) put_above(out, 100.0 * ((double)*proven / (double)slowest - 1.0));
        text_char(out, '\n');
    }
    put_simulations(out, stream, true);
    put_simulations(out, stream, false);
    text_char(out, '\n');
}

static void put_longest(struct text *out, const struct wb_stream *stream, const uint64_t *proven) {
    if (proven == NULL) {
        text_string(out, "no bound of the stream: each of its kernels needs one that is proven\n");
        return;
    }
    const size_t longest = stream_longest(stream);
    const wb_bound *best = wb_analysis_best(stream->kernels.items[longest].analysis);
    text_printf(out, "launch %zu dominates: %.2f %% of the bound\n", longest + 1,
                report_percent(best->cycles, *proven));
}

/* Whether two bounds assume the same. */
static bool same_conditions(const wb_bound *a, const wb_bound *b) {
    if (strcmp(a->method, b->method) != 0 || a->assumption_count != b->assumption_count) return false;
    for (size_t i = 0; i < a->assumption_count; i++)
        if (a->assumptions[i] != b->assumptions[i]) return false;
    return true;
}

/* The least proven bounds of the kernels whose conditions no earlier kernel's bound has. */
struct distinct_bound {
    const wb_bound *bound;
};

struct distinct_bounds {
    VEC(struct distinct_bound) bounds;
};

/* There must be room. */
static void add_distinct(struct distinct_bounds *distinct, const wb_bound *bound) {
    for (size_t i = 0; i < distinct->bounds.count; i++)
        if (same_conditions(distinct->bounds.items[i].bound, bound)) return;
    distinct->bounds.items[distinct->bounds.count++].bound = bound;
}

static const wb_bound *distinct_at(const void *owner, size_t index) {
    const struct distinct_bounds *distinct = owner;
    return index < distinct->bounds.count ? distinct->bounds.items[index].bound : NULL;
}

/* What the executions of the kernels that were simulated take for granted. */
static assumed_set stream_assumed(const struct wb_stream *stream) {
    assumed_set assumed = 0;
    for (size_t i = 0; i < stream->kernels.count; i++) {
        const struct wb_analysis *kernel = stream->kernels.items[i].analysis;
        if (kernel->simulations.count > 0) assumed |= analysis_assumed(kernel);
    }
    return assumed;
}

static void put_conditions(struct text *out, const struct wb_stream *stream) {
    struct distinct_bounds distinct = {0};
    if (vec_reserve(&distinct.bounds, stream->kernels.count) != WB_OK) out->failed = true;
    for (size_t i = 0; !out->failed && i < stream->kernels.count; i++) {
        const wb_bound *best = wb_analysis_best(stream->kernels.items[i].analysis);
        if (best != NULL) add_distinct(&distinct, best);
    }
    const struct report_executed executed[] = {{"simulations", stream_assumed(stream)}, {NULL, 0}};
    report_put_conditions(out, distinct_at, &distinct, executed);
    text_string(out, "the sum assumes besides that a kernel starts when the one before has ended, and finds "
                     "the memory that its launch describes\n");
    if (stream_carried(stream) > 0)
        text_string(out,
                    "carried is what a kernel leaves in the second level to be written back while a later "
                    "one runs: it has to be empty of that before the first kernel only\n");
    vec_free(&distinct.bounds);
}

static void put_verdict(struct text *out, const uint64_t *proven, const wb_report_options *options) {
    if (!options->has_deadline) return;
    text_printf(out, "\ndeadline %" PRIu64 " cycles, stream: ", options->deadline);
    if (proven == NULL)
        text_string(out, "undecided, no bound is proven\n");
    else if (*proven <= options->deadline)
        text_string(out, "met\n");
    else
        text_printf(out, "not met, the least proven bound is %" PRIu64 "\n", *proven);
}

wb_status report_stream_text(const struct wb_stream *stream, const wb_report_options *options,
                             wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    uint64_t sum;
    const uint64_t *proven = wb_stream_proven(stream, &sum) ? &sum : NULL;
    put_heading(&out, stream);
    put_column_names(&out, stream);
    for (size_t i = 0; i < stream->kernels.count; i++)
        put_kernel(&out, stream, i, proven);
    put_sum(&out, stream, proven);
    put_longest(&out, stream, proven);
    put_conditions(&out, stream);
    put_verdict(&out, proven, options);
    return report_take_text(&out, diagnostics, text);
}

/* Reports of a stream as JSON; docs/json.md documents every key. */

/* The result of each kernel. */
static json_t *kernels_json(const struct wb_stream *stream, const wb_report_options *options) {
    const wb_report_options of_kernel = {.size = sizeof of_kernel, .timing = options->timing};
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

wb_status wb_stream_report(const wb_stream *stream, wb_report_format format, const wb_report_options *options,
                           wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    return format == WB_REPORT_JSON ? report_stream_json(stream, &asked, diagnostics, text)
                                    : report_stream_text(stream, &asked, diagnostics, text);
}

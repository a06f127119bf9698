#include "report/analysis/analysis.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "bound/analysis/verdict.h"
#include "report/parts/parts.h"

/* The table, and how it is shown. */
struct result_table {
    struct sheet table;
    bool has_above;
    const wb_report_options *options;
    const wb_verdict *verdict; /* what is said above; or NULL */
};

/* Whether a number of `analysis` stands in the verdict. */
static bool is_said(const struct result_table *results, const struct wb_analysis *analysis, const char *name,
                    uint64_t time) {
    const wb_verdict *verdict = results->verdict;
    if (verdict == NULL || verdict->judged != analysis || analysis->kind != SUBJECT_KERNEL) return false;
    const bool is_bound = verdict->bound != NULL && strcmp(verdict->bound->method, name) == 0;
    const wb_slowest *slowest = &verdict->slowest;
    return is_bound || (!slowest->with_data && !slowest->of_code && slowest->name != NULL &&
                        strcmp(slowest->name, name) == 0 && slowest->cycles == time);
}

static bool is_said_bound(const struct result_table *results, const struct wb_analysis *analysis,
                          const wb_bound *bound) {
    return is_said(results, analysis, bound->method, bound->cycles);
}

/* Whether some bound of the table has a simulation beside it. */
static bool has_above(const struct result_table *results, const struct wb_analysis *analysis) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count && report_slowest(analysis) > 0; i++)
        if (!is_said_bound(results, analysis, &bounds[i])) return true;
    return analysis->given != NULL && has_above(results, analysis->given);
}

/* Whether there is any row. */
static bool has_rows(const struct result_table *results, const struct wb_analysis *analysis) {
    for (size_t i = 0; i < analysis->bounds.count; i++)
        if (!is_said_bound(results, analysis, &analysis->bounds.items[i])) return true;
    for (size_t i = 0; i < analysis->simulations.count; i++) {
        const wb_simulation *simulation = &analysis->simulations.items[i];
        if (!is_said(results, analysis, simulation->policy, simulation->cycles)) return true;
    }
    return analysis->given != NULL;
}

static void open_table(struct result_table *results, const struct wb_analysis *analysis) {
    struct sheet *table = &results->table;
    sheet_column(table, SHEET_LEFT, 0, "method");
    sheet_column(table, SHEET_LEFT, 12, "kind");
    sheet_column(table, SHEET_RIGHT, 36, "cycles");
    sheet_column(table, SHEET_RIGHT, 50, "time");
    results->has_above = has_above(results, analysis);
    if (results->has_above) sheet_column(table, SHEET_RIGHT, 64, "above sim.");
    if (results->options->timing) sheet_column(table, SHEET_RIGHT, 76, "processor");
    sheet_row_style(table, STYLE_BOLD);
    sheet_headings(table);
}

/* A row; `above` NULL: it has nothing to be held against. */
static void put_result(struct result_table *results, const struct wb_analysis *analysis, const char *name,
                       wb_kind kind, uint64_t time, const double *above, double seconds) {
    struct sheet *table = &results->table;
    if (is_said(results, analysis, name, time)) return;
    sheet_text(table, name);
    sheet_text(table, wb_kind_name(kind));
    sheet_count(table, time);
    report_time_cell(table, analysis->machine->clock_mhz, time);
    if (above != NULL)
        sheet_printf(table, "%+.2f %%", *above);
    else if (results->has_above)
        sheet_skip(table);
    if (results->options->timing) sheet_printf(table, "%.3f s", seconds);
    sheet_end_row(table);
}

static void put_bound(struct result_table *results, const struct wb_analysis *analysis,
                      const wb_bound *bound) {
    double percent;
    const bool has = report_overestimation(analysis, bound, &percent);
    if (is_said_bound(results, analysis, bound)) return;
    if (bound == wb_analysis_best(analysis)) sheet_row_style(&results->table, STYLE_BOLD);
    if (bound->kind == WB_ESTIMATE) sheet_row_style(&results->table, STYLE_DIM);
    put_result(results, analysis, bound->method, bound->kind, bound->cycles, has ? &percent : NULL,
               bound->seconds);
}

/* A sentence of its own among the rows. */
static void put_note(struct result_table *results, const char *note) {
    sheet_end_row(&results->table);
    sheet_span(&results->table, "%s:", note);
    sheet_end_row(&results->table);
}

/* The bounds of one kind, the least first, under a note if there is one. */
static void put_kind(struct result_table *results, const struct wb_analysis *analysis, wb_kind kind,
                     const char *note) {
    const wb_bound *sorted[METHODS_MAX], *bounds;
    size_t count, found = 0;
    bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if (bounds[i].kind != kind) continue;
        assert(found < METHODS_MAX);
        size_t at = found++;
        for (; at > 0 && sorted[at - 1]->cycles > bounds[i].cycles; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &bounds[i];
    }
    if (found > 0 && note != NULL) put_note(results, note);
    for (size_t i = 0; i < found; i++)
        put_bound(results, analysis, sorted[i]);
}

/* Simulations that the bounds are about, or the others. */
static void put_simulations(struct result_table *results, const struct wb_analysis *analysis, bool covered) {
    size_t count, put = 0;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        const wb_simulation *simulation = &simulations[i];
        if (found_is_covered(analysis, simulation) != covered) continue;
        if (put++ == 0 && !covered)
            put_note(results, simulation->work_conserving
                                  ? "work-conserving, so that no bound above holds for it"
                                  : "not work-conserving, so that no bound above holds for it");
        put_result(results, analysis, simulation->policy, WB_SIMULATED, simulation->cycles, NULL,
                   simulation->seconds);
    }
}

/* What was measured on the GPU that the machine is. */
static void put_measured(struct result_table *results, const struct wb_analysis *analysis) {
    const wb_slowest measured = measured_cycles(analysis);
    if (measured.cycles > 0)
        put_result(results, analysis, measured.name, WB_MEASURED, measured.cycles, NULL, 0);
}

/* First rows that are proven or happen, then the others. */
static void put_rows(struct result_table *results, const struct wb_analysis *analysis) {
    put_kind(results, analysis, WB_UPPER, NULL);
    put_kind(results, analysis, WB_EXACT, NULL);
    put_kind(results, analysis, WB_LOWER, NULL);
    put_simulations(results, analysis, true);
    put_measured(results, analysis);
    put_simulations(results, analysis, false);
    put_kind(results, analysis, WB_ESTIMATE, "estimates: not proven, so that no deadline rests on them");
}

/* ---- Under the table ----------------------------------------------------------------------------------- */

/* Methods and policies without a result, and why; on one line those that are too large to be tried unless
 * named. */
static void put_declined(struct text *out, const struct layout *layout, const struct wb_analysis *analysis) {
    size_t count;
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (declined[i].status != WB_OK)
            layout_printf(out, layout, 12, "%-11s %s: %s", declined[i].method,
                          report_declined_name(declined[i].status), declined[i].reason);
    const size_t start = out->length;
    for (size_t i = 0; i < count; i++)
        if (declined[i].status == WB_OK)
            text_printf(out, "%s%s", out->length == start ? "skipped unless named, as too large: " : ", ",
                        declined[i].method);
    layout_wrap(out, layout, start, 0, 2);
}

/* The simulated times until the last result, if the kernel waits for stores behind that. */
static void put_last_results(struct text *out, const struct layout *layout,
                             const struct wb_analysis *analysis) {
    size_t count, start = out->length;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    if (machine_unproven(analysis->machine) == NULL || count == 0) return;
    text_string(out, "of that until the last result:");
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s %s %" PRIu64, i > 0 ? "," : "", simulations[i].policy,
                    simulations[i].last_commit);
    text_string(out, "; the rest waits for acknowledgements of stores");
    layout_wrap(out, layout, start, 0, 2);
}

void table_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
               const wb_report_options *options, const wb_verdict *verdict) {
    struct result_table results = {.table.layout = layout, .options = options, .verdict = verdict};
    const struct wb_analysis *given = analysis->given;
    if (has_rows(&results, analysis)) {
        open_table(&results, analysis);
        put_rows(&results, analysis);
        if (given != NULL) {
            put_note(&results, report_data_words(analysis_has_zeros(given)));
            put_rows(&results, given);
        }
        sheet_close(&results.table, out);
    }
    put_declined(out, layout, analysis);
    if (given != NULL) put_declined(out, layout, given);
    put_last_results(out, layout, given != NULL ? given : analysis);
    /* Why a search is not complete; of estimates, why they are none, where nothing is proven beside them. */
    const bool estimates = options->all || wb_analysis_best(analysis) == NULL;
    for (size_t i = 0; i < analysis->bounds.count; i++)
        if (estimates || analysis->bounds.items[i].kind != WB_ESTIMATE)
            report_put_reason(out, layout, &analysis->bounds.items[i]);
}

/* "takes at most ...": a number that stands above is not said again. */
static void put_least(struct text *words, const struct wb_analysis *analysis, uint64_t said) {
    const wb_bound *best = wb_analysis_best(analysis);
    if (best->cycles == said) {
        text_printf(words, " takes at most as long (%s)", best->method);
        return;
    }
    text_string(words, " takes at most ");
    report_put_time(words, analysis->machine->clock_mhz, best->cycles);
    text_printf(words, " (%" PRIu64 " cycles, %s)", best->cycles, best->method);
}

void table_put_summary(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                       const char *subject, const wb_verdict *verdict) {
    const wb_bound *best = wb_analysis_best(analysis);
    const wb_slowest slowest = analysis_slowest(analysis);
    const bool is_new = slowest.cycles > 0 && slowest.cycles != verdict->slowest.cycles;
    const size_t start = out->length;
    if (best == NULL && !is_new) return;
    text_string(out, subject);
    if (best != NULL) put_least(out, analysis, verdict->bound != NULL ? verdict->bound->cycles : 0);
    if (is_new) {
        text_string(out, best != NULL ? "; slowest found " : ": slowest found ");
        report_put_time(out, analysis->machine->clock_mhz, slowest.cycles);
        text_printf(out, " (%" PRIu64 " cycles, %s)", slowest.cycles, slowest.name);
    }
    layout_wrap(out, layout, start, 0, 2);
}

/* The sections about where cycles go, or why nothing says so. */
#include "report/html/costs.h"

#include "bound/analysis/verdict.h"
#include "report/parts/bounds.h"

/* Most kinds of parts that are named of a line. */
#define SHARES_NAMED 3

void html_put_shares(struct html_page *page, const uint64_t share[WB_PART_COUNT], uint64_t cycles_of_all) {
    uint32_t named = 0;
    for (int i = 0; i < SHARES_NAMED; i++) {
        int most = -1;
        for (int p = 0; p < (int)WB_PART_COUNT; p++)
            if (share[p] > 0 && (named >> p & 1) == 0 && (most < 0 || share[p] > share[most])) most = p;
        if (most < 0) return;
        named |= 1u << most;
        text_printf(&page->out, "%s%s %.0f %%", i > 0 ? ", " : "", wb_part_name((wb_part_kind)most),
                    report_percent(share[most], cycles_of_all));
    }
}

/* The attribution of the least bound that has one, of the kernel or else of its longest block. */
static wb_costs *costs_of(struct html_page *page, const struct wb_analysis *analysis,
                          wb_diagnostics *messages) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count), *best = wb_analysis_best(analysis);
    wb_costs *costs = NULL, *least = NULL;
    if (best != NULL &&
        wb_costs_of_bound(analysis, best->method, &page->asked.watch, messages, &least) == WB_OK)
        return least;
    for (size_t i = 0; i < count; i++) {
        if (bounds[i].kind != WB_UPPER || &bounds[i] == best) continue;
        if (wb_costs_of_bound(analysis, bounds[i].method, &page->asked.watch, messages, &costs) != WB_OK)
            continue;
        if (least != NULL && wb_costs_total(least) <= wb_costs_total(costs)) {
            wb_costs_free(costs);
        } else {
            wb_costs_free(least);
            least = costs;
        }
    }
    return least;
}

/* The attribution of the slowest execution of the same, with the data that the launch gives. */
static wb_costs *costs_of_slowest(struct html_page *page, const struct wb_analysis *analysis) {
    const struct wb_analysis *of = analysis->given != NULL ? analysis->given : analysis;
    const wb_slowest slowest = analysis_slowest(of);
    wb_costs *costs = NULL;
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) page->out.failed = true;
    if (messages != NULL && slowest.name != NULL &&
        wb_costs_of_simulation(of, slowest.name, &page->asked.watch, messages, &costs) != WB_OK)
        page_note_failure(page, messages);
    wb_diagnostics_free(messages);
    return costs;
}

static void put_costs(struct html_page *page, const struct wb_analysis *analysis, const wb_costs *of_bound) {
    wb_hints *hints = NULL;
    if (wb_hints_find(analysis, of_bound, page->diagnostics, &hints) != WB_OK) page->out.failed = true;
    wb_costs *of_slowest = costs_of_slowest(page, analysis);
    struct html_costs costs = {.method = wb_costs_method(of_bound), .total = wb_costs_total(of_bound)};
    costs.rows = wb_costs_rows(of_bound, &costs.count);
    if (of_slowest != NULL) {
        costs.found = wb_costs_method(of_slowest);
        costs.found_rows = wb_costs_rows(of_slowest, &costs.found_count);
        costs.found_total = wb_costs_total(of_slowest);
    }
    costs.hints = hints;
    if (html_code_open(analysis, &costs.code) != WB_OK) page->out.failed = true;
    if (costs.code.kernel != NULL && !page->out.failed) {
        html_source(page, &costs);
        page_close_section(page);
        page_open_section(page, "flow", "Control flow");
        html_flow(page, &costs);
    } else {
        page_note(page, "The code was written by hand: it has no source.");
    }
    html_code_close(&costs.code);
    wb_hints_free(hints);
    wb_costs_free(of_slowest);
}

void html_costs(struct html_page *page, const struct wb_analysis *analysis) {
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) {
        page->out.failed = true;
        return;
    }
    const struct wb_analysis *of = analysis;
    wb_costs *costs = costs_of(page, of, messages);
    if (costs == NULL && analysis->longest != NULL) costs = costs_of(page, of = analysis->longest, messages);
    page_open_section(page, "source", "Where the cycles go");
    if (costs != NULL)
        put_costs(page, of, costs);
    else
        page_reason(page, "No bound is attributed to instructions", messages);
    page_close_section(page);
    wb_costs_free(costs);
    page_note_failure(page, messages);
    wb_diagnostics_free(messages);
}

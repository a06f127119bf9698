/* The lesser of two ways to charge translations: once for each page that a kernel touches, whoever waits for
 * it, or to each access. Either is proven, and either can be less: short kernels touch few pages, and make
 * few accesses one behind the other (docs/machine-code-bounds.md, section 7). */
#include <stdlib.h>

#include "analyze/request.h"
#include "bound/analysis/analysis.h"

/* The other way saves no more than the time of all fills, twice (theorem 7): below this part of the bound it
 * is not tried. */
#define WORTH_TRYING 16u

/* Whether the bound may be less without counting pages. */
static bool is_worth_it(const struct machine_fills *fills, uint64_t bound) {
    return cycles_mul(2 * (uint64_t)fills->pages, fills->translation) >= bound / WORTH_TRYING;
}

/* Makes the analysis of the grid of *analysis on another machine, in its place. What executes does so on the
 * machine as it is stated: no access waits for a translation that it keeps. */
static wb_status replace(const struct request *request, struct wb_machine *machine,
                         wb_diagnostics *diagnostics, wb_analysis **analysis) {
    wb_analysis *made = NULL, *with = *analysis;
    WB_TRY(analysis_new_kernel(with->owned.grid, machine, &request->asked.watch, diagnostics, &made));
    made->owned.grid = with->owned.grid;
    with->owned.grid = NULL;
    made->owned.executed = made->executed = with;
    made->longest->executed = with->longest;
    *analysis = made;
    return WB_OK;
}

/* *less: the kernel's bound on the other machine is. */
static wb_status compare(const struct request *request, const struct wb_machine *other,
                         const wb_analysis *analysis, wb_diagnostics *messages, bool *less) {
    const wb_machine *stated = machine_as_stated(analysis->machine);
    uint64_t bound, without;
    *less = false;
    WB_TRY(request_bound_on(analysis, stated, "kernel", &request->asked.watch, messages, &bound));
    if (!is_worth_it(&analysis->machine->fills, bound)) return WB_OK;
    WB_TRY(request_bound_on(analysis, other, "kernel", &request->asked.watch, messages, &without));
    *less = without < bound;
    return WB_OK;
}

wb_status request_take_lesser(const struct request *request, wb_diagnostics *diagnostics,
                              wb_analysis **analysis) {
    const struct wb_analysis *with = *analysis;
    struct wb_diagnostics messages = {0};
    bool less;
    if (with->machine == NULL || with->machine->fills.pages == 0) return WB_OK;
    if (with->owned.grid == NULL || with->owned.given != NULL) return WB_OK;
    struct wb_machine *other = malloc(sizeof *other);
    if (other == NULL) return analysis_no_memory(diagnostics);
    *other = *machine_as_stated(with->machine);
    other->fills.each_access = true;
    wb_status status = compare(request, other, with, &messages, &less);
    if (status == WB_OK && less) status = replace(request, other, &messages, analysis);
    if (status == WB_OK && less)
        (*analysis)->owned.machine = other;
    else
        free(other);
    request_settle(&messages, messages.no_memory, diagnostics);
    return messages.no_memory ? WB_ERR_LIMIT : WB_OK;
}

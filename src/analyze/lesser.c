/* The lesser of two ways to charge what caches keep: once, whoever waits for it, or to each access. Either is
 * proven, and either can be less: short kernels touch few pages, and make few accesses one behind the other;
 * what a block asks the second level for, counted once, adds to all that the block does, where requests would
 * pass beside it (docs/machine-code-bounds.md, section 7). So a promise that the first level keeps what
 * blocks load makes no bound longer. */
#include <stdlib.h>

#include "analyze/request.h"
#include "bound/analysis/analysis.h"

/* The other way saves no more than the time of all fills, twice (theorem 7): below this part of the bound it
 * is not tried. */
#define WORTH_TRYING 16u

/* What may be counted once. */
enum counted { COUNTED_LOADS, COUNTED_PAGES, COUNTED };

/* Whether it is, and the bound may be less without that. */
static bool is_worth_it(const struct machine_fills *fills, enum counted what, uint64_t bound) {
    if (what == COUNTED_LOADS) return fills->held > 0;
    return fills->pages > 0 &&
           cycles_mul(2 * (uint64_t)fills->pages, fills->translation) >= bound / WORTH_TRYING;
}

/* Makes the analysis of the paths of *analysis on another machine, in its place. Without counting pages, what
 * executes does so as before: no access waits for a translation that the TLB keeps. */
static wb_status replace(const struct request *request, struct wb_machine *machine, enum counted what,
                         wb_diagnostics *diagnostics, wb_analysis **analysis) {
    wb_analysis *made = NULL, *with = *analysis;
    WB_TRY(request_again_on(with, machine, &request->asked.watch, diagnostics, &made));
    made->owned.machine = machine;
    made->owned.grid = with->owned.grid;
    made->owned.block = with->owned.block;
    with->owned.grid = NULL;
    with->owned.block = NULL;
    *analysis = made;
    if (what != COUNTED_PAGES) {
        wb_analysis_free(with);
        return WB_OK;
    }
    made->owned.executed = made->executed = with;
    if (made->longest != NULL) made->longest->executed = with->longest;
    return WB_OK;
}

/* Takes the other way, if that is less than *bound, which is that of *analysis; 0: not known yet. */
static wb_status try_other(const struct request *request, enum counted what, wb_diagnostics *messages,
                           wb_analysis **analysis, uint64_t *bound) {
    const struct wb_analysis *with = *analysis;
    const char *methods = with->owned.grid != NULL ? "kernel" : "sib,fib,elb";
    const wb_watch *watch = &request->asked.watch;
    const wb_machine *stated = machine_as_stated(with->machine);
    uint64_t without;
    if (!is_worth_it(&with->machine->fills, what, 0)) return WB_OK;
    if (*bound == 0) WB_TRY(request_bound_on(with, stated, methods, watch, messages, bound));
    if (!is_worth_it(&with->machine->fills, what, *bound)) return WB_OK;
    struct wb_machine *other = malloc(sizeof *other);
    if (other == NULL) return analysis_no_memory(messages);
    *other = *stated;
    *(what == COUNTED_PAGES ? &other->fills.each_access : &other->fills.each_load) = true;
    wb_status status = request_bound_on(with, other, methods, watch, messages, &without);
    if (status == WB_OK && without < *bound) {
        *bound = without;
        status = replace(request, other, what, messages, analysis);
        if (status == WB_OK) return WB_OK;
    }
    free(other);
    return status;
}

wb_status request_take_lesser(const struct request *request, wb_diagnostics *diagnostics,
                              wb_analysis **analysis) {
    struct wb_diagnostics messages = {0};
    wb_status status = WB_OK;
    uint64_t bound = 0;
    if ((*analysis)->machine == NULL || (*analysis)->owned.given != NULL) return WB_OK;
    if ((*analysis)->owned.grid == NULL && (*analysis)->owned.block == NULL) return WB_OK;
    for (enum counted what = 0; what < COUNTED && status == WB_OK; what++)
        status = try_other(request, what, &messages, analysis, &bound);
    request_settle(&messages, messages.no_memory, diagnostics);
    return messages.no_memory ? WB_ERR_LIMIT : WB_OK;
}

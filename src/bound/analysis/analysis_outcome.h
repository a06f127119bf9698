/* What comes of the methods and policies that an analysis is asked for: none of them keeps another from its
 * result, and one without a result leaves its reason. */
#ifndef WB_BOUND_ANALYSIS_ANALYSIS_OUTCOME_H
#define WB_BOUND_ANALYSIS_ANALYSIS_OUTCOME_H

#include "bound/analysis/analysis.h"

/* Methods or policies that are run one after another. */
struct outcome_run {
    wb_watch watch;              /* to be given to each of them */
    const wb_watch *asked;       /* whom that asks in turn, or NULL */
    bool stopped;                /* by it */
    bool no_memory;              /* the system had none left for one of them: the report is not whole */
    wb_diagnostics *diagnostics; /* of the caller */
    wb_diagnostics *failures;    /* what those without a result said */
    uint64_t *work_left;         /* of "all": by the number of a method, of its share; NULL: they are named */
    size_t results;              /* that there are in the end */
    wb_status limit;             /* WB_ERR_LIMIT where a named search gave only what it had found */
    wb_status failed;            /* of those without a result: WB_ERR_DECLINED before others */
};

/* Begins a run, which outcome_end ends and which must not move between them. `watch` may be NULL. */
wb_status outcome_begin(struct outcome_run *run, const wb_watch *watch, wb_diagnostics *diagnostics);

/* The first error among the messages of a method, to be kept in the analysis; "out of memory" when there is
 * no room for it. */
const char *outcome_reason(struct wb_analysis *analysis, const wb_diagnostics *messages);

/* Keeps that a method or policy has no result (wb_declined). What it said before is replaced. */
wb_status outcome_decline(struct wb_analysis *analysis, const char *method, wb_status status,
                          const char *reason);

/* One of them came to `status` and left `messages`, which are freed: where it has no result, that is kept in
 * the analysis under its name. Returns an error only when memory is exhausted. */
wb_status outcome_of(struct outcome_run *run, struct wb_analysis *analysis, const char *method,
                     wb_status status, wb_diagnostics *messages);

/* What the run came to: WB_OK when there is any result and nothing was stopped. */
wb_status outcome_end(struct outcome_run *run);

#endif

#include "bound/analysis/analysis_outcome.h"

#include <string.h>

static bool ask_and_note(void *user, const char *stage, uint64_t done, uint64_t total) {
    struct outcome_run *run = user;
    if (!run->stopped) run->stopped = !run->asked->poll(run->asked->user, stage, done, total);
    return !run->stopped;
}

wb_status outcome_begin(struct outcome_run *run, const wb_watch *watch, wb_diagnostics *diagnostics) {
    *run = (struct outcome_run){.diagnostics = diagnostics, .asked = watch};
    if (watch != NULL && watch->poll != NULL) run->watch = (wb_watch){.poll = ask_and_note, .user = run};
    run->failures = wb_diagnostics_new();
    return run->failures == NULL ? analysis_no_memory(diagnostics) : WB_OK;
}

const char *outcome_reason(struct wb_analysis *analysis, const wb_diagnostics *messages) {
    size_t length;
    const char *text = diagnostics_first_error(messages, &length);
    const char *kept = arena_string(&analysis->reasons, text, length);
    return kept == NULL || length == 0 ? "out of memory" : kept;
}

wb_status outcome_decline(struct wb_analysis *analysis, const char *method, wb_status status,
                          const char *reason) {
    const wb_declined declined = {.method = method, .status = status, .reason = reason};
    for (size_t i = 0; i < analysis->declined.count; i++) {
        if (strcmp(analysis->declined.items[i].method, method) != 0) continue;
        analysis->declined.items[i] = declined;
        return WB_OK;
    }
    return vec_push(&analysis->declined, declined);
}

wb_status outcome_of(struct outcome_run *run, struct wb_analysis *analysis, const char *method,
                     wb_status status, wb_diagnostics *messages) {
    wb_status kept = WB_OK;
    if (status == WB_ERR_LIMIT && wb_diagnostics_errors(messages) == 0)
        (void)diagnose_out_of_memory(messages, method);
    run->no_memory |= messages->no_memory;
    if (status == WB_OK) {
        if (messages->no_memory) wb_diagnostics_append(run->failures, messages);
        if (wb_diagnostics_errors(messages) == 0) wb_diagnostics_append(run->diagnostics, messages);
    } else {
        if (run->failed != WB_ERR_DECLINED) run->failed = status;
        if (status != WB_ERR_LIMIT) status = WB_ERR_DECLINED;
        if (strstr(wb_diagnostics_text(run->failures), wb_diagnostics_text(messages)) == NULL)
            wb_diagnostics_append(run->failures, messages); /* several may say the same of a block */
        kept = outcome_decline(analysis, method, status, outcome_reason(analysis, messages));
    }
    wb_diagnostics_free(messages);
    return kept == WB_OK ? WB_OK : analysis_no_memory(run->diagnostics);
}

wb_status outcome_end(struct outcome_run *run) {
    wb_status status = run->stopped || run->no_memory ? WB_ERR_LIMIT : run->limit;
    const bool none = run->results == 0;
    if (none && status == WB_OK) status = run->failed;
    if (none || run->stopped || run->no_memory) wb_diagnostics_append(run->diagnostics, run->failures);
    wb_diagnostics_free(run->failures);
    return status;
}

#include "method/run.h"

#include <assert.h>
#include <string.h>

void method_log_free(struct method_log *log) {
    vec_free(&log->declined);
    arena_free(&log->texts);
}

wb_status method_decline(struct method_log *log, const char *method, wb_status status, const char *reason) {
    const wb_declined declined = {.method = method, .status = status, .reason = reason};
    for (size_t i = 0; i < log->declined.count; i++) {
        if (strcmp(log->declined.items[i].method, method) != 0) continue;
        log->declined.items[i] = declined;
        return WB_OK;
    }
    return vec_push(&log->declined, declined);
}

const char *method_reason(struct method_log *log, const wb_diagnostics *messages) {
    size_t length;
    const char *text = diagnostics_first_error(messages, &length);
    const char *kept = arena_string(&log->texts, text, length);
    return kept == NULL || length == 0 ? "out of memory" : kept;
}

void *method_place(uint64_t *done, size_t index, void *items, size_t *count, size_t size) {
    const uint64_t bit = UINT64_C(1) << index;
    assert(index < METHODS_MAX && (*done & bit) == 0);
    const size_t place = (size_t)__builtin_popcountll(*done & (bit - 1));
    assert(place <= *count);
    char *slot = (char *)items + place * size;
    memmove(slot + size, slot, (*count - place) * size);
    *done |= bit;
    ++*count;
    return slot;
}

static bool ask_and_note(void *user, const char *stage, uint64_t done, uint64_t total) {
    struct method_run *run = user;
    if (!run->stopped) run->stopped = !run->asked->poll(run->asked->user, stage, done, total);
    return !run->stopped;
}

wb_status method_run_begin(struct method_run *run, const char *where, const wb_watch *watch,
                           wb_diagnostics *diagnostics) {
    *run = (struct method_run){.where = where, .diagnostics = diagnostics, .asked = watch};
    if (watch != NULL && watch->poll != NULL) run->watch = (wb_watch){.poll = ask_and_note, .user = run};
    run->failures = wb_diagnostics_new();
    return run->failures == NULL ? diagnose_out_of_memory(diagnostics, where) : WB_OK;
}

wb_status method_run_chosen(struct method_run *run, uint64_t chosen, const uint64_t *done, method_ask ask,
                            void *user) {
    run->results += (size_t)__builtin_popcountll(chosen & *done);
    chosen &= ~*done;
    for (size_t i = 0; i < METHODS_MAX; i++)
        if (chosen >> i & 1) WB_TRY(ask(user, i, run));
    return WB_OK;
}

/* A method has a result: what it says is of interest unless it is the limit of "all". */
static void note_result(struct method_run *run, const struct method_outcome *outcome,
                        wb_diagnostics *messages) {
    const bool limited = outcome->status == WB_ERR_LIMIT;
    if (limited && outcome->named) run->limit = WB_ERR_LIMIT;
    if (messages->no_memory || messages->stuck) wb_diagnostics_append(run->failures, messages);
    if (limited ? outcome->named || run->stopped : wb_diagnostics_errors(messages) == 0)
        wb_diagnostics_append(run->diagnostics, messages);
}

static wb_status note_failure(struct method_run *run, struct method_log *log,
                              const struct method_outcome *outcome, wb_diagnostics *messages) {
    if (run->failed != WB_ERR_DECLINED) run->failed = outcome->status;
    if (strstr(wb_diagnostics_text(run->failures), wb_diagnostics_text(messages)) == NULL)
        wb_diagnostics_append(run->failures, messages); /* several may say the same of a block */
    return method_decline(log, outcome->method,
                          outcome->status == WB_ERR_LIMIT ? WB_ERR_LIMIT : WB_ERR_DECLINED,
                          method_reason(log, messages));
}

wb_status method_run_note(struct method_run *run, struct method_log *log,
                          const struct method_outcome *outcome, wb_diagnostics *messages) {
    wb_status kept = WB_OK;
    if (outcome->status == WB_ERR_LIMIT && !outcome->has_result && wb_diagnostics_errors(messages) == 0)
        (void)diagnose_out_of_memory(messages, outcome->method);
    run->no_memory |= messages->no_memory;
    run->stuck |= messages->stuck;
    run->results += outcome->has_result;
    if (outcome->status == WB_OK || outcome->has_result)
        note_result(run, outcome, messages);
    else
        kept = note_failure(run, log, outcome, messages);
    wb_diagnostics_free(messages);
    return kept == WB_OK ? WB_OK : diagnose_out_of_memory(run->diagnostics, run->where);
}

wb_status method_run_end(struct method_run *run) {
    wb_status status = run->stopped || run->no_memory ? WB_ERR_LIMIT : run->limit;
    const bool none = run->results == 0;
    if (none && status == WB_OK) status = run->failed;
    if (run->stuck) status = WB_ERR_INPUT;
    if (none || run->stopped || run->no_memory || run->stuck)
        wb_diagnostics_append(run->diagnostics, run->failures);
    wb_diagnostics_free(run->failures);
    return status;
}

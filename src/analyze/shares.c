/* A kernel on some of its machine's SMs, as if there were no others: each is an analysis of its own, of the
 * same grid. A machine states an SM's share of the memory behind it, so that so many SMs have so many shares.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/request.h"
#include "bound/analysis/analysis.h"

/* ---- The list: "1..8,16" ------------------------------------------------------------------------------- */

static wb_status add_numbers(struct scanner *scanner, uint32_t first, uint32_t last,
                             struct request *request) {
    for (uint32_t sms = first; sms <= last; sms++) {
        if (request->share_count == SHARES_MAX)
            return scan_fail(scanner, "more than %u numbers of SMs", SHARES_MAX);
        request->shares[request->share_count++] = sms;
    }
    return WB_OK;
}

static wb_status read_list(struct scanner *scanner, uint32_t most, struct request *request) {
    uint32_t first, last = 0;
    do {
        const uint32_t before = last;
        WB_TRY(scan_u32(scanner, "number of SMs", 1, most, &first));
        last = first;
        if (scan_accept(scanner, '.')) {
            WB_TRY(scan_expect(scanner, '.'));
            WB_TRY(scan_u32(scanner, "number of SMs", 1, most, &last));
        }
        if (first <= before || last < first) return scan_fail(scanner, "numbers of SMs have to rise");
        WB_TRY(add_numbers(scanner, first, last, request));
    } while (scan_accept(scanner, ','));
    return scan_at_end(scanner) ? WB_OK : scan_fail(scanner, "expected ',' or the end of the list");
}

wb_status request_read_shares(struct request *request, wb_diagnostics *diagnostics) {
    const char *list = request->asked.sms;
    if (list == NULL) return WB_OK;
    if (request->asked.one_block || request->asked.scheme != NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, "sms",
                 "some of the SMs are for whole kernels, without --scheme");
        return WB_ERR_INPUT;
    }
    struct scanner scanner = {.text = list,
                              .size = strlen(list),
                              .skips = SCAN_SPACES,
                              .subject = {.where = "sms"},
                              .diagnostics = diagnostics};
    return read_list(&scanner, request->machine->memory.sms, request);
}

/* ---- Each of them -------------------------------------------------------------------------------------- */

/* The same with the data that was given, beside covering paths. */
static wb_status add_given(const struct request *request, const struct wb_analysis *given, wb_analysis *made,
                           wb_diagnostics *diagnostics) {
    WB_TRY(analysis_new_given(given->owned.grid, analysis_executed(made), &request->asked.watch, diagnostics,
                              &made->owned.given));
    analysis_set_given(made, made->owned.given);
    return WB_OK;
}

/* Makes what `whole` is on `machine`, with every bound and simulation that it has, as wb_analyze does. The
 * grids stay those of `whole`, and are lent to steps that ask for them. */
static wb_status make_share(const struct request *request, const struct wb_analysis *whole,
                            wb_analysis **made, wb_diagnostics *diagnostics) {
    const struct wb_analysis *given = whole->owned.given;
    const bool zeros = given != NULL && analysis_has_zeros(given);
    wb_status status = WB_OK;
    (*made)->owned.grid = whole->owned.grid;
    if (given != NULL && !zeros) status = add_given(request, given, *made, diagnostics);
    if (status == WB_OK) status = request_take_lesser(request, diagnostics, made);
    if (status == WB_OK && zeros) status = add_given(request, given, *made, diagnostics);
    if (status == WB_OK) status = request_run(*made, &request->asked, diagnostics);
    (*made)->owned.grid = NULL;
    return status;
}

static wb_status analyse_share(const struct request *request, const struct wb_analysis *whole,
                               struct kernel_share *share, wb_diagnostics *messages) {
    struct wb_machine *machine = malloc(sizeof *machine);
    if (machine == NULL) return analysis_no_memory(messages);
    *machine = *machine_as_stated(whole->machine);
    machine->fills.each_access = machine->fills.each_load = false; /* request_take_lesser decides anew */
    machine->neighbours.of = u32_max(machine->neighbours.of, machine->memory.sms);
    machine->memory.sms = share->sms;
    if (machine->partition.sms > 0) machine->partition.sms = share->sms;
    wb_status status = analysis_new_kernel(whole->owned.grid, machine, NULL, &request->asked.watch, messages,
                                           &share->analysis);
    if (status != WB_OK) {
        free(machine);
        return status;
    }
    share->analysis->owned.machine = machine;
    return make_share(request, whole, &share->analysis, messages);
}

wb_status request_find_shares(const struct request *request, wb_analysis *analysis,
                              wb_diagnostics *diagnostics) {
    struct wb_diagnostics messages = {0};
    wb_status status = WB_OK;
    if (request->share_count > 0 && analysis->kind != SUBJECT_KERNEL) {
        diagnose(diagnostics, SEVERITY_ERROR, "sms", "only one block is bounded, not the kernel");
        return WB_ERR_DECLINED;
    }
    for (size_t s = 0; s < request->share_count && status == WB_OK; s++) {
        struct kernel_share share = {.sms = request->shares[s]};
        status = analyse_share(request, analysis, &share, &messages);
        if (status == WB_OK && vec_push(&analysis->shares, share) == WB_OK) continue;
        wb_analysis_free(share.analysis);
        if (status == WB_OK) status = analysis_no_memory(&messages);
    }
    request_settle(&messages, status != WB_OK, diagnostics);
    return status;
}

size_t wb_analysis_share_count(const wb_analysis *analysis) {
    return analysis->shares.count;
}

const wb_analysis *wb_analysis_share(const wb_analysis *analysis, size_t index, uint32_t *sms) {
    if (index >= analysis->shares.count) return NULL;
    *sms = analysis->shares.items[index].sms;
    return analysis->shares.items[index].analysis;
}

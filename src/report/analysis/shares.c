/* A kernel on some of its machine's SMs: its bound, its slowest execution and its verdict by their number. */
#include <inttypes.h>

#include "bound/analysis/verdict.h"
#include "report/analysis/analysis.h"
#include "report/parts/parts.h"

/* Where the columns start or end. */
enum { SMS_END = 4, BOUND_END = 16, SLOWEST_END = 30, STATE_START = 33 };

/* Where nothing that holds for all of them is wrong. */
static bool are_shown(const struct wb_analysis *analysis, const wb_verdict *verdict) {
    return analysis->shares.count > 0 && verdict->refuted == NULL && verdict->state != WB_CONTRADICTION;
}

static void put_time(struct sheet *table, const struct wb_analysis *analysis, uint64_t time) {
    if (time > 0)
        report_time_cell(table, analysis->machine->clock_mhz, time);
    else
        sheet_text(table, "-");
}

static void put_row(struct sheet *table, const struct kernel_share *share, const wb_verdict *verdict) {
    sheet_count(table, share->sms);
    put_time(table, share->analysis, verdict->is_bounded ? verdict_time(verdict) : 0);
    put_time(table, share->analysis, verdict->slowest.cycles);
    if (verdict->has_deadline) sheet_text(table, wb_state_name(verdict->state));
    sheet_end_row(table);
}

/* The number of SMs from which on every one in the list meets the deadline; 0: there is none. */
static uint32_t least_that_meets(const struct wb_analysis *analysis, const wb_report_options *options) {
    uint32_t least = 0;
    for (size_t s = analysis->shares.count; s-- > 0;) {
        const wb_verdict verdict = verdict_of(analysis->shares.items[s].analysis, options);
        if (verdict.state != WB_MET && verdict.state != WB_MODEL_ONLY) break;
        least = analysis->shares.items[s].sms;
    }
    return least;
}

static void put_least(struct text *out, const struct wb_analysis *analysis, const char *model,
                      const wb_report_options *options) {
    const uint32_t least = least_that_meets(analysis, options);
    if (!options->has_deadline) return;
    if (least == 0)
        text_printf(out, "none of these numbers of SMs meets the deadline%s\n", model);
    else
        text_printf(out, "%" PRIu32 " SM%s meet%s the deadline%s, and so do more in this list\n", least,
                    least == 1 ? "" : "s", least == 1 ? "s" : "", model);
}

void shares_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                const wb_report_options *options) {
    const wb_verdict whole = verdict_of(analysis, options);
    const char *model = whole.model == WB_MODEL_NONE ? "" : " in the PTX model";
    struct sheet table = {.layout = layout};
    if (!are_shown(analysis, &whole)) return;
    text_char(out, '\n');
    layout_printf(out, layout, 0, "on some of the SMs%s, %s (each SM has its share of memory's rate)", model,
                  analysis->machine->neighbours.stated ? "beside the stated neighbours"
                                                       : "as if there were no others");
    sheet_column(&table, SHEET_RIGHT, SMS_END, "SMs");
    sheet_column(&table, SHEET_RIGHT, BOUND_END, "at most");
    sheet_column(&table, SHEET_RIGHT, SLOWEST_END, "slowest found");
    if (whole.has_deadline) sheet_column(&table, SHEET_LEFT, STATE_START, "deadline");
    sheet_row_style(&table, STYLE_BOLD);
    sheet_headings(&table);
    for (size_t s = 0; s < analysis->shares.count; s++) {
        const wb_verdict verdict = verdict_of(analysis->shares.items[s].analysis, options);
        put_row(&table, &analysis->shares.items[s], &verdict);
    }
    sheet_close(&table, out);
    put_least(out, analysis, model, options);
}

void shares_json(struct json *json, const struct wb_analysis *analysis, const wb_report_options *options) {
    const wb_verdict whole = verdict_of(analysis, options);
    if (!are_shown(analysis, &whole)) return;
    json_open_array(json, "shares");
    for (size_t s = 0; s < analysis->shares.count; s++) {
        const struct kernel_share *share = &analysis->shares.items[s];
        const wb_verdict verdict = verdict_of(share->analysis, options);
        const uint64_t time = verdict_time(&verdict);
        json_put_object(json, NULL, "sms %u, state %s, upper %*" PRIu64 ", slowest %*" PRIu64, share->sms,
                        wb_state_name(verdict.state), verdict.is_bounded, time, verdict.slowest.cycles > 0,
                        verdict.slowest.cycles);
    }
    json_close(json);
}

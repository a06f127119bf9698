/* A schedule as a table: one line per issued instruction, in the order of issue, of a grid then of SMs. */
#include <stdlib.h>

#include "report/schedule/schedule.h"
#include "report/write/output.h"

static void begin_table(struct schedule_report *report, struct sheet *table) {
    const struct wb_machine *machine = report->schedule->machine;
    const wb_schedule_info *info = &report->schedule->info;
    const bool is_grid = schedule_is_grid(report);
    const uint32_t more = is_grid ? 14 : 0; /* room for SM and block */
    schedule_put_origin(&report->out, info);
    text_printf(&report->out, "machine %s, %u warps%s; times in cycles\n", machine->name, info->warp_count,
                is_grid ? " a block" : "");
    sheet_column(table, SHEET_RIGHT, 10, "issue");
    if (is_grid) sheet_column(table, SHEET_RIGHT, 15, "SM");
    if (is_grid) sheet_column(table, SHEET_RIGHT, 24, "block");
    sheet_column(table, SHEET_RIGHT, 16 + more, "warp");
    sheet_column(table, SHEET_LEFT, 18 + more, "unit");
    for (uint32_t u = 0; u < schedule_unit_count(machine); u++) {
        struct text longest = {0};
        schedule_put_unit(&longest, machine, u, machine->sub_cores - 1, schedule_unit(machine, u)->count - 1);
        sheet_expect(table, is_grid ? 4 : 2, longest.length);
        text_free(&longest);
    }
    sheet_column(table, SHEET_RIGHT, 44 + more, "start");
    sheet_column(table, SHEET_RIGHT, 55 + more, "free");
    sheet_column(table, SHEET_RIGHT, 66 + more, "result");
    sheet_column(table, SHEET_RIGHT, 76 + more, "step");
    sheet_column(table, SHEET_LEFT, 78 + more, "instruction");
    sheet_headings(table);
}

static void put_issue(struct schedule_report *report, struct sheet *table, const wb_issue *issue) {
    sheet_count(table, issue->issue);
    if (schedule_is_grid(report)) {
        sheet_count(table, issue->sm);
        sheet_count(table, issue->block);
    }
    sheet_count(table, issue->warp);
    schedule_put_unit(sheet_begin_cell(table), report->schedule->machine, issue->unit, issue->sub_core,
                      issue->instance);
    sheet_end_cell(table, false);
    sheet_count(table, issue->start);
    sheet_count(table, issue->free);
    sheet_count(table, issue->ready);
    sheet_count(table, issue->step);
    schedule_put_opcode(sheet_begin_cell(table), report, issue->instruction);
    sheet_end_cell(table, false);
    sheet_end_row(table);
    sheet_print(table, &report->out);
}

/* By time; equal times in the order in which the SM issued. */
static int by_time(const void *a, const void *b) {
    const wb_issue *left = *(const wb_issue *const *)a, *right = *(const wb_issue *const *)b;
    if (left->issue != right->issue) return left->issue < right->issue ? -1 : 1;
    return (left > right) - (left < right);
}

wb_status schedule_write_table(struct schedule_report *report) {
    size_t count;
    const wb_issue *issues = wb_schedule_issues(report->schedule, &count);
    const wb_issue **sorted = malloc((count + 1) * sizeof(const wb_issue *));
    struct sheet table = {0};
    if (sorted == NULL) return WB_ERR_LIMIT;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &issues[i];
    qsort(sorted, count, sizeof(const wb_issue *), by_time);
    begin_table(report, &table);
    wb_status status = WB_OK;
    for (size_t i = 0; i < count && status == WB_OK; i++) {
        put_issue(report, &table, sorted[i]);
        status = report_flush(&report->out, report->writer, false);
    }
    sheet_print(&table, &report->out);
    sheet_close(&table, &report->out);
    free(sorted);
    return status;
}

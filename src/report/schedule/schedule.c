/* The schedule of one simulation of a block; and, of that and of a grid's, the table: one line per issued
 * instruction, in the order of issue. */
#include "report/schedule/schedule.h"

#include "sim/gpu/simulator.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/names.h"
#include "report/write/output.h"

void schedule_put_unit(struct text *out, const struct wb_machine *machine, uint32_t unit, uint32_t sub_core,
                       uint32_t instance) {
    const struct machine_unit *described = &machine->units[unit];
    assert(unit < machine->unit_count && instance < described->count);
    text_string(out, described->name);
    if (machine->sub_cores > 1 && !described->shared) text_printf(out, ".%u", sub_core);
    if (described->count > 1) text_printf(out, "#%u", instance);
}

const char *schedule_opcode(const struct schedule_report *report, uint32_t instruction) {
    const struct ptx_function *function;
    uint32_t origin = timed_origin(report->code, instruction);
    if (report->grid != NULL) return grid_inst(report->grid, origin, NULL)->form->text;
    return report->block == NULL ? "" : block_inst(report->block, origin, &function)->form->text;
}

wb_status schedule_refuse_length(wb_diagnostics *diagnostics, const char *origin) {
    diagnose(diagnostics, SEVERITY_ERROR, origin,
             "the schedule has more than %" PRIu64 " instructions; choose a smaller launch",
             SCHEDULE_EVENTS_MAX);
    return WB_ERR_LIMIT;
}

/* What the simulation hands its events to. */
struct schedule_user {
    struct schedule_report *report;
    const struct schedule_writer *writer;
};

static wb_status schedule_event(void *user, const struct sim_event *event) {
    const struct schedule_user *schedule = user;
    struct schedule_report *report = schedule->report;
    if (report->events++ < SCHEDULE_EVENTS_MAX) return schedule->writer->event(report, 0, event);
    return schedule_refuse_length(report->diagnostics, report->policy);
}

static wb_status schedule_write(struct schedule_report *report, const struct schedule_writer *writer,
                                const struct timed_block *timed, const struct sim_policy *policy) {
    struct schedule_user user = {report, writer};
    const struct sim_sink sink = {.event = schedule_event, .user = &user};
    wb_simulation simulation;
    WB_TRY(writer->begin(report));
    WB_TRY(simulate(timed, policy, &sink, NULL, report->diagnostics, &simulation));
    return writer->end(report);
}

static const struct schedule_writer *schedule_writer_of(wb_schedule_format format) {
    switch (format) {
    case WB_SCHEDULE_TRACE: return &schedule_trace;
    case WB_SCHEDULE_SVG: return &schedule_svg;
    case WB_SCHEDULE_TEXT: break;
    }
    return &schedule_table;
}

wb_status wb_schedule_report(const wb_analysis *analysis, const char *policy, wb_schedule_format format,
                             wb_diagnostics *diagnostics, char **text) {
    uint64_t chosen;
    WB_TRY(choose_names("policy", policy, wb_policy_name, diagnostics, &chosen));
    if (__builtin_popcountll(chosen) != 1) {
        diagnose(diagnostics, SEVERITY_ERROR, "policy", "a schedule is that of one policy, not of '%s'",
                 policy);
        return WB_ERR_INPUT;
    }
    if (analysis->kind == SUBJECT_ABSTRACT_WARPS) {
        diagnose(diagnostics, SEVERITY_ERROR, analysis->abstract.name,
                 "abstract warps cannot be simulated: they have no instructions");
        return WB_ERR_DECLINED;
    }
    if (analysis->longest != NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, analysis->machine->name,
                 "a schedule is that of one block, not of a grid");
        return WB_ERR_DECLINED;
    }
    if (analysis_has_caches(analysis) || analysis->kind == SUBJECT_CONTENDED_BLOCK) {
        diagnose(diagnostics, SEVERITY_ERROR, analysis->machine->name,
                 "on a machine with %s completions are not known at the issue: no schedule is written (%s)",
                 analysis_has_caches(analysis) ? "caches" : "a memory that all SMs share",
                 analysis_has_caches(analysis)
                     ? "--memory requests leaves the caches out, --scheme simulates the grid with them"
                     : "--set service=0 leaves waiting for it out");
        return WB_ERR_DECLINED;
    }
    const struct sim_policy *simulated = policy_at((size_t)__builtin_ctzll(chosen));
    struct schedule_report report = {.machine = analysis->timed->machine,
                                     .code = &analysis->timed->code,
                                     .block = analysis->block,
                                     .policy = simulated->name,
                                     .warp_count = analysis->timed->warp_count,
                                     .diagnostics = diagnostics};
    wb_status status = schedule_write(&report, schedule_writer_of(format), analysis->timed, simulated);
    vec_free(&report.kept);
    sheet_close(&report.table, &report.out);
    return report_take(status, &report.out, diagnostics, text);
}

static wb_status table_begin(struct schedule_report *report) {
    const struct wb_machine *machine = report->machine;
    const bool is_grid = report->grid != NULL;
    const uint32_t more = is_grid ? 14 : 0; /* room for SM and block */
    struct sheet *table = &report->table;
    if (is_grid) text_printf(&report->out, "scheme %s, ", report->scheme);
    text_printf(&report->out, "policy %s, machine %s, %u warps%s; times in cycles\n", report->policy,
                machine->name, report->warp_count, is_grid ? " a block" : "");
    sheet_column(table, SHEET_RIGHT, 10, "issue");
    if (is_grid) sheet_column(table, SHEET_RIGHT, 15, "SM");
    if (is_grid) sheet_column(table, SHEET_RIGHT, 24, "block");
    sheet_column(table, SHEET_RIGHT, 16 + more, "warp");
    sheet_column(table, SHEET_LEFT, 18 + more, "unit");
    for (uint32_t u = 0; u < machine->unit_count; u++) {
        struct text longest = {0};
        schedule_put_unit(&longest, machine, u, machine->sub_cores - 1, machine->units[u].count - 1);
        sheet_expect(table, is_grid ? 4 : 2, longest.length);
        text_free(&longest);
    }
    sheet_column(table, SHEET_RIGHT, 44 + more, "start");
    sheet_column(table, SHEET_RIGHT, 55 + more, "free");
    sheet_column(table, SHEET_RIGHT, 66 + more, "result");
    sheet_column(table, SHEET_RIGHT, 76 + more, "step");
    sheet_column(table, SHEET_LEFT, 78 + more, "instruction");
    sheet_headings(table);
    return WB_OK;
}

static wb_status table_event(struct schedule_report *report, uint32_t sm, const struct sim_event *event) {
    struct sheet *table = &report->table;
    const char *opcode = schedule_opcode(report, event->instruction);
    sheet_count(table, event->issue);
    if (report->grid != NULL) {
        sheet_count(table, sm);
        sheet_count(table, event->block);
    }
    sheet_count(table, event->warp);
    schedule_put_unit(sheet_begin_cell(table), report->machine, event->unit, event->sub_core,
                      event->instance);
    sheet_end_cell(table, false);
    sheet_count(table, event->start);
    sheet_count(table, event->init_end);
    sheet_count(table, event->completion);
    sheet_count(table, event->step);
    if (opcode[0] != '\0')
        sheet_text(table, opcode);
    else
        sheet_printf(table, "#%u", event->instruction);
    sheet_end_row(table);
    sheet_print(table, &report->out);
    return WB_OK;
}

static wb_status table_end(struct schedule_report *report) {
    sheet_print(&report->table, &report->out);
    return WB_OK;
}

const struct schedule_writer schedule_table = {table_begin, table_event, table_end};

/* A schedule as Chrome trace events (the JSON object format), which Perfetto and chrome://tracing open: a row
 * per warp that shows its issue slots, and a row per unit instance that shows what it initiates. One
 * microsecond of the viewer is one cycle. */
#include <jansson.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/json_parts.h"
#include "report/schedule_report.h"

/* Processes of the trace: the viewer shows each as a group of rows. */
enum { TRACE_WARPS = 1, TRACE_UNITS = 2 };

static wb_status trace_status(const struct schedule_report *report) {
    return report->out.failed ? diagnose_out_of_memory(report->diagnostics, report->policy->name) : WB_OK;
}

/* Appends one event, which it frees; `first` has no comma before it. */
static wb_status trace_put(struct schedule_report *report, json_t *event, bool first) {
    text_string(&report->out, first ? "\n" : ",\n");
    json_write(event, JSON_COMPACT, &report->out);
    return trace_status(report);
}

/* The name of a group of rows, or of one row. */
static wb_status trace_name(struct schedule_report *report, const char *what, int process, json_int_t row,
                            const char *name, bool first) {
    return trace_put(report,
                     json_pack("{s:s, s:s, s:i, s:I, s:{s:o}}", "name", what, "ph", "M", "pid", process,
                               "tid", row, "args", "name", json_text(name)),
                     first);
}

/* The row of a unit instance: rows are numbered through units, sub-cores and instances. */
static json_int_t trace_unit_row(const struct wb_machine *machine, uint32_t unit, uint32_t sub_core,
                                 uint32_t instance) {
    json_int_t row = 0;
    for (uint32_t u = 0; u < unit; u++)
        row += (json_int_t)machine->units[u].count * machine->sub_cores;
    uint32_t set = machine->units[unit].shared ? 0 : sub_core;
    return row + (json_int_t)set * machine->units[unit].count + instance;
}

/* The rows of all instances of one unit. */
static wb_status trace_name_unit(struct schedule_report *report, uint32_t unit) {
    const struct wb_machine *machine = report->analysis->timed->machine;
    uint32_t sets = machine->units[unit].shared ? 1 : machine->sub_cores;
    for (uint32_t s = 0; s < sets; s++) {
        for (uint32_t i = 0; i < machine->units[unit].count; i++) {
            struct text name = {0};
            schedule_put_unit(&name, machine, unit, s, i);
            char *taken = text_take(&name);
            if (taken == NULL) return diagnose_out_of_memory(report->diagnostics, report->policy->name);
            wb_status status = trace_name(report, "thread_name", TRACE_UNITS,
                                          trace_unit_row(machine, unit, s, i), taken, false);
            free(taken);
            WB_TRY(status);
        }
    }
    return WB_OK;
}

static wb_status trace_begin(struct schedule_report *report) {
    const struct timed_block *timed = report->analysis->timed;
    text_string(&report->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    WB_TRY(trace_name(report, "process_name", TRACE_WARPS, 0, "warps (issue)", true));
    WB_TRY(trace_name(report, "process_name", TRACE_UNITS, 0, "units (initiation)", false));
    for (uint32_t w = 0; w < timed->warp_count; w++) {
        char name[32];
        (void)text_format(name, sizeof name, "warp %u", w);
        WB_TRY(trace_name(report, "thread_name", TRACE_WARPS, w, name, false));
    }
    for (uint32_t u = 0; u < timed->machine->unit_count; u++)
        WB_TRY(trace_name_unit(report, u));
    return WB_OK;
}

/* The slot that an instruction takes in its warp's row. */
static json_t *trace_issue(const struct schedule_report *report, const struct sim_event *event,
                           const char *name) {
    const struct machine_unit *unit = &report->analysis->timed->machine->units[event->unit];
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:I, s:i, s:{s:I, s:i, s:s, s:I, s:I}}", "name", name, "cat",
                     "issue", "ph", "X", "pid", TRACE_WARPS, "tid", (int)event->warp, "ts",
                     (json_int_t)event->issue, "dur", 1, "args", "step", (json_int_t)event->step, "sub_core",
                     (int)event->sub_core, "unit", unit->name, "start", (json_int_t)event->start, "result",
                     (json_int_t)event->completion);
}

/* The time that it keeps its unit busy. */
static json_t *trace_initiation(const struct schedule_report *report, const struct sim_event *event,
                                const char *name) {
    const struct wb_machine *machine = report->analysis->timed->machine;
    json_int_t row = trace_unit_row(machine, event->unit, event->sub_core, event->instance);
    return json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:{s:i, s:I, s:I}}", "name", name, "cat",
                     "initiation", "ph", "X", "pid", TRACE_UNITS, "tid", row, "ts", (json_int_t)event->start,
                     "dur", (json_int_t)(event->init_end - event->start), "args", "warp", (int)event->warp,
                     "step", (json_int_t)event->step, "result", (json_int_t)event->completion);
}

static wb_status trace_event(struct schedule_report *report, const struct sim_event *event) {
    const char *name = schedule_opcode(report->analysis, event->instruction);
    char number[16];
    if (name[0] == '\0') {
        (void)text_format(number, sizeof number, "#%u", event->instruction);
        name = number;
    }
    WB_TRY(trace_put(report, trace_issue(report, event, name), false));
    return trace_put(report, trace_initiation(report, event, name), false);
}

static wb_status trace_end(struct schedule_report *report) {
    const struct wb_machine *machine = report->analysis->timed->machine;
    json_t *about =
        json_pack("{s:o, s:s}", "machine", json_text(machine->name), "policy", report->policy->name);
    text_string(&report->out, "\n],\"otherData\":");
    json_write(about, JSON_COMPACT, &report->out);
    text_string(&report->out, "}\n");
    return trace_status(report);
}

const struct schedule_writer schedule_trace = {trace_begin, trace_event, trace_end};

/* A schedule as Chrome trace events (the JSON object format), which Perfetto and chrome://tracing open: a row
 * per warp that shows its issue slots, and a row per unit instance that shows what it initiates. One
 * microsecond of the viewer is one cycle. */
#include <jansson.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/schedule/schedule.h"
#include "report/write/json.h"

/* Kinds of processes of the trace: the viewer shows each as a group of rows. */
enum { TRACE_WARPS = 1, TRACE_UNITS = 2 };

static wb_status trace_status(const struct schedule_report *report) {
    return report->out.failed ? diagnose_out_of_memory(report->diagnostics, report->policy) : WB_OK;
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

/* The process of a kind of rows of an SM. */
static int trace_process(uint32_t sm, int kind) {
    return (int)(2 * sm) + kind;
}

/* The row of a warp: warps of different blocks are told apart by their slots. */
static json_int_t trace_warp_row(const struct schedule_report *report, uint32_t slot, uint32_t warp) {
    return report->grid == NULL ? warp : (json_int_t)slot * report->warp_count + warp;
}

/* Names a row, or a group of them, by a text, which is freed. */
static wb_status trace_name_taken(struct schedule_report *report, const char *what, int process,
                                  json_int_t row, struct text *name, bool first) {
    char *taken = text_take(name);
    if (taken == NULL) return diagnose_out_of_memory(report->diagnostics, report->policy);
    wb_status status = trace_name(report, what, process, row, taken, first);
    free(taken);
    return status;
}

/* The rows of all instances of one unit of an SM. */
static wb_status trace_name_unit(struct schedule_report *report, uint32_t sm, uint32_t unit) {
    const struct wb_machine *machine = report->machine;
    uint32_t sets = machine->units[unit].shared ? 1 : machine->sub_cores;
    for (uint32_t s = 0; s < sets; s++) {
        for (uint32_t i = 0; i < machine->units[unit].count; i++) {
            struct text name = {0};
            schedule_put_unit(&name, machine, unit, s, i);
            WB_TRY(trace_name_taken(report, "thread_name", trace_process(sm, TRACE_UNITS),
                                    trace_unit_row(machine, unit, s, i), &name, false));
        }
    }
    return WB_OK;
}

/* "warps (issue)", of a grid with the SM in front. */
static wb_status trace_name_process(struct schedule_report *report, uint32_t sm, int kind, const char *what) {
    struct text name = {0};
    if (report->grid != NULL) text_printf(&name, "SM %u: ", sm);
    text_string(&name, what);
    return trace_name_taken(report, "process_name", trace_process(sm, kind), 0, &name,
                            sm == 0 && kind == TRACE_WARPS);
}

static wb_status trace_name_warps(struct schedule_report *report, uint32_t sm) {
    const uint32_t slots = report->grid == NULL ? 1 : report->slots;
    for (uint32_t slot = 0; slot < slots; slot++) {
        for (uint32_t w = 0; w < report->warp_count; w++) {
            struct text name = {0};
            if (report->grid != NULL) text_printf(&name, "slot %u ", slot);
            text_printf(&name, "warp %u", w);
            WB_TRY(trace_name_taken(report, "thread_name", trace_process(sm, TRACE_WARPS),
                                    trace_warp_row(report, slot, w), &name, false));
        }
    }
    return WB_OK;
}

static wb_status trace_begin(struct schedule_report *report) {
    const uint32_t sms = report->grid == NULL ? 1 : report->sms;
    text_string(&report->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (uint32_t sm = 0; sm < sms; sm++) {
        WB_TRY(trace_name_process(report, sm, TRACE_WARPS, "warps (issue)"));
        WB_TRY(trace_name_process(report, sm, TRACE_UNITS, "units (initiation)"));
        WB_TRY(trace_name_warps(report, sm));
        for (uint32_t u = 0; u < report->machine->unit_count; u++)
            WB_TRY(trace_name_unit(report, sm, u));
    }
    return WB_OK;
}

/* The slot that an instruction takes in its warp's row. */
static json_t *trace_issue(const struct schedule_report *report, uint32_t sm, const struct sim_event *event,
                           const char *name) {
    const struct machine_unit *unit = &report->machine->units[event->unit];
    return json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:i, s:{s:I, s:i, s:s, s:I, s:I}}", "name", name, "cat",
                     "issue", "ph", "X", "pid", trace_process(sm, TRACE_WARPS), "tid",
                     trace_warp_row(report, event->slot, event->warp), "ts", (json_int_t)event->issue, "dur",
                     1, "args", "step", (json_int_t)event->step, "sub_core", (int)event->sub_core, "unit",
                     unit->name, "start", (json_int_t)event->start, "result", (json_int_t)event->completion);
}

/* The time that it keeps its unit busy. */
static json_t *trace_initiation(const struct schedule_report *report, uint32_t sm,
                                const struct sim_event *event, const char *name) {
    const struct wb_machine *machine = report->machine;
    json_int_t row = trace_unit_row(machine, event->unit, event->sub_core, event->instance);
    return json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:{s:i, s:I, s:I}}", "name", name, "cat",
                     "initiation", "ph", "X", "pid", trace_process(sm, TRACE_UNITS), "tid", row, "ts",
                     (json_int_t)event->start, "dur", (json_int_t)(event->init_end - event->start), "args",
                     "warp", (int)event->warp, "step", (json_int_t)event->step, "result",
                     (json_int_t)event->completion);
}

/* Adds the block of a grid to what is said of an event. */
static void put_block(json_t **event, uint32_t block) {
    json_t *args = json_object_get(*event, "args");
    if (json_object_set_new(args, "block", json_integer(block)) == 0) return;
    json_decref(*event);
    *event = NULL;
}

static wb_status trace_event(struct schedule_report *report, uint32_t sm, const struct sim_event *event) {
    const char *name = schedule_opcode(report, event->instruction);
    char number[16];
    if (name[0] == '\0') {
        (void)text_format(number, sizeof number, "#%u", event->instruction);
        name = number;
    }
    json_t *issue = trace_issue(report, sm, event, name);
    json_t *initiation = trace_initiation(report, sm, event, name);
    if (report->grid != NULL) {
        put_block(&issue, event->block);
        put_block(&initiation, event->block);
    }
    wb_status status = trace_put(report, issue, false);
    if (status == WB_OK) return trace_put(report, initiation, false);
    json_decref(initiation);
    return status;
}

static wb_status trace_end(struct schedule_report *report) {
    json_t *about =
        json_pack("{s:o, s:s}", "machine", json_text(report->machine->name), "policy", report->policy);
    if (report->grid != NULL) json_put(&about, "scheme", json_string(report->scheme));
    text_string(&report->out, "\n],\"otherData\":");
    json_write(about, JSON_COMPACT, &report->out);
    text_string(&report->out, "}\n");
    return trace_status(report);
}

const struct schedule_writer schedule_trace = {trace_begin, trace_event, trace_end};

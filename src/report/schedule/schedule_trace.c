/* A schedule as Chrome trace events (the JSON object format), which Perfetto and chrome://tracing open: a row
 * per warp that shows its issue slots, and a row per unit instance that shows what it initiates. One
 * microsecond of the viewer is one cycle. */
#include "report/schedule/schedule.h"
#include "report/write/json.h"

/* Kinds of processes of the trace: the viewer shows each as a group of rows. */
enum { TRACE_WARPS = 1, TRACE_UNITS = 2 };

static wb_status trace_status(const struct schedule_report *report) {
    return report->out.failed ? diagnose_out_of_memory(report->diagnostics, report->policy) : WB_OK;
}

/* The row of a unit instance: rows are numbered through units, sub-cores and instances. */
static uint64_t trace_unit_row(const struct wb_machine *machine, uint32_t unit, uint32_t sub_core,
                               uint32_t instance) {
    uint64_t row = 0;
    for (uint32_t u = 0; u < unit; u++)
        row += (uint64_t)machine->units[u].count * machine->sub_cores;
    uint32_t set = machine->units[unit].shared ? 0 : sub_core;
    return row + (uint64_t)set * machine->units[unit].count + instance;
}

/* The process of a kind of rows of an SM. */
static int trace_process(uint32_t sm, int kind) {
    return (int)(2 * sm) + kind;
}

/* The row of a warp: warps of different blocks are told apart by their slots. */
static uint64_t trace_warp_row(const struct schedule_report *report, uint32_t slot, uint32_t warp) {
    return report->grid == NULL ? warp : (uint64_t)slot * report->warp_count + warp;
}

/* Opens an event, on a line of its own. */
static void open_event(struct json *json, const char *name, const char *category, const char *phase,
                       int process, uint64_t row) {
    json_break(json, 0);
    json_open_object(json, NULL);
    json_put_text(json, "name", name);
    if (category != NULL) json_put_text(json, "cat", category);
    json_put_text(json, "ph", phase);
    json_put_count(json, "pid", (uint64_t)process);
    json_put_count(json, "tid", row);
}

/* Names a group of rows, or a row, by a text, which is freed. */
static void put_name(struct json *json, const char *what, int process, uint64_t row, struct text *name) {
    json->out->failed |= name->failed;
    open_event(json, what, NULL, "M", process, row);
    json_open_object(json, "args");
    json_put_text(json, "name", name->data != NULL ? name->data : "");
    json_close(json);
    json_close(json);
    text_free(name);
}

/* The rows of all instances of one unit of an SM. */
static void name_unit(struct schedule_report *report, uint32_t sm, uint32_t unit) {
    const struct wb_machine *machine = report->machine;
    const uint32_t sets = machine->units[unit].shared ? 1 : machine->sub_cores;
    for (uint32_t s = 0; s < sets; s++) {
        for (uint32_t i = 0; i < machine->units[unit].count; i++) {
            struct text name = {0};
            schedule_put_unit(&name, machine, unit, s, i);
            put_name(&report->json, "thread_name", trace_process(sm, TRACE_UNITS),
                     trace_unit_row(machine, unit, s, i), &name);
        }
    }
}

/* "warps (issue)", of a grid with the SM in front. */
static void name_process(struct schedule_report *report, uint32_t sm, int kind, const char *what) {
    struct text name = {0};
    if (report->grid != NULL) text_printf(&name, "SM %u: ", sm);
    text_string(&name, what);
    put_name(&report->json, "process_name", trace_process(sm, kind), 0, &name);
}

static void name_warps(struct schedule_report *report, uint32_t sm) {
    const uint32_t slots = report->grid == NULL ? 1 : report->slots;
    for (uint32_t slot = 0; slot < slots; slot++) {
        for (uint32_t w = 0; w < report->warp_count; w++) {
            struct text name = {0};
            if (report->grid != NULL) text_printf(&name, "slot %u ", slot);
            text_printf(&name, "warp %u", w);
            put_name(&report->json, "thread_name", trace_process(sm, TRACE_WARPS),
                     trace_warp_row(report, slot, w), &name);
        }
    }
}

static wb_status trace_begin(struct schedule_report *report) {
    const uint32_t sms = report->grid == NULL ? 1 : report->sms;
    struct json *json = &report->json;
    *json = json_begin(&report->out, JSON_ONE_LINE);
    json_open_object(json, NULL);
    json_put_text(json, "displayTimeUnit", "ns");
    json_open_array(json, "traceEvents");
    for (uint32_t sm = 0; sm < sms; sm++) {
        name_process(report, sm, TRACE_WARPS, "warps (issue)");
        name_process(report, sm, TRACE_UNITS, "units (initiation)");
        name_warps(report, sm);
        for (uint32_t u = 0; u < report->machine->unit_count; u++)
            name_unit(report, sm, u);
    }
    return trace_status(report);
}

/* What both events of an instruction end with: of a grid its block. */
static void close_event(const struct schedule_report *report, struct json *json,
                        const struct sim_event *event) {
    json_put_count(json, "result", event->completion);
    if (report->grid != NULL) json_put_count(json, "block", event->block);
    json_close(json);
    json_close(json);
}

/* The slot that an instruction takes in its warp's row. */
static void put_issue(struct schedule_report *report, uint32_t sm, const struct sim_event *event,
                      const char *name) {
    struct json *json = &report->json;
    open_event(json, name, "issue", "X", trace_process(sm, TRACE_WARPS),
               trace_warp_row(report, event->slot, event->warp));
    json_put_count(json, "ts", event->issue);
    json_put_count(json, "dur", 1);
    json_open_object(json, "args");
    json_put_count(json, "step", event->step);
    json_put_count(json, "sub_core", event->sub_core);
    json_put_text(json, "unit", report->machine->units[event->unit].name);
    json_put_count(json, "start", event->start);
    close_event(report, json, event);
}

/* The time that it keeps its unit busy. */
static void put_initiation(struct schedule_report *report, uint32_t sm, const struct sim_event *event,
                           const char *name) {
    struct json *json = &report->json;
    open_event(json, name, "initiation", "X", trace_process(sm, TRACE_UNITS),
               trace_unit_row(report->machine, event->unit, event->sub_core, event->instance));
    json_put_count(json, "ts", event->start);
    json_put_count(json, "dur", event->init_end - event->start);
    json_open_object(json, "args");
    json_put_count(json, "warp", event->warp);
    json_put_count(json, "step", event->step);
    close_event(report, json, event);
}

static wb_status trace_event(struct schedule_report *report, uint32_t sm, const struct sim_event *event) {
    const char *name = schedule_opcode(report, event->instruction);
    char number[16];
    if (name[0] == '\0') {
        (void)text_format(number, sizeof number, "#%u", event->instruction);
        name = number;
    }
    put_issue(report, sm, event, name);
    put_initiation(report, sm, event, name);
    return trace_status(report);
}

static wb_status trace_end(struct schedule_report *report) {
    struct json *json = &report->json;
    json_break(json, 0);
    json_close(json);
    json_open_object(json, "otherData");
    json_put_text(json, "machine", report->machine->name);
    json_put_text(json, "policy", report->policy);
    if (report->grid != NULL) json_put_text(json, "scheme", report->scheme);
    json_close(json);
    json_close(json);
    text_char(&report->out, '\n');
    return trace_status(report);
}

const struct schedule_writer schedule_trace = {trace_begin, trace_event, trace_end};

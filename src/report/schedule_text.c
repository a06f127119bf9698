/* A schedule as a table: one line per issued instruction, in order of issue. */
#include <inttypes.h>

#include "report/schedule_report.h"

/* Where the unit's name starts and where the times behind it start, in characters. */
enum { COLUMN_UNIT = 18, COLUMN_TIMES = 34 };

static wb_status text_begin(struct schedule_report *report) {
    const struct timed_block *timed = report->analysis->timed;
    text_printf(&report->out, "policy %s, machine %s, %u warps; times in cycles\n", report->policy->name,
                timed->machine->name, timed->warp_count);
    text_printf(&report->out, "%10s %5s", "issue", "warp");
    text_pad(&report->out, COLUMN_UNIT);
    text_string(&report->out, "unit");
    text_pad(&report->out, COLUMN_TIMES);
    text_printf(&report->out, "%10s %10s %10s %9s  %s\n", "start", "free", "result", "step", "instruction");
    return WB_OK;
}

static wb_status text_event(struct schedule_report *report, const struct sim_event *event) {
    struct text *out = &report->out;
    text_printf(out, "%10" PRIu64 " %5u", event->issue, event->warp);
    text_pad(out, COLUMN_UNIT);
    schedule_put_unit(out, report->analysis->timed->machine, event->unit, event->sub_core, event->instance);
    text_pad(out, COLUMN_TIMES);
    text_printf(out, "%10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %9" PRIu64, event->start, event->init_end,
                event->completion, event->step);
    const char *opcode = schedule_opcode(report->analysis, event->instruction);
    if (opcode[0] != '\0') {
        text_printf(out, "  %s\n", opcode);
    } else {
        text_printf(out, "  #%u\n", event->instruction);
    }
    return WB_OK;
}

static wb_status text_end(struct schedule_report *report) {
    (void)report;
    return WB_OK;
}

const struct schedule_writer schedule_text = {text_begin, text_event, text_end};

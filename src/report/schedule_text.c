/* A schedule as a table: one line per issued instruction, in order of issue. */
#include <inttypes.h>

#include "report/schedule_report.h"

/* Where the times behind the unit's name start, in characters, and by how much later where SM and block stand
 * in front of it. */
enum { COLUMN_TIMES = 34, COLUMN_MORE = 14 };

/* Where the times stand: of a grid behind the SM and the block. */
static size_t column_times(const struct schedule_report *report) {
    return COLUMN_TIMES + (report->grid == NULL ? 0 : COLUMN_MORE);
}

static wb_status text_begin(struct schedule_report *report) {
    const bool one_block = report->grid == NULL;
    if (!one_block) text_printf(&report->out, "scheme %s, ", report->scheme);
    text_printf(&report->out, "policy %s, machine %s, %u warps%s; times in cycles\n", report->policy,
                report->machine->name, report->warp_count, one_block ? "" : " a block");
    text_printf(&report->out, "%10s", "issue");
    if (!one_block) text_printf(&report->out, " %4s %8s", "SM", "block");
    text_printf(&report->out, " %5s  unit", "warp");
    text_pad(&report->out, column_times(report));
    text_printf(&report->out, "%10s %10s %10s %9s  %s\n", "start", "free", "result", "step", "instruction");
    return WB_OK;
}

static wb_status text_event(struct schedule_report *report, uint32_t sm, const struct sim_event *event) {
    struct text *out = &report->out;
    text_printf(out, "%10" PRIu64, event->issue);
    if (report->grid != NULL) text_printf(out, " %4u %8u", sm, event->block);
    text_printf(out, " %5u  ", event->warp);
    schedule_put_unit(out, report->machine, event->unit, event->sub_core, event->instance);
    text_pad(out, column_times(report));
    text_printf(out, "%10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %9" PRIu64, event->start, event->init_end,
                event->completion, event->step);
    const char *opcode = schedule_opcode(report, event->instruction);
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

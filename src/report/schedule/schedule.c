#include "report/schedule/schedule.h"

#include <assert.h>
#include <inttypes.h>

#include "ptx/ptx.h"
#include "report/write/output.h"
#include "warp/path/path.h"
#include "warp/trace/trace.h"

void schedule_put_unit(struct text *out, const struct wb_machine *machine, uint32_t unit, uint32_t sub_core,
                       uint32_t instance) {
    const struct machine_unit *described = schedule_unit(machine, unit);
    assert(instance < described->count);
    text_string(out, described->name);
    if (machine->sub_cores > 1 && !described->shared) text_printf(out, ".%u", sub_core);
    if (described->count > 1) text_printf(out, "#%u", instance);
}

const struct ptx_inst *schedule_inst(const struct schedule_report *report, uint32_t instruction,
                                     const struct ptx_function **function) {
    const struct wb_schedule *schedule = report->schedule;
    if (schedule->grid != NULL) return grid_inst(schedule->grid, instruction, function);
    return schedule->block == NULL ? NULL : block_inst(schedule->block, instruction, function);
}

void schedule_put_opcode(struct text *out, const struct schedule_report *report, uint32_t instruction) {
    const struct ptx_inst *inst = schedule_inst(report, instruction, NULL);
    if (inst == NULL)
        text_printf(out, "#%u", instruction);
    else
        text_string(out, inst->form->name);
}

void schedule_put_origin(struct text *out, const wb_schedule_info *info) {
    if (info->method != NULL)
        text_printf(out, "found by %s: %" PRIu64 " cycles, ", info->method, info->cycles);
    if (info->scheme != NULL) text_printf(out, "scheme %s, ", info->scheme);
    if (info->method == NULL) text_printf(out, "policy %s, ", info->policy);
}

static wb_status write_format(struct schedule_report *report, wb_schedule_format format) {
    switch (format) {
    case WB_SCHEDULE_TRACE: return schedule_write_trace(report);
    case WB_SCHEDULE_SVG: return schedule_write_picture(report);
    case WB_SCHEDULE_TEXT: break;
    }
    return schedule_write_table(report);
}

static wb_status write_schedules(const wb_schedule *const *schedules, size_t count, wb_schedule_format format,
                                 const wb_writer *writer, wb_diagnostics *diagnostics) {
    const struct wb_schedule *schedule = schedules[0];
    struct schedule_report report = {.schedules = schedules,
                                     .count = count,
                                     .schedule = schedule,
                                     .writer = writer,
                                     .diagnostics = diagnostics};
    if (schedule->grid != NULL) report.module = schedule->grid->kernel->module;
    if (schedule->block != NULL) report.module = schedule->block->kernel->module;
    wb_status status = WB_OK;
    if (report.module != NULL) status = source_lines_open(report.module, &report.lines);
    if (status == WB_OK) status = write_format(&report, format);
    if (status == WB_OK) status = report_flush(&report.out, writer, true);
    source_lines_close(&report.lines);
    text_free(&report.out);
    /* A picture that has no room has said so. */
    return status == WB_ERR_DECLINED ? WB_ERR_LIMIT : report_written(status, diagnostics);
}

wb_status wb_schedule_write(const wb_schedule *schedule, wb_schedule_format format, const wb_writer *writer,
                            wb_diagnostics *diagnostics) {
    return write_schedules(&schedule, 1, format, writer, diagnostics);
}

wb_status wb_schedules_trace(const wb_schedule *const *schedules, size_t count, const wb_writer *writer,
                             wb_diagnostics *diagnostics) {
    if (count > 0) return write_schedules(schedules, count, WB_SCHEDULE_TRACE, writer, diagnostics);
    diagnose(diagnostics, SEVERITY_ERROR, "schedules", "there is none to write");
    return WB_ERR_INPUT;
}

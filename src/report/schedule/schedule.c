#include "report/schedule/schedule.h"

#include "sim/gpu/simulator.h"

#include <inttypes.h>
#include <string.h>

#include "base/choose.h"

void schedule_put_unit(struct text *out, const struct wb_machine *machine, uint32_t unit, uint32_t sub_core,
                       uint32_t instance) {
    const struct machine_unit *described = &machine->units[unit];
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
    return &schedule_text;
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
    if (status != WB_OK) {
        text_free(&report.out);
        return status;
    }
    char *taken = text_take(&report.out);
    if (taken == NULL) return diagnose_out_of_memory(diagnostics, report.policy);
    *text = taken;
    return WB_OK;
}

/* A schedule as a table: one line per issued instruction, in order of issue. */

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

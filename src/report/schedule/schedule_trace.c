/* A schedule as Chrome trace events (the JSON object format), which Perfetto and chrome://tracing open:
 * docs/schedules.md says what is shown. Times are microseconds at the clock of the machine. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"
#include "report/schedule/schedule.h"
#include "report/write/output.h"

struct trace {
    struct schedule_report *report;
    const struct wb_schedule *schedule;
    struct json json;
    struct trace_lanes lanes;
    struct text scratch;    /* for a name or a text of one event */
    uint64_t first_process; /* of the schedule, behind those of the schedules before it */
    size_t first_arrow;
};

/* An SM is two groups of rows: what it does, and the results that are under way. */
static uint64_t sm_process(const struct trace *trace, uint32_t sm) {
    return trace->first_process + 2 * (uint64_t)sm + 1;
}

static uint64_t results_process(const struct trace *trace, uint32_t sm) {
    return trace->first_process + 2 * (uint64_t)sm + 2;
}

/* Rows in the group of an SM: of each slot its blocks and warps; then units. */
static uint64_t block_row(const struct trace *trace, uint32_t slot) {
    return (uint64_t)slot * (trace->schedule->info.warp_count + 1);
}

static uint64_t warp_row(const struct trace *trace, uint32_t slot, uint32_t warp) {
    return block_row(trace, slot) + 1 + warp;
}

static uint64_t unit_row(const struct trace *trace, const wb_issue *issue) {
    return block_row(trace, trace->schedule->info.slot_count) +
           trace_unit_row(trace->schedule->machine, issue->unit, issue->sub_core, issue->instance);
}

/* The row of its result in the other group. */
static uint64_t result_row(const struct trace *trace, size_t index) {
    const wb_issue *issue = &trace->schedule->issues.items[index];
    const size_t place = trace_warp_place(trace->schedule, issue->sm, issue->slot, issue->warp);
    return (uint64_t)trace->lanes.first_row[place] + trace->lanes.lane[index];
}

/* ---- Events ------------------------------------------------------------------------------------------ */

/* Whole picoseconds, so that what ends where another begins does so in decimals, too. */
static double to_picoseconds(double microseconds) {
    return round(microseconds * 1e6) / 1e6;
}

static double time_of(const struct trace *trace, double cycle) {
    return to_picoseconds(cycle / trace->schedule->machine->clock_mhz);
}

static void put_time(struct trace *trace, double from) {
    json_put_real(&trace->json, "ts", time_of(trace, from));
}

static void put_duration(struct trace *trace, double from, double to) {
    json_put_real(&trace->json, "dur", to_picoseconds(time_of(trace, to) - time_of(trace, from)));
}

/* Opens an event, on a line of its own. */
static void open_event(struct trace *trace, const char *name, const char *phase, uint64_t process,
                       uint64_t row) {
    struct json *json = &trace->json;
    json_break(json, 0);
    json_open_object(json, NULL);
    json_put(json, "name %s, ph %s, pid %" PRIu64 ", tid %" PRIu64, name, phase, process, row);
}

/* Opens a slice up to its arguments, which are an open object. */
static void open_slice(struct trace *trace, const char *name, uint64_t process, uint64_t row, cycles from,
                       cycles to) {
    open_event(trace, name, "X", process, row);
    put_time(trace, (double)from);
    put_duration(trace, (double)from, (double)to);
    json_open_object(&trace->json, "args");
}

static void close_slice(struct trace *trace) {
    json_close(&trace->json);
    json_close(&trace->json);
}

/* The scratch text, which ends with it, as a string. */
static const char *scratch_text(struct trace *trace) {
    trace->report->out.failed |= trace->scratch.failed;
    return trace->scratch.data == NULL ? "" : trace->scratch.data;
}

static struct text *begin_scratch(struct trace *trace) {
    trace->scratch.length = 0;
    if (trace->scratch.data != NULL) trace->scratch.data[0] = '\0';
    return &trace->scratch;
}

/* The name of an instruction's slices, its opcode; until the next scratch. */
static const char *opcode_name(struct trace *trace, uint32_t instruction) {
    schedule_put_opcode(begin_scratch(trace), trace->report, instruction);
    return scratch_text(trace);
}

/* Members that say which instruction it is: its text and where it stands. */
static void put_instruction(struct trace *trace, const char *key, uint32_t instruction) {
    const struct ptx_function *function;
    const struct ptx_inst *inst = schedule_inst(trace->report, instruction, &function);
    struct json *json = &trace->json;
    if (inst == NULL) {
        json_put_text(json, key, opcode_name(trace, instruction));
        return;
    }
    print_inst_named(begin_scratch(trace), trace->report->module, function, inst, NULL);
    json_put_text(json, key, scratch_text(trace));
}

static void put_place(struct trace *trace, uint32_t instruction) {
    const struct ptx_inst *inst = schedule_inst(trace->report, instruction, NULL);
    struct json *json = &trace->json;
    if (inst == NULL) return;
    const struct inst_place place = source_lines_place(&trace->report->lines, inst);
    json_put_count(json, place.is_machine ? "address" : "ptx_line",
                   place.is_machine ? place.address : place.line);
    if (place.source_file == NULL) return;
    text_printf(begin_scratch(trace), "%s:%u", place.source_file, place.source_line);
    json_put_text(json, "source", scratch_text(trace));
}

/* ---- Names ------------------------------------------------------------------------------------------- */

/* Gives a group, or a row of it, the name in the scratch text, and its place among the others. */
static void put_name(struct trace *trace, bool is_group, uint64_t process, uint64_t row) {
    open_event(trace, is_group ? "process_name" : "thread_name", "M", process, row);
    json_put_object(&trace->json, "args", "name %s", scratch_text(trace));
    json_close(&trace->json);
    open_event(trace, is_group ? "process_sort_index" : "thread_sort_index", "M", process, row);
    json_put_object(&trace->json, "args", "sort_index %" PRIu64, is_group ? process : row);
    json_close(&trace->json);
}

/* The name of a warp: of a grid with its slot. */
static struct text *begin_warp_name(struct trace *trace, uint32_t slot, uint32_t warp) {
    struct text *name = begin_scratch(trace);
    if (schedule_is_grid(trace->report)) text_printf(name, "slot %u ", slot);
    text_printf(name, "warp %u", warp);
    return name;
}

static void name_warp(struct trace *trace, uint32_t sm, uint32_t slot, uint32_t warp) {
    const size_t place = trace_warp_place(trace->schedule, sm, slot, warp);
    if (!trace->lanes.warp_used[place]) return;
    (void)begin_warp_name(trace, slot, warp);
    put_name(trace, false, sm_process(trace, sm), warp_row(trace, slot, warp));
    for (uint32_t lane = 0; lane < trace->lanes.lanes[place]; lane++) {
        struct text *name = begin_warp_name(trace, slot, warp);
        if (lane > 0) text_printf(name, " (%u)", lane + 1);
        put_name(trace, false, results_process(trace, sm), (uint64_t)trace->lanes.first_row[place] + lane);
    }
}

static void name_slot(struct trace *trace, uint32_t sm, uint32_t slot) {
    const uint32_t warps = trace->schedule->info.warp_count;
    bool used = false;
    for (uint32_t w = 0; w < warps; w++)
        used = used || trace->lanes.warp_used[trace_warp_place(trace->schedule, sm, slot, w)];
    if (!used) return;
    if (schedule_is_grid(trace->report))
        text_printf(begin_scratch(trace), "slot %u blocks", slot);
    else
        text_string(begin_scratch(trace), "block");
    put_name(trace, false, sm_process(trace, sm), block_row(trace, slot));
    for (uint32_t w = 0; w < warps; w++)
        name_warp(trace, sm, slot, w);
}

/* The instances of a unit that are used. */
static void name_unit(struct trace *trace, uint32_t sm, uint32_t unit) {
    const struct wb_machine *machine = trace->schedule->machine;
    const uint32_t sets = schedule_unit(machine, unit)->shared ? 1 : machine->sub_cores;
    for (uint32_t s = 0; s < sets; s++) {
        for (uint32_t i = 0; i < schedule_unit(machine, unit)->count; i++) {
            const uint32_t row = trace_unit_row(machine, unit, s, i);
            if (!trace->lanes.unit_used[(size_t)sm * trace->lanes.unit_row_count + row]) continue;
            struct text *name = begin_scratch(trace);
            text_string(name, "unit ");
            schedule_put_unit(name, machine, unit, s, i);
            put_name(trace, false, sm_process(trace, sm),
                     block_row(trace, trace->schedule->info.slot_count) + row);
        }
    }
}

/* A name begins with its policy if there are several schedules. */
static struct text *begin_group_name(struct trace *trace) {
    struct text *name = begin_scratch(trace);
    if (trace->report->count > 1) text_printf(name, "%s: ", trace->schedule->info.policy);
    return name;
}

static void name_groups(struct trace *trace, uint32_t sm) {
    const bool is_grid = schedule_is_grid(trace->report);
    struct text *name = begin_group_name(trace);
    if (is_grid)
        text_printf(name, "SM %u", sm);
    else
        text_string(name, "block");
    put_name(trace, true, sm_process(trace, sm), 0);
    name = begin_group_name(trace);
    if (is_grid) text_printf(name, "SM %u: ", sm);
    text_string(name, "from issue to result");
    put_name(trace, true, results_process(trace, sm), 0);
}

/* ---- What happens ------------------------------------------------------------------------------------ */

/* Blocks in their slots, as far as something of them was kept. */
static wb_status put_blocks(struct trace *trace) {
    const struct wb_schedule *schedule = trace->schedule;
    const wb_schedule_info *info = &schedule->info;
    for (size_t b = 0; b < schedule->blocks.count; b++) {
        const wb_block_time *block = &schedule->blocks.items[b];
        const cycles from = cycles_max(block->start, info->kept_from),
                     to = cycles_min(block->end, info->kept_until);
        if (from >= to) continue;
        text_printf(begin_scratch(trace), "block %u", block->block);
        open_slice(trace, scratch_text(trace), sm_process(trace, block->sm), block_row(trace, block->slot),
                   from, to);
        json_put(&trace->json, "start %" PRIu64 ", end %" PRIu64, block->start, block->end);
        close_slice(trace);
        WB_TRY(report_flush(&trace->report->out, trace->report->writer, false));
    }
    return WB_OK;
}

/* The number of the issue among those of its warp in its cycle, and how many these are. */
static void place_in_cycle(const struct wb_schedule *schedule, size_t index, uint32_t *number,
                           uint32_t *together) {
    const wb_issue *issue = &schedule->issues.items[index];
    *number = *together = 0;
    const wb_issue *first = issue, *end = schedule->issues.items + schedule->issues.count;
    while (first > schedule->issues.items && first[-1].sm == issue->sm && first[-1].issue == issue->issue)
        first--;
    for (; first < end && first->sm == issue->sm && first->issue == issue->issue; first++) {
        if (first->slot != issue->slot || first->warp != issue->warp) continue;
        *number += first < issue;
        ++*together;
    }
}

/* Thousandths of a cycle, which is what viewers know. */
static double part_of_cycle(cycles cycle, uint32_t number, uint32_t together) {
    assert(together > 0);
    const uint32_t thousandths = 1000 * number / together;
    return (double)cycle + (double)thousandths / 1000;
}

/* When the issue is shown: instructions of a warp that are issued together share the cycle. */
static void put_issue_time(struct trace *trace, size_t index, bool with_end) {
    const wb_issue *issue = &trace->schedule->issues.items[index];
    uint32_t number, together;
    place_in_cycle(trace->schedule, index, &number, &together);
    const double from = part_of_cycle(issue->issue, number, together);
    put_time(trace, from);
    if (with_end) put_duration(trace, from, part_of_cycle(issue->issue, number + 1, together));
}

/* The issue itself, in the row of its warp. */
static void put_issue(struct trace *trace, size_t index) {
    const wb_issue *issue = &trace->schedule->issues.items[index];
    struct json *json = &trace->json;
    open_event(trace, opcode_name(trace, issue->instruction), "X", sm_process(trace, issue->sm),
               warp_row(trace, issue->slot, issue->warp));
    put_issue_time(trace, index, true);
    json_open_object(json, "args");
    put_instruction(trace, "text", issue->instruction);
    put_place(trace, issue->instruction);
    if (schedule_is_grid(trace->report)) json_put_count(json, "block", issue->block);
    json_put(json, "step %" PRIu64 ", cycle %" PRIu64 ", unit %s, start %" PRIu64 ", result %" PRIu64,
             issue->step, issue->issue, wb_schedule_unit(trace->schedule, issue->unit), issue->start,
             issue->ready);
    close_slice(trace);
}

/* The time that it keeps its unit busy, and the time until its result is there. */
static void put_times(struct trace *trace, size_t index) {
    const wb_issue *issue = &trace->schedule->issues.items[index];
    open_slice(trace, opcode_name(trace, issue->instruction), sm_process(trace, issue->sm),
               unit_row(trace, issue), issue->start, issue->free);
    if (schedule_is_grid(trace->report)) json_put_count(&trace->json, "slot", issue->slot);
    json_put(&trace->json, "warp %u, step %" PRIu64, issue->warp, issue->step);
    close_slice(trace);
    open_slice(trace, opcode_name(trace, issue->instruction), results_process(trace, issue->sm),
               result_row(trace, index), issue->issue, issue->ready);
    json_put_count(&trace->json, "step", issue->step);
    close_slice(trace);
}

static wb_status put_issues(struct trace *trace) {
    for (size_t i = 0; i < trace->schedule->issues.count; i++) {
        put_issue(trace, i);
        put_times(trace, i);
        WB_TRY(report_flush(&trace->report->out, trace->report->writer, false));
    }
    return WB_OK;
}

/* The reasons for which a warp waits, in its row. */
static void put_wait(struct trace *trace, const wb_wait *wait) {
    static const char *const names[WB_WAIT_COUNT] = {[WB_WAIT_BARRIER] = "waits for barrier",
                                                     [WB_WAIT_RESULT] = "waits for result",
                                                     [WB_WAIT_FETCH] = "waits for fetch",
                                                     [WB_WAIT_CHANNEL] = "waits for channel",
                                                     [WB_WAIT_UNIT] = "waits for unit",
                                                     [WB_WAIT_TURN] = "waits for its turn",
                                                     [WB_WAIT_END] = "has ended"};
    const struct wb_schedule *schedule = trace->schedule;
    open_slice(trace, names[wait->reason], sm_process(trace, wait->sm),
               warp_row(trace, wait->slot, wait->warp), wait->from, wait->to);
    if (wait->reason == WB_WAIT_RESULT && wait->producer != WB_NO_ISSUE) {
        const uint32_t producer = schedule->issues.items[wait->producer].instruction;
        put_instruction(trace, "of", producer);
        put_place(trace, producer);
    }
    if (wait->instruction != UINT32_MAX) put_instruction(trace, "before", wait->instruction);
    close_slice(trace);
}

/* One end of the arrow of number `id`. */
static void put_arrow_end(struct trace *trace, const char *phase, uint64_t process, uint64_t row, size_t id) {
    open_event(trace, "result", phase, process, row);
    json_put(&trace->json, "cat %s, id %zu", "result", id);
    if (phase[0] == 'f') json_put_text(&trace->json, "bp", "e");
}

/* An arrow from the instruction whose result is waited for to the wait for it, which ends when it is there.
 */
static void put_arrow(struct trace *trace, size_t index) {
    const wb_wait *wait = &trace->schedule->waits.items[index];
    const uint64_t process = sm_process(trace, wait->sm);
    const uint64_t row = warp_row(trace, wait->slot, wait->warp);
    put_arrow_end(trace, "s", process, row, trace->first_arrow + index);
    put_issue_time(trace, wait->producer, false);
    json_close(&trace->json);
    put_arrow_end(trace, "f", process, row, trace->first_arrow + index);
    put_time(trace, (double)(wait->to - 1));
    json_close(&trace->json);
}

static wb_status put_waits(struct trace *trace) {
    for (size_t w = 0; w < trace->schedule->waits.count; w++) {
        const wb_wait *wait = &trace->schedule->waits.items[w];
        put_wait(trace, wait);
        if (wait->producer != WB_NO_ISSUE) put_arrow(trace, w);
        WB_TRY(report_flush(&trace->report->out, trace->report->writer, false));
    }
    return WB_OK;
}

/* ---- The whole --------------------------------------------------------------------------------------- */

static void put_origin(struct trace *trace) {
    const wb_schedule_info *info = &trace->schedule->info;
    struct json *json = &trace->json;
    json_put(json, "machine %s, clock_mhz %g", trace->schedule->machine->name,
             trace->schedule->machine->clock_mhz);
    if (info->method != NULL) json_put_text(json, "method", info->method);
    json_put_text(json, "policy", info->policy);
    if (info->scheme != NULL) json_put_text(json, "scheme", info->scheme);
    json_put(json, "kind %s, of %s, cycles %" PRIu64 ", issues %" PRIu64 ", kept_issues %zu",
             wb_kind_name(info->kind), wb_scope_name(info->scope), info->cycles, info->issues,
             trace->schedule->issues.count);
}

/* The subjects of the schedules: the members of the only one, or an array. */
static void put_description(struct trace *trace) {
    struct schedule_report *report = trace->report;
    struct json *json = &trace->json;
    json_open_object(json, "otherData");
    if (report->count > 1) json_open_array(json, "schedules");
    for (size_t i = 0; i < report->count; i++) {
        trace->schedule = report->schedules[i];
        if (report->count > 1) json_open_object(json, NULL);
        put_origin(trace);
        if (report->count > 1) json_close(json);
    }
    if (report->count > 1) json_close(json);
    json_close(json);
}

/* The events of a schedule. */
static wb_status put_schedule(struct trace *trace) {
    WB_TRY(trace_lanes_make(trace->schedule, &trace->lanes));
    for (uint32_t sm = 0; sm < trace->schedule->info.sm_count;
         sm++) { /* the names of its rows that are used */
        name_groups(trace, sm);
        for (uint32_t slot = 0; slot < trace->schedule->info.slot_count; slot++)
            name_slot(trace, sm, slot);
        for (uint32_t u = 0; u < schedule_unit_count(trace->schedule->machine); u++)
            name_unit(trace, sm, u);
    }
    WB_TRY(put_blocks(trace));
    WB_TRY(put_issues(trace));
    return put_waits(trace);
}

static wb_status put_all(struct trace *trace) {
    struct schedule_report *report = trace->report;
    struct json *json = &trace->json;
    *json = json_begin(&report->out, JSON_ONE_LINE);
    json_open_object(json, NULL);
    json_put_text(json, "displayTimeUnit", "ns");
    json_open_array(json, "traceEvents");
    for (size_t i = 0; i < report->count; i++) {
        trace->schedule = report->schedule = report->schedules[i];
        const wb_status status = put_schedule(trace);
        trace_lanes_free(&trace->lanes);
        WB_TRY(status);
        trace->first_process += 2 * (uint64_t)trace->schedule->info.sm_count;
        trace->first_arrow += trace->schedule->waits.count;
    }
    json_break(json, 0);
    json_close(json);
    put_description(trace);
    json_close(json);
    text_char(&report->out, '\n');
    return WB_OK;
}

wb_status schedule_write_trace(struct schedule_report *report) {
    struct trace trace = {.report = report};
    const wb_status status = put_all(&trace);
    text_free(&trace.scratch);
    return status;
}

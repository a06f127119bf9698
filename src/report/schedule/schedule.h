/* A recorded schedule on paper: what its formats have in common, and one writer per format. */
#ifndef WB_REPORT_SCHEDULE_SCHEDULE_H
#define WB_REPORT_SCHEDULE_SCHEDULE_H

#include "report/write/source.h"
#include "sim/schedule/schedule.h"

struct schedule_report {
    const struct wb_schedule *const *schedules; /* of one kernel and machine; several only of a trace */
    size_t count;
    const struct wb_schedule *schedule; /* the one that is being written */
    const struct wb_module *module;     /* NULL: written by hand */
    struct source_lines lines;          /* of the module */
    const wb_writer *writer;
    struct text out; /* what is not handed to the writer yet */
    wb_diagnostics *diagnostics;
};

/* Each writes a schedule in one format. Errors as of wb_schedule_write, those that report_written words
 * without a message. */
wb_status schedule_write_table(struct schedule_report *report);
wb_status schedule_write_trace(struct schedule_report *report);
wb_status schedule_write_picture(struct schedule_report *report);

/* Whether it is of a grid: then it names SMs and blocks. */
static inline bool schedule_is_grid(const struct schedule_report *report) {
    return report->schedule->info.scope == WB_SCOPE_KERNEL;
}

/* Appends the name of a unit, with its sub-core and its instance where there are several. */
void schedule_put_unit(struct text *out, const struct wb_machine *machine, uint32_t unit, uint32_t sub_core,
                       uint32_t instance);

/* An instruction; NULL of what is written by hand. `function` may be NULL. */
const struct ptx_inst *schedule_inst(const struct schedule_report *report, uint32_t instruction,
                                     const struct ptx_function **function);

/* Appends what an instruction is called: its opcode, or its number in what is written by hand. */
void schedule_put_opcode(struct text *out, const struct schedule_report *report, uint32_t instruction);

/* Appends what the schedule is of: "policy lrr, ", "found by k-adversary: 900 cycles, ". */
void schedule_put_origin(struct text *out, const wb_schedule_info *info);

/* ---- trace_lanes.c: the rows of a trace: which there are, and where what overlaps in time goes. */

/* Rows of one SM, in this order: the blocks and warps of each slot, then the units. Beside them the rows of
 * results that are under way: per warp as many lanes as it has results at a time. */
struct trace_lanes {
    const struct wb_schedule *schedule;
    uint32_t *lane;      /* per issue the lane of its result */
    uint32_t *lanes;     /* per SM, slot and warp, how many there are */
    uint32_t *first_row; /* of those lanes, within their SM */
    bool *warp_used;     /* per SM, slot and warp: it does something */
    bool *unit_used;     /* per SM and row of units: it is used */
    uint32_t unit_row_count;
};

/* WB_ERR_LIMIT without a message when memory is exhausted. */
wb_status trace_lanes_make(const struct wb_schedule *schedule, struct trace_lanes *lanes);
void trace_lanes_free(struct trace_lanes *lanes);

/* The place of a warp among all of all SMs. */
static inline size_t trace_warp_place(const struct wb_schedule *schedule, uint32_t sm, uint32_t slot,
                                      uint32_t warp) {
    const wb_schedule_info *info = &schedule->info;
    return ((size_t)sm * info->slot_count + slot) * info->warp_count + warp;
}

/* The row of an instance of a unit among those of units of an SM. */
uint32_t trace_unit_row(const struct wb_machine *machine, uint32_t unit, uint32_t sub_core,
                        uint32_t instance);

#endif

/* The rows of a trace: which there are, and where what overlaps in time goes. */
#ifndef WB_REPORT_SCHEDULE_TRACE_LANES_H
#define WB_REPORT_SCHEDULE_TRACE_LANES_H

#include "sim/schedule/schedule.h"

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

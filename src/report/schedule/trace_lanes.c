#include "report/schedule/schedule.h"

#include <stdlib.h>

uint32_t trace_unit_row(const struct wb_machine *machine, uint32_t unit, uint32_t sub_core,
                        uint32_t instance) {
    uint32_t row = 0;
    for (uint32_t u = 0; u < unit; u++)
        row += schedule_unit(machine, u)->count * machine->sub_cores;
    const struct machine_unit *described = schedule_unit(machine, unit);
    return row + (described->shared ? 0 : sub_core) * described->count + instance;
}

/* When the results in the lanes of each warp are there. */
struct busy_lanes {
    cycles *until;
    uint32_t count, capacity;
};

/* The first lane that is free in cycle `from`, taken up to `until`; UINT32_MAX: memory is exhausted. */
static uint32_t take_lane(struct busy_lanes *busy, cycles from, cycles until) {
    uint32_t lane = 0;
    while (lane < busy->count && busy->until[lane] > from)
        lane++;
    if (lane == busy->capacity) {
        const uint32_t capacity = 2 * busy->capacity + 4;
        cycles *grown = realloc(busy->until, capacity * sizeof *grown);
        if (grown == NULL) return UINT32_MAX;
        busy->until = grown;
        busy->capacity = capacity;
    }
    busy->until[lane] = until;
    if (lane == busy->count) busy->count++;
    return lane;
}

/* Gives every issue a lane of its warp; the issues of a warp are in the order of time. */
static wb_status take_lanes(struct trace_lanes *lanes, size_t warps) {
    const struct wb_schedule *schedule = lanes->schedule;
    struct busy_lanes *busy = calloc(warps + 1, sizeof *busy);
    wb_status status = busy == NULL ? WB_ERR_LIMIT : WB_OK;
    for (size_t i = 0; i < schedule->issues.count && status == WB_OK; i++) {
        const wb_issue *issue = &schedule->issues.items[i];
        struct busy_lanes *own = &busy[trace_warp_place(schedule, issue->sm, issue->slot, issue->warp)];
        lanes->lane[i] = take_lane(own, issue->issue, issue->ready);
        if (lanes->lane[i] == UINT32_MAX) status = WB_ERR_LIMIT;
    }
    for (size_t w = 0; w < warps && busy != NULL; w++) {
        lanes->lanes[w] = busy[w].count;
        free(busy[w].until);
    }
    free(busy);
    return status;
}

/* Which rows there are. */
static void find_rows(struct trace_lanes *lanes) {
    const struct wb_schedule *schedule = lanes->schedule;
    const wb_schedule_info *info = &schedule->info;
    for (size_t i = 0; i < schedule->issues.count; i++) {
        const wb_issue *issue = &schedule->issues.items[i];
        lanes->warp_used[trace_warp_place(schedule, issue->sm, issue->slot, issue->warp)] = true;
        const uint32_t row = trace_unit_row(schedule->machine, issue->unit, issue->sub_core, issue->instance);
        lanes->unit_used[(size_t)issue->sm * lanes->unit_row_count + row] = true;
    }
    for (size_t w = 0; w < schedule->waits.count; w++) {
        const wb_wait *wait = &schedule->waits.items[w];
        lanes->warp_used[trace_warp_place(schedule, wait->sm, wait->slot, wait->warp)] = true;
    }
    for (uint32_t s = 0; s < info->sm_count; s++) {
        uint32_t row = 0;
        const size_t first = trace_warp_place(schedule, s, 0, 0);
        for (size_t w = first; w < first + (size_t)info->slot_count * info->warp_count; w++) {
            lanes->first_row[w] = row;
            row += lanes->lanes[w];
        }
    }
}

wb_status trace_lanes_make(const struct wb_schedule *schedule, struct trace_lanes *lanes) {
    const struct wb_machine *machine = schedule->machine;
    const size_t warps = trace_warp_place(schedule, schedule->info.sm_count, 0, 0);
    *lanes = (struct trace_lanes){.schedule = schedule};
    for (uint32_t u = 0; u < schedule_unit_count(machine); u++)
        lanes->unit_row_count += schedule_unit(machine, u)->count * machine->sub_cores;
    lanes->lane = calloc(schedule->issues.count + 1, sizeof *lanes->lane);
    lanes->lanes = calloc(warps + 1, sizeof *lanes->lanes);
    lanes->first_row = calloc(warps + 1, sizeof *lanes->first_row);
    lanes->warp_used = calloc(warps + 1, sizeof *lanes->warp_used);
    lanes->unit_used =
        calloc((size_t)schedule->info.sm_count * lanes->unit_row_count + 1, sizeof *lanes->unit_used);
    if (lanes->lane == NULL || lanes->lanes == NULL || lanes->first_row == NULL || lanes->warp_used == NULL ||
        lanes->unit_used == NULL)
        return WB_ERR_LIMIT;
    WB_TRY(take_lanes(lanes, warps));
    find_rows(lanes);
    return WB_OK;
}

void trace_lanes_free(struct trace_lanes *lanes) {
    free(lanes->lane);
    free(lanes->lanes);
    free(lanes->first_row);
    free(lanes->warp_used);
    free(lanes->unit_used);
}

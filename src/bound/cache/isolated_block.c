#include "bound/cache/isolated_block.h"

#include "bound/cache/latency_path.h"

/* Sets the latency of each access of a warp, which stand in the order of the pattern's; returns where those
 * of the next warp are. An instruction with several accesses has one latency. */
static struct execution_cost *warp_latencies(const struct timed_grid *timed, const struct must_hits *hits,
                                             uint32_t warp, struct execution_cost *costs) {
    const struct request_latencies latencies = request_latencies_of(&timed->machine->memory);
    const uint32_t count = traffic_pattern_of(&timed->traffic, 0, warp)->access_count;
    struct warp_steps steps = warp_steps_begin(timed, 0, warp);
    struct warp_step step;
    for (uint32_t done = 0; done < count && warp_steps_next(&steps, &step); done = steps.access) {
        if (step.inst->unit == UNIT_NONE) continue;
        cycles latency = latency_of_step(&latencies, &step, must_hits_of(hits, 0, warp));
        for (uint32_t a = done; a < steps.access; a++)
            costs[a].latency = (uint32_t)latency;
    }
    return costs + count;
}

/* The units that requests of the grid leave by, as bits. */
static uint32_t request_units_of(const struct timed_grid *timed) {
    uint32_t units = 0;
    for (size_t p = 0; p < timed->traffic.patterns.count; p++) {
        const struct traffic_pattern *pattern = &timed->traffic.patterns.items[p];
        for (uint32_t a = 0; a < pattern->access_count; a++) {
            const uint32_t unit = timed->code.insts[pattern->accesses[a].instruction].unit;
            if (pattern->accesses[a].request_count != 0 && unit != UNIT_NONE) units |= UINT32_C(1) << unit;
        }
    }
    return units;
}

wb_status isolated_block_latencies(struct memory_work *work, wb_diagnostics *diagnostics,
                                   struct execution_cost *costs) {
    const struct timed_grid *timed = work->timed;
    const struct sm_share alone = {0, 1, 1};
    struct must_hits hits;
    work->request_units = request_units_of(timed);
    wb_status status = must_hits_make(&timed->traffic, &timed->code, &alone, diagnostics, &hits);
    if (status == WB_OK) {
        for (uint32_t w = 0; w < timed->grid->warp_count; w++)
            costs = warp_latencies(timed, &hits, w, costs);
        work->total.requests.misses = hits.misses.load_misses;
    }
    must_hits_free(&hits);
    return status;
}

void isolated_block_add_memory(const struct bound_method *method, const struct memory_work *work,
                               wb_bound *bound) {
    const struct sm_work memory_only = {.work = {.requests = work->total.requests}};
    const struct kernel_time time = memory_work_time(work, &memory_only, 1);
    bound->cycles = cycles_add(bound->cycles, kernel_time_sum(&time));
    if (bound->kind != WB_UPPER || method->any_order) return;
    /* Those of several units delay each other in the middle of their initiations. */
    if (!request_ports_several(work->machine, work->request_units)) return;
    bound->kind = WB_ESTIMATE;
    bound->reason =
        "memory instructions of several units delay each other at the first-level cache, which no "
        "proof for this method covers";
}

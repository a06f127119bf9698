#include "bound/cache/isolated_block.h"

#include <stdlib.h>

#include "bound/cache/access_latencies.h"
#include "bound/grid/block_requests.h"

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
    const uint64_t count = accesses_of_block(timed, 0);
    struct must_hits hits;
    work->request_units = request_units_of(timed);
    uint32_t *latencies = calloc(count + 1, sizeof *latencies);
    if (latencies == NULL) return diagnose_out_of_memory(diagnostics, timed->machine->name);
    wb_status status = must_hits_make(&timed->traffic, &timed->code, &alone, diagnostics, &hits);
    if (status == WB_OK) {
        access_latencies(timed, &hits, 0, latencies);
        access_latencies_set(latencies, count, costs);
        work->total.requests.misses = hits.misses.load_misses;
    }
    must_hits_free(&hits);
    free(latencies);
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

#include "sim/gpu.h"

#include "sim/gpu_windows.h"
#include "sim/sm_ifetch.h"
#include "warp/trace/grid_block.h"

/* Adds what an SM has counted, and how its instructions fared. */
static void add_sm(const struct gpu_sm *own, uint32_t instructions, wb_instruction_traffic *sums,
                   wb_gpu_simulation *result) {
    const wb_gpu_simulation *counts = &own->memory.counts;
    result->cycles = cycles_max(result->cycles, own->sm.last_commit);
    result->last_issue = cycles_max(result->last_issue, own->sm.last_issue);
    result->warp_instructions += own->sm.warp_instructions;
    result->loads += counts->loads;
    result->hits += counts->hits;
    result->misses += counts->misses;
    result->hits_under_miss += counts->hits_under_miss;
    result->stores += counts->stores;
    result->atomics += counts->atomics;
    result->mshr_stalls += counts->mshr_stalls;
    result->victim_stalls += counts->victim_stalls;
    result->reorder_stalls += counts->reorder_stalls;
    result->channel_stalls += own->sm.channel_waits;
    if (own->sm.ifetch != NULL) {
        result->fetches += own->sm.ifetch->fetches;
        result->fetch_misses += own->sm.ifetch->misses;
    }
    for (uint32_t i = 0; own->memory.instructions != NULL && i < instructions; i++) {
        sums[i].accesses += own->memory.instructions[i].accesses;
        sums[i].requests += own->memory.instructions[i].requests;
        sums[i].misses += own->memory.instructions[i].misses;
    }
}

static void add_partition(const struct gpu_partition *partition, wb_gpu_simulation *result) {
    result->l2_hits += partition->hits;
    result->l2_misses += partition->misses;
    result->dram_reads += partition->reads;
    result->dram_writes += partition->writes;
}

/* Sums up what the parts have counted. */
static wb_status sum_up(const struct gpu *gpu, struct arena *arena, wb_gpu_simulation *result) {
    const struct gpu_scheme *scheme = gpu->scheme;
    uint32_t instructions = gpu->grid->code.inst_count;
    wb_instruction_traffic *sums = arena_array(arena, (size_t)instructions + 1, sizeof *sums);
    if (sums == NULL) return diagnose_out_of_memory(gpu->diagnostics, scheme->name);
    *result = (wb_gpu_simulation){.scheme = scheme->name,
                                  .policy = scheme->policy->name,
                                  .work_conserving = scheme->policy->work_conserving,
                                  .instructions = sums,
                                  .instruction_count = instructions};
    for (uint32_t s = 0; s < gpu->sm_count; s++)
        add_sm(&gpu->sms[s], instructions, sums, result);
    for (uint32_t c = 0; c < gpu->channel_count; c++)
        add_partition(&gpu->channels[c].partition, result);
    return WB_OK;
}

wb_status gpu_simulate(const struct timed_grid *grid, const struct gpu_scheme *scheme,
                       const struct gpu_options *options, wb_diagnostics *diagnostics, struct arena *arena,
                       wb_gpu_simulation *result) {
    WB_TRY(grid_decline_covering(grid->grid, diagnostics));
    struct gpu gpu = {.grid = grid, .scheme = scheme, .options = options, .diagnostics = diagnostics};
    wb_status status = gpu_init(&gpu);
    if (status == WB_OK) status = gpu_run(&gpu);
    if (status == WB_OK) status = sum_up(&gpu, arena, result);
    gpu_free(&gpu);
    return status;
}

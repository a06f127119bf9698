#include "sim/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "machine/occupancy.h"
#include "memory/caches/caches.h"
#include "memory/caches/misses.h"

/* The place and the text of the first message, without its severity; NULL when memory is exhausted. */
static char *first_error(const char *messages) {
    static const char severity[] = "error: ";
    struct text text = {0};
    const char *end = messages + strcspn(messages, "\n"), *said = strstr(messages, severity);
    if (said == NULL || said > end) said = messages;
    text_append(&text, messages, (size_t)(said - messages));
    if (said > messages) said += sizeof severity - 1;
    text_append(&text, said, (size_t)(end - said));
    return text_take(&text);
}

/* Of covering paths, keeps why the order under reordering is not known, which is no error. */
static wb_status note_no_order(wb_status status, wb_diagnostics *messages, wb_diagnostics *diagnostics,
                               struct cache_summary *summary) {
    if (status != WB_ERR_DECLINED || !summary->covering) {
        wb_diagnostics_append(diagnostics, messages);
        return status;
    }
    summary->no_order = first_error(wb_diagnostics_text(messages));
    return summary->no_order != NULL ? WB_OK : diagnose_out_of_memory(diagnostics, "caches");
}

static wb_status add_estimate(const struct wb_gpu *gpu, wb_diagnostics *diagnostics,
                              struct cache_summary *summary) {
    struct miss_estimate estimate;
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return diagnose_out_of_memory(diagnostics, "caches");
    wb_status status = miss_estimate_make(&gpu->timed.traffic, gpu->threads, messages, &estimate);
    for (uint32_t i = 0; status == WB_OK && i < summary->instruction_count; i++) {
        const struct miss_counts *from = &estimate.instructions[i];
        struct cache_counts *to = &summary->instructions[i];
        to->misses_estimated = from->load_misses;
        to->most_estimated = from->load_misses + from->load_unsure;
    }
    miss_estimate_free(&estimate);
    status = note_no_order(status, messages, diagnostics, summary);
    wb_diagnostics_free(messages);
    return status;
}

/* Adds the hits of one SM that are guaranteed in every order. */
static wb_status add_must_hits_of(const struct wb_gpu *gpu, const struct sm_share *share,
                                  wb_diagnostics *diagnostics, struct cache_summary *summary) {
    struct must_hits hits;
    wb_status status = must_hits_make(&gpu->timed.traffic, &gpu->timed.code, share, diagnostics, &hits);
    for (uint32_t i = 0; status == WB_OK && i < summary->instruction_count; i++)
        summary->instructions[i].guaranteed_hits += hits.instructions[i].must_hits;
    if (status == WB_OK) summary->most_misses += hits.misses.load_misses_spread;
    must_hits_free(&hits);
    return status;
}

/* Where any block may come to any SM, all blocks are taken to be on the same one. */
static wb_status add_must_hits(const struct wb_gpu *gpu, wb_diagnostics *diagnostics,
                               struct cache_summary *summary) {
    const struct wb_grid *grid = gpu->timed.grid;
    const struct machine_memory *memory = &gpu->timed.machine->memory;
    const struct block_demand demand = grid_block_demand(grid);
    struct resident_range resident;
    WB_TRY(machine_resident_range(gpu->timed.machine, &demand, false, diagnostics, &resident));
    struct sm_share share = {.sms = memory_dispatch_is_dynamic(memory) ? 1 : memory->sms,
                             .resident = resident.most};
    for (; share.sm < share.sms && share.sm < grid->blocks.count; share.sm++)
        WB_TRY(add_must_hits_of(gpu, &share, diagnostics, summary));
    return WB_OK;
}

static wb_status add_simulations(struct wb_gpu *gpu, const wb_watch *watch, wb_diagnostics *diagnostics,
                                 struct cache_summary *summary) {
    const wb_gpu_simulation *simulation;
    WB_TRY(gpu_simulation_of(gpu, "default", watch, diagnostics, &simulation));
    for (uint32_t i = 0; i < summary->instruction_count; i++)
        summary->instructions[i].misses_default = simulation->instructions[i].misses;
    WB_TRY(gpu_simulation_of(gpu, "reorder", watch, diagnostics, &simulation));
    for (uint32_t i = 0; i < summary->instruction_count; i++)
        summary->instructions[i].misses_reordered = simulation->instructions[i].misses;
    return WB_OK;
}

/* What the warps ask for, of covering paths at most. */
static void add_requests(const struct wb_gpu *gpu, struct cache_summary *summary) {
    const struct traffic *traffic = &gpu->timed.traffic;
    for (uint32_t b = 0; b < traffic->grid->blocks.count; b++) {
        for (uint32_t w = 0; w < traffic->grid->warp_count; w++) {
            const struct traffic_pattern *pattern = traffic_pattern_of(traffic, b, w);
            for (uint32_t a = 0; a < pattern->access_count; a++) {
                const struct traffic_access *access = &pattern->accesses[a];
                struct cache_counts *counts = &summary->instructions[access->instruction];
                if (access->request_count == 0) continue;
                counts->accesses++;
                counts->requests += access->request_count;
                if (traffic_is_load(access->kind)) counts->loads += access->request_count;
            }
        }
    }
}

static void add_totals(struct cache_summary *summary) {
    struct cache_counts *total = &summary->total;
    for (uint32_t i = 0; i < summary->instruction_count; i++) {
        const struct cache_counts *counts = &summary->instructions[i];
        total->accesses += counts->accesses;
        total->requests += counts->requests;
        total->loads += counts->loads;
        total->misses_estimated += counts->misses_estimated;
        total->most_estimated += counts->most_estimated;
        total->guaranteed_hits += counts->guaranteed_hits;
        total->misses_reordered += counts->misses_reordered;
        total->misses_default += counts->misses_default;
    }
}

wb_status cache_summary_make(struct wb_gpu *gpu, const wb_watch *watch, wb_diagnostics *diagnostics,
                             struct cache_summary *summary) {
    const struct wb_grid *grid = gpu->timed.grid;
    *summary =
        (struct cache_summary){.instruction_count = grid->instruction_count, .covering = grid->cover.covers};
    summary->instructions = calloc((size_t)summary->instruction_count + 1, sizeof *summary->instructions);
    if (summary->instructions == NULL) return diagnose_out_of_memory(diagnostics, "caches");
    add_requests(gpu, summary);
    WB_TRY(add_estimate(gpu, diagnostics, summary));
    if (!summary->covering) WB_TRY(add_simulations(gpu, watch, diagnostics, summary));
    WB_TRY(add_must_hits(gpu, diagnostics, summary));
    add_totals(summary);
    return WB_OK;
}

void cache_summary_free(struct cache_summary *summary) {
    free(summary->instructions);
    free(summary->no_order);
    *summary = (struct cache_summary){0};
}

#include "sim/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/wing.h"
#include "machine/occupancy.h"
#include "memory/caches/caches.h"
#include "memory/caches/misses.h"
#include "sim/sass/sass_simulate.h"
#include "warp/trace/blocks.h"

static wb_status gpu_no_memory(wb_diagnostics *diagnostics) {
    return diagnose_out_of_memory(diagnostics, "simulation");
}

wb_status wb_gpu_new(const wb_grid *grid, const wb_machine *machine, wb_diagnostics *diagnostics,
                     wb_gpu **gpu) {
    struct wb_gpu *made = calloc(1, sizeof *made);
    if (made == NULL) return gpu_no_memory(diagnostics);
    made->threads = 1;
    wb_status status = timed_grid_make(grid, machine, diagnostics, &made->timed);
    if (status == WB_OK) {
        *gpu = made;
    } else {
        wb_gpu_free(made);
    }
    return status;
}

void wb_gpu_free(wb_gpu *gpu) {
    if (gpu == NULL) return;
    timed_grid_free(&gpu->timed);
    arena_free(&gpu->arena);
    vec_free(&gpu->simulations);
    vec_free(&gpu->runs);
    wb_grid_free(gpu->owned);
    free(gpu);
}

void wb_gpu_set_threads(wb_gpu *gpu, uint32_t threads) {
    gpu->threads = threads == 0 ? 1 : threads;
}

/* Whether `a` comes before `b` in the order of results. */
static bool run_before(const struct gpu_run *a, const struct gpu_run *b) {
    return a->scheme != b->scheme ? a->scheme < b->scheme : a->policy < b->policy;
}

/* The place of a run among those that were made; *found: it is one of them. */
static size_t run_place(const struct wb_gpu *gpu, const struct gpu_run *run, bool *found) {
    size_t place = 0;
    while (place < gpu->runs.count && run_before(&gpu->runs.items[place], run))
        place++;
    *found = place < gpu->runs.count && !run_before(run, &gpu->runs.items[place]);
    return place;
}

/* Simulates a scheme under a policy and keeps the result, once. */
static wb_status gpu_run_once(struct wb_gpu *gpu, const struct gpu_run *run, const wb_watch *watch,
                              wb_diagnostics *diagnostics) {
    bool found;
    size_t place = run_place(gpu, run, &found);
    if (found) return WB_OK;
    if (vec_reserve(&gpu->simulations, 1) != WB_OK || vec_reserve(&gpu->runs, 1) != WB_OK)
        return gpu_no_memory(diagnostics);
    struct gpu_scheme scheme = *gpu_scheme_at(run->scheme);
    scheme.policy = policy_at(run->policy);
    const struct gpu_options options = {.threads = gpu->threads, .watch = watch};
    double start = clock_elapsed();
    wb_gpu_simulation result;
    WB_TRY(gpu_simulate(&gpu->timed, &scheme, &options, diagnostics, &gpu->arena, &result));
    result.seconds = clock_elapsed() - start;
    wb_gpu_simulation *slot = gpu->simulations.items + place;
    struct gpu_run *run_slot = gpu->runs.items + place;
    memmove(slot + 1, slot, (gpu->simulations.count++ - place) * sizeof *slot);
    memmove(run_slot + 1, run_slot, (gpu->runs.count++ - place) * sizeof *run_slot);
    *slot = result;
    *run_slot = *run;
    return WB_OK;
}

static size_t policy_index(const struct sim_policy *policy) {
    return choose_index(policy->name, wb_policy_name);
}

/* Simulates a scheme under its own policy, or under those chosen: bit i for policy i. */
static wb_status gpu_run_scheme(struct wb_gpu *gpu, size_t scheme, uint64_t policies, const wb_watch *watch,
                                wb_diagnostics *diagnostics) {
    const struct gpu_scheme *known = gpu_scheme_at(scheme);
    if (policies == 0 || !known->policy->work_conserving)
        policies = UINT64_C(1) << policy_index(known->policy);
    for (size_t policy = 0; policy_at(policy) != NULL; policy++) {
        const struct gpu_run run = {scheme, policy};
        if (policies >> policy & 1) WB_TRY(gpu_run_once(gpu, &run, watch, diagnostics));
    }
    return WB_OK;
}

wb_status wb_gpu_simulate(wb_gpu *gpu, const char *schemes, const char *policies, const wb_watch *watch,
                          wb_diagnostics *diagnostics) {
    uint64_t chosen = 0, chosen_policies = 0;
    WB_TRY(grid_decline_covering(gpu->timed.grid, diagnostics));
    WB_TRY(choose_names("schemes", schemes, wb_scheme_name, diagnostics, &chosen));
    if (policies != NULL)
        WB_TRY(policies_choose(policies, gpu->timed.machine, diagnostics, &chosen_policies));
    for (size_t i = 0; gpu_scheme_at(i) != NULL; i++)
        if (chosen >> i & 1) WB_TRY(gpu_run_scheme(gpu, i, chosen_policies, watch, diagnostics));
    return WB_OK;
}

wb_status gpu_simulation_of(struct wb_gpu *gpu, const char *scheme, const wb_watch *watch,
                            wb_diagnostics *diagnostics, const wb_gpu_simulation **simulation) {
    size_t index = choose_index(scheme, wb_scheme_name);
    const struct gpu_run run = {index, policy_index(gpu_scheme_at(index)->policy)};
    WB_TRY(gpu_run_once(gpu, &run, watch, diagnostics));
    bool found;
    *simulation = &gpu->simulations.items[run_place(gpu, &run, &found)];
    return WB_OK;
}

const wb_gpu_simulation *wb_gpu_simulations(const wb_gpu *gpu, size_t *count) {
    *count = gpu->simulations.count;
    return gpu->simulations.items;
}

/* ---- Caches ---- */

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

/* ---- Single blocks ---- */

static wb_status simulate_plain(const struct timed_block *block, const struct sim_policy *policy,
                                const struct sim_sink *sink, const wb_watch *watch,
                                wb_diagnostics *diagnostics, wb_simulation *result) {
    const struct sm_program program = {
        .machine = block->machine, .code = &block->code, .block = block, .warp_count = block->warp_count};
    struct sm sm;
    wb_status status = sm_init(&sm, &program, policy, 1);
    if (status == WB_OK) status = sm_take_events(&sm, sink);
    if (status != WB_OK) {
        (void)diagnose_out_of_memory(diagnostics, policy->name);
    } else {
        status = sm_host_run_block(&sm.host, policy, timed_block_length(block), watch, diagnostics, result);
    }
    if (status == WB_OK && sm.ifetch != NULL) {
        result->fetches = sm.ifetch->fetches;
        result->fetch_misses = sm.ifetch->misses;
    }
    sm_free(&sm);
    return status;
}

static wb_status simulate_code(const struct timed_block *block, const struct sim_policy *policy,
                               const struct sim_sink *sink, const wb_watch *watch,
                               wb_diagnostics *diagnostics, wb_simulation *result) {
    const struct sass_run run = {.policy = policy};
    return sass_simulate(block, &run, sink, watch, diagnostics, result);
}

/* By what the machine times. */
static wb_status (*const simulators[])(const struct timed_block *block, const struct sim_policy *policy,
                                       const struct sim_sink *sink, const wb_watch *watch,
                                       wb_diagnostics *diagnostics, wb_simulation *result) = {
    [ISA_PTX] = simulate_plain, [ISA_SASS] = simulate_code};

wb_status simulate(const struct timed_block *block, const struct sim_policy *policy,
                   const struct sim_sink *sink, const wb_watch *watch, wb_diagnostics *diagnostics,
                   wb_simulation *result) {
    const char *misfit = policy_misfit(policy, block->machine);
    if (misfit != NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, block->machine->name, "%s", misfit);
        return WB_ERR_DECLINED;
    }
    const struct wing *wing;
    for (size_t i = 0; (wing = wing_at(i)) != NULL; i++)
        if (wing->simulate != NULL && wing->model == block->machine->model)
            return wing->simulate(block, policy, sink, watch, diagnostics, result);
    return simulators[machine_isa(block->machine)](block, policy, sink, watch, diagnostics, result);
}

#include "memory/miss_estimate.h"

#include "memory/order_replay.h"

/* The access that a replay has come to. */
static void count_access(const struct order_replay *replay, struct miss_counts *counts) {
    const struct traffic_access *access = replay->at.access;
    counts->accesses++;
    counts->requests += access->request_count;
    if (access->kind == TRAFFIC_LOAD) counts->load_requests += access->request_count;
    for (uint32_t r = 0; r < access->request_count; r++) {
        counts->load_misses += replay->met.outcomes[r] == REQUEST_MISSES;
        counts->load_unsure += replay->met.outcomes[r] == REQUEST_UNSURE;
    }
}

/* Replays one SM from an empty cache. */
static wb_status replay_sm(const struct traffic *traffic, const struct sm_share *share,
                           struct miss_counts *counts) {
    struct order_replay replay;
    wb_status status = order_replay_begin(traffic, share, &replay);
    while (status == WB_OK && order_replay_next(&replay))
        count_access(&replay, &counts[replay.at.access->instruction]);
    if (status == WB_OK) status = replay.status;
    order_replay_end(&replay);
    return status;
}

static void add_counts(struct miss_counts *sum, const struct miss_counts *counts) {
    sum->accesses += counts->accesses;
    sum->requests += counts->requests;
    sum->load_requests += counts->load_requests;
    sum->load_misses += counts->load_misses;
    sum->load_unsure += counts->load_unsure;
}

/* Replays the SMs that one thread is given, in any order, and adds what they count. */
static wb_status replay_some(const struct traffic *traffic, struct miss_estimate *estimate, int64_t sms) {
    wb_status status = WB_OK;
    struct miss_counts *counts = calloc((size_t)estimate->instruction_count + 1, sizeof *counts);
    if (counts == NULL) status = WB_ERR_LIMIT;
#pragma omp for schedule(dynamic)
    for (int64_t sm = 0; sm < sms; sm++) {
        if (status != WB_OK) continue;
        const struct sm_share share = {(uint32_t)sm, (uint32_t)sms, estimate->resident};
        status = replay_sm(traffic, &share, counts);
    }
#pragma omp critical(add_miss_counts)
    for (uint32_t i = 0; status == WB_OK && i < estimate->instruction_count; i++)
        add_counts(&estimate->instructions[i], &counts[i]);
    free(counts);
    return status;
}

static wb_status replay_all(const struct traffic *traffic, uint32_t threads, struct miss_estimate *estimate) {
    wb_status status = WB_OK;
    estimate->instructions = calloc((size_t)estimate->instruction_count + 1, sizeof *estimate->instructions);
    if (estimate->instructions == NULL) return WB_ERR_LIMIT;
#pragma omp parallel num_threads((int)threads)
    {
        wb_status own = replay_some(traffic, estimate, traffic->machine->memory.sms);
#pragma omp critical(keep_status)
        if (own != WB_OK) status = own;
    }
    for (uint32_t i = 0; i < estimate->instruction_count; i++)
        add_counts(&estimate->total, &estimate->instructions[i]);
    return status;
}

wb_status miss_estimate_make(const struct traffic *traffic, uint32_t threads, wb_diagnostics *diagnostics,
                             struct miss_estimate *estimate) {
    *estimate = (struct miss_estimate){.instruction_count = traffic->grid->instruction_count};
    WB_TRY(order_resident_blocks(traffic, diagnostics, &estimate->resident));
    wb_status status = replay_all(traffic, threads, estimate);
    return status == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, traffic->machine->name);
}

double miss_rate(const struct miss_counts *counts) {
    return counts->load_requests == 0 ? 0.0 : (double)counts->load_misses / (double)counts->load_requests;
}

void miss_estimate_free(struct miss_estimate *estimate) {
    free(estimate->instructions);
    *estimate = (struct miss_estimate){0};
}

#include "memory/miss_estimate.h"

#include "memory/access_order.h"
#include "memory/cache.h"

/* The requests of one instruction meet the cache. */
static void replay_access(struct cache *cache, enum store_policy policy, const struct ordered_access *next,
                          uint64_t base, struct miss_counts *counts) {
    const struct traffic_access *access = next->access;
    const uint64_t *offsets = next->pattern->offsets + access->first_request;
    uint32_t requests = access->request_count;
    counts->accesses++;
    counts->requests += requests;
    if (access->kind != TRAFFIC_LOAD) {
        if (access->kind == TRAFFIC_ATOMIC) policy = STORE_EVICTS;
        for (uint32_t r = 0; r < requests; r++)
            (void)cache_store(cache, base + offsets[r], policy);
        return;
    }
    counts->load_requests += requests;
    for (uint32_t r = 0; r < requests; r++)
        counts->load_misses += !cache_load(cache, base + offsets[r]).hit;
}

/* Replays one SM from an empty cache. */
static wb_status replay_sm(const struct traffic *traffic, const struct sm_share *share,
                           struct miss_counts *counts) {
    const struct machine_memory *memory = &traffic->machine->memory;
    struct access_order order;
    struct cache cache;
    struct ordered_access next;
    wb_status status = access_order_begin(traffic, share, &order);
    if (status == WB_OK) status = cache_init(&cache, &memory->l1, &order.arena);
    while (status == WB_OK && access_order_next(&order, &next)) {
        uint64_t base = traffic_base(traffic, next.block, next.warp, next.access->group);
        replay_access(&cache, (enum store_policy)memory->l1_store, &next, base,
                      &counts[next.access->instruction]);
    }
    access_order_end(&order);
    return status;
}

static void add_counts(struct miss_counts *sum, const struct miss_counts *counts) {
    sum->accesses += counts->accesses;
    sum->requests += counts->requests;
    sum->load_requests += counts->load_requests;
    sum->load_misses += counts->load_misses;
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
    const struct wb_machine *machine = traffic->machine;
    const struct block_demand demand = grid_block_demand(traffic->grid);
    struct resident_range resident;
    *estimate = (struct miss_estimate){.instruction_count = traffic->grid->instruction_count};
    if (!memory_has_hierarchy(&machine->memory)) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "the machine has no first-level cache (l1_size)");
        return WB_ERR_INPUT;
    }
    WB_TRY(machine_resident_range(machine, &demand, true, diagnostics, &resident));
    estimate->resident = resident.most;
    wb_status status = replay_all(traffic, threads, estimate);
    return status == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, machine->name);
}

double miss_rate(const struct miss_counts *counts) {
    return counts->load_requests == 0 ? 0.0 : (double)counts->load_misses / (double)counts->load_requests;
}

void miss_estimate_free(struct miss_estimate *estimate) {
    free(estimate->instructions);
    *estimate = (struct miss_estimate){0};
}

#include "bound/cache/memory_times.h"

struct request_latencies request_latencies_of(const struct machine_memory *memory) {
    cycles miss = memory_miss_latency(memory);
    return (struct request_latencies){
        .hit = memory->l1_latency,
        .miss = cycles_max(memory->l1_latency, miss), /* a hit on data that is still on its way, too */
        .write = 2 * (cycles)memory->noc_latency + memory->l2_latency,
    };
}

struct request_counts request_counts_add(struct request_counts a, struct request_counts b) {
    return (struct request_counts){cycles_add(a.loads, b.loads), cycles_add(a.misses, b.misses),
                                   cycles_add(a.stores, b.stores), cycles_add(a.atomics, b.atomics)};
}

/* Requests that leave an SM: each is served at the second level and answered. */
static uint64_t requests_below(const struct request_counts *counts) {
    return cycles_add(counts->misses, cycles_add(counts->stores, counts->atomics));
}

cycles memory_services(const struct machine_memory *memory, const struct request_counts *all,
                       uint64_t fetches, uint64_t write_backs) {
    cycles dram = cycles_mul(cycles_add(fetches, write_backs), memory->dram_service);
    return cycles_add(cycles_mul(requests_below(all), memory->l2_service), dram);
}

cycles memory_replies(const struct machine_memory *memory, const struct request_counts *sm) {
    return cycles_mul(requests_below(sm), memory->reply_service);
}

/* While the first level stalls for an entry, l1_mshrs misses are on their way, each for at most the miss
 * latency in which no server is busy. */
static cycles entry_stalls(const struct machine_memory *memory, const struct request_counts *sm,
                           uint64_t in_flight) {
    if (sm->misses <= memory->l1_mshrs || in_flight <= memory->l1_mshrs) return 0;
    cycles on_the_way = cycles_mul(sm->misses, memory_miss_latency(memory));
    return on_the_way == CYCLES_SATURATED ? on_the_way : on_the_way / memory->l1_mshrs;
}

/* Stalls for the data of a victim last at most a miss latency for each time that all ways of a set were used
 * anew: only then can a line that is still on its way have become the least recently used one. */
static cycles victim_stalls(const struct machine_memory *memory, const struct request_counts *sm) {
    if (memory->l1_victim != VICTIM_STALLS) return 0;
    uint64_t uses = sm->loads;
    if (memory->l1_store == STORE_UPDATES) uses = cycles_add(uses, sm->stores);
    uint64_t rounds = cycles_sub(uses, 1) / memory->l1.ways;
    return cycles_mul(cycles_min(rounds, cycles_sub(sm->misses, memory->l1.ways)),
                      memory_miss_latency(memory));
}

cycles memory_stalls(const struct machine_memory *memory, const struct request_counts *sm,
                     uint64_t in_flight) {
    return cycles_add(entry_stalls(memory, sm, in_flight), victim_stalls(memory, sm));
}

#include "machine/memory.h"

#include <stddef.h>

#include "machine/machine.h"

/* Largest cache, in bytes; most ways, SMs, partitions, channels and entries. */
#define CACHE_BYTES_MAX (1u << 28)
#define COUNT_MAX 1024u

/* Most requests of an SM that may be on their way to a memory without caches. */
#define OUTSTANDING_MAX 65536u

/* Names of the enumerations of machine/memory.h. */
static const char *const request_rules[] = {"ideal", "fermi", "volta", NULL};
static const char *const arbiters[] = {"fifo", "round_robin", "any", NULL};
static const char *const store_policies[] = {"evict", "update", NULL};
static const char *const victims[] = {"bypass", "stall", NULL};
static const char *const dispatches[] = {"static", "greedy", "round_robin", "most_free", NULL};

#define COUNT_FIELD(name, member, least, most)                                                               \
    {                                                                                                        \
        .key = (name), .kind = FIELD_U32, .offset = offsetof(struct machine_memory, member),                 \
        .minimum = (least), .maximum = (most)                                                                \
    }
#define WORD_FIELD(name, member, names)                                                                      \
    { .key = (name), .kind = FIELD_WORD, .offset = offsetof(struct machine_memory, member), .words = (names) }
#define BOOL_FIELD(name, member)                                                                             \
    { .key = (name), .kind = FIELD_BOOL, .offset = offsetof(struct machine_memory, member) }

const struct field machine_memory_fields[] = {
    WORD_FIELD("requests", requests, request_rules),
    COUNT_FIELD("request_cycles", request_cycles, 1, COUNT_MAX),
    COUNT_FIELD("service", service, 0, MACHINE_TIME_MAX),
    WORD_FIELD("arbiter", arbiter, arbiters),
    COUNT_FIELD("outstanding", outstanding, 0, OUTSTANDING_MAX),
    COUNT_FIELD("l1_size", l1.bytes, 0, CACHE_BYTES_MAX),
    COUNT_FIELD("l1_ways", l1.ways, 1, COUNT_MAX),
    COUNT_FIELD("l1_line", l1.line_bytes, 1, COUNT_MAX),
    COUNT_FIELD("l1_sector", l1.sector_bytes, 1, COUNT_MAX),
    BOOL_FIELD("l1_hash", l1.hashed),
    WORD_FIELD("l1_store", l1_store, store_policies),
    WORD_FIELD("l1_victim", l1_victim, victims),
    COUNT_FIELD("l1_latency", l1_latency, 0, MACHINE_TIME_MAX),
    COUNT_FIELD("l1_mshrs", l1_mshrs, 1, COUNT_MAX),
    COUNT_FIELD("noc_latency", noc_latency, 1, MACHINE_TIME_MAX),
    COUNT_FIELD("l2_size", l2.bytes, 1, CACHE_BYTES_MAX),
    COUNT_FIELD("l2_ways", l2.ways, 1, COUNT_MAX),
    COUNT_FIELD("l2_line", l2.line_bytes, 1, COUNT_MAX),
    COUNT_FIELD("l2_sector", l2.sector_bytes, 1, COUNT_MAX),
    BOOL_FIELD("l2_hash", l2.hashed),
    COUNT_FIELD("l2_partitions", l2_partitions, 1, COUNT_MAX),
    COUNT_FIELD("l2_latency", l2_latency, 0, MACHINE_TIME_MAX),
    COUNT_FIELD("l2_service", l2_service, 1, MACHINE_TIME_MAX),
    COUNT_FIELD("dram_latency", dram_latency, 0, MACHINE_TIME_MAX),
    COUNT_FIELD("dram_service", dram_service, 1, MACHINE_TIME_MAX),
    COUNT_FIELD("reply_service", reply_service, 1, MACHINE_TIME_MAX),
    COUNT_FIELD("sms", sms, 1, COUNT_MAX),
    WORD_FIELD("dispatch", dispatch, dispatches),
    COUNT_FIELD("dispatch_latency", dispatch_latency, 0, MACHINE_TIME_MAX),
    COUNT_FIELD("dispatch_service", dispatch_service, 0, MACHINE_TIME_MAX),
    COUNT_FIELD("channels", channels, 1, COUNT_MAX),
    COUNT_FIELD("channel_depth", channel_depth, 1, COUNT_MAX),
    {0},
};

void machine_memory_defaults(struct machine_memory *memory) {
    *memory = (struct machine_memory){
        .request_cycles = 1,
        .l1 = {.ways = 4, .line_bytes = MEMORY_LINE_BYTES, .sector_bytes = MEMORY_LINE_BYTES},
        .l2 = {.bytes = 256 * 1024,
               .ways = 8,
               .line_bytes = MEMORY_LINE_BYTES,
               .sector_bytes = MEMORY_LINE_BYTES},
        .l1_latency = 1,
        .l1_mshrs = 32,
        .noc_latency = 32,
        .l2_partitions = 1,
        .l2_service = 1,
        .dram_service = 1,
        .reply_service = 1,
        .sms = 1,
        .channels = 48,
        .channel_depth = 10,
    };
}

const char *memory_arbiter_name(const struct machine_memory *memory) {
    return arbiters[memory->arbiter];
}

const char *memory_requests_name(const struct machine_memory *memory) {
    return request_rules[memory->requests];
}

static bool is_power_of_two(uint32_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

/* What a cache has to fit. */
struct cache_demand {
    const char *name;      /* "l1" or "l2" */
    uint32_t sector_bytes; /* the least: whoever asks the cache asks for so many bytes */
    uint32_t parts;        /* that it is divided into */
};

/* False with a sentence in *problem when no cache looks like that. */
static bool geometry_check(const struct cache_geometry *geometry, const struct cache_demand *demand,
                           struct text *problem) {
    const char *name = demand->name;
    if (!is_power_of_two(geometry->line_bytes) || !is_power_of_two(geometry->sector_bytes) ||
        geometry->sector_bytes > geometry->line_bytes || geometry->sector_bytes < demand->sector_bytes ||
        geometry->line_bytes / geometry->sector_bytes > CACHE_SECTORS_MAX) {
        text_printf(
            problem,
            "%s_line and %s_sector: expected powers of two, a sector of at least %u bytes (one request) "
            "and a line of 1 to %u sectors, got %u and %u",
            name, name, demand->sector_bytes, CACHE_SECTORS_MAX, geometry->line_bytes,
            geometry->sector_bytes);
        return false;
    }
    uint64_t way_bytes = (uint64_t)geometry->ways * geometry->line_bytes;
    if (geometry->bytes % (way_bytes * demand->parts) == 0) return true;
    text_printf(problem, "%s_size: %u bytes", name, geometry->bytes);
    if (demand->parts > 1) text_printf(problem, " in %u partitions", demand->parts);
    text_printf(problem, " are no whole number of sets of %u lines of %u bytes", geometry->ways,
                geometry->line_bytes);
    return false;
}

bool machine_memory_check(const struct machine_memory *memory, struct text *problem) {
    if (memory->outstanding != 0 && memory->service == 0) {
        text_string(problem,
                    "outstanding is of the memory that all SMs share: expected service above 0, too");
        return false;
    }
    if (!memory_has_hierarchy(memory)) return true;
    if (memory->dispatch_service > 0) {
        text_string(problem, "dispatch_service is for machines without caches (l1_size)");
        return false;
    }
    if (memory->requests == REQUESTS_IDEAL) {
        text_string(problem, "a machine with l1_size needs requests: fermi or volta");
        return false;
    }
    const struct cache_demand l1 = {"l1", memory_request_bytes(memory), 1};
    const struct cache_demand l2 = {"l2", memory->l1.sector_bytes, memory->l2_partitions};
    return geometry_check(&memory->l1, &l1, problem) && geometry_check(&memory->l2, &l2, problem);
}

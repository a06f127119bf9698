#include "steered_machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/containers.h"

struct maker {
    struct random_state random;
    wb_machine *machine;
    wb_diagnostics *diagnostics;
    bool skip; /* the group of keys stays as it is */
};

static void set(struct maker *maker, const char *format, ...) {
    char text[96];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (maker->skip || wb_machine_set(maker->machine, text, maker->diagnostics) == WB_OK) return;
    (void)fprintf(stderr, "%s", wb_diagnostics_text(maker->diagnostics));
    abort();
}

static uint32_t between(struct maker *maker, uint32_t least, uint32_t most) {
    return least + (uint32_t)random_below(&maker->random, most - least + 1);
}

static const char *either(struct maker *maker, const char *one, const char *other) {
    return random_below(&maker->random, 2) != 0 ? one : other;
}

static void set_cores(struct maker *maker) {
    static const char *const depths[] = {"0", "0", "1", "2", "unlimited"};
    set(maker, "sub_cores=%u", between(maker, 1, 2));
    set(maker, "issue_width=%u", between(maker, 1, 2));

    set(maker, "issue_per_warp=%u", between(maker, 0, 2) == 0 ? between(maker, 2, 3) : 1);
    set(maker, "dispatch_depth=%s", depths[between(maker, 0, 4)]);
    set(maker, "unit.LSU.count=%u", between(maker, 1, 2));
    set(maker, "unit.LSU.shared=%s", either(maker, "true", "false"));
}

static void set_rooms(struct maker *maker) {
    static const char *const rules[] = {"static", "static", "static", "greedy", "round_robin", "most_free"};
    set(maker, "limits.blocks=%u", between(maker, 1, 3));
    set(maker, "sms=%u", between(maker, 1, 3));
    set(maker, "dispatch=%s", rules[between(maker, 0, 5)]);
    set(maker, "dispatch_latency=%u", between(maker, 0, 8));
}

/* Lines, ways and few sets of one level. */
static void set_level(struct maker *maker, const char *level, uint32_t parts) {
    const uint32_t line = 128u << (between(maker, 0, 4) == 0), ways = between(maker, 1, 4);
    const uint32_t sets = between(maker, 0, 3) == 0 ? between(maker, 1, 9) : 1u << between(maker, 0, 3);
    set(maker, "%s_line=%u", level, line);
    set(maker, "%s_ways=%u", level, ways);
    set(maker, "%s_size=%u", level, line * ways * sets * parts);
    set(maker, "%s_hash=%s", level, between(maker, 0, 3) == 0 ? "true" : "false");
}

static void set_first_level(struct maker *maker) {
    set_level(maker, "l1", 1);
    set(maker, "l1_store=%s", either(maker, "evict", "update"));
}

static void set_stalls(struct maker *maker) {
    set(maker, "l1_victim=%s", either(maker, "bypass", "stall"));
    set(maker, "l1_mshrs=%u", 1u << between(maker, 0, 5));
}

static void set_second_level(struct maker *maker) {
    const uint32_t parts = between(maker, 1, 2);
    set(maker, "l2_partitions=%u", parts);
    set_level(maker, "l2", parts);
}

static void set_latencies(struct maker *maker) {
    const uint32_t most = 1u << between(maker, 0, 7);
    set(maker, "l1_latency=%u", between(maker, 0, most));
    set(maker, "noc_latency=%u", between(maker, 1, most));
    set(maker, "l2_latency=%u", between(maker, 0, most));
    set(maker, "dram_latency=%u", between(maker, 0, 2 * most));
    set(maker, "mem_latency=%u", between(maker, 0, 2 * most));
}

static void set_services(struct maker *maker) {
    const uint32_t most = 1u << between(maker, 0, 5);
    set(maker, "request_cycles=%u", between(maker, 1, 3));
    set(maker, "l2_service=%u", between(maker, 1, most));
    set(maker, "dram_service=%u", between(maker, 1, most));
    set(maker, "reply_service=%u", between(maker, 1, most));
    set(maker, "channel_depth=%u", between(maker, 1, 4));
}

static void set_classes(struct maker *maker) {
    set(maker, "class.load_global.init=%u", between(maker, 1, 4));
    set(maker, "class.load_global.latency=%u", between(maker, 0, 20));
    set(maker, "class.store_global.init=%u", between(maker, 1, 4));
    set(maker, "class.store_global.latency=%u", between(maker, 0, 20));
    set(maker, "class.atomic_global.latency=%u", between(maker, 0, 20));
    set(maker, "class.load_local.latency=%u", between(maker, 0, 20));
}

/* Some machines have no caches: nobody waits for memory, or all SMs wait for one. */
static void take_caches(struct maker *maker) {
    const uint32_t kind = between(maker, 0, 9);
    if (kind < 8) return;
    set(maker, "l1_size=0");
    if (kind == 8) return;
    set(maker, "service=%u", between(maker, 1, 4));
    set(maker, "outstanding=%u", between(maker, 0, 4));
    set(maker, "arbiter=%s", either(maker, "fifo", "round_robin"));
}

/* Some machines have instruction caches, mostly in place of those of data: beside these nothing is proven. */
static void set_fetch(struct maker *maker) {
    const uint32_t ways = between(maker, 1, 3), line = 32u << between(maker, 0, 2);
    if (between(maker, 0, 5) != 0) return;
    set(maker, "fetch.line=%u", line);
    set(maker, "fetch.ways=%u", ways);
    set(maker, "fetch.size=%u", line * ways << between(maker, 0, 5));
    set(maker, "fetch.buffer=%u", between(maker, 1, 4));
    set(maker, "fetch.per_cycle=%u", between(maker, 1, 3));
    set(maker, "fetch.latency=%u", between(maker, 0, 4));
    set(maker, "fetch.miss_latency=%u", between(maker, 1, 60));
    set(maker, "fetch.misses=%u", between(maker, 1, 3));
    if (between(maker, 0, 9) == 0) return;
    set(maker, "l1_size=0");
    set(maker, "service=0");
    set(maker, "outstanding=0");
}

wb_machine *steered_machine_make(uint64_t seed, uint32_t simple) {
    struct maker maker = {.random = random_seeded(seed ^ UINT64_C(0x3ac41e)),
                          .diagnostics = wb_diagnostics_new()};
    const bool sectors = random_below(&maker.random, 3) == 0;
    if (wb_machine_load("jcse2017", maker.diagnostics, &maker.machine) != WB_OK) abort();
    set(&maker, "requests=%s", sectors ? "volta" : "fermi");
    const uint32_t sector = sectors ? 32u << between(&maker, 0, 2) : 128;
    set(&maker, "l1_sector=%u", sector);
    set(&maker, "l2_sector=%u", sector);
    for (uint32_t group = 0; group < STEERED_MACHINE_GROUPS; group++) {
        maker.random = random_seeded(seed * STEERED_MACHINE_GROUPS + group);
        maker.skip = (simple >> group & 1) != 0;
        switch (group) {
        case 0: set_cores(&maker); break;
        case 1: set_rooms(&maker); break;
        case 2: set_first_level(&maker); break;
        case 3: set_stalls(&maker); break;
        case 4: set_second_level(&maker); break;
        case 5: set_latencies(&maker); break;
        case 6: set_services(&maker); break;
        case 7: set_classes(&maker); break;
        case 8: take_caches(&maker); break;
        default: set_fetch(&maker); break;
        }
    }
    if (wb_machine_check(maker.machine, maker.diagnostics) != WB_OK) {
        (void)fprintf(stderr, "%s", wb_diagnostics_text(maker.diagnostics));
        abort();
    }
    wb_diagnostics_free(maker.diagnostics);
    return maker.machine;
}

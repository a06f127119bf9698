#include "wings/abstract_cta/machine/part.h"

#include "machine/machine.h"

static const char *const headers[] = {"n+1", "n", NULL};
static const char *const stalls[] = {"active", "all", NULL};
static const char *const branches[] = {"larger", "executed", NULL};
static const char *const shifts[] = {"window", "added", NULL};
static const char *const latencies[] = {"machine", NULL};

/* clang-format off */
const struct field machine_abstract_cta_fields[] = {
    WORD_ROW(machine_abstract_cta, "header", header, headers),
    NUMBER_ROW(machine_abstract_cta, "barrier_slots", barrier_slots, 0, MACHINE_TIME_MAX),
    NUMBER_ROW(machine_abstract_cta, "barrier_cycles", barrier_cycles, 0, MACHINE_TIME_MAX),
    WORD_ROW(machine_abstract_cta, "stall_warps", stall_warps, stalls),
    NUMBER_ROW(machine_abstract_cta, "memory_latency", memory_latency, 0, MACHINE_TIME_MAX, .words = latencies),
    WORD_ROW(machine_abstract_cta, "uniform_branch", uniform_branch, branches),
    WORD_ROW(machine_abstract_cta, "shift", shift, shifts),
    BOOL_ROW(machine_abstract_cta, "stores_stall", stores_stall),
    {0},
};
/* clang-format on */

void machine_abstract_cta_defaults(struct machine_abstract_cta *abstract_cta) {
    *abstract_cta =
        (struct machine_abstract_cta){.barrier_slots = 1, .memory_latency = ABSTRACT_LATENCY_OF_MACHINE};
}

#include "machine/abstract_cta.h"

#include <stddef.h>

#include "machine/machine.h"

static const char *const headers[] = {"n+1", "n", NULL};
static const char *const stalls[] = {"active", "all", NULL};
static const char *const branches[] = {"larger", "executed", NULL};
static const char *const shifts[] = {"window", "added", NULL};
static const char *const latencies[] = {"machine", NULL};

#define WORD_FIELD(name, member, choices)                                                                    \
    {                                                                                                        \
        .key = (name), .kind = FIELD_WORD, .offset = offsetof(struct machine_abstract_cta, member),          \
        .words = (choices)                                                                                   \
    }

#define CYCLES_FIELD(name, member, choices)                                                                  \
    {                                                                                                        \
        .key = (name), .kind = FIELD_U32, .offset = offsetof(struct machine_abstract_cta, member),           \
        .maximum = MACHINE_TIME_MAX, .words = (choices)                                                      \
    }

/* clang-format off */
const struct field machine_abstract_cta_fields[] = {
    WORD_FIELD("header", header, headers),
    CYCLES_FIELD("barrier_slots", barrier_slots, NULL),
    CYCLES_FIELD("barrier_cycles", barrier_cycles, NULL),
    WORD_FIELD("stall_warps", stall_warps, stalls),
    CYCLES_FIELD("memory_latency", memory_latency, latencies),
    WORD_FIELD("uniform_branch", uniform_branch, branches),
    WORD_FIELD("shift", shift, shifts),
    {.key = "stores_stall", .kind = FIELD_BOOL, .offset = offsetof(struct machine_abstract_cta, stores_stall)},
    {0},
};
/* clang-format on */

void machine_abstract_cta_defaults(struct machine_abstract_cta *abstract_cta) {
    *abstract_cta =
        (struct machine_abstract_cta){.barrier_slots = 1, .memory_latency = ABSTRACT_LATENCY_OF_MACHINE};
}

/* What stands still at times: caches, memory that SMs share, and instruction fetch (docs/certificates.md). */
#include "check.h"

static void read_held(const uint64_t *n) {
    machine.held = add(machine.held, mul(n[0], n[1]));
}

static uint64_t divided(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

static void read_stalled(const uint64_t *n) {
    block->stalls = add(block->stalls, divided(n[0], n[2]));
    block->far_stalls = add(block->far_stalls, divided(add(n[0], n[1]), n[2]));
}

static void read_port(const uint64_t *n) {
    static bool is_port[UNITS_MAX];
    if (n[0] == NO_UNIT) refuse("requests leave by a unit");
    const uint64_t own = machine.shared[n[0]] ? 1 : machine.sub_cores;
    if (!is_port[n[0]]) machine.ports = add(machine.ports, mul(machine.instances[n[0]], own));
    is_port[n[0]] = block->sends = true;
}

static const struct key keys[] = {
    {"held", "tt", OF_MACHINE, read_held},      /* so often, for so many cycles each: all stands still */
    {"stalled", "ttn", OF_BLOCK, read_stalled}, /* cycles on the way, in turns; requests at a time */
    {"port", "u", OF_BLOCK, read_port},         /* a unit that requests leave by */
    {.name = NULL},
};

const struct part held_part = {keys, NULL};

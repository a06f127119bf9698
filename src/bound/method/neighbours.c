#include "bound/method/neighbours.h"

#include <assert.h>

__extension__ typedef unsigned __int128 product;

/* The largest T of T <= alone + hold * (requests + rate * T). */
static cycles longest(const struct machine_neighbours *neighbours, struct cycles_fraction rate,
                      struct cycles_fraction hold, cycles alone) {
    const product free = (product)hold.per * rate.per, taken = (product)hold.cycles * rate.cycles;
    if (alone == CYCLES_SATURATED || taken >= free) return CYCLES_SATURATED;
    const product once = (product)alone * hold.per + (product)hold.cycles * neighbours->requests;
    if (once > ~(product)0 / rate.per) return CYCLES_SATURATED;
    const product time = once * rate.per / (free - taken);
    return time < CYCLES_SATURATED ? (cycles)time : CYCLES_SATURATED;
}

cycles time_beside_neighbours(const struct wb_machine *machine, cycles alone, uint64_t atomics) {
    const struct machine_neighbours *neighbours = &machine->neighbours;
    const struct cycles_fraction rate = neighbours_rate(machine), hold = neighbours_hold(machine);
    const uint64_t fetch = machine->sass.dram_most;
    struct cycles_fraction and_fetch = hold;
    if (!neighbours->stated) return alone;
    /* A word that is evicted between its atomics is fetched again: before each of them, or once a request. */
    and_fetch.cycles += atomics > 0 ? fetch * hold.per : 0;
    return cycles_min(longest(neighbours, rate, hold, cycles_add(alone, cycles_mul(atomics, fetch))),
                      longest(neighbours, rate, and_fetch, alone));
}

void bound_add_neighbours(const struct wb_machine *machine, uint64_t atomics, wb_bound *bound) {
    if (machine == NULL || !machine->neighbours.stated || bound->kind == WB_LOWER) return;
    assert(bound->kind != WB_EXACT); /* of known times only */
    const cycles alone = bound->cycles;
    bound->cycles = time_beside_neighbours(machine, alone, atomics);
    if (bound->cycles == CYCLES_SATURATED) return;
    bound->neighbours = bound->cycles - alone;
    if (bound->part_count > 0) bound_add_part(bound, WB_PART_NEIGHBOURS, NULL, bound->neighbours);
    assume(bound, WB_ASSUME_NEIGHBOURS_IN_BUDGET);
    if (machine_isa(machine) == ISA_SASS) assume(bound, WB_ASSUME_NEIGHBOURS_SERVED);
    if (machine->neighbours.kernel != NULL) assume(bound, WB_ASSUME_NEIGHBOURS_RUN_KERNEL);
}

/* Atomics of global memory (ATOM, ATOMG, RED), which the second level serves one after the other where they
 * are on one word, whichever SM they come from (docs/machine-code-bounds.md, section 7). */
#ifndef WB_BOUND_SASS_ATOMICS_H
#define WB_BOUND_SASS_ATOMICS_H

#include "warp/timed/timed.h"

/* How many a block of machine code executes at most, each lane's for itself; CYCLES_SATURATED: too many to
 * count. */
uint64_t atomics_of(const struct timed_block *block);

/* Cycles that so many can keep others waiting, on whatever words they are. */
static inline cycles atomics_time(const struct wb_machine *machine, uint64_t atomics) {
    return cycles_mul(atomics, machine->sass.atomic_word);
}

#endif

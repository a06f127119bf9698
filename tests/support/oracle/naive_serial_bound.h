/* K-SERIAL (docs/sub-core-bounds.md, serial times) written down once more from its definition, instruction by
 * instruction; and the same with one term dropped or weakened, to see that tests notice. */
#ifndef WB_TESTS_NAIVE_SERIAL_BOUND_H
#define WB_TESTS_NAIVE_SERIAL_BOUND_H

#include "sub_core_grid.h"

enum serial_mutant {
    SERIAL_AS_PROVEN,
    SERIAL_APART,       /* of a section the larger of work and latencies, not both */
    SERIAL_ONE_SECTION, /* the work of the whole block by sub-core, not of each section */
    SERIAL_LATENCY_CUT, /* latencies end at barriers */
    SERIAL_NO_END,      /* the last result is not waited for */
    SERIAL_EARLY_WARPS, /* nor those of warps that end before the last section */
    SERIAL_NO_SHARED,
    SERIAL_FIRST_CORE, /* work of sub-core 0 only */
    SERIAL_NO_RELEASE,
    SERIAL_BLOCK_FEWER, /* one block's latencies left out */
    SERIAL_NO_DELAY,
    SERIAL_NO_SERVICE,
    SERIAL_MUTANTS
};

extern const char *const serial_mutant_names[SERIAL_MUTANTS];

/* The bound of a grid that needs no tail: its blocks all have slots from the start, or there is one SM.
 * UINT64_MAX of others, and where dispatch is static. */
uint64_t naive_serial_bound(const struct sub_core_grid *grid, enum serial_mutant mutant);

#endif

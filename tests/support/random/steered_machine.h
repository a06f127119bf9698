/* Random small GPUs for kernels, most of them with caches: every key that matters to time is drawn, most of
 * them small. */
#ifndef WB_TESTS_STEERED_MACHINE_H
#define WB_TESTS_STEERED_MACHINE_H

#include "warpbound.h"

/* The machine of a seed. Bit i of `simple` leaves the i-th group of keys as the preset has it, so that a
 * failing machine can be made simpler. */
wb_machine *steered_machine_make(uint64_t seed, uint32_t simple);

/* Groups of keys. */
#define STEERED_MACHINE_GROUPS 10u

#endif

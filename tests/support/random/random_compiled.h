/* Random kernels for ptxas: PTX that it translates to as many kinds of machine instructions as can be. They
 * end, stay in bounds, are free of races, have no results that the PTX ISA leaves open, and store every
 * register that they compute with, so that whoever executes them must come to the same bytes. */
#ifndef WB_TESTS_RANDOM_COMPILED_H
#define WB_TESTS_RANDOM_COMPILED_H

#include <stdint.h>

#include "warpbound.h"

/* Most statements that a kernel may have, compound ones and those inside them counted. */
#define COMPILED_STATEMENTS_MAX 256u

struct random_compiled {
    uint64_t seed;
    uint32_t sm;         /* of the `.target` */
    char *ptx;           /* of a module with the one kernel `k` */
    uint32_t threads;    /* of each of two blocks */
    uint32_t statements; /* generated, those omitted included */
    uint32_t counts[2];  /* arguments n (u32) and m (u64) */
};

/* The kernel of a seed, without the statements i that have omitted[i] set; `omitted` may be NULL. What is
 * left stays as it was. */
void random_compiled_make(uint64_t seed, uint32_t sm, const bool omitted[COMPILED_STATEMENTS_MAX],
                          struct random_compiled *kernel);
void random_compiled_free(struct random_compiled *kernel);

/* The arguments of a launch, as text: the number of them; buffers 1 and 2 are written. */
#define COMPILED_ARGUMENTS 6u
#define COMPILED_OUTPUT 1u
#define COMPILED_COUNTERS 2u

/* A launch of the kernel. */
wb_launch *random_compiled_launch(uint64_t seed, uint32_t threads);

#endif

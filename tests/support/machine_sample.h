/* A sample of random kernels compiled by ptxas, in one compressed file, for places where it is not installed.
 */
#ifndef WB_TESTS_MACHINE_SAMPLE_H
#define WB_TESTS_MACHINE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

#define MACHINE_SAMPLE_PATH "tests/data/machine_code/sample.gz"

/* A kernel of random_compiled.h. */
struct sampled_kernel {
    uint64_t seed;
    uint32_t sm, level, threads;
    char *ptx;
    uint8_t *cubin;
    size_t cubin_size;
};

struct machine_sample {
    VEC(struct sampled_kernel) kernels;
};

/* Reads or writes the file; false with a message on standard error. */
bool machine_sample_read(const char *path, struct machine_sample *sample);
bool machine_sample_write(const char *path, const struct machine_sample *sample);
void machine_sample_free(struct machine_sample *sample);

#endif

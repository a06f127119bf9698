/* What the kernels of kernels/ compute, in C: every operation and its rounding as the PTX has it. */
#ifndef WB_TESTS_KERNEL_REFERENCES_H
#define WB_TESTS_KERNEL_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "launch/launch.h"

/* A launch with its memory. */
struct reference_case {
    const struct wb_launch *launch;
    uint8_t **buffers;   /* per argument the contents of its buffer, NULL for scalars */
    uint8_t **variables; /* per variable of the launch its contents */
};

/* Computes all blocks of the grid: changes the buffers as the kernel does. */
typedef void reference_function(const struct reference_case *test);

struct reference_entry {
    const char *name;
    reference_function *function;
};

/* The kernels with the themes of Rodinia, up to an entry without a name. */
extern const struct reference_entry rodinia_references[];

/* The function that kernels/index.txt calls `name`, or NULL. */
reference_function *reference_find(const char *name);

/* Fills memory with what the launch says of it; false when memory is exhausted. The launch must outlive the
 * case. */
bool reference_case_open(const struct wb_launch *launch, struct reference_case *test);
void reference_case_close(struct reference_case *test);

#endif

/* Random kernels whose every value is linear in the number of the block, or nearly so: integer instructions
 * of all widths on numbers that wrap around somewhere in the grid, branches, loops and guards that depend on
 * them. What they compute shows in the addresses of loads from a buffer that has a byte for each word. */
#ifndef WB_TESTS_RANDOM_CLASSES_H
#define WB_TESTS_RANDOM_CLASSES_H

#include <stdbool.h>

#include "warpbound.h"

struct random_classes {
    char *ptx; /* of a module with the one kernel `k` */
    uint32_t grid[3], threads;
    unsigned assumed; /* values of wb_taken */
    bool data;        /* it has a third buffer */
};

void random_classes_make(uint64_t seed, struct random_classes *kernel);

/* The same with values that are loaded from the buffer `other`, on which control and addresses depend, and
 * pointers into that and into a third one of its kind. The grid is small. */
void random_classes_make_data(uint64_t seed, struct random_classes *kernel);
void random_classes_free(struct random_classes *kernel);

/* A launch of the kernel, or of its machine code; with the contents of `other` and of the third buffer (NULL:
 * not known). */
wb_launch *random_classes_launch(const struct random_classes *kernel, const char *contents);

#endif

/* A kernel's machine code held to its PTX: whoever executes them must come to the same bytes. */
#ifndef WB_TESTS_TWO_ROADS_H
#define WB_TESTS_TWO_ROADS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "warpbound.h"

/* What is given: texts of PTX or the bytes of a cubin, and the name that messages have for it. */
struct road {
    const char *name;
    const char *bytes;
    size_t size;
};

enum two_roads {
    ROADS_AGREE,
    ROADS_DIFFER,
    ROADS_VAGUE,  /* what differs, or what the execution of the machine code depends on, is not known */
    ROADS_REFUSED /* the machine code is not read or executed, and *violation says why */
};

/* A buffer of the launch that is compared: number of the argument, and by how much its elements of f32 may
 * differ, relative to those larger than 1; 0: it is the same bit for bit. */
struct road_buffer {
    size_t argument;
    double error;
};

/* Executes both with the launch, of what the PTX ISA leaves open `take` (wb_taken, or 0) being what is
 * computed, and compares these buffers of it: what is known after the first must be known after the second,
 * and equal. *violation says what differs. PTX whose execution depends on what is not known agrees with
 * everything. */
enum two_roads two_roads_compare(const struct road *ptx, const struct road *machine_code, const char *kernel,
                                 wb_launch *launch, unsigned take, const struct road_buffer *buffers,
                                 size_t buffer_count, struct text *violation);

#endif

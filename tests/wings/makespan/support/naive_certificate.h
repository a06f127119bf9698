/* The contents of certificates, made from the definitions alone and without regard to speed: what the writer
 * has to write, and what the checker has to accept. */
#ifndef TEST_NAIVE_CERTIFICATE_H
#define TEST_NAIVE_CERTIFICATE_H

#include "base/base.h"
#include "wings/makespan/strings/schedule.h"

/* Tables are malloc'd and in the order of the file (docs/makespan.md). */
struct naive_certificate {
    const struct makespan_problem *problem;
    const struct schedule *witness;
    uint32_t tail_warps;
    uint16_t *tail; /* of every state with at most so many warps: the longest remaining time */
    size_t tail_count;
    uint16_t *cells; /* of every cell: the least function that T2 and T3 allow */
    size_t cell_count;
};

/* Makes both tables; the problem must be tiny. */
struct naive_certificate naive_certificate_make(const struct makespan_problem *problem,
                                                const struct schedule *witness, uint32_t tail_warps);
void naive_certificate_free(struct naive_certificate *certificate);

/* Appends the file, before it is compressed. Where the tail has all warps the cells are left out. */
void naive_certificate_print(const struct naive_certificate *certificate, struct text *out);

#endif

/* Alignments of a path with the instructions of another warp (align.c). */
#ifndef WARPBOUND_CHECK_ALIGN_H
#define WARPBOUND_CHECK_ALIGN_H

#include "check.h"

/* The instructions of another warp, each to be consumed at some node of the path of the first, at m times
 * what it costs there. */
struct other {
    const struct block *of;
    number_list insts;
    bool together; /* on one sub-core */
    uint64_t m;
    uint64_t *at; /* the time of the node at hand, by how many are consumed */
};

/* Adds what the other executes in a section. */
void other_executes(struct other *other, const struct section *section);

/* The longest paths through a section, by how many instructions of the other are consumed, where such paths
 * begin at `starts`, or, for NULL, at 0. They are other->at, which is the caller's to free. */
uint64_t *align(const struct block *of, const struct section *own, struct other *other,
                const uint64_t *starts);

/* The sum over all rows of the most that any warp takes, aligned with the others of its block, and charges
 * counted m times; that of each row divided. */
uint64_t alignments(const struct block *of, uint64_t m, uint64_t divisor);

#endif

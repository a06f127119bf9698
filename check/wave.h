/* Grids of one wave, in the words of docs/wave-bounds.md (wave.c). */
#ifndef WARPBOUND_CHECK_WAVE_H
#define WARPBOUND_CHECK_WAVE_H

#include "kernel.h"

/* Blocks that are alike. */
struct wave_class {
    struct block of; /* at depth 1 each initiation takes as long as the longest of any block on its unit */
    uint64_t blocks;
    uint64_t sums;           /* SIB or FIB, the lesser */
    uint64_t alone;          /* of all sections the longest that a warp takes by itself */
    uint64_t work, shared;   /* W + U, U */
    uint64_t changes, teams; /* chg; as many as any sub-core has warps */
    ranking extras;          /* of which the largest are X */
};
typedef LIST(struct wave_class) wave_class_list;
extern wave_class_list wave_classes;

typedef uint64_t (*wave_amount)(const struct wave_class *own, const struct wave_class *other);

uint64_t together(void);                                                       /* n */
uint64_t others(const struct wave_class *own, wave_amount adds);               /* the n - 1 that add most */
uint64_t extras(const struct wave_class *own, const struct wave_class *other); /* X_chg */
uint64_t by_initiations(const struct wave_class *own); /* theorem 1, where it ends last */

/* The most that `time` says of a block that ends last, and what the dispatcher takes. */
uint64_t wave_time(uint64_t (*time)(const struct wave_class *own));

#endif

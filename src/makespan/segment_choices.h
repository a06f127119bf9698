/* What can happen in one cycle of the segment abstraction. It depends on a cell only through how many warps,
 * at most as many as its unit has room for, stand at each place: its *class*. */
#ifndef WB_MAKESPAN_SEGMENT_CHOICES_H
#define WB_MAKESPAN_SEGMENT_CHOICES_H

#include "base/vec.h"
#include "makespan/segment_abstraction.h"

/* One way: how many warps make which move. */
struct segment_cycle {
    int32_t change[SEGMENT_PLACES_MAX];         /* of the warps at each place */
    int32_t executed[SEGMENT_COUNTERS_MAX];     /* instructions, by counter */
    uint32_t issues;                            /* of all counters */
    int32_t correction[SEGMENT_DIRECTIONS_MAX]; /* to the reach of the cell's warps: by how much less the
                                                   warps that move reach, as they do, in each direction */
};

struct segment_choices {
    uint32_t radix[SEGMENT_PLACES_MAX]; /* per place: the numbers that a class has for it */
    size_t class_count;
    size_t *first; /* per class and one past the last: its ways stand together */
    VEC(struct segment_cycle) ways;
};

/* Makes the choices of all classes. *fits is false where they are too many. WB_ERR_LIMIT without a message
 * when memory is exhausted. Freed with segment_choices_free, also after an error. */
wb_status segment_choices_make(const struct segment_abstraction *abstraction, struct segment_choices *choices,
                               bool *fits);
void segment_choices_free(struct segment_choices *choices);

/* The class of cells with these warps at the places. */
size_t segment_class(const struct segment_abstraction *abstraction, const struct segment_choices *choices,
                     const uint32_t *warps);

#endif

/* What can happen in one cycle of the segment abstraction. It depends on a cell only through how many warps,
 * at most as many as its unit has room for, stand at each place: its *class*. */
#ifndef WB_MAKESPAN_SEGMENT_LAYOUT_H
#define WB_MAKESPAN_SEGMENT_LAYOUT_H

#include "base/base.h"
#include "wings/makespan/segment/abstraction.h"

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

/* Makes the choices of all classes in a protected arena. False where they are too many. */
bool segment_choices_make(const struct segment_abstraction *abstraction, struct arena *arena,
                          struct segment_choices *choices);

/* Where the cells of a segment abstraction stand.
 *
 * A *composition* says how many warps stand at each place. A *layer* has the cells whose warps have the same
 * number of instructions left by all counters together: every cycle leads to a lower layer, by as many as
 * execute. In a layer the cells of a composition form *rows*: in a row only the swapped counters 0 and 1
 * differ; the other, *outer* counters lie in a box and say which row it is. */

/* The first counter that is not swapped. */
#define SEGMENT_OUTER 2u

/* The cells of a composition. Rows are numbered with the first outer counter fastest. */
struct segment_box {
    uint32_t first_layer;
    uint32_t last_layer;
    uint32_t class;
    uint32_t warps; /* at all places */
    uint32_t rows;  /* of each layer: at least 1 */
    int32_t low[SEGMENT_COUNTERS_MAX];
    int32_t extent[SEGMENT_COUNTERS_MAX];
};

struct segment_layout {
    const struct segment_abstraction *abstraction;
    const struct segment_choices *choices;
    uint64_t *steps;                         /* what the number of a composition is made of, for all places */
    uint64_t first_step[SEGMENT_PLACES_MAX]; /* where those of a place begin */
    uint32_t composition_count;
    struct segment_box *boxes; /* per composition */
    uint32_t *warps;           /* per composition: per place */
    double work;               /* roughly, in units of a row and way */
};

/* Lays out the cells in a protected arena. False where there are too many compositions. */
bool segment_layout_make(const struct segment_abstraction *abstraction, const struct segment_choices *choices,
                         struct arena *arena, struct segment_layout *layout);

/* Bytes that it takes. */
uint64_t segment_layout_size(const struct segment_layout *layout);

/* The number of the composition with so many warps at each place, each plus its `change` (or NULL). */
uint32_t segment_composition(const struct segment_layout *layout, const uint32_t *warps,
                             const int32_t *change);

/* The row of a box with these outer counters, less what is executed of each (or NULL); UINT32_MAX: there is
 * none. */
uint32_t segment_row_index(const struct segment_layout *layout, const struct segment_box *box,
                           const int32_t *left, const int32_t *executed);

#endif

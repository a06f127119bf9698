/* The segment abstraction (docs/makespan-bounds.md, section 2): what is left of a state when only this is
 * remembered of it: how many warps stand at each *place*, a set of positions of one string that need the same
 * unit type, and for each *counter*, a set of places, how many instructions all warps still have to execute
 * there, now or later. Places say what work conservation asks for; counters say how far the warps are. */
#ifndef WB_MAKESPAN_SEGMENT_ABSTRACTION_H
#define WB_MAKESPAN_SEGMENT_ABSTRACTION_H

#include "base/base.h"
#include "wings/makespan/strings/problem.h"

#define SEGMENT_PLACES_MAX 32u
#define SEGMENT_COUNTERS_MAX 8u

/* More directions make the test of a cell sharper and slower. */
#define SEGMENT_DIRECTIONS_MAX 24u

/* Cells are computed with 32 bits: numbers of instructions times sums of factors of a direction stay below
 * the product of these. */
#define SEGMENT_INSTRUCTIONS_MAX (UINT32_C(1) << 21)
#define SEGMENT_FACTORS_MAX 128u

/* The move of a warp that finishes. */
#define SEGMENT_OUT UINT32_MAX

/* How coarse an abstraction is. */
struct segment_cut {
    uint32_t segments; /* strings are cut into so many pieces; a place lies in one. UINT32_MAX: by run */
    uint32_t
        counted_types;   /* the unit types with the most work that have counters of their own: at least 1 */
    uint32_t split_type; /* the runs of this type have two counters, or UNIT_TYPES: none has */
};

/* What a warp can do that executes: go from a place to the next one, the same again, or SEGMENT_OUT. */
struct segment_move {
    uint32_t from;
    uint32_t to;
    int32_t reach[SEGMENT_DIRECTIONS_MAX]; /* as of places, over the positions where this is what happens */
};

struct segment_place {
    uint8_t unit;
    uint32_t group;
    uint32_t counter;
    uint32_t first_move; /* its moves stand together */
    uint32_t move_count;
    int32_t reach[SEGMENT_DIRECTIONS_MAX]; /* per direction: its product with the instructions that a warp
                                              has left by counter; the greatest over the place's positions */
};

/* Counters 0 and 1 are the *swapped* ones: a row of cells differs in them alone, their sum being the same. */
struct segment_abstraction {
    const struct makespan_problem *problem;
    uint32_t place_count;
    struct segment_place places[SEGMENT_PLACES_MAX];
    uint32_t *place; /* per position */
    VEC(struct segment_move) moves;
    uint32_t counter_count;                 /* at least 2; a counter may have no place */
    uint32_t (*left)[SEGMENT_COUNTERS_MAX]; /* per position: instructions of a warp there, by counter */
    uint32_t direction_count;
    int32_t directions[SEGMENT_DIRECTIONS_MAX][SEGMENT_COUNTERS_MAX];
    int32_t slope[SEGMENT_DIRECTIONS_MAX]; /* how a direction's product changes along a row */
};

/* The first directions: the sum of all counters and its negative, then every counter and its negative. */
#define SEGMENT_SUM 0u
#define SEGMENT_SUM_NEGATIVE 1u
#define SEGMENT_COUNTER(counter) (2 + 2 * (counter))
#define SEGMENT_COUNTER_NEGATIVE(counter) (3 + 2 * (counter))

/* Makes the abstraction of a problem with at most SEGMENT_INSTRUCTIONS_MAX instructions in a protected arena.
 * False where it has more places than the limit. Its directions are the fixed ones and normals of the edges
 * of convex hulls, the longest edges first; any set of directions is safe. */
bool segment_abstraction_make(const struct makespan_problem *problem, const struct segment_cut *cut,
                              struct arena *arena, struct segment_abstraction *abstraction);

#endif

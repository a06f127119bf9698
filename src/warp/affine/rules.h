/* Judging an instruction before it is executed: its sources in all runs, and what rules ask of them. */
#ifndef WB_WARP_AFFINE_RULES_H
#define WB_WARP_AFFINE_RULES_H

#include "warp/affine/affine.h"
#include "warp/interpret/base_region.h"

/* Sources: those of the instruction, and the second carry of machine.add3. */
#define JUDGED_SOURCES (MICRO_SOURCES + 1u)

struct judging {
    struct lockstep *lockstep;
    const struct warp *origin;
    bool for_sign; /* what follows asks for nothing but the sign of the result, it seems */
    const struct micro *op;
    uint32_t mask; /* lanes that execute it */
    const struct lanes *lanes[JUDGED_SOURCES][AFFINE_RUNS];
    struct affine_shadow shadow[JUDGED_SOURCES];
    uint32_t predicate[JUDGED_SOURCES]; /* of the origin, negation applied */
    bool is_predicate[JUDGED_SOURCES];
    struct affine_bend bend, inherited; /* why rules did not hold; the part that sources had */
};

/* Bits of a type. */
uint32_t rules_bits(uint8_t type);

static inline bool lane_in(uint32_t lanes, uint32_t lane) {
    return (lanes >> lane & 1) != 0;
}

/* The kind of half of an address that a source is in a lane; HALF_NONE: it is none. */
static inline enum half_kind rules_half_kind(const struct judging *judging, uint32_t source, uint32_t lane) {
    const struct lanes *lanes = judging->lanes[source][0];
    if (!lane_in(lanes_halves(lanes), lane)) return HALF_NONE;
    const struct half half = half_get(&lanes->half, lane);
    return half_kind(&half);
}

/* Whether a source is flat or affine modulo 2^bits in a lane; a lower half may be, an upper one is not. */
bool rules_is_word(const struct judging *judging, uint32_t source, uint32_t lane, uint32_t bits);

/* Adds a source of 32 bits that must not wrap around to a sum of unsigned integers; false: it does. */
bool rules_unsigned(struct judging *judging, uint32_t source, uint32_t lane, __int128 *sum,
                    __int128 sum_c[AXES]);

/* Demands that v + sum of c q is, divided by d, what it is at the origin; v is not negative. */
bool rules_within(struct judging *judging, __int128 v, const __int128 c[AXES], __int128 d);

/* Demands that the remainder of v + sum of c q divided by d grows evenly, and so the quotient does. */
bool rules_quotient(struct judging *judging, __int128 v, const __int128 c[AXES], __int128 d);

/* Whether the comparison that the form makes of sources 0 and 1, of the type, is flat in a lane. */
bool rules_comparison_is_flat(struct judging *judging, uint32_t lane, uint8_t type);

/* Whether sources 0 and 1 are equal in all blocks, or in none, as words of so many bits. */
bool rules_equality_is_flat(struct judging *judging, uint32_t lane, uint32_t bits);

/* The lanes of judging->mask of a result that has none but values; result->flat has those that are flat
 * because their sources are. */
void rules_of_value(struct judging *judging, struct affine_shadow *result);

#endif

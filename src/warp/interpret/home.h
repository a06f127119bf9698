/* What of an address does not depend on where buffers and variables stand in memory. A register of addresses
 * has a home: the region of global memory that they point into. An address plus a number, and the
 * difference of two addresses of one home, are what they are wherever that region stands; what else is made
 * of addresses (their order, their bits) is left open (open_result.h). Addresses of other state spaces are
 * numbers. */
#ifndef WB_WARP_INTERPRET_HOME_H
#define WB_WARP_INTERPRET_HOME_H

#include "warp/interpret/warp.h"

/* Regions start at multiples of this: an address says as much modulo it wherever they stand. */
#define HOME_ALIGN 256u

/* Homes are the starts of regions, or one of these. */
#define HOME_NONE 0    /* numbers */
#define HOME_SEVERAL 2 /* addresses of several regions */
#define HOME_NEGATED 1 /* added to a home: numbers minus addresses */

enum half_kind {
    HALF_NONE,
    HALF_LOW,
    HALF_HIGH,
    HALF_CARRY,
    HALF_BORROW,
    HALF_CARRIES,
    HALF_BORROWS,
    HALF_COMPARED
};

/* The kind of a half of an address (half.h) stands in bits of its home that regions do not have. */
#define HALF_KIND_SHIFT 2u

static inline enum half_kind half_kind(const struct half *half) {
    return (enum half_kind)(half->home >> HALF_KIND_SHIFT & 7);
}

/* The region, with HOME_NEGATED. */
static inline uint64_t half_home(const struct half *half) {
    return half->home & ~(UINT64_C(7) << HALF_KIND_SHIFT);
}

/* The home of a register some lanes of which have one home and others the other: numbers among addresses are
 * null. */
static inline uint64_t home_joined(uint64_t a, uint64_t b) {
    return a == b || b == HOME_NONE ? a : a == HOME_NONE ? b : HOME_SEVERAL;
}

/* Writes the home of the lanes of `mask` of a register. */
static inline void home_write(const struct warp *warp, struct lanes *out, uint32_t mask, uint64_t home) {
    /* Of machine code, only temporaries have homes, and nobody reads their other lanes. */
    const bool whole = mask == warp->live || warp->run->module->code != NULL;
    out->home = whole ? home : home_joined(out->home, home);
    out->numbers = 0;
}

/* The home of a value that is read as an address from memory. */
uint64_t home_of_value(const struct run *run, uint64_t value);

/* The home of what an instruction computes from sources with `homes`, some of which are not HOME_NONE, in the
 * lanes of `mask`, in which all are known. False: the result depends on where memory stands. */
bool home_of_result(const struct run *run, const struct micro *op, const uint64_t *const *values,
                    const uint64_t *homes, uint32_t mask, uint64_t *home);

/* The lanes of `mask` in which a comparison of two values, of which one has a home at least, does not depend
 * on where memory stands. */
uint32_t home_comparable(const struct run *run, const struct micro *op, const uint64_t *const *values,
                         const uint64_t *homes, uint32_t mask);

/* Whether a comparison of two values, given with their homes, does not. */
bool home_lane_comparable(const struct run *run, const struct micro *op, uint64_t a, uint64_t home_a,
                          uint64_t b, uint64_t home_b);

/* What several lanes are made from: nothing was looked at yet. */
#define HOME_NO_LANES HOME_SEVERAL

/* The region that all addresses in the lanes of `mask` are made from, together with those looked at before
 * (*home); HOME_NONE where there is no such region. Where they are not known that says, as addresses stay
 * inside of what they are made from, which memory they are in. */
void home_of_lanes(const struct run *run, const struct lanes *lanes, uint32_t mask, uint64_t *home);

/* The same of what an instruction computes in lanes that are not known. */
uint64_t home_of_unknown(const struct warp *warp, const struct micro *op, uint32_t mask);

/* Whether a lane of a register can be stored in so many bytes: a load finds the home of an address again, not
 * that of other numbers that are made of one, which are left open. */
bool home_is_kept(const struct warp *warp, const struct lanes *from, uint32_t lane, uint32_t bytes);

#endif

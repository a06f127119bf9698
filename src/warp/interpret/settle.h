/* Which lanes of a result are known: what executions of all that lanes compute by themselves read, look at
 * and write. */
#ifndef WB_WARP_INTERPRET_SETTLE_H
#define WB_WARP_INTERPRET_SETTLE_H

#include "warp/interpret/execute.h"
#include "warp/interpret/home.h"

/* The sources of an instruction. */
struct inputs {
    const struct lanes *lanes[MICRO_SOURCES];
    const uint64_t *values[MICRO_SOURCES];
    uint32_t known;  /* lanes in which all are known */
    uint64_t homes;  /* not 0: some source has a home */
    uint32_t halved; /* lanes in which some source is half of an address */
};

/* Filled in place: as a whole they would go through memory in pieces of other sizes. */
static inline void read_inputs(const struct warp *warp, const struct micro *op, struct inputs *in) {
    in->known = LANES_ALL;
    in->homes = 0;
    in->halved = 0;
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        const struct lanes *lanes = warp_slot(warp, op->source[i]);
        in->lanes[i] = lanes;
        in->values[i] = lanes->value;
        in->known &= lanes->known;
        in->homes |= lanes->home;
        in->halved |= lanes_halves(lanes);
    }
}

/* Takes the lanes of `open` from those that are known, because they depend on where memory stands, unless
 * that is assumed. */
uint32_t settle_open(struct warp *warp, uint32_t known, uint32_t open);

/* The lanes of `mask` whose result is known, though some have unknown operands, and in *origin what made the
 * first of the others unknown. */
uint32_t settle_known(const struct micro *op, const struct inputs *in, uint32_t mask, uint32_t *origin);

/* Marks the lanes of `mask` in a register that was just written. */
static inline void mark_known(struct lanes *out, uint32_t mask, uint32_t known, uint32_t origin) {
    out->known = (out->known & ~mask) | (known & mask);
    if ((mask & ~known) != 0) lanes_unknown_by(out, mask & ~known, origin);
}

/* Writes the lanes of `mask` of a predicate. */
static inline void write_predicate(struct lanes *out, uint32_t mask, uint32_t bits, uint32_t known,
                                   uint32_t origin) {
    out->value[0] = (out->value[0] & ~mask) | (bits & mask);
    mark_known(out, mask, known, origin);
}

/* The region that all unknown lanes of a register are made from once some of `mask` are made from `home`. */
uint64_t settle_joined_home(const struct warp *warp, const struct lanes *out, uint32_t mask, uint64_t home);

/* The same once `lanes` of `mask` have become what an instruction makes of them. */
uint64_t settle_unknown_home(const struct warp *warp, const struct micro *op, const struct lanes *out,
                             uint32_t mask, uint32_t lanes);

#endif

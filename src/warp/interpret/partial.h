/* Lanes of which single bits are known, halves and bytes mostly: a half that was written to a register that
 * holds nothing yet, a byte in memory whose neighbours are not known. Such a lane is unknown to whoever looks
 * at it as a whole, but its `bits` are known (struct half), and what is computed from them alone is, too
 * (known_bits.h). Numbers only: of addresses no bits are known here. */
#ifndef WB_WARP_INTERPRET_PARTIAL_H
#define WB_WARP_INTERPRET_PARTIAL_H

#include "warp/interpret/warp.h"

/* The bits of a lane that are known. */
static inline uint64_t partial_bits(const struct lanes *lanes, uint32_t lane) {
    if ((lanes->known >> lane & 1) != 0)
        return lanes->home == 0 || (lanes->numbers >> lane & 1) != 0 ? UINT64_MAX : 0;
    return (lanes->partial >> lane & 1) != 0 ? lanes->half.bits[lane] : 0;
}

/* What of unknown sources is known of results: the lanes that are known nevertheless, and those of which some
 * bits are. */
struct partial_lanes {
    uint32_t known, partial;
    uint64_t bits[WARP_LANES];
};

/* Adds a lane, `bits` of whose register's bits `all` are known. */
static inline void partial_add(struct partial_lanes *lanes, uint32_t lane, uint64_t bits, uint64_t all) {
    lanes->known |= (uint32_t)((~bits & all) == 0) << lane;
    lanes->partial |= (uint32_t)((~bits & all) != 0 && (bits & all) != 0) << lane;
    lanes->bits[lane] = bits & all;
}

/* What an instruction that computes a value in each lane gives in the lanes of `mask`, in which some source
 * is unknown. The destination is not written yet. */
void partial_of_result(const struct warp *warp, const struct micro *op, uint32_t mask,
                       struct partial_lanes *out);

/* The same of machine.add3. */
void partial_of_add3(const struct warp *warp, const struct micro *op, uint32_t mask,
                     struct partial_lanes *out);

/* Parts of a register put together, and part `index` of the parts of one, in the lanes of `mask`, of which
 * single bits are known. */
void partial_of_pack(const struct warp *warp, const struct micro *op, uint32_t mask,
                     struct partial_lanes *out);
void partial_of_part(const struct lanes *in, const struct micro *op, uint32_t index, uint32_t mask,
                     struct partial_lanes *out);

/* Notes in a register that was just written what is known of lanes that are unknown as a whole. */
void partial_write(struct lanes *out, const struct partial_lanes *lanes);
void partial_write_lane(struct lanes *out, uint32_t lane, uint64_t bits);

#endif

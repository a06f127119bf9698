/* Where lanes of a warp of machine code meet that branches have divided (docs/convergence.md).
 *
 * BSSY leaves an entry on the SIMT stack that waits where its lanes will go on together, below the one that
 * executes on; BSYNC takes lanes to it, and it goes on when nothing is above it any more. The sets B0 .. B15,
 * from which BREAK takes lanes, say whether all have come then that hardware would wait for. WARPSYNC and BAR
 * leave such an entry where the lowest entry is whose lanes they wait for. */
#ifndef WB_WARP_INTERPRET_CONVERGE_H
#define WB_WARP_INTERPRET_CONVERGE_H

#include "warp/interpret/warp.h"

/* The value in the lanes of `mask`, which are some; false where it is not the same or not known in all. */
static inline bool lanes_agree(const struct lanes *lanes, uint32_t mask, uint32_t *value) {
    assert(mask != 0);
    *value = (uint32_t)lanes->value[__builtin_ctz(mask)];
    FOR_LANES_OF(l, mask) if ((uint32_t)lanes->value[l] != *value) return false;
    return (mask & ~lanes->known) == 0;
}

/* Whether the warp executes machine code. */
static inline bool warp_is_machine_code(const struct warp *warp) {
    return ptx_is_machine_code(warp->frame->code->function);
}

/* What a branch that divides lanes takes for granted. */
static inline enum assumed divided_lanes_assumed(const struct warp *warp) {
    return warp_is_machine_code(warp) ? ASSUMED_DIVIDED_MACHINE_LANES : ASSUMED_DIVIDED_LANES;
}

/* In machine code: a side that comes to BSYNC at once is executed before the others, so that lanes that leave
 * a loop one after another do not all have to be kept. */
void meeting_side_first(const struct warp *warp, struct side *sides, uint32_t count);

/* The entry, below the top one, where the lanes go on that execute BSYNC of a set in front of instruction
 * `pc`; SIZE_MAX: none. */
size_t meeting_of(const struct warp *warp, uint32_t set, uint32_t pc);

/* The top entry, where lanes have waited, goes on. */
wb_status meeting_end(struct warp *warp, struct simt_entry *top);

/* Of part of a warp that comes to a barrier of the block: it waits for the others first. */
wb_status meeting_before_barrier(struct warp *warp, const struct micro *op, uint32_t mask, bool *waits);

/* WB_ERR_DECLINED with a message unless all lanes of the top entry execute an instruction. */
wb_status meeting_needs_all(struct warp *warp, const struct micro *op, uint32_t mask);

#endif

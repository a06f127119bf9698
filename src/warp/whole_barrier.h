/* Which instructions are barriers, and of whom. */
#ifndef WB_WARP_WHOLE_BARRIER_H
#define WB_WARP_WHOLE_BARRIER_H

#include "ptx/ptx.h"

enum barrier_scope {
    BARRIER_NONE,  /* no barrier, or one within a warp */
    BARRIER_WHOLE, /* joins all warps of the block */
    BARRIER_PART,  /* joins a part of them (counted, or arrive-only), or other blocks as well */
};

/* The scope of an instruction in a block of `size` threads in warps of `warp_width`. Which of the 16 barriers
 * it is does not matter: warps that all wait for all others wait for the same one, or for ever. */
enum barrier_scope barrier_scope_of(const struct ptx_function *function, const struct ptx_inst *inst,
                                    const uint32_t size[3], uint32_t warp_width);

#endif

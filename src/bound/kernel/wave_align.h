/* The blocks of a wave aligned: along the paths of one block, section by section, what the others can add
 * (docs/wave-bounds.md, theorem 2). */
#ifndef WB_BOUND_KERNEL_WAVE_ALIGN_H
#define WB_BOUND_KERNEL_WAVE_ALIGN_H

#include "bound/block/align.h"
#include "bound/kernel/wave_class.h"
#include "bound/method/method.h"

/* A pair of classes. */
struct wave_pair {
    const struct wave_class *own, *other;
    const cycles *charges; /* per unit the least charge of an instruction: phase_charges */
    uint64_t m;            /* warps that are aligned, all blocks together */
};

/* The sum over the teams of a block of the other class of the longest length(P) + m * charges, P through all
 * sections of a block of the own class, in an arena that is protected. Never more than what is known without
 * alignments, which it is where the budget does not do: *cut_short is then set. The watch may end the pass.
 */
cycles wave_aligned(const struct bound_input *input, struct arena *arena, const struct wave_pair *pair,
                    bool *cut_short);

#endif

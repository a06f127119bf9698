/* Arithmetic in the rounding mode that an instruction asks for.
 *
 * The processor's mode is set around the computation, whose operands and result pass through volatile
 * objects: those accesses and the calls that set the mode keep their order, so that no compiler flag is
 * needed for the computation to stay between them. */
#ifndef WB_WARP_ALU_ROUNDING_H
#define WB_WARP_ALU_ROUNDING_H

#include <fenv.h>

#include "ptx/form.h"

/* The mode of <fenv.h> for rn, rz, rm, rp; nearest for all others. */
static inline int rounding_mode(uint8_t round) {
    switch (round) {
    case PTX_ROUND_RZ: return FE_TOWARDZERO;
    case PTX_ROUND_RM: return FE_DOWNWARD;
    case PTX_ROUND_RP: return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

/* Sets the mode of a form; rounding_end sets it back to nearest, which every other computation assumes. */
static inline void rounding_begin(uint8_t round) {
    if (rounding_mode(round) != FE_TONEAREST) fesetround(rounding_mode(round));
}

static inline void rounding_end(uint8_t round) {
    if (rounding_mode(round) != FE_TONEAREST) fesetround(FE_TONEAREST);
}

#endif

/* Properties of PTX floating-point values that C does not have: canonical NaNs, flushing of subnormal
 * numbers, saturation to [0, 1]. */
#ifndef WB_WARP_ALU_FLOAT_VALUE_H
#define WB_WARP_ALU_FLOAT_VALUE_H

#include <fenv.h>
#include <math.h>

#include "ptx/form.h"
#include "warp/alu/lanes.h"

/* The NaN that arithmetic returns, whatever NaN went in. */
#define NAN_F32 UINT32_C(0x7fffffff)
#define NAN_F64 UINT64_C(0xfff8000000000000)

/* Bits of a result, NaNs canonical. */
static inline uint64_t result_f32(float value) {
    return value != value ? NAN_F32 : float_bits(value);
}

static inline uint64_t result_f64(double value) {
    return value != value ? NAN_F64 : double_bits(value);
}

/* .ftz: a subnormal number becomes a zero of its sign. */
static inline float flush_f32(float value) {
    uint64_t bits = float_bits(value);
    return (bits & 0x7f800000) == 0 ? float_of(bits & 0x80000000) : value;
}

/* .sat: into [0, 1], NaN and -0 to +0, in every rounding mode that is set. */
static inline float saturate_f32(float value) {
    return value > 0.0f ? (value > 1.0f ? 1.0f : value) : 0.0f;
}

static inline double saturate_f64(double value) {
    return value > 0.0 ? (value > 1.0 ? 1.0 : value) : 0.0;
}

/* Arithmetic in the rounding mode that an instruction asks for.
 *
 * The processor's mode is set around the computation, whose operands and result pass through volatile
 * objects: those accesses and the calls that set the mode keep their order, so that no compiler flag is
 * needed for the computation to stay between them. */

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

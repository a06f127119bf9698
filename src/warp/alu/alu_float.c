#include "warp/alu/alu.h"

#include "warp/alu/float_value.h"
#include "warp/alu/rounding.h"

/* clang-format off */

/* Round to nearest without modifiers: nearly all of what compilers emit. */
LANE_FUNCTION(add_f32, d[l] = result_f32(float_of(a[l]) + float_of(b[l]));)
LANE_FUNCTION(sub_f32, d[l] = result_f32(float_of(a[l]) - float_of(b[l]));)
LANE_FUNCTION(mul_f32, d[l] = result_f32(float_of(a[l]) * float_of(b[l]));)
LANE_FUNCTION(fma_f32, d[l] = result_f32(fmaf(float_of(a[l]), float_of(b[l]), float_of(c[l])));)
LANE_FUNCTION(add_f64, d[l] = result_f64(double_of(a[l]) + double_of(b[l]));)
LANE_FUNCTION(sub_f64, d[l] = result_f64(double_of(a[l]) - double_of(b[l]));)
LANE_FUNCTION(mul_f64, d[l] = result_f64(double_of(a[l]) * double_of(b[l]));)
LANE_FUNCTION(fma_f64, d[l] = result_f64(fma(double_of(a[l]), double_of(b[l]), double_of(c[l])));)

LANE_FUNCTION(neg_f32, d[l] = (uint32_t)a[l] ^ 0x80000000;)
LANE_FUNCTION(abs_f32, d[l] = a[l] & 0x7fffffff;)
LANE_FUNCTION(neg_ftz_f32, d[l] = float_bits(flush_f32(float_of(a[l]))) ^ 0x80000000;)
LANE_FUNCTION(abs_ftz_f32, d[l] = float_bits(flush_f32(float_of(a[l]))) & 0x7fffffff;)
LANE_FUNCTION(neg_f64, d[l] = a[l] ^ UINT64_C(1) << 63;)
LANE_FUNCTION(abs_f64, d[l] = double_of(a[l]) != double_of(a[l]) ? a[l] : a[l] & INT64_MAX;)
LANE_FUNCTION(copysign_f32, d[l] = (b[l] & 0x7fffffff) | (a[l] & 0x80000000);)
LANE_FUNCTION(copysign_f64, d[l] = (b[l] & INT64_MAX) | (a[l] & UINT64_C(1) << 63);)
/* clang-format on */

#if defined(__x86_64__)
/* fmaf and fma as one processor instruction, where the processor has it. */
#    define LANE_FUNCTION_FMA(name, ...) __attribute__((target("avx2,fma"))) LANE_FUNCTION(name, __VA_ARGS__)
/* clang-format off */
LANE_FUNCTION_FMA(fma_f32_native,
    d[l] = result_f32(__builtin_fmaf(float_of(a[l]), float_of(b[l]), float_of(c[l])));)
LANE_FUNCTION_FMA(fma_f64_native,
    d[l] = result_f64(__builtin_fma(double_of(a[l]), double_of(b[l]), double_of(c[l])));)
/* clang-format on */

static lane_fn find_fma(bool wide) {
    if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2")) return wide ? fma_f64 : fma_f32;
    return wide ? fma_f64_native : fma_f32_native;
}
#else
static lane_fn find_fma(bool wide) {
    return wide ? fma_f64 : fma_f32;
}
#endif

/* Any rounding, .ftz and .sat of one f32 operation; the rounding mode is set by the caller. */
static uint64_t arithmetic_f32(const struct ptx_form *form, uint64_t a, uint64_t b, uint64_t c) {
    volatile float x = float_of(a), y = float_of(b), z = float_of(c), r;
    if (form->ftz) {
        x = flush_f32(x);
        y = flush_f32(y);
        z = flush_f32(z);
    }
    switch (form->op) {
    case PTX_OP_ADD: r = x + y; break;
    case PTX_OP_SUB: r = x - y; break;
    case PTX_OP_MUL: r = x * y; break;
    default: r = fmaf(x, y, z); break;
    }
    float value = r;
    if (form->ftz) value = flush_f32(value);
    if (form->sat) value = saturate_f32(value);
    return result_f32(value);
}

static uint64_t arithmetic_f64(const struct ptx_form *form, uint64_t a, uint64_t b, uint64_t c) {
    volatile double x = double_of(a), y = double_of(b), z = double_of(c), r;
    switch (form->op) {
    case PTX_OP_ADD: r = x + y; break;
    case PTX_OP_SUB: r = x - y; break;
    case PTX_OP_MUL: r = x * y; break;
    default: r = fma(x, y, z); break;
    }
    return result_f64(form->sat ? saturate_f64(r) : r);
}

static void arithmetic(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    const struct ptx_form *form = op->form;
    rounding_begin(form->round);
    for (uint32_t l = 0; l < WARP_LANES; l++)
        d[l] = form->type == PTX_F64 ? arithmetic_f64(form, s[0][l], s[1][l], s[2][l])
                                     : arithmetic_f32(form, s[0][l], s[1][l], s[2][l]);
    rounding_end(form->round);
}

/* The smaller or larger of two numbers, -0 below +0; of a number and a NaN the number unless .NaN. */
static double extreme_of_two(double x, double y, bool want_max, bool keep_nan) {
    if (x != x || y != y) {
        if (keep_nan || (x != x && y != y)) return (double)NAN;
        return x != x ? y : x;
    }
    if (x == y) return (signbit(x) != 0) == want_max ? y : x;
    return (x < y) == want_max ? y : x;
}

double alu_extreme(const struct micro *op, const double *values) {
    const struct ptx_form *form = op->form;
    double result = form->abs ? fabs(values[0]) : values[0];
    bool negative = signbit(values[0]) != 0;
    for (uint32_t i = 1; i < op->source_count; i++) {
        double value = form->abs ? fabs(values[i]) : values[i];
        result = extreme_of_two(result, value, form->op == PTX_OP_MAX, form->nan);
        negative ^= signbit(values[i]) != 0;
    }
    return form->xorsign && negative ? -result : result;
}

static void extremes(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        double values[3] = {0};
        for (uint32_t i = 0; i < 3; i++) {
            float narrow = float_of(s[i][l]);
            if (op->form->ftz) narrow = flush_f32(narrow);
            values[i] = op->form->type == PTX_F64 ? double_of(s[i][l]) : (double)narrow;
        }
        double result = alu_extreme(op, values);
        d[l] = op->form->type == PTX_F64 ? result_f64(result) : result_f32((float)result);
    }
}

/* What stands for a form without rounding mode other than nearest, .ftz and .sat. */
static lane_fn find_plain(const struct ptx_form *form) {
    bool wide = form->type == PTX_F64;
    switch (form->op) {
    case PTX_OP_ADD: return wide ? add_f64 : add_f32;
    case PTX_OP_SUB: return wide ? sub_f64 : sub_f32;
    case PTX_OP_MUL: return wide ? mul_f64 : mul_f32;
    default: return find_fma(wide);
    }
}

lane_fn alu_float_find(const struct ptx_form *form) {
    bool wide = form->type == PTX_F64;
    if ((!wide && form->type != PTX_F32) || form->type2 != form->type) return NULL;
    switch (form->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_FMA:
        if (form->relu) return NULL;
        if (form->ftz || form->sat || rounding_mode(form->round) != FE_TONEAREST) return arithmetic;
        return find_plain(form);
    case PTX_OP_NEG: return wide ? neg_f64 : form->ftz ? neg_ftz_f32 : neg_f32;
    case PTX_OP_ABS: return wide ? abs_f64 : form->ftz ? abs_ftz_f32 : abs_f32;
    case PTX_OP_COPYSIGN: return wide ? copysign_f64 : copysign_f32;
    case PTX_OP_MIN:
    case PTX_OP_MAX: return extremes;
    default: return NULL;
    }
}

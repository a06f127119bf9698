/* Floating-point arithmetic: of f32 and f64; their division, roots and transcendental functions; of f16, bf16
 * and their pairs. */
#include "warp/alu/alu.h"
#include "warp/alu/lanes.h"

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

/* min or max of the two or three values of a floating-point form; .abs compares magnitudes, .xorsign
 * multiplies signs. */
static double alu_extreme(const struct micro *op, const double *values) {
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

static lane_fn find_arithmetic(const struct ptx_form *form) {
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

/* ---- Division, roots, transcendental functions --------------------------------------------------------- */

/* div.approx.f32: divisors beyond 2^126 give a zero, or NaN for an infinite dividend (PTX ISA, div). */
static float divide_approximately(float x, float y) {
    float magnitude = fabsf(y);
    if (magnitude <= 0x1p126f || isinf(y) || y != y) return x / y;
    if (isinf(x)) return (float)NAN;
    return x != x ? x : copysignf(0.0f, x) * copysignf(1.0f, y);
}

/* One f32 operation; x and y are volatile so that it is computed in the rounding mode that is set. The
 * transcendental functions are computed in double precision and rounded, which is within PTX's error bounds.
 */
static float special_f32(const struct ptx_form *form, const volatile float *x, const volatile float *y) {
    switch (form->op) {
    case PTX_OP_DIV: return form->approx ? divide_approximately(*x, *y) : *x / *y;
    case PTX_OP_RCP: return 1.0f / *x;
    case PTX_OP_SQRT: return sqrtf(*x);
    case PTX_OP_RSQRT: return (float)(1.0 / sqrt((double)*x));
    case PTX_OP_SIN: return (float)sin((double)*x);
    case PTX_OP_COS: return (float)cos((double)*x);
    case PTX_OP_LG2: return (float)log2((double)*x);
    case PTX_OP_EX2: return (float)exp2((double)*x);
    default: return (float)tanh((double)*x);
    }
}

static double special_f64(const struct ptx_form *form, const volatile double *x, const volatile double *y) {
    switch (form->op) {
    case PTX_OP_DIV: return *x / *y;
    case PTX_OP_RCP: return 1.0 / *x;
    case PTX_OP_SQRT: return sqrt(*x);
    default: return 1.0 / sqrt(*x);
    }
}

static uint64_t lane_f32(const struct ptx_form *form, uint64_t a, uint64_t b) {
    volatile float x = float_of(a), y = float_of(b);
    if (form->ftz) {
        x = flush_f32(x);
        y = flush_f32(y);
    }
    volatile float r = special_f32(form, &x, &y);
    float value = r;
    if (form->ftz) value = flush_f32(value);
    if (form->sat) value = saturate_f32(value);
    return result_f32(value);
}

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write only the upper word of a number, and flush
 * subnormal numbers. */
#define UPPER_WORD UINT64_C(0xffffffff00000000)
#define NAN_UPPER_WORD UINT64_C(0x7fffffff00000000)

static uint64_t flushed_upper_word(double value) {
    uint64_t bits = double_bits(value) & UPPER_WORD;
    return (bits << 1 >> 53) == 0 ? bits & UINT64_C(1) << 63 : bits;
}

static uint64_t upper_word_f64(const struct ptx_form *form, uint64_t a) {
    double x = double_of(flushed_upper_word(double_of(a)));
    double result = 1.0 / (form->op == PTX_OP_RCP ? x : x == 0.0 ? x : sqrt(x));
    return result != result ? NAN_UPPER_WORD : flushed_upper_word(result);
}

static uint64_t lane_f64(const struct ptx_form *form, uint64_t a, uint64_t b) {
    if (form->approx && form->ftz) return upper_word_f64(form, a);
    volatile double x = double_of(a), y = double_of(b);
    volatile double r = special_f64(form, &x, &y);
    return result_f64(r);
}

static void special(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    const struct ptx_form *form = op->form;
    rounding_begin(form->round);
    for (uint32_t l = 0; l < WARP_LANES; l++)
        d[l] = form->type == PTX_F64 ? lane_f64(form, s[0][l], s[1][l]) : lane_f32(form, s[0][l], s[1][l]);
    rounding_end(form->round);
}

static lane_fn find_special(const struct ptx_form *form) {
    if (form->type != PTX_F32 && form->type != PTX_F64) return NULL;
    switch (form->op) {
    case PTX_OP_DIV:
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
    case PTX_OP_RSQRT: return special;
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_LG2:
    case PTX_OP_EX2:
    case PTX_OP_TANH: return form->type == PTX_F32 ? special : NULL;
    default: return NULL;
    }
}

/* ---- f16 and bf16 -------------------------------------------------------------------------------------- */

/* a * b + c such that rounding it to a format of at most 11 bits of precision gives the correctly rounded
 * result: where the sum is inexact its last bit is made odd, so that a second rounding cannot mistake it for
 * a tie (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", IEEE TC 57(4), 2008). */
static double fused(double a, double b, double c) {
    double product = a * b; /* exact: at most 22 bits */
    double sum = product + c;
    double part = sum - product;
    double error = (product - (sum - part)) + (c - part);
    uint64_t bits = double_bits(sum);
    if (!(fabs(sum) <= 0x1p1000) || !(error != 0.0) || (bits & 1) != 0) return sum;
    return double_of((error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1);
}

static double compute(const struct micro *op, const double *v) {
    switch (op->form->op) {
    case PTX_OP_ADD: return fused(v[0], 1.0, v[1]);
    case PTX_OP_SUB: return fused(v[0], 1.0, -v[1]);
    case PTX_OP_MUL: return v[0] * v[1];
    case PTX_OP_FMA:
    case PTX_OP_MAD: return fused(v[0], v[1], v[2]);
    case PTX_OP_EX2: return exp2(v[0]);
    default: return tanh(v[0]);
    }
}

/* One element: 16 bits of each source to 16 bits of the result. */
static uint64_t element(const struct micro *op, const struct float_format *format, const uint64_t *bits) {
    const struct ptx_form *form = op->form;
    double values[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        bool flushed = form->ftz && float_format_tiny(format, bits[i]);
        values[i] = float_format_decode(format, flushed ? bits[i] & float_format_sign(format) : bits[i]);
    }
    bool is_extreme = form->op == PTX_OP_MIN || form->op == PTX_OP_MAX;
    double result = is_extreme ? alu_extreme(op, values) : compute(op, values);
    if (form->sat) result = saturate_f64(result);
    if (form->relu && result <= 0.0) result = 0.0;
    uint64_t rounded = float_format_encode(format, result, PTX_ROUND_RN);
    return form->ftz && float_format_tiny(format, rounded) ? rounded & float_format_sign(format) : rounded;
}

static bool is_pair(const struct ptx_form *form) {
    return form->type == PTX_F16X2 || form->type == PTX_BF16X2;
}

static void half_arithmetic(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    const struct float_format *format = float_format_of(op->form->type);
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint64_t result = 0;
        for (uint32_t shift = 0; shift < (is_pair(op->form) ? 32u : 16u); shift += 16) {
            uint64_t bits[3];
            for (uint32_t i = 0; i < 3; i++)
                bits[i] = s[i][l] >> shift & 0xffff;
            result |= element(op, format, bits) << shift;
        }
        d[l] = result;
    }
}

/* The sign bits of an element or a pair of them. */
static uint64_t sign_bits(const struct micro *op) {
    return is_pair(op->form) ? 0x80008000 : 0x8000;
}

static void half_neg(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    uint64_t signs = sign_bits(op);
    FOR_LANES(l) d[l] = s[0][l] ^ signs;
}

static void half_abs(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    uint64_t signs = sign_bits(op);
    FOR_LANES(l) d[l] = s[0][l] & ~signs;
}

static lane_fn find_half(const struct ptx_form *form) {
    bool half = form->type == PTX_F16 || form->type == PTX_BF16 || is_pair(form);
    if (!half || form->type2 != form->type || form->oob) return NULL;
    switch (form->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_FMA:
    case PTX_OP_MAD:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
    case PTX_OP_EX2:
    case PTX_OP_TANH: return half_arithmetic;
    case PTX_OP_NEG: return form->ftz ? NULL : half_neg;
    case PTX_OP_ABS: return form->ftz ? NULL : half_abs;
    default: return NULL;
    }
}

lane_fn alu_float_find(const struct ptx_form *form) {
    lane_fn found = find_arithmetic(form);
    if (found == NULL) found = find_special(form);
    return found != NULL ? found : find_half(form);
}

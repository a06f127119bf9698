#include "warp/alu/alu.h"

#include "warp/alu/float_value.h"
#include "warp/alu/rounding.h"

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

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write the upper word of a number alone, and flush
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

lane_fn alu_special_find(const struct ptx_form *form) {
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

#include "warp/alu/alu.h"

#include "warp/alu/float_format.h"
#include "warp/alu/float_value.h"

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

lane_fn alu_half_find(const struct ptx_form *form) {
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

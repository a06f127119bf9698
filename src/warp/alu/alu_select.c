/* Moves, selection, and what is known although an operand is not. */
#include "warp/alu/alu.h"
#include "warp/alu/float_value.h"
#include "warp/interpret/address.h"

void alu_copy(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    uint64_t mask = op->result_mask;
    const uint64_t *a = s[0];
    FOR_LANES(l) d[l] = a[l] & mask;
}

void alu_offset(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    uint64_t mask = op->result_mask, offset = op->immediate;
    const uint64_t *a = s[0];
    FOR_LANES(l) d[l] = (a[l] + offset) & mask;
}

static void selp(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    const uint64_t *a = s[0], *b = s[1];
    uint32_t choice = (uint32_t)s[2][0] ^ (op->source[2].negated ? LANES_ALL : 0);
    FOR_LANES(l) d[l] = (choice >> l & 1) != 0 ? a[l] : b[l];
}

LANE_FUNCTION(slct_s32, d[l] = (int32_t)c[l] >= 0 ? a[l] : b[l];)
LANE_FUNCTION(slct_f32, d[l] = float_of(c[l]) >= 0.0f ? a[l] : b[l];)
LANE_FUNCTION(slct_ftz_f32, d[l] = flush_f32(float_of(c[l])) >= 0.0f ? a[l] : b[l];)

/* cvta: addresses of .shared and .local are moved into and out of their windows, others are generic. */
static void cvta_to_generic(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    uint64_t window = address_window(op->form->space), mask = op->result_mask;
    FOR_LANES(l) d[l] = (s[0][l] + window) & mask;
}

static void cvta_from_generic(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    uint64_t window = address_window(op->form->space), mask = op->result_mask;
    FOR_LANES(l) d[l] = (s[0][l] - window) & mask;
}

lane_fn alu_select_find(const struct ptx_form *form) {
    switch (form->op) {
    case PTX_OP_MOV: return form->type == PTX_PRED || form->type == PTX_B128 ? NULL : alu_copy;
    case PTX_OP_SELP: return selp;
    case PTX_OP_SLCT: return form->type2 != PTX_F32 ? slct_s32 : form->ftz ? slct_ftz_f32 : slct_f32;
    case PTX_OP_CVTA: return form->to ? cvta_from_generic : cvta_to_generic;
    default: return NULL;
    }
}

/* 0 and anything is 0. */
static uint32_t refine_and(const struct micro *op, const uint64_t *const *s, const uint32_t *known) {
    uint32_t zero_a = 0, zero_b = 0;
    (void)op;
    FOR_LANES(l) {
        zero_a |= (uint32_t)(s[0][l] == 0) << l;
        zero_b |= (uint32_t)(s[1][l] == 0) << l;
    }
    return (known[0] & zero_a) | (known[1] & zero_b);
}

/* 0 times anything is 0; the addend of a mad must be known. */
static uint32_t refine_product(const struct micro *op, const uint64_t *const *s, const uint32_t *known) {
    return refine_and(op, s, known) & known[2];
}

/* All ones or anything is all ones. */
static uint32_t refine_or(const struct micro *op, const uint64_t *const *s, const uint32_t *known) {
    uint32_t ones_a = 0, ones_b = 0;
    uint64_t ones = op->result_mask;
    FOR_LANES(l) {
        ones_a |= (uint32_t)(s[0][l] == ones) << l;
        ones_b |= (uint32_t)(s[1][l] == ones) << l;
    }
    return (known[0] & ones_a) | (known[1] & ones_b);
}

/* Only the operand that is chosen needs to be known, and no choice where both are equal. */
static uint32_t refine_selp(const struct micro *op, const uint64_t *const *s, const uint32_t *known) {
    uint32_t choice = (uint32_t)s[2][0] ^ (op->source[2].negated ? LANES_ALL : 0);
    uint32_t equal = 0;
    FOR_LANES(l) equal |= (uint32_t)(s[0][l] == s[1][l]) << l;
    return (known[2] & ((choice & known[0]) | (~choice & known[1]))) | (equal & known[0] & known[1]);
}

static uint32_t refine_pred(const struct micro *op, const uint64_t *const *s, const uint32_t *known) {
    uint32_t x = (uint32_t)s[0][0], y = (uint32_t)s[1][0];
    if (op->form->op == PTX_OP_OR) return (known[0] & x) | (known[1] & y);
    return (known[0] & ~x) | (known[1] & ~y);
}

refine_fn alu_refine_find(const struct ptx_form *form) {
    bool is_pred = form->type == PTX_PRED;
    bool is_int = int_kind_of(form->type) != INT_KINDS;
    switch (form->op) {
    case PTX_OP_AND: return is_pred ? refine_pred : refine_and;
    case PTX_OP_OR: return is_pred ? refine_pred : refine_or;
    case PTX_OP_SELP: return refine_selp;
    case PTX_OP_MUL:
    case PTX_OP_MAD: return is_int && !form->carry_out ? refine_product : NULL;
    default: return NULL;
    }
}

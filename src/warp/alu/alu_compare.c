/* Results that are predicates: comparisons, tests of numbers and addresses, logic of predicates; moves and
 * selection; and what is known of a result although an operand is not. */
#include "warp/alu/alu.h"
#include "warp/alu/lanes.h"

#define TEST_FUNCTION(name, prepare, condition)                                                              \
    static uint32_t name(const struct micro *op, const uint64_t *const *s) {                                 \
        const uint64_t *a = s[0], *b = s[1];                                                                 \
        uint32_t result = 0;                                                                                 \
        (void)op, (void)a, (void)b;                                                                          \
        FOR_LANES(l) {                                                                                       \
            prepare result |= (uint32_t)(condition) << l;                                                    \
        }                                                                                                    \
        return result;                                                                                       \
    }

/* clang-format off */
#define INT_TEST(name, T, operator) TEST_FUNCTION(name, T x = (T)a[l]; T y = (T)b[l];, x operator y)
#define INT_TESTS(name, operator)                                                                            \
    INT_TEST(name##_u16, uint16_t, operator) INT_TEST(name##_s16, int16_t, operator)                         \
    INT_TEST(name##_u32, uint32_t, operator) INT_TEST(name##_s32, int32_t, operator)                         \
    INT_TEST(name##_u64, uint64_t, operator) INT_TEST(name##_s64, int64_t, operator)

INT_TESTS(eq, ==)
INT_TESTS(ne, !=)
INT_TESTS(lt, <)
INT_TESTS(le, <=)
INT_TESTS(gt, >)
INT_TESTS(ge, >=)

/* An f32 operand, flushed if the form says so. */
static inline float read_f32(const struct micro *op, uint64_t bits) {
    float value = float_of(bits);
    return op->form->ftz ? flush_f32(value) : value;
}

#define FLOAT_TESTS(name, condition)                                                                         \
    TEST_FUNCTION(name##_f32, float x = read_f32(op, a[l]); float y = read_f32(op, b[l]);, condition)        \
    TEST_FUNCTION(name##_f64, double x = double_of(a[l]); double y = double_of(b[l]);, condition)

FLOAT_TESTS(eq, x == y)
FLOAT_TESTS(ne, x < y || x > y)
FLOAT_TESTS(lt, x < y)
FLOAT_TESTS(le, x <= y)
FLOAT_TESTS(gt, x > y)
FLOAT_TESTS(ge, x >= y)
FLOAT_TESTS(equ, !(x < y || x > y))
FLOAT_TESTS(neu, !(x == y))
FLOAT_TESTS(ltu, !(x >= y))
FLOAT_TESTS(leu, !(x > y))
FLOAT_TESTS(gtu, !(x <= y))
FLOAT_TESTS(geu, !(x < y))
FLOAT_TESTS(num, !(isnan(x) || isnan(y)))
FLOAT_TESTS(nan, isnan(x) || isnan(y))
/* clang-format on */

struct compare_row {
    test_fn ints[INT_KINDS];
    test_fn f32, f64;
};

#define FLOAT_ROW(name)                                                                                      \
    { .f32 = name##_f32, .f64 = name##_f64 }
#define FULL_ROW(name)                                                                                       \
    { INT_TABLE(name), name##_f32, name##_f64 }
#define UNSIGNED_ROW(name)                                                                                   \
    { {name##_u16, NULL, name##_u32, NULL, name##_u64, NULL}, NULL, NULL }

static const struct compare_row comparisons[] = {
    [PTX_CMP_EQ] = FULL_ROW(eq),     [PTX_CMP_NE] = FULL_ROW(ne),     [PTX_CMP_LT] = FULL_ROW(lt),
    [PTX_CMP_LE] = FULL_ROW(le),     [PTX_CMP_GT] = FULL_ROW(gt),     [PTX_CMP_GE] = FULL_ROW(ge),
    [PTX_CMP_LO] = UNSIGNED_ROW(lt), [PTX_CMP_LS] = UNSIGNED_ROW(le), [PTX_CMP_HI] = UNSIGNED_ROW(gt),
    [PTX_CMP_HS] = UNSIGNED_ROW(ge), [PTX_CMP_EQU] = FLOAT_ROW(equ),  [PTX_CMP_NEU] = FLOAT_ROW(neu),
    [PTX_CMP_LTU] = FLOAT_ROW(ltu),  [PTX_CMP_LEU] = FLOAT_ROW(leu),  [PTX_CMP_GTU] = FLOAT_ROW(gtu),
    [PTX_CMP_GEU] = FLOAT_ROW(geu),  [PTX_CMP_NUM] = FLOAT_ROW(num),  [PTX_CMP_NAN] = FLOAT_ROW(nan),
};

/* Comparisons of f16 and bf16 are those of the same numbers in f32. */
static uint32_t compare_halves(const struct micro *op, const uint64_t *const *s) {
    uint8_t type = op->form->op == PTX_OP_SET ? op->form->type2 : op->form->type;
    const struct float_format *format = float_format_of(type);
    uint64_t wide[2][WARP_LANES];
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            bool flushed = op->form->ftz && float_format_tiny(format, s[i][l]);
            wide[i][l] = flushed ? 0 : float_bits((float)float_format_decode(format, s[i][l]));
        }
    }
    const uint64_t *operands[2] = {wide[0], wide[1]};
    return comparisons[op->form->compare].f32(op, operands);
}

test_fn compare_operator(const struct ptx_form *form, enum ptx_type type) {
    if (form->compare >= sizeof comparisons / sizeof *comparisons) return NULL;
    const struct compare_row *row = &comparisons[form->compare];
    enum int_kind kind = int_kind_of((uint8_t)type);
    if (kind != INT_KINDS) return row->ints[kind];
    switch (type) {
    case PTX_F32: return row->f32;
    case PTX_F64: return row->f64;
    case PTX_F16:
    case PTX_BF16: return row->f32 != NULL ? compare_halves : NULL;
    default: return NULL;
    }
}

/* testp: what kind of number a is. */
static uint32_t test_number(const struct micro *op, const uint64_t *const *s) {
    uint32_t result = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        int kind = op->form->type == PTX_F64 ? fpclassify(double_of(s[0][l])) : fpclassify(float_of(s[0][l]));
        bool is = false;
        switch (op->form->mode) {
        case PTX_MODE_FINITE: is = kind != FP_INFINITE && kind != FP_NAN; break;
        case PTX_MODE_INFINITE: is = kind == FP_INFINITE; break;
        case PTX_MODE_NUMBER: is = kind != FP_NAN; break;
        case PTX_MODE_NOTANUMBER: is = kind == FP_NAN; break;
        case PTX_MODE_NORMAL: is = kind == FP_NORMAL || kind == FP_ZERO; break;
        default: is = kind == FP_SUBNORMAL; break;
        }
        result |= (uint32_t)is << l;
    }
    return result;
}

static uint32_t test_space(const struct micro *op, const uint64_t *const *s) {
    uint32_t result = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        result |= (uint32_t)address_in_space(address_of_machine(s[0][l]), op->form->space) << l;
    return result;
}

/* A predicate that is read, its negation applied. Predicates are masks: see struct lanes. */
static uint32_t pred_source(const struct micro *op, const uint64_t *const *s, uint32_t n) {
    return (uint32_t)s[n][0] ^ (op->source[n].negated ? LANES_ALL : 0);
}

static uint32_t pred_logic(const struct micro *op, const uint64_t *const *s) {
    const uint32_t x = pred_source(op, s, 0), y = pred_source(op, s, 1);
    switch (op->form->op) {
    case PTX_OP_AND: return x & y;
    case PTX_OP_OR: return x | y;
    case PTX_OP_XOR: return x ^ y;
    case PTX_OP_NOT: return ~x;
    default: return x;
    }
}

test_fn compare_find(const struct ptx_form *form) {
    switch (form->op) {
    case PTX_OP_SETP: return compare_operator(form, (enum ptx_type)form->type);
    case PTX_OP_TESTP: return form->type == PTX_F32 || form->type == PTX_F64 ? test_number : NULL;
    case PTX_OP_ISSPACEP: return test_space;
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
    case PTX_OP_MOV: return form->type == PTX_PRED ? pred_logic : NULL;
    default: return NULL;
    }
}

/* ---- Moves and selection ------------------------------------------------------------------------------- */

/* A plain copy of source 0, cut to op->result_mask. */
static void alu_copy(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
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

/* ---- Results that are known although an operand is not ------------------------------------------------- */

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
    const uint32_t x = pred_source(op, s, 0), y = pred_source(op, s, 1);
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

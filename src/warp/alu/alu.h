/* What each lane computes by itself: PTX forms to functions over all lanes. */
#ifndef WB_WARP_ALU_ALU_H
#define WB_WARP_ALU_ALU_H

#include "warp/alu/micro.h"

/* Each finder returns the function that computes the form, or NULL when the form is not one of its kind. A
 * form that no finder knows has an unknown result. */
lane_fn alu_int_find(const struct ptx_form *form);    /* integer arithmetic, logic, shifts, bit fields */
lane_fn alu_float_find(const struct ptx_form *form);  /* floating-point arithmetic */
lane_fn alu_select_find(const struct ptx_form *form); /* mov, selp, slct, set, cvta */
lane_fn convert_find(const struct ptx_form *form);    /* cvt */
test_fn compare_find(const struct ptx_form *form);    /* results that are predicates */

/* When the result of a form is known in spite of an unknown operand, or NULL. */
refine_fn alu_refine_find(const struct ptx_form *form);

/* The comparison that setp and set make, without the boolean operation. */
test_fn compare_operator(const struct ptx_form *form, enum ptx_type type);

/* A lane function that is no form's own: source 0 + op->immediate, cut to op->result_mask. */
void alu_offset(const struct micro *op, uint64_t *d, const uint64_t *const *s);

/* Which of the eight bytes of b:a stands at byte `i` of what prmt gives in a mode; bit 3 set: its sign. */
uint32_t alu_permute_selector(uint8_t mode, uint32_t i, uint32_t control);

/* Integer types in the order of the function tables. */
enum int_kind { INT_U16, INT_S16, INT_U32, INT_S32, INT_U64, INT_S64, INT_KINDS };

/* The table column of a type: bits count as unsigned; INT_KINDS for a type that is no integer of these. */
static inline enum int_kind int_kind_of(uint8_t type) {
    switch (type) {
    case PTX_U16:
    case PTX_B16: return INT_U16;
    case PTX_S16: return INT_S16;
    case PTX_U32:
    case PTX_B32: return INT_U32;
    case PTX_S32: return INT_S32;
    case PTX_U64:
    case PTX_B64: return INT_U64;
    case PTX_S64: return INT_S64;
    default: return INT_KINDS;
    }
}

/* Defines a lane function: the body computes lane l of d from a, b and c. */
#define LANE_FUNCTION(name, ...)                                                                             \
    static void name(const struct micro *op, uint64_t *d, const uint64_t *const *s) {                        \
        const uint64_t *a = s[0], *b = s[1], *c = s[2];                                                      \
        (void)op, (void)a, (void)b, (void)c;                                                                 \
        FOR_LANES(l) {                                                                                       \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

/* Defines `name` for the integer types: x, y and z are the operands as T, and the value of the expression,
 * cut to T, is the result. */
#define INT_FUNCTION(name, T, U, expression)                                                                 \
    LANE_FUNCTION(name, T x = (T)a[l]; T y = (T)b[l]; T z = (T)c[l]; (void)x, (void)y, (void)z;              \
                  d[l] = (U)(expression);)
#define INT_FUNCTIONS_16(name, expression)                                                                   \
    INT_FUNCTION(name##_u16, uint16_t, uint16_t, expression)                                                 \
    INT_FUNCTION(name##_s16, int16_t, uint16_t, expression)
#define INT_FUNCTIONS_32(name, expression)                                                                   \
    INT_FUNCTION(name##_u32, uint32_t, uint32_t, expression)                                                 \
    INT_FUNCTION(name##_s32, int32_t, uint32_t, expression)
#define INT_FUNCTIONS_64(name, expression)                                                                   \
    INT_FUNCTION(name##_u64, uint64_t, uint64_t, expression)                                                 \
    INT_FUNCTION(name##_s64, int64_t, uint64_t, expression)
#define INT_FUNCTIONS(name, expression)                                                                      \
    INT_FUNCTIONS_16(name, expression)                                                                       \
    INT_FUNCTIONS_32(name, expression)                                                                       \
    INT_FUNCTIONS_64(name, expression)
#define INT_TABLE(name)                                                                                      \
    { name##_u16, name##_s16, name##_u32, name##_s32, name##_u64, name##_s64 }

#endif

/* What floating-point instructions and conversions give, as the text of the PTX ISA says it, by exact numbers
 * (exact_number.h): nothing here is shared with the interpreter. */
#ifndef WB_TESTS_FLOAT_REFERENCE_H
#define WB_TESTS_FLOAT_REFERENCE_H

#include "exact_number.h"

/* Types of operands. */
enum value_type {
    VALUE_U8,
    VALUE_S8,
    VALUE_U16,
    VALUE_S16,
    VALUE_U32,
    VALUE_S32,
    VALUE_U64,
    VALUE_S64,
    VALUE_F16,
    VALUE_BF16,
    VALUE_TF32,
    VALUE_F32,
    VALUE_F64,
    VALUE_TYPES
};

extern const struct value_type_facts {
    const char *name;
    unsigned bits;
    bool is_float, is_signed;
    struct format format; /* of a floating-point type */
} value_types[VALUE_TYPES];

/* Modifiers of an instruction. */
struct modifiers {
    enum rounding round;
    bool to_integer; /* rni, rzi, rmi, rpi */
    bool ftz;        /* subnormal f32 and f16 operands and results become zeros of their sign */
    bool sat, relu, nan, abs, xorsign;
};

/* A result that may be any NaN of the type. */
#define ANY_NAN_RESULT UINT64_C(0x7ff4dead7ff4dead)

/* cvt; an integer result stands in 64 bits, extended as its type says. */
uint64_t reference_convert(enum value_type to, enum value_type from, const struct modifiers *how,
                           uint64_t bits);

/* a * b + c, a / b, the root of a, of one floating-point type. add is fma with b = 1, mul is
 * reference_product. */
uint64_t reference_sum(enum value_type type, const struct modifiers *how, uint64_t a, uint64_t b);
uint64_t reference_product(enum value_type type, const struct modifiers *how, uint64_t a, uint64_t b);
uint64_t reference_fused(enum value_type type, const struct modifiers *how, uint64_t a, uint64_t b,
                         uint64_t c);
uint64_t reference_quotient(enum value_type type, const struct modifiers *how, uint64_t a, uint64_t b);
uint64_t reference_root(enum value_type type, const struct modifiers *how, uint64_t a);

/* The smaller, or the larger, of two. */
uint64_t reference_extreme(enum value_type type, const struct modifiers *how, bool larger, uint64_t a,
                           uint64_t b);

/* setp: "lt", "geu", "num" ... */
bool reference_compare(enum value_type type, const struct modifiers *how, const char *operation, uint64_t a,
                       uint64_t b);

#endif

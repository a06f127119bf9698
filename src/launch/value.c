#include "launch/value.h"

#include <string.h>

#include "base/number.h"

static const struct {
    const char *name;
    enum ptx_type type;
} types[] = {
    {"i8", PTX_S8},   {"i16", PTX_S16}, {"i32", PTX_S32}, {"i64", PTX_S64}, {"s8", PTX_S8},
    {"s16", PTX_S16}, {"s32", PTX_S32}, {"s64", PTX_S64}, {"u8", PTX_U8},   {"u16", PTX_U16},
    {"u32", PTX_U32}, {"u64", PTX_U64}, {"b8", PTX_B8},   {"b16", PTX_B16}, {"b32", PTX_B32},
    {"b64", PTX_B64}, {"f32", PTX_F32}, {"f64", PTX_F64}, {"f16", PTX_F16}, {"bf16", PTX_BF16},
};

#define TYPE_COUNT (sizeof types / sizeof *types)

enum ptx_type value_type(const char *name, size_t length) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0) return types[i].type;
    return PTX_TYPE_NONE;
}

void value_list_types(struct text *out) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        text_printf(out, "%s%s", i == 0 ? "" : i + 1 == TYPE_COUNT ? " or " : ", ", types[i].name);
}

bool value_writable(enum ptx_type type) {
    return type != PTX_F16 && type != PTX_BF16;
}

/* Largest magnitude of a value below 0, and largest value, of an integer type. */
static uint64_t most_negative(enum ptx_type type) {
    return ptx_type_kind(type) == PTX_KIND_UNSIGNED ? 0 : UINT64_C(1) << (ptx_type_bytes(type) * 8 - 1);
}

static uint64_t most_positive(enum ptx_type type) {
    uint64_t all = UINT64_MAX >> (64 - ptx_type_bytes(type) * 8);
    return ptx_type_kind(type) == PTX_KIND_SIGNED ? all >> 1 : all;
}

static bool parse_integer(enum ptx_type type, const char *text, size_t length, uint64_t *bits) {
    bool negative = length > 0 && text[0] == '-';
    uint64_t magnitude;
    if (!number_u64(text + negative, length - negative, &magnitude)) return false;
    if (magnitude > (negative ? most_negative(type) : most_positive(type))) return false;
    uint64_t all = UINT64_MAX >> (64 - ptx_type_bytes(type) * 8);
    *bits = (negative ? 0 - magnitude : magnitude) & all;
    return true;
}

/* The bits behind "0f" or "0d", as PTX writes floating-point constants. */
static bool parse_float_bits(char letter, uint32_t digits, const char *text, size_t length, uint64_t *bits) {
    return length == digits + 2 && text[0] == '0' && (text[1] | 0x20) == letter &&
           number_hex(text + 2, digits, bits);
}

static uint64_t bits_of_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool value_parse(enum ptx_type type, const char *text, size_t length, uint64_t *bits) {
    if (!value_writable(type)) return false;
    if (type == PTX_F32) {
        float value;
        if (parse_float_bits('f', 8, text, length, bits)) return true;
        if (!number_f32(text, length, &value)) return false;
        *bits = bits_of_f32(value);
        return true;
    }
    if (type == PTX_F64) {
        double value;
        if (parse_float_bits('d', 16, text, length, bits)) return true;
        if (!number_f64(text, length, &value)) return false;
        *bits = bits_of_f64(value);
        return true;
    }
    return parse_integer(type, text, length, bits);
}

void value_describe(enum ptx_type type, struct text *out) {
    if (!value_writable(type)) {
        text_string(out, "zero or @FILE");
    } else if (type == PTX_F32) {
        text_string(out, "a number such as -0.5 or 0f3F800000");
    } else if (type == PTX_F64) {
        text_string(out, "a number such as -0.5 or 0d3FF0000000000000");
    } else {
        text_printf(out, "a whole number from %s%llu to %llu", most_negative(type) == 0 ? "" : "-",
                    (unsigned long long)most_negative(type), (unsigned long long)most_positive(type));
    }
}

uint64_t value_iota(enum ptx_type type, uint64_t index) {
    if (type == PTX_F32) return bits_of_f32((float)index);
    if (type == PTX_F64) return bits_of_f64((double)index);
    return index;
}

/* Floats lie in [0, 1): as many random bits as the type's significand has, so every value is exact. */
uint64_t value_random(enum ptx_type type, uint64_t random) {
    if (type == PTX_F32) return bits_of_f32((float)(random >> 40) * 0x1p-24f);
    if (type == PTX_F64) return bits_of_f64((double)(random >> 11) * 0x1p-53);
    return random;
}

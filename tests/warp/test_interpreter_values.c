/* What instructions compute from every kind of operand (NaN, infinities, subnormal numbers, zeros, the bounds
 * of integers): every conversion, comparison and arithmetic form that the interpreter executes, held against
 * float_reference.h. */
#include "value_operands.h"

/* The registers that a type stands in: r, s, f, d or g (struct instruction_row), and their prefix. */
static char register_kind(enum value_type type) {
    switch (type) {
    case VALUE_F32: return 'f';
    case VALUE_F64: return 'g';
    case VALUE_U64:
    case VALUE_S64: return 'd';
    case VALUE_U16:
    case VALUE_S16:
    case VALUE_F16:
    case VALUE_BF16: return 's';
    default: return 'r';
    }
}

static const char *register_prefix(enum value_type type) {
    switch (register_kind(type)) {
    case 'f': return "%f";
    case 'g': return "%fd";
    case 'd': return "%rd";
    case 's': return "%rs";
    default: return "%r";
    }
}

/* The bits of a result that its register holds. */
static uint64_t in_register(enum value_type type, uint64_t bits) {
    switch (register_kind(type)) {
    case 's': return (uint16_t)bits;
    case 'r':
    case 'f': return (uint32_t)bits;
    default: return bits;
    }
}

static bool same_value(enum value_type type, uint64_t got, uint64_t expected) {
    if (expected == ANY_NAN_RESULT) return format_is_nan(value_types[type].format, got);
    return got == in_register(type, expected);
}

static uint64_t operand_of(enum value_type type, uint64_t bits) {
    unsigned width = value_types[type].bits;
    return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

/* ---- Conversions ----------------------------------------------------------------------------------------
 */

static const char *const rounding_names[] = {"rn", "rz", "rm", "rp", "rna"};

static void check_conversion(enum value_type to, enum value_type from, const struct modifiers *how,
                             bool is_rounded) {
    char text[128];
    static struct operands operands;
    choose_operands(from, 1, 160, &operands);
    (void)snprintf(text, sizeof text, "cvt%s%s%s%s%s%s.%s.%s %s9, %s1;", is_rounded ? "." : "",
                   is_rounded ? rounding_names[how->round] : "", is_rounded && how->to_integer ? "i" : "",
                   how->ftz ? ".ftz" : "", how->sat ? ".sat" : "", how->relu ? ".relu" : "",
                   value_types[to].name, value_types[from].name, register_prefix(to), register_prefix(from));
    struct outcome outcome = run_operands(text, register_kind(to), &operands);
    for (unsigned i = 0; i < operands.count; i++) {
        uint64_t expected = reference_convert(to, from, how, operand_of(from, operands.values[0][i]));
        if (!outcome.known[i] || !same_value(to, outcome.values[i], expected))
            differs(text, &operands, i, &outcome, expected);
    }
    outcome_free(&outcome);
}

static bool is_tf32(enum value_type type) {
    return type == VALUE_TF32;
}

static void integers_to_integers(void **state) {
    (void)state;
    for (enum value_type to = VALUE_U8; to <= VALUE_S64; to++)
        for (enum value_type from = VALUE_U8; from <= VALUE_S64; from++)
            for (int sat = 0; sat < 2; sat++)
                check_conversion(to, from, &(struct modifiers){.sat = sat}, false);
}

static void floats_to_integers(void **state) {
    (void)state;
    for (enum value_type to = VALUE_U8; to <= VALUE_S64; to++)
        for (enum value_type from = VALUE_F16; from <= VALUE_F64; from++)
            for (enum rounding round = ROUND_NEAREST; !is_tf32(from) && round <= ROUND_UP; round++)
                for (int ftz = 0; ftz <= (from == VALUE_F32); ftz++)
                    check_conversion(
                        to, from, &(struct modifiers){.round = round, .to_integer = true, .ftz = ftz}, true);
}

static void integers_to_floats(void **state) {
    (void)state;
    for (enum value_type to = VALUE_F16; to <= VALUE_F64; to++)
        for (enum value_type from = VALUE_U8; from <= VALUE_S64; from++)
            for (enum rounding round = ROUND_NEAREST; !is_tf32(to) && round <= ROUND_UP; round++)
                for (int sat = 0; sat <= (round == ROUND_NEAREST && to != VALUE_BF16); sat++)
                    check_conversion(to, from, &(struct modifiers){.round = round, .sat = sat}, true);
}

/* Whether every number of a type is one of another. */
static bool is_wider(enum value_type to, enum value_type from) {
    const struct format *a = &value_types[to].format, *b = &value_types[from].format;
    return a->exponent_bits >= b->exponent_bits && a->mantissa_bits >= b->mantissa_bits;
}

static void floats_to_floats(void **state) {
    (void)state;
    for (enum value_type to = VALUE_F16; to <= VALUE_F64; to++) {
        for (enum value_type from = VALUE_F16; from <= VALUE_F64; from++) {
            if (is_tf32(to) || is_tf32(from)) continue;
            bool single = to == VALUE_F32 || from == VALUE_F32, rounded = !is_wider(to, from);
            for (int variant = 0; variant < 4; variant++) {
                struct modifiers how = {.ftz = (variant & 1) != 0, .sat = (variant & 2) != 0};
                if ((how.ftz && !single) || (how.sat && to == VALUE_BF16)) continue;
                for (how.round = ROUND_NEAREST; how.round <= (rounded ? ROUND_UP : ROUND_NEAREST);
                     how.round++)
                    check_conversion(to, from, &how, rounded);
                how.to_integer = true;
                for (how.round = ROUND_NEAREST; to == from && how.round <= ROUND_UP; how.round++)
                    check_conversion(to, from, &how, true);
            }
        }
    }
    for (int relu = 0; relu < 2; relu++) {
        check_conversion(VALUE_TF32, VALUE_F32, &(struct modifiers){.round = ROUND_AWAY}, true);
        check_conversion(VALUE_TF32, VALUE_F32, &(struct modifiers){.relu = relu}, true);
        check_conversion(VALUE_F16, VALUE_F32, &(struct modifiers){.relu = relu}, true);
        check_conversion(VALUE_BF16, VALUE_F32, &(struct modifiers){.round = ROUND_ZERO, .relu = relu}, true);
    }
}

/* ---- Arithmetic -----------------------------------------------------------------------------------------
 */

enum operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT, MIN, MAX, OPERATIONS };

static const struct {
    const char *name;
    unsigned sources;
} operations[OPERATIONS] = {{"add", 2}, {"sub", 2},  {"mul", 2}, {"fma", 3}, {"div", 2},
                            {"rcp", 1}, {"sqrt", 1}, {"min", 2}, {"max", 2}};

static uint64_t one_of(enum value_type type) {
    const struct exact one = exact_of(false, 1, 0);
    return format_round(value_types[type].format, &one, ROUND_NEAREST);
}

static uint64_t reference_of(enum operation operation, enum value_type type, const struct modifiers *how,
                             const uint64_t *v) {
    switch (operation) {
    case ADD: return reference_sum(type, how, v[0], v[1]);
    case SUB: return reference_sum(type, how, v[0], v[1] ^ format_zero(value_types[type].format, true));
    case MUL: return reference_product(type, how, v[0], v[1]);
    case FMA: return reference_fused(type, how, v[0], v[1], v[2]);
    case DIV: return reference_quotient(type, how, v[0], v[1]);
    case RCP: return reference_quotient(type, how, one_of(type), v[0]);
    case SQRT: return reference_root(type, how, v[0]);
    default: return reference_extreme(type, how, operation == MAX, v[0], v[1]);
    }
}

static void check_arithmetic(enum operation operation, enum value_type type, const struct modifiers *how) {
    static struct operands operands;
    const char *prefix = register_prefix(type);
    char text[160], mode[8] = "", sources[32];
    choose_operands(type, operations[operation].sources, 512, &operands);
    if (operation < MIN) (void)snprintf(mode, sizeof mode, ".%s", rounding_names[how->round]);
    (void)snprintf(sources, sizeof sources,
                   operations[operation].sources == 1   ? "%s1"
                   : operations[operation].sources == 2 ? "%s1, %s2"
                                                        : "%s1, %s2, %s3",
                   prefix, prefix, prefix);
    (void)snprintf(text, sizeof text, "%s%s%s%s%s%s%s.%s %s9, %s;", operations[operation].name, mode,
                   how->ftz ? ".ftz" : "", how->nan ? ".NaN" : "", how->xorsign ? ".xorsign.abs" : "",
                   how->sat ? ".sat" : "", how->relu ? ".relu" : "", value_types[type].name, prefix, sources);
    struct outcome outcome = run_operands(text, register_kind(type), &operands);
    for (unsigned i = 0; i < operands.count; i++) {
        uint64_t v[3];
        for (unsigned s = 0; s < 3; s++)
            v[s] = operand_of(type, operands.values[s][i]);
        uint64_t expected = reference_of(operation, type, how, v);
        if (!outcome.known[i] || !same_value(type, outcome.values[i], expected))
            differs(text, &operands, i, &outcome, expected);
    }
    outcome_free(&outcome);
}

static void arithmetic_of_f32(void **state) {
    (void)state;
    for (enum operation operation = ADD; operation <= SQRT; operation++)
        for (enum rounding round = ROUND_NEAREST; round <= ROUND_UP; round++)
            for (int variant = 0; variant < (operation <= FMA ? 4 : 2); variant++)
                check_arithmetic(operation, VALUE_F32,
                                 &(struct modifiers){
                                     .round = round, .ftz = (variant & 1) != 0, .sat = (variant & 2) != 0});
}

static void arithmetic_of_f64(void **state) {
    (void)state;
    for (enum operation operation = ADD; operation <= SQRT; operation++)
        for (enum rounding round = ROUND_NEAREST; round <= ROUND_UP; round++)
            check_arithmetic(operation, VALUE_F64, &(struct modifiers){.round = round});
}

static void arithmetic_of_halves(void **state) {
    (void)state;
    for (enum operation operation = ADD; operation <= FMA; operation++)
        for (int variant = 0; variant < 4; variant++)
            check_arithmetic(operation, VALUE_F16,
                             &(struct modifiers){.ftz = (variant & 1) != 0, .sat = (variant & 2) != 0});
    check_arithmetic(FMA, VALUE_F16, &(struct modifiers){.relu = true});
    for (enum operation operation = ADD; operation <= FMA; operation++)
        check_arithmetic(operation, VALUE_BF16, &(struct modifiers){0});
    check_arithmetic(FMA, VALUE_BF16, &(struct modifiers){.relu = true});
}

static void extremes(void **state) {
    (void)state;
    static const enum value_type types[] = {VALUE_F16, VALUE_BF16, VALUE_F32, VALUE_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (int variant = 0; variant < (types[t] == VALUE_F64 ? 1 : 8); variant++) {
            struct modifiers how = {.ftz = (variant & 1) != 0,
                                    .nan = (variant & 2) != 0,
                                    .abs = (variant & 4) != 0,
                                    .xorsign = (variant & 4) != 0};
            if (how.ftz && types[t] == VALUE_BF16) continue;
            check_arithmetic(MIN, types[t], &how);
            check_arithmetic(MAX, types[t], &how);
        }
    }
}

/* ---- Comparisons and selection --------------------------------------------------------------------------
 */

static void comparisons(void **state) {
    (void)state;
    static const char *const names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                        "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    static const enum value_type types[] = {VALUE_F16, VALUE_BF16, VALUE_F32, VALUE_F64};
    static struct operands operands;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        enum value_type type = types[t];
        choose_operands(type, 2, 512, &operands);
        for (int variant = 0; variant < 4; variant++) {
            const struct modifiers how = {.ftz = (variant & 1) != 0};
            bool is_set = (variant & 2) != 0;
            if ((how.ftz || is_set) && type != VALUE_F32) continue;
            for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
                char text[128];
                (void)snprintf(text, sizeof text, "%s.%s%s%s.%s %s9, %s1, %s2;", is_set ? "set" : "setp",
                               names[n], how.ftz ? ".ftz" : "", is_set ? ".u32" : "", value_types[type].name,
                               is_set ? "%r" : "%p", register_prefix(type), register_prefix(type));
                struct outcome outcome = run_operands(text, is_set ? 'r' : 'p', &operands);
                for (unsigned i = 0; i < operands.count; i++) {
                    uint64_t a = operand_of(type, operands.values[0][i]);
                    uint64_t b = operand_of(type, operands.values[1][i]);
                    bool holds = reference_compare(type, &how, names[n], a, b);
                    uint64_t expected = !holds ? 0 : is_set ? UINT32_MAX : 1;
                    if (!outcome.known[i] || outcome.values[i] != expected)
                        differs(text, &operands, i, &outcome, expected);
                }
                outcome_free(&outcome);
            }
        }
    }
}

/* The kinds of numbers that testp tells, of an f32 or f64 pattern. */
static bool has_property(enum value_type type, const char *property, uint64_t bits) {
    struct format format = value_types[type].format;
    bool nan = format_is_nan(format, bits), subnormal = format_is_subnormal(format, bits);
    bool infinite = number_of(format, bits).kind == NUMBER_INFINITE;
    if (strcmp(property, "finite") == 0) return !nan && !infinite;
    if (strcmp(property, "infinite") == 0) return infinite;
    if (strcmp(property, "number") == 0) return !nan;
    if (strcmp(property, "notanumber") == 0) return nan;
    if (strcmp(property, "normal") == 0) return !nan && !infinite && !subnormal;
    return subnormal;
}

static void properties(void **state) {
    (void)state;
    static const char *const names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    static struct operands operands;
    for (enum value_type type = VALUE_F32; type <= VALUE_F64; type++) {
        choose_operands(type, 1, 128, &operands);
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            char text[64];
            (void)snprintf(text, sizeof text, "testp.%s.%s %%p9, %s1;", names[n], value_types[type].name,
                           register_prefix(type));
            struct outcome outcome = run_operands(text, 'p', &operands);
            for (unsigned i = 0; i < operands.count; i++) {
                bool expected = has_property(type, names[n], operand_of(type, operands.values[0][i]));
                if (!outcome.known[i] || outcome.values[i] != expected)
                    differs(text, &operands, i, &outcome, expected);
            }
            outcome_free(&outcome);
        }
    }
}

/* slct, copysign, abs and neg: of NaNs, only what is said of them. */
static uint64_t expected_move(const char *text, enum value_type type, const uint64_t *v) {
    struct format format = value_types[type].format;
    uint64_t sign = format_zero(format, true), flush = strstr(text, ".ftz") != NULL;
    uint64_t a = flush && format_is_subnormal(format, v[0]) ? v[0] & sign : v[0];
    if (strncmp(text, "slct", 4) == 0) {
        bool nan = format_is_nan(format, v[2]), negative = (v[2] & sign) != 0 && (v[2] & ~sign) != 0;
        if (flush && format_is_subnormal(format, v[2])) negative = false;
        return nan || negative ? v[1] : v[0];
    }
    if (strncmp(text, "copysign", 8) == 0) return (v[1] & ~sign) | (v[0] & sign);
    if (strncmp(text, "abs", 3) == 0 && type == VALUE_F64 && format_is_nan(format, a)) return a;
    if (format_is_nan(format, a)) return ANY_NAN_RESULT;
    return strncmp(text, "abs", 3) == 0 ? a & ~sign : a ^ sign;
}

static void moves(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum value_type type;
    } rows[] = {
        {"slct.f32.f32 %f9, %f1, %f2, %f3;", VALUE_F32},
        {"slct.ftz.f32.f32 %f9, %f1, %f2, %f3;", VALUE_F32},
        {"copysign.f32 %f9, %f1, %f2;", VALUE_F32},
        {"copysign.f64 %fd9, %fd1, %fd2;", VALUE_F64},
        {"abs.f32 %f9, %f1;", VALUE_F32},
        {"abs.ftz.f32 %f9, %f1;", VALUE_F32},
        {"abs.f64 %fd9, %fd1;", VALUE_F64},
        {"neg.f32 %f9, %f1;", VALUE_F32},
        {"neg.ftz.f32 %f9, %f1;", VALUE_F32},
        {"neg.f64 %fd9, %fd1;", VALUE_F64},
        {"abs.f16 %rs9, %rs1;", VALUE_F16},
        {"neg.bf16 %rs9, %rs1;", VALUE_BF16},
    };
    static struct operands operands;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        enum value_type type = rows[r].type;
        choose_operands(type, 3, 512, &operands);
        struct outcome outcome = run_operands(rows[r].text, register_kind(type), &operands);
        for (unsigned i = 0; i < operands.count; i++) {
            uint64_t v[3];
            for (unsigned s = 0; s < 3; s++)
                v[s] = operand_of(type, operands.values[s][i]);
            uint64_t expected = expected_move(rows[r].text, type, v);
            if (!outcome.known[i] || !same_value(type, outcome.values[i], expected))
                differs(rows[r].text, &operands, i, &outcome, expected);
        }
        outcome_free(&outcome);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_to_integers),
        cmocka_unit_test(floats_to_integers),
        cmocka_unit_test(integers_to_floats),
        cmocka_unit_test(floats_to_floats),
        cmocka_unit_test(arithmetic_of_f32),
        cmocka_unit_test(arithmetic_of_f64),
        cmocka_unit_test(arithmetic_of_halves),
        cmocka_unit_test(extremes),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(properties),
        cmocka_unit_test(moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What instructions compute from every kind of operand (NaN, infinities, subnormal numbers, zeros, the bounds
 * of integers): every conversion, comparison and arithmetic form that the interpreter executes, held against
 * float_reference.h; of approximate functions the results that the PTX ISA states, and its error bounds. */
#include "run_ptx.h"

#include <math.h>

#include "base/random.h"
#include "float_reference.h"

#define OPERANDS_MAX 1024u
#define SEED UINT64_C(20261122)

/* Operands of up to three sources, thread by thread. */
struct operands {
    unsigned sources, count;
    uint64_t values[3][OPERANDS_MAX];
};

static const uint64_t special_f64[] = {
    0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x36a0000000000000,
    0x3690000000000000, 0x380fffffffffffff, 0x3810000000000000, 0x37f0000000000000, 0x3fdfffffffffffff,
    0x3fe0000000000000, 0x3ff0000000000000, 0x3ff0000000000001, 0x3ff0000010000000, 0x3ff8000000000000,
    0x4004000000000000, 0x4008000000000000, 0x405fe00000000000, 0x4060100000000000, 0x406ff00000000000,
    0x40dfffe000000000, 0x40effff000000000, 0x40effc0000000000, 0x40effe0000000000, 0x41dfffffffc00000,
    0x41dfffffffe00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000, 0x43dfffffffffffff,
    0x43e0000000000000, 0x43efffffffffffff, 0x43f0000000000000, 0x47efffffe0000000, 0x47effffff0000000,
    0x47f0000000000000, 0x7fe0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001,
    0x7ff8000000000000, 0x7fffffffffffffff,
};
static const uint64_t special_f32[] = {
    0x00000000, 0x00000001, 0x00000003, 0x00400000, 0x007fffff, 0x00800000, 0x00800001, 0x33000000,
    0x33000001, 0x33800000, 0x38800000, 0x387fffff, 0x3e800000, 0x3effffff, 0x3f000000, 0x3f7fffff,
    0x3f800000, 0x3f800001, 0x3fc00000, 0x40200000, 0x40400000, 0x42ff0000, 0x43008000, 0x437f8000,
    0x46ffff00, 0x477fe000, 0x477fefff, 0x477ff000, 0x477fff80, 0x4effffff, 0x4f000000, 0x4f7fffff,
    0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x5f800000, 0x7e800000, 0x7e800001, 0x7f000000,
    0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff,
};
static const uint64_t special_f16[] = {
    0x0000, 0x0001, 0x0003, 0x03ff, 0x0400, 0x0401, 0x1000, 0x3400, 0x37ff, 0x3800, 0x3bff, 0x3c00, 0x3c01,
    0x3e00, 0x4100, 0x4200, 0x57f8, 0x5804, 0x5bfc, 0x7800, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff,
};
static const uint64_t special_bf16[] = {
    0x0000, 0x0001, 0x0003, 0x0040, 0x007f, 0x0080, 0x0081, 0x3e80, 0x3f00, 0x3f7f, 0x3f80, 0x3f81, 0x3fc0,
    0x4020, 0x4040, 0x42ff, 0x437f, 0x477f, 0x4780, 0x4f00, 0x5f00, 0x7e80, 0x7f7f, 0x7f80, 0x7f81, 0x7fff,
};
static const uint64_t special_integers[] = {
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7ff,
    0x801,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0xffffff,
    0x1000001,
    0x1000003,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0xffffff80,
    0x100000000,
    0x1fffffffffffff,
    0x20000000000001,
    0x20000000000003,
    INT64_MAX,
    UINT64_C(1) << 63,
    UINT64_MAX,
    0x7fffffbfffffffff,
    0x8000008000000000,
    0x8000008000000001,
};

#define SPECIAL(table) *count = sizeof table / sizeof *table, table

static const uint64_t *special_values(enum value_type type, size_t *count) {
    switch (type) {
    case VALUE_F64: return SPECIAL(special_f64);
    case VALUE_F32:
    case VALUE_TF32: return SPECIAL(special_f32);
    case VALUE_F16: return SPECIAL(special_f16);
    case VALUE_BF16: return SPECIAL(special_bf16);
    default: return SPECIAL(special_integers);
    }
}

/* The i-th special value, those of floating-point types and their negatives in turn. */
static uint64_t special_value(enum value_type type, uint64_t i) {
    size_t count;
    const uint64_t *table = special_values(type, &count);
    unsigned bits = value_types[type].bits;
    if (!value_types[type].is_float) return table[i % count];
    return table[i / 2 % count] | (i & 1) << (bits - 1);
}

static size_t special_count(enum value_type type) {
    size_t count;
    (void)special_values(type, &count);
    return value_types[type].is_float ? 2 * count : count;
}

/* Of one source all special values; of more as many combinations as there is room for. The rest is random. */
static void choose_operands(enum value_type type, unsigned sources, unsigned count, struct operands *made) {
    struct random_state random = random_seeded(SEED + type);
    size_t specials = special_count(type);
    made->sources = sources;
    made->count = count;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned s = 0; s < sources; s++) {
            bool is_special = sources == 1 ? i < specials : random_below(&random, 8) != 0;
            made->values[s][i] = !is_special    ? random_next(&random)
                                 : sources == 1 ? special_value(type, i)
                                                : special_value(type, random_below(&random, specials));
        }
    }
}

/* One thread for every tuple of operands runs the instruction. */
static char *module_for(const char *instruction, char result, const struct operands *operands) {
    struct text declarations = {0}, body = {0};
    for (unsigned s = 0; s < operands->sources; s++) {
        text_printf(&declarations, ".global .u64 in%u[%u] = {", s, operands->count);
        for (unsigned i = 0; i < operands->count; i++)
            text_printf(&declarations, "%s0x%llx", i == 0 ? "" : ",",
                        (unsigned long long)operands->values[s][i]);
        text_string(&declarations, "};\n");
        text_printf(&body, "mov.u64 %%rd10, in%u;\nmul.wide.u32 %%rd11, %%r0, 8;\n", s);
        text_printf(&body, "add.s64 %%rd10, %%rd10, %%rd11;\nld.global.u64 %%rd%u, [%%rd10];\n", s + 1);
        spread_operand(&body, s + 1);
    }
    text_printf(&body, "%s\n", instruction);
    store_result(&body, result);
    char *before = text_take(&declarations), *inside = text_take(&body);
    char *ptx = module_of(before, inside);
    free(before);
    free(inside);
    return ptx;
}

static struct outcome run_operands(const char *instruction, char result, const struct operands *operands) {
    char *ptx = module_for(instruction, result, operands), threads[16];
    (void)snprintf(threads, sizeof threads, "%u", operands->count);
    struct outcome outcome = run_module(ptx, threads);
    if (outcome.status != WB_OK) print_error("%s\n%s\n", instruction, outcome.messages);
    assert_int_equal(outcome.status, WB_OK);
    free(ptx);
    return outcome;
}

static void differs(const char *instruction, const struct operands *operands, unsigned i,
                    const struct outcome *outcome, uint64_t expected) {
    print_error("%s on %llx, %llx, %llx: %s %llx, expected %llx (seed %llu)\n", instruction,
                (unsigned long long)operands->values[0][i], (unsigned long long)operands->values[1][i],
                (unsigned long long)operands->values[2][i], outcome->known[i] ? "got" : "unknown",
                (unsigned long long)outcome->values[i], (unsigned long long)expected,
                (unsigned long long)SEED);
    fail();
}

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

/* ---- Approximate functions ------------------------------------------------------------------------------
 */

enum { NEG_INFINITY, NEG_ZERO, POS_ZERO, POS_INFINITY, SPECIALS };

#define P_INF 0x7f800000u
#define N_INF 0xff800000u
#define N_ZERO 0x80000000u
#define ONE_F32 0x3f800000u
#define A_NAN UINT32_MAX

static double reciprocal(double x) {
    return 1.0 / x;
}

static double reciprocal_root(double x) {
    return 1.0 / sqrt(x);
}

/* What the PTX ISA says of the functions of one f32: results for -infinity, -0, +0 and +infinity, and the
 * largest error, relative or absolute, between `low` and `high` in magnitude. Of NaN all give NaN. */
static const struct approximate_function {
    const char *name;
    double (*function)(double);
    uint32_t specials[SPECIALS];
    double relative, absolute, low, high;
    bool negative; /* of negative operands, too; else these give NaN */
} approximate_functions[] = {
    {"rcp", reciprocal, {N_ZERO, N_INF, P_INF, 0}, 0x1p-23, 0x1p-149, 0x1p-149, 0x1p128, true},
    {"sqrt", sqrt, {A_NAN, N_ZERO, 0, P_INF}, 0x1p-23, 0, 0x1p-149, 0x1p128, false},
    {"rsqrt", reciprocal_root, {A_NAN, N_INF, P_INF, 0}, 0x1.2p-23, 0, 0x1p-149, 0x1p128, false},
    {"sin", sin, {A_NAN, N_ZERO, 0, A_NAN}, 0, 0x1.6ap-21, 0, 6.28, true},
    {"cos", cos, {A_NAN, ONE_F32, ONE_F32, A_NAN}, 0, 0x1.6ap-21, 0, 6.28, true},
    {"lg2", log2, {A_NAN, N_INF, N_INF, P_INF}, 0x1p-22, 0x1p-22, 0x1p-149, 0x1p128, false},
    {"ex2", exp2, {0, ONE_F32, ONE_F32, P_INF}, 0x1p-22, 0x1p-148, 0, 0x1p128, true},
    {"tanh", tanh, {0xbf800000, N_ZERO, 0, ONE_F32}, 0x1p-11, 0, 0x1p-149, 0x1p128, true},
};

static uint64_t float_bits_of(double value) {
    float narrow = (float)value;
    uint32_t word;
    memcpy(&word, &narrow, sizeof word);
    return word;
}

static float f32_of(uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* Whether a result is one that the ISA allows. */
static bool is_allowed(const struct approximate_function *of, bool ftz, uint64_t operand, uint64_t result) {
    uint32_t word = (uint32_t)operand, got = (uint32_t)result;
    if (ftz && (word & P_INF) == 0) word &= N_ZERO;
    static const uint32_t specials[SPECIALS] = {N_INF, N_ZERO, 0, P_INF};
    for (int i = 0; i < SPECIALS; i++)
        if (word == specials[i])
            return of->specials[i] == A_NAN ? isnan(f32_of(got)) : got == of->specials[i];
    double x = (double)f32_of(word), y = (double)f32_of(got), magnitude = fabs(x);
    if (isnan(x) || (x < 0.0 && !of->negative)) return isnan(y);
    if (magnitude < of->low || magnitude > of->high) return true;
    double exact = of->function(x), error = fmax(fabs(exact) * of->relative, of->absolute);
    if (ftz && fabs(exact) < 0x1.000001p-126) return fabs(y) <= 0x1.000002p-126;
    if (fabs(exact) >= 0x1.fffffep127) return fabs(y) >= 0x1.fffffcp127 && signbit(y) == signbit(exact);
    return fabs(y - exact) <= error;
}

static void approximate_functions_of_f32(void **state) {
    (void)state;
    static struct operands operands;
    choose_operands(VALUE_F32, 1, 256, &operands);
    for (size_t f = 0; f < sizeof approximate_functions / sizeof *approximate_functions; f++) {
        const struct approximate_function *function = &approximate_functions[f];
        for (int ftz = 0; ftz < (function->function == tanh ? 1 : 2); ftz++) {
            char text[64];
            (void)snprintf(text, sizeof text, "%s.approx%s.f32 %%f9, %%f1;", function->name,
                           ftz ? ".ftz" : "");
            struct outcome outcome = run_operands(text, 'f', &operands);
            for (unsigned i = 0; i < operands.count; i++)
                if (!outcome.known[i] ||
                    !is_allowed(function, ftz != 0, operands.values[0][i], outcome.values[i]))
                    differs(text, &operands, i, &outcome, A_NAN);
            outcome_free(&outcome);
        }
    }
}

/* rcp and rsqrt.approx.ftz.f64: of upper words, to upper words. */
static void functions_of_upper_words(void **state) {
    (void)state;
    static struct operands operands;
    choose_operands(VALUE_F64, 1, 256, &operands);
    for (int root = 0; root < 2; root++) {
        const char *text = root ? "rsqrt.approx.ftz.f64 %fd9, %fd1;" : "rcp.approx.ftz.f64 %fd9, %fd1;";
        struct outcome outcome = run_operands(text, 'g', &operands);
        for (unsigned i = 0; i < operands.count; i++) {
            uint64_t word = operands.values[0][i] & ~(uint64_t)UINT32_MAX, sign = word & UINT64_C(1) << 63;
            const struct number x = number_of(value_types[VALUE_F64].format, word);
            bool zero = word << 1 >> 53 == 0, allowed = (outcome.values[i] & UINT32_MAX) == 0;
            double operand, result, exact;
            memcpy(&operand, &word, sizeof operand);
            memcpy(&result, &outcome.values[i], sizeof result);
            exact = root ? reciprocal_root(operand) : reciprocal(operand);
            if (x.kind == NUMBER_NAN || (root && sign != 0 && !zero))
                allowed &= outcome.values[i] == UINT64_C(0x7fffffff00000000);
            else if (zero)
                allowed &= outcome.values[i] == (sign | UINT64_C(0x7ff0000000000000));
            else if (x.kind == NUMBER_INFINITE || fabs(exact) < 0x1p-1022)
                allowed &= outcome.values[i] == sign;
            else
                allowed &= fabs(result - exact) <= fabs(exact) * 0x1p-20;
            if (!outcome.known[i] || !allowed) differs(text, &operands, i, &outcome, 0);
        }
        outcome_free(&outcome);
    }
}

/* div.full and div.approx: within 2 ulp, the second for divisors up to 2^126; beyond them zero, or NaN. */
static void approximate_quotients(void **state) {
    (void)state;
    static struct operands operands;
    choose_operands(VALUE_F32, 2, 512, &operands);
    for (int full = 0; full < 2; full++) {
        const char *text = full ? "div.full.f32 %f9, %f1, %f2;" : "div.approx.f32 %f9, %f1, %f2;";
        struct outcome outcome = run_operands(text, 'f', &operands);
        for (unsigned i = 0; i < operands.count; i++) {
            double a = (double)f32_of(operands.values[0][i]), b = (double)f32_of(operands.values[1][i]);
            double got = (double)f32_of(outcome.values[i]), exact = a / b;
            bool allowed = fabs(got - exact) <= fmax(fabs(exact) * 0x1p-22, 0x1p-148);
            if (isnan(exact)) allowed = isnan(got);
            if (fabs(exact) >= 0x1.fffffep127)
                allowed = fabs(got) >= 0x1.fffffcp127 && signbit(got) == signbit(exact);
            if (!full && fabs(b) > 0x1p126 && !isinf(b) && !isnan(a))
                allowed = isinf(a) ? isnan(got) : got == 0.0 && signbit(got) == signbit(exact);
            if (!full && fabs(b) < 0x1p-126) allowed = true; /* nothing is said of these */
            if (!outcome.known[i] || !allowed) differs(text, &operands, i, &outcome, float_bits_of(exact));
        }
        outcome_free(&outcome);
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
        cmocka_unit_test(approximate_functions_of_f32),
        cmocka_unit_test(functions_of_upper_words),
        cmocka_unit_test(approximate_quotients),
        cmocka_unit_test(moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Approximate functions on every kind of operand: the results that the PTX ISA states, and its bounds of the
 * error elsewhere. */
#include "value_operands.h"

#include <math.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(approximate_functions_of_f32),
        cmocka_unit_test(functions_of_upper_words),
        cmocka_unit_test(approximate_quotients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

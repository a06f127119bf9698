/* Why the approximate functions that ptxas refines count as known (lift/lift.h): with the values that
 * are computed for them here, its sequences give the correctly rounded, or exact, results. And how far the
 * last bits of another GPU's values could matter: of f32 for a few numbers, so that there it is the ISA's
 * word for the result that is relied on; of integer division for none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"

static float float_from(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_from(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_from(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_from_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The function's value with its last bit `off` places away. */
static float moved(float value, int off) {
    return float_from(bits_from(value) + (uint32_t)off);
}

/* ---- f32
 * --------------------------------------------------------------------------------------------------- */

#define ONE 0x3f800000u
#define TWO 0x40000000u
#define FOUR 0x40800000u

static float refined_reciprocal(float b, float seed) {
    return fmaf(seed, fmaf(-b, seed, 1.0f), seed);
}

static float refined_root(float x, float seed) {
    const float root = x * seed;
    return fmaf(fmaf(-root, root, x), 0.5f * seed, root);
}

static float reciprocal_root(float x) {
    return (float)(1.0 / sqrt((double)x));
}

/* How many mantissas have a wrong reciprocal, or a wrong root (of both parities of the exponent). */
static uint32_t wrong_reciprocals(int off) {
    uint32_t wrong = 0;
    for (uint32_t bits = ONE; bits < TWO; bits++) {
        const float b = float_from(bits), exact = 1.0f / b;
        wrong += refined_reciprocal(b, moved(exact, off)) != exact;
    }
    return wrong;
}

static uint32_t wrong_roots(int off) {
    uint32_t wrong = 0;
    for (uint32_t bits = ONE; bits < FOUR; bits++) {
        const float x = float_from(bits);
        wrong += refined_root(x, moved(reciprocal_root(x), off)) != sqrtf(x);
    }
    return wrong;
}

static void test_all_mantissas(void **state) {
    (void)state;
    assert_int_equal(wrong_reciprocals(0), 0);
    assert_int_equal(wrong_roots(0), 0);
}

/* Not so if the function's last bit is another one: there are GPUs that would be wrong, and are not. */
static void test_last_bits_matter_seldom(void **state) {
    (void)state;
    assert_int_equal(wrong_reciprocals(1) + wrong_reciprocals(-1), 33);
    assert_int_equal(wrong_roots(1) + wrong_roots(-1), 5);
}

static void test_quotients(void **state) {
    (void)state;
    struct random_state random = random_seeded(19);
    for (uint32_t i = 0; i < 4000000; i++) {
        const float a = float_from(ONE + (uint32_t)random_below(&random, 1u << 23));
        const float b = float_from(ONE + (uint32_t)random_below(&random, 1u << 23));
        const float r = refined_reciprocal(b, 1.0f / b), q = a * r;
        assert_true(fmaf(r, fmaf(-b, q, a), q) == a / b);
    }
}

/* ---- f64
 * --------------------------------------------------------------------------------------------------- */

/* The upper half of a value, moved by `off` of its last places, above any lower half. */
static double upper_half(double value, int off, uint32_t lower) {
    return double_from((((bits_from_double(value) >> 32) + (uint64_t)(int64_t)off) << 32) | lower);
}

static double refined_reciprocal64(double b, double seed) {
    double e = fma(-b, seed, 1.0);
    e = fma(e, e, e);
    const double r = fma(seed, e, seed);
    return fma(r, fma(-b, r, 1.0), r);
}

static double refined_root64(double x, double seed) {
    const double e = fma(x, -(seed * seed), 1.0);
    const double y = fma(fma(e, 0.375, 0.5), seed * e, seed), root = x * y;
    return fma(fma(root, -root, x), 0.5 * y, root);
}

static void test_doubles(void **state) {
    (void)state;
    struct random_state random = random_seeded(64);
    for (uint32_t i = 0; i < 400000; i++) {
        const double a = double_from(UINT64_C(0x3ff0000000000000) | random_next(&random) >> 12);
        const double b = double_from(UINT64_C(0x3ff0000000000000) | random_next(&random) >> 12);
        const double x = (i & 1) != 0 ? 2 * a : a;
        for (int off = -2; off <= 2; off++) {
            const double r = refined_reciprocal64(b, upper_half(1.0 / b, off, 1)), q = a * r;
            assert_true(r == 1.0 / b);
            assert_true(fma(r, fma(-b, q, a), q) == a / b);
            assert_true(refined_root64(x, upper_half(1.0 / sqrt(x), off, (uint32_t)i)) == sqrt(x));
        }
    }
}

/* ---- Integers
 * ---------------------------------------------------------------------------------------------- */

static float rounded_up(uint64_t value) {
    float result = (float)value;
    if ((double)result < (double)value || (result < 0x1p64f && (uint64_t)result < value))
        result = float_from(bits_from(result) + 1);
    return result;
}

static uint32_t quotient32(uint32_t a, uint32_t b, int off) {
    const float seed = moved(1.0f / rounded_up(b), off), scaled = float_from(bits_from(seed) + 0x0ffffffe);
    uint32_t r = scaled >= 0x1p32f ? UINT32_MAX : (uint32_t)scaled;
    r += (uint32_t)((uint64_t)r * (0u - b * r) >> 32);
    uint32_t q = (uint32_t)((uint64_t)r * a >> 32), rest = a - q * b;
    for (int i = 0; i < 2; i++) {
        if (rest < b) continue;
        rest -= b;
        q++;
    }
    return q;
}

static uint64_t high(uint64_t a, uint64_t b) {
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

static uint64_t quotient64(uint64_t a, uint64_t b, int off) {
    const float seed = moved(1.0f / rounded_up(b), off), scaled = float_from(bits_from(seed) + 0x1ffffffe);
    uint64_t r = scaled >= 0x1p64f ? UINT64_MAX : (uint64_t)scaled;
    r += high(r, 0 - b * r);
    r += high(r, 0 - b * r);
    uint64_t q = high(r, a), rest = a - q * b;
    for (int i = 0; i < 2; i++) {
        if (rest < b) continue;
        rest -= b;
        q++;
    }
    return q;
}

static void test_integers(void **state) {
    (void)state;
    struct random_state random = random_seeded(32);
    for (uint32_t i = 0; i < 2000000; i++) {
        const uint64_t a = random_next(&random) >> random_below(&random, 60);
        const uint64_t b = (random_next(&random) >> random_below(&random, 64)) | 1;
        const uint64_t near_multiple = b * (a / b) - (i & 1);
        for (int off = -1; off <= 1; off++) {
            const uint32_t b32 = (uint32_t)b;
            assert_int_equal(quotient32((uint32_t)a, b32, off), (uint32_t)a / b32);
            assert_int_equal(quotient32(b32 * ((uint32_t)a / b32) - 1, b32, off),
                             (b32 * ((uint32_t)a / b32) - 1) / b32);
            assert_true(quotient64(a, b, off) == a / b);
            assert_true(quotient64(near_multiple, b, off) == near_multiple / b);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_mantissas), cmocka_unit_test(test_last_bits_matter_seldom),
        cmocka_unit_test(test_quotients),     cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

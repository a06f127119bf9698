/* Statistics of samples against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "statistics.h"

#define TOLERANCE 1e-12

/* 2, 4, 4, 4, 5, 5, 7, 9: mean 40/8 = 5; squared distances 9+1+1+1+0+0+4+16 = 32, deviation sqrt(32/8) = 2.
 */
static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};

static void expect_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g, not %.17g", value, expected);
}

static struct sample sample_of(const double *items, size_t count, double offset) {
    struct sample sample = {0};
    for (size_t i = 0; i < count; i++)
        sample_add(&sample, offset + items[i], 1);
    return sample;
}

static void test_mean_and_deviation(void **state) {
    (void)state;
    struct sample sample = sample_of(values, 8, 0);
    assert_int_equal(sample.count, 8);
    expect_near(sample_mean(&sample), 5, TOLERANCE);
    expect_near(sample_deviation(&sample), 2, TOLERANCE);
    expect_near(sample.least, 2, 0);
    expect_near(sample.greatest, 9, 0);
}

static void test_weighted_mean(void **state) {
    (void)state;
    struct sample sample = {0};
    sample_add(&sample, 10, 1);
    sample_add(&sample, 20, 3);
    sample_add(&sample, -5, 4);
    /* (10 + 60 - 20) / 8 */
    expect_near(sample_weighted_mean(&sample), 6.25, TOLERANCE);
    expect_near(sample_mean(&sample), 25.0 / 3, TOLERANCE);
    expect_near(sample.least, -5, 0);
}

static void test_equal_weights(void **state) {
    (void)state;
    struct sample sample = sample_of(values, 8, 0);
    expect_near(sample_weighted_mean(&sample), sample_mean(&sample), TOLERANCE);
}

static void test_one_value(void **state) {
    (void)state;
    struct sample sample = {0};
    sample_add(&sample, 12.31, 7);
    expect_near(sample_mean(&sample), 12.31, 0);
    expect_near(sample_weighted_mean(&sample), 12.31, TOLERANCE);
    expect_near(sample_deviation(&sample), 0, 0);
    expect_near(sample.least, 12.31, 0);
    expect_near(sample.greatest, 12.31, 0);
}

/* Far from 0 the sum of the squares would have no digits left for the distances. */
static void test_large_values(void **state) {
    (void)state;
    struct sample sample = sample_of(values, 8, 1e9);
    expect_near(sample_mean(&sample), 1e9 + 5, 1e-6);
    expect_near(sample_deviation(&sample), 2, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_and_deviation), cmocka_unit_test(test_weighted_mean),
        cmocka_unit_test(test_equal_weights),      cmocka_unit_test(test_one_value),
        cmocka_unit_test(test_large_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

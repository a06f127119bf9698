/* Integer machine instructions, one at a time, against C, on random and corner values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "word_lanes.h"

/* ---- Sums ---------------------------------------------------------------------------------------------- */

static struct machine_word iadd3(uint32_t d, uint32_t a, uint32_t b, uint32_t c) {
    return word_of(0x210, d, a, b, 0x07ffe000 | c);
}

/* The carries go to P2 and P3. */
static struct machine_word with_carries(struct machine_word word) {
    return word_with(word_with(word, 81, 3, 2), 84, 3, 3);
}

/* P0 and P1 are added. */
static struct machine_word with_x(struct machine_word word) {
    return word_with(word_with(word_with(word, 74, 1, 1), 87, 4, 0), 77, 4, 1);
}

static void add_carrying(struct lane *lane, uint64_t sum) {
    lane->d = (uint32_t)sum;
    lane->p2 = sum >> 32 != 0;
    lane->p3 = sum >> 33 != 0;
}

static void sum3(struct lane *l) {
    l->d = l->a + l->b + l->c;
}
static void sum2(struct lane *l) {
    l->d = l->a + l->b;
}
static void move(struct lane *l) {
    l->d = l->a;
}
static void negate(struct lane *l) {
    l->d = 0 - l->a;
}
static void zero(struct lane *l) {
    l->d = 0;
}
static void difference(struct lane *l) {
    l->d = l->a - l->b;
}
static void both_negated(struct lane *l) {
    l->d = 0 - l->a - l->b + l->c;
}
static void all_negated(struct lane *l) {
    l->d = 0 - l->a - l->b - l->c;
}
static void minus_literal(struct lane *l) {
    l->d = l->a - 5 + l->c;
}
static void guarded_sum(struct lane *l) {
    if (!l->p0) l->d = l->a + l->b;
}
static void carrying3(struct lane *l) {
    add_carrying(l, (uint64_t)l->a + l->b + l->c);
}
static void carrying_difference(struct lane *l) {
    add_carrying(l, (uint64_t)l->a + (uint32_t)~l->b + 1);
}
static void with_two_carries(struct lane *l) {
    add_carrying(l, (uint64_t)l->a + l->b + l->c + l->p0 + l->p1);
}
static void complement_with_carries(struct lane *l) {
    add_carrying(l, (uint64_t)l->a + (uint32_t)~l->b + l->c + l->p0 + l->p1);
}
/* R12, R13 = the pairs' sum: the carry passes by P2. */
static void sum64(struct lane *l) {
    const uint64_t sum = pair(l->a, l->a_high) + pair(l->b, l->b_high);
    l->d = (uint32_t)sum;
    l->d_high = (uint32_t)(sum >> 32);
    l->p2 = ((uint64_t)l->a + l->b) >> 32 != 0;
}
/* The guard P0 is overwritten by the carry of the same instruction. */
static void guard_overwritten(struct lane *l) {
    if (!l->p0) return;
    const uint64_t sum = (uint64_t)l->a + l->b;
    l->d = (uint32_t)sum;
}

static void test_sums(void **state) {
    (void)state;
    const struct machine_word plain = iadd3(D, A, B, C);
    CHECK(ampere, "IADD3", sum3, plain);
    CHECK(ampere, "IADD3 of two", sum2, iadd3(D, A, B, RZ));
    CHECK(ampere, "IADD3 of one", move, iadd3(D, RZ, A, RZ));
    CHECK(ampere, "IADD3 of none", zero, iadd3(D, RZ, RZ, RZ));
    CHECK(ampere, "IADD3 -", negate, word_with(iadd3(D, RZ, A, RZ), 63, 1, 1));
    CHECK(ampere, "IADD3 A - B", difference, word_with(iadd3(D, A, B, RZ), 63, 1, 1));
    CHECK(ampere, "IADD3 -A - B", both_negated, word_with(word_with(plain, 72, 1, 1), 63, 1, 1));
    CHECK(ampere, "IADD3 -A - B - C", all_negated,
          word_with(word_with(word_with(plain, 72, 1, 1), 63, 1, 1), 75, 1, 1));
    CHECK(ampere, "IADD3 with a literal", minus_literal, word_of(0x810, D, A, 0xfffffffb, 0x07ffe000 | C));
    CHECK(ampere, "@!P0 IADD3", guarded_sum, word_with(iadd3(D, A, B, RZ), 12, 4, 8));
    CHECK(ampere, "IADD3 with carries", carrying3, with_carries(plain));
    CHECK(ampere, "IADD3 A - B with carries", carrying_difference,
          with_carries(word_with(iadd3(D, A, B, RZ), 63, 1, 1)));
    CHECK(ampere, "IADD3.X", with_two_carries, with_carries(with_x(plain)));
    CHECK(ampere, "IADD3.X ~B", complement_with_carries, with_carries(with_x(word_with(plain, 63, 1, 1))));
    const struct machine_word low = word_with(iadd3(D, A, B, RZ), 81, 3, 2);
    struct machine_word high = word_with(iadd3(D + 1, A + 1, B + 1, RZ), 74, 1, 1);
    high = word_with(high, 87, 4, 2);
    CHECK(ampere, "IADD3 and IADD3.X", sum64, low, high);
    CHECK(ampere, "@P0 IADD3 P0", guard_overwritten,
          word_with(word_with(iadd3(D, A, B, RZ), 81, 3, 0), 12, 4, 0));
    CHECK(hopper, "VIADD", sum2, word_of(0x236, D, A, B, 0));
    CHECK(hopper, "VIADD -", difference, word_with(word_of(0x236, D, A, B, 0), 63, 1, 1));
}

/* ---- Products ------------------------------------------------------------------------------------------ */

static struct machine_word imad(uint32_t opcode, uint32_t d, uint32_t a, uint32_t b, uint32_t c,
                                bool is_signed) {
    return word_with(word_of(opcode, d, a, b, 0x078e0000 | c), 73, 1, is_signed);
}

static void put64(struct lane *l, uint64_t value) {
    l->d = (uint32_t)value;
    l->d_high = (uint32_t)(value >> 32);
}
static uint64_t product_s(const struct lane *l) {
    return (uint64_t)((int64_t)(int32_t)l->a * (int32_t)l->b);
}
static uint64_t product_u(const struct lane *l) {
    return (uint64_t)l->a * l->b;
}
static void multiply_add(struct lane *l) {
    l->d = l->a * l->b + l->c;
}
static void multiply_subtract(struct lane *l) {
    l->d = l->a * l->b - l->c;
}
static void multiply(struct lane *l) {
    l->d = l->a * l->b;
}
static void times8(struct lane *l) {
    l->d = l->a * 8;
}
static void times8_add(struct lane *l) {
    l->d = l->a * 8 + l->c;
}
static void plus_c(struct lane *l) {
    l->d = l->a + l->c;
}
static void third(struct lane *l) {
    l->d = l->c;
}
static void imad_x(struct lane *l) {
    l->d = l->a * l->b + l->c + l->p0;
}
static void imad_x_sum(struct lane *l) {
    l->d = ~l->c + l->p0;
}
static void wide_s(struct lane *l) {
    put64(l, product_s(l) + pair(l->c, l->c_high));
}
static void wide_u(struct lane *l) {
    put64(l, product_u(l) + pair(l->c, l->c_high));
}
static void wide_product(struct lane *l) {
    put64(l, product_s(l));
}
static void wide_carry(struct lane *l) {
    wide_u(l);
    l->p2 = pair(l->d, l->d_high) < product_u(l);
}
static void wide_x(struct lane *l) {
    const unsigned __int128 sum = (unsigned __int128)product_u(l) + pair(l->c, l->c_high) + l->p0;
    put64(l, (uint64_t)sum);
    l->p2 = sum >> 64 != 0;
}
static void high_s(struct lane *l) {
    l->d = (uint32_t)((product_s(l) + pair(l->c, l->c_high)) >> 32);
}
static void high_u(struct lane *l) {
    l->d = (uint32_t)((product_u(l) + pair(l->c, l->c_high)) >> 32);
}
static void high_carry(struct lane *l) {
    const uint64_t sum = product_u(l) + pair(l->c, l->c_high);
    l->d = (uint32_t)(sum >> 32);
    l->p2 = sum < product_u(l);
}
static void dot(struct lane *l, bool a_signed, bool b_signed) {
    l->d = l->c;
    for (int i = 0; i < 32; i += 8) {
        const uint8_t a = (uint8_t)(l->a >> i), b = (uint8_t)(l->b >> i);
        l->d += (uint32_t)((a_signed ? (int8_t)a : a) * (b_signed ? (int8_t)b : b));
    }
}
static void dot_ss(struct lane *l) {
    dot(l, true, true);
}
static void dot_us(struct lane *l) {
    dot(l, false, true);
}
static void dot_uu(struct lane *l) {
    dot(l, false, false);
}

static void test_products(void **state) {
    (void)state;
    CHECK(ampere, "IMAD", multiply_add, imad(0x224, D, A, B, C, true));
    CHECK(ampere, "IMAD.U32", multiply_add, imad(0x224, D, A, B, C, false));
    CHECK(ampere, "IMAD - C", multiply_subtract, word_with(imad(0x224, D, A, B, C, true), 75, 1, 1));
    CHECK(ampere, "IMAD, RZ", multiply, imad(0x224, D, A, B, RZ, true));
    CHECK(ampere, "IMAD.MOV", third, imad(0x224, D, RZ, RZ, C, false));
    CHECK(ampere, "IMAD.SHL", times8, imad(0x824, D, A, 8, RZ, false));
    CHECK(ampere, "IMAD by 8", times8_add, imad(0x824, D, A, 8, C, true));
    CHECK(ampere, "IMAD.IADD", plus_c, imad(0x824, D, A, 1, C, true));
    CHECK(ampere, "IMAD.X", imad_x, word_with(word_with(imad(0x224, D, A, B, C, true), 74, 1, 1), 87, 4, 0));
    CHECK(ampere, "IMAD.X, RZ, RZ, ~C", imad_x_sum,
          word_with(word_with(word_with(imad(0x224, D, RZ, RZ, C, true), 74, 1, 1), 87, 4, 0), 75, 1, 1));
    CHECK(ampere, "IMAD.WIDE", wide_s, imad(0x225, D, A, B, C, true));
    CHECK(ampere, "IMAD.WIDE.U32", wide_u, imad(0x225, D, A, B, C, false));
    CHECK(ampere, "IMAD.WIDE, RZ", wide_product, imad(0x225, D, A, B, RZ, true));
    CHECK(ampere, "IMAD.WIDE.U32 with a carry", wide_carry,
          word_with(imad(0x225, D, A, B, C, false), 81, 3, 2));
    CHECK(ampere, "IMAD.WIDE.U32.X", wide_x,
          word_with(word_with(word_with(imad(0x225, D, A, B, C, false), 81, 3, 2), 74, 1, 1), 87, 4, 0));
    CHECK(ampere, "IMAD.HI", high_s, imad(0x227, D, A, B, C, true));
    CHECK(ampere, "IMAD.HI.U32", high_u, imad(0x227, D, A, B, C, false));
    CHECK(ampere, "IMAD.HI.U32 with a carry", high_carry,
          word_with(imad(0x227, D, A, B, C, false), 81, 3, 2));
    for (uint32_t is_signed = 0; is_signed < 2; is_signed++)
        CHECK(ampere, "UIMAD.HI", is_signed ? high_s : high_u, word_to_uniform(A, A), word_to_uniform(B, B),
              word_to_uniform(C, C), word_to_uniform(C + 1, C + 1),
              word_with(imad(0x2a7, D, A, B, C, is_signed), 91, 1, 1), word_from_uniform(D, D));
    const struct machine_word idp = word_of(0x226, D, A, B, C);
    CHECK(ampere, "IDP.4A.S8.S8", dot_ss, word_with(idp, 73, 2, 3));
    CHECK(ampere, "IDP.4A.U8.S8", dot_us, word_with(idp, 73, 2, 2));
    CHECK(ampere, "IDP.4A.U8.U8", dot_uu, idp);
}

/* ---- Shifted sums -------------------------------------------------------------------------------------- */

static struct machine_word lea(uint32_t d, uint32_t a, uint32_t b, uint32_t c, uint32_t shift) {
    return word_with(word_of(0x211, d, a, b, 0x078e0000 | c), 75, 5, shift);
}

static void lea3(struct lane *l) {
    l->d = (l->a << 3) + l->b;
}
static void lea0(struct lane *l) {
    l->d = l->a + l->b;
}
static void lea31(struct lane *l) {
    l->d = (l->a << 31) + l->b;
}
static void lea_negated(struct lane *l) {
    l->d = l->b - (l->a << 3);
}
static void lea_carry(struct lane *l) {
    const uint64_t sum = (uint64_t)(uint32_t)(l->a << 3) + l->b;
    l->d = (uint32_t)sum;
    l->p2 = sum >> 32 != 0;
}
static void lea_high(struct lane *l) {
    l->d = (uint32_t)(pair(l->a, l->c) << 3 >> 32) + l->b;
}
static void lea_high_zero(struct lane *l) {
    l->d = (l->a >> 29) + l->b;
}
static void lea_high_sign(struct lane *l) {
    l->d = (uint32_t)((int64_t)(int32_t)l->a * 8 >> 32) + l->b;
}
static void lea_high_x(struct lane *l) {
    l->d = (uint32_t)(pair(l->a, l->c) << 3 >> 32) + l->b + l->p0;
}

static void test_shifted_sums(void **state) {
    (void)state;
    CHECK(ampere, "LEA", lea3, lea(D, A, B, RZ, 3));
    CHECK(ampere, "LEA by 0", lea0, lea(D, A, B, RZ, 0));
    CHECK(ampere, "LEA by 31", lea31, lea(D, A, B, RZ, 31));
    CHECK(ampere, "LEA -A", lea_negated, word_with(lea(D, A, B, RZ, 3), 72, 1, 1));
    CHECK(ampere, "LEA with a carry", lea_carry, word_with(lea(D, A, B, RZ, 3), 81, 3, 2));
    const struct machine_word high = word_with(lea(D, A, B, C, 3), 80, 1, 1);
    CHECK(ampere, "LEA.HI", lea_high, high);
    CHECK(ampere, "LEA.HI, RZ", lea_high_zero, word_with(lea(D, A, B, RZ, 3), 80, 1, 1));
    CHECK(ampere, "LEA.HI.SX32", lea_high_sign,
          word_with(word_with(lea(D, A, B, RZ, 3), 80, 1, 1), 73, 1, 1));
    CHECK(ampere, "LEA.HI.X", lea_high_x, word_with(word_with(high, 74, 1, 1), 87, 4, 0));
}

/* ---- Minima, maxima, magnitudes ------------------------------------------------------------------------ */

static uint32_t min_s(uint32_t a, uint32_t b) {
    return (int32_t)a < (int32_t)b ? a : b;
}
static uint32_t max_s(uint32_t a, uint32_t b) {
    return (int32_t)a > (int32_t)b ? a : b;
}
static uint32_t min_u(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}
static uint32_t max_u(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}
static void least_s(struct lane *l) {
    l->d = min_s(l->a, l->b);
}
static void greatest_s(struct lane *l) {
    l->d = max_s(l->a, l->b);
}
static void least_u(struct lane *l) {
    l->d = min_u(l->a, l->b);
}
static void either_u(struct lane *l) {
    l->d = l->p0 ? min_u(l->a, l->b) : max_u(l->a, l->b);
}
static void least3(struct lane *l) {
    l->d = min_s(min_s(l->a, l->b), l->c);
}
static void greatest3_u(struct lane *l) {
    l->d = max_u(max_u(l->a, l->b), l->c);
}
static void sum_least(struct lane *l) {
    l->d = min_s(l->a + l->b, l->c);
}
static void sum_greatest_u(struct lane *l) {
    l->d = max_u(l->a + l->b, l->c);
}
static void magnitude(struct lane *l) {
    l->d = (int32_t)l->a < 0 ? 0 - l->a : l->a;
}
static void distance_s(struct lane *l) {
    const int64_t difference64 = (int64_t)(int32_t)l->a - (int32_t)l->b;
    l->d = (uint32_t)(difference64 < 0 ? -difference64 : difference64) + l->c;
}
static void distance_u(struct lane *l) {
    l->d = (l->a > l->b ? l->a - l->b : l->b - l->a) + l->c;
}

static void test_minima(void **state) {
    (void)state;
    const struct machine_word least = word_of(0x217, D, A, B, 0x03800000);
    CHECK(ampere, "IMNMX", least_s, word_with(least, 73, 1, 1));
    CHECK(ampere, "IMNMX, !PT", greatest_s, word_with(word_with(least, 73, 1, 1), 90, 1, 1));
    CHECK(ampere, "IMNMX.U32", least_u, least);
    CHECK(ampere, "IMNMX.U32, P0", either_u, word_with(least, 87, 3, 0));
    const struct machine_word vimnmx = word_of(0x248, D, A, B, 0x03fe0000);
    CHECK(hopper, "VIMNMX", least_s, word_with(vimnmx, 72, 1, 1));
    CHECK(hopper, "VIMNMX.U32, P0", either_u, word_with(vimnmx, 87, 3, 0));
    const struct machine_word three = word_of(0x20f, D, A, B, 0x03800000 | C);
    CHECK(hopper, "VIMNMX3", least3, word_with(three, 72, 1, 1));
    CHECK(hopper, "VIMNMX3.U32, !PT", greatest3_u, word_with(three, 90, 1, 1));
    const struct machine_word sum = word_of(0x246, D, A, B, 0x03800000 | C);
    CHECK(hopper, "VIADDMNMX", sum_least, word_with(sum, 72, 1, 1));
    CHECK(hopper, "VIADDMNMX.U32, !PT", sum_greatest_u, word_with(sum, 90, 1, 1));
    CHECK(ampere, "IABS", magnitude, word_of(0x213, D, 0, A, 0));
    const struct machine_word distance = word_of(0x214, D, A, B, 0x000e0000 | C);
    CHECK(ampere, "VABSDIFF", distance_s, word_with(distance, 73, 1, 1));
    CHECK(ampere, "VABSDIFF.U32", distance_u, distance);
}

/* ---- Comparisons --------------------------------------------------------------------------------------- */

/* P2, P3 = the comparison and its contrary, each with P0. */
static struct machine_word isetp(uint32_t comparison, uint32_t operation, bool is_signed) {
    struct machine_word word = word_of(0x20c, 0, A, B, 0x00000070);
    word = word_with(word_with(word, 76, 3, comparison), 74, 2, operation);
    return word_with(word_with(word_with(word, 73, 1, is_signed), 81, 3, 2), 84, 3, 3);
}

static bool holds(uint32_t comparison, int order) {
    const bool results[] = {false, order<0, order == 0, order <= 0, order> 0, order != 0, order >= 0, true};
    return results[comparison];
}
static bool combined(uint32_t operation, bool a, bool b) {
    return operation == 0 ? a && b : operation == 1 ? a || b : a != b;
}
/* What is tried at the moment. */
static uint32_t tried_comparison, tried_operation;
static bool tried_signed;

static void comparison32(struct lane *l) {
    const int64_t a = tried_signed ? (int32_t)l->a : (int64_t)l->a,
                  b = tried_signed ? (int32_t)l->b : (int64_t)l->b;
    const bool result = holds(tried_comparison, (a > b) - (a < b));
    l->p2 = combined(tried_operation, result, l->p0);
    l->p3 = combined(tried_operation, !result, l->p0);
}
/* The lower halves by the unsigned comparison, the upper ones by .EX. */
static void comparison64(struct lane *l) {
    const uint64_t a = pair(l->a, l->a_high), b = pair(l->b, l->b_high);
    const int order =
        tried_signed ? ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b) : (a > b) - (a < b);
    l->p2 = holds(tried_comparison, order);
    l->p3 = false;
}

static void test_comparisons(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 8 * 3 * 2; k++) {
        tried_comparison = k % 8;
        tried_operation = k / 8 % 3;
        tried_signed = k / 24 != 0;
        CHECK(ampere, "ISETP", comparison32, isetp(tried_comparison, tried_operation, tried_signed));
    }
    for (uint32_t k = 0; k < 6 * 2; k++) {
        tried_comparison = k % 6 + 1;
        tried_signed = k / 6 != 0;
        struct machine_word low = word_with(word_with(isetp(tried_comparison, 0, false), 84, 3, 7), 87, 3, 7);
        struct machine_word high =
            word_with(word_with(isetp(tried_comparison, 0, tried_signed), 84, 3, 7), 87, 3, 7);
        high = word_with(word_with(high, 24, 8, A + 1), 32, 8, B + 1);
        high = word_with(word_with(high, 72, 1, 1), 68, 3, 2);
        CHECK(ampere, "ISETP.EX", comparison64, low, high);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),         cmocka_unit_test(test_products),
        cmocka_unit_test(test_shifted_sums), cmocka_unit_test(test_minima),
        cmocka_unit_test(test_comparisons),
    };
    make_inputs();
    const int failed = cmocka_run_group_tests_name("integer_code", tests, NULL, NULL);
    (void)unlink(input_file);
    return failed;
}

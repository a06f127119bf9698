/* Sets of words: every operation on all strided arcs of small words against all their elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/containers.h"
#include "flow/bounds/bounds.h"

#define SMALL_BITS 4u
#define SMALL_WORDS 16u

static int64_t as_signed(uint64_t word, uint32_t bits) {
    return (int64_t)(word << (64 - bits)) >> (64 - bits);
}

/* What an instruction gives; false when it may give anything. */
typedef bool (*operation)(uint64_t a, uint64_t b, uint32_t bits, uint64_t *result);

#define OPERATION(name, condition, value)                                                                    \
    static bool name(uint64_t a, uint64_t b, uint32_t bits, uint64_t *result) {                              \
        int64_t x = as_signed(a, bits), y = as_signed(b, bits);                                              \
        (void)x;                                                                                             \
        (void)y;                                                                                             \
        if (!(condition)) return false;                                                                      \
        *result = (uint64_t)(value)&word_mask(bits);                                                         \
        return true;                                                                                         \
    }

OPERATION(op_add, true, a + b)
OPERATION(op_sub, true, a - b)
OPERATION(op_mul, true, a *b)
OPERATION(op_mul_high_u, true, a *b >> bits)
OPERATION(op_mul_high_s, true, x *y >> bits)
OPERATION(op_div_u, b != 0, a / b)
OPERATION(op_div_s, y != 0, x / y)
OPERATION(op_rem_u, b != 0, a % b)
OPERATION(op_rem_s, y != 0, x % y)
OPERATION(op_and, true, a &b)
OPERATION(op_or, true, a | b)
OPERATION(op_xor, true, a ^ b)
OPERATION(op_shl, true, b >= bits ? 0 : a << b)
OPERATION(op_shr_u, true, b >= bits ? 0 : a >> b)
OPERATION(op_shr_s, true, x >> (b >= bits ? bits - 1 : b))
OPERATION(op_min_u, true, a < b ? a : b)
OPERATION(op_min_s, true, x < y ? a : b)
OPERATION(op_max_u, true, a > b ? a : b)
OPERATION(op_max_s, true, x > y ? a : b)
OPERATION(op_neg, true, 0 - a)
OPERATION(op_not, true, ~a)
OPERATION(op_abs, true, x < 0 ? 0 - a : a)

/* The operations on ranges, with one more argument where they need to know of signs. */
#define ON_RANGES(name, call)                                                                                \
    static struct value_range name(const struct value_range *a, const struct value_range *b) {               \
        (void)b;                                                                                             \
        return call;                                                                                         \
    }

ON_RANGES(r_mul_high_u, range_mul_high(a, b, false))
ON_RANGES(r_mul_high_s, range_mul_high(a, b, true))
ON_RANGES(r_div_u, range_div(a, b, false))
ON_RANGES(r_div_s, range_div(a, b, true))
ON_RANGES(r_rem_u, range_rem(a, b, false))
ON_RANGES(r_rem_s, range_rem(a, b, true))
ON_RANGES(r_shr_u, range_shr(a, b, false))
ON_RANGES(r_shr_s, range_shr(a, b, true))
ON_RANGES(r_min_u, range_min(a, b, false))
ON_RANGES(r_min_s, range_min(a, b, true))
ON_RANGES(r_max_u, range_max(a, b, false))
ON_RANGES(r_max_s, range_max(a, b, true))
ON_RANGES(r_neg, range_neg(a))
ON_RANGES(r_not, range_not(a))
ON_RANGES(r_abs, range_abs(a))

struct operation_row {
    const char *name;
    operation exact;
    struct value_range (*on_ranges)(const struct value_range *, const struct value_range *);
};

static const struct operation_row rows[] = {
    {"add", op_add, range_add},
    {"sub", op_sub, range_sub},
    {"mul", op_mul, range_mul},
    {"mul_high_u", op_mul_high_u, r_mul_high_u},
    {"mul_high_s", op_mul_high_s, r_mul_high_s},
    {"div_u", op_div_u, r_div_u},
    {"div_s", op_div_s, r_div_s},
    {"rem_u", op_rem_u, r_rem_u},
    {"rem_s", op_rem_s, r_rem_s},
    {"and", op_and, range_and},
    {"or", op_or, range_or},
    {"xor", op_xor, range_xor},
    {"shl", op_shl, range_shl},
    {"shr_u", op_shr_u, r_shr_u},
    {"shr_s", op_shr_s, r_shr_s},
    {"min_u", op_min_u, r_min_u},
    {"min_s", op_min_s, r_min_s},
    {"max_u", op_max_u, r_max_u},
    {"max_s", op_max_s, r_max_s},
    {"neg", op_neg, r_neg},
    {"not", op_not, r_not},
    {"abs", op_abs, r_abs},
};

#define ROW_COUNT (sizeof rows / sizeof *rows)
#define SMALL_RANGES_MAX 2048

/* All strided arcs of the width, and those words that are in each, as bits. */
static struct value_range ranges[SMALL_RANGES_MAX];
static uint32_t words_in[SMALL_RANGES_MAX];
static size_t range_count;

static uint32_t words_of(const struct value_range *range) {
    uint32_t words = 0;
    for (uint32_t word = 0; word < SMALL_WORDS; word++)
        words |= (uint32_t)range_contains(range, word) << word;
    return words;
}

static void make_small_ranges(void) {
    range_count = 0;
    for (uint32_t low = 0; low < SMALL_WORDS; low++)
        for (uint32_t stride = 0; stride < SMALL_WORDS; stride++)
            for (uint32_t span = stride; span < (stride == 0 ? 1 : SMALL_WORDS); span += stride) {
                struct value_range range = range_of(SMALL_BITS, low, low + span, stride);
                uint32_t words = 0;
                for (uint32_t at = 0; at <= span; at += stride == 0 ? SMALL_WORDS : stride)
                    words |= 1u << (low + at) % SMALL_WORDS;
                assert_int_equal(words_of(&range), words);
                assert_true(range_count < SMALL_RANGES_MAX);
                words_in[range_count] = words;
                ranges[range_count++] = range;
                if (stride == 0) break;
            }
}

static void assert_words_in(const char *name, const struct value_range *a, const struct value_range *b,
                            const struct value_range *result, uint32_t expected) {
    uint32_t words = words_of(result);
    if ((expected & ~words) != 0)
        fail_msg("%s of [%d+%d/%d] and [%d+%d/%d]: %x, not in %x", name, (int)a->low, (int)a->span,
                 (int)a->stride, (int)b->low, (int)b->span, (int)b->stride, expected, words);
}

static void test_operations_contain_all_results(void **state) {
    (void)state;
    make_small_ranges();
    for (size_t r = 0; r < ROW_COUNT; r++) {
        uint32_t table[SMALL_WORDS][SMALL_WORDS];
        for (uint64_t a = 0; a < SMALL_WORDS; a++)
            for (uint64_t b = 0; b < SMALL_WORDS; b++) {
                uint64_t word;
                table[a][b] = rows[r].exact(a, b, SMALL_BITS, &word) ? 1u << word : UINT16_MAX;
            }
        for (size_t i = 0; i < range_count; i++)
            for (size_t j = 0; j < range_count; j += 1 + (i + r) % 9) {
                uint32_t expected = 0;
                for (uint32_t a = 0; a < SMALL_WORDS; a++)
                    for (uint32_t b = 0; (words_in[i] >> a & 1) != 0 && b < SMALL_WORDS; b++)
                        if ((words_in[j] >> b & 1) != 0) expected |= table[a][b];
                struct value_range result = rows[r].on_ranges(&ranges[i], &ranges[j]);
                assert_words_in(rows[r].name, &ranges[i], &ranges[j], &result, expected);
            }
    }
}

static void test_joins_and_meets_contain_what_they_must(void **state) {
    (void)state;
    make_small_ranges();
    uint64_t meet_words = 0, common_words = 0;
    for (size_t i = 0; i < range_count; i++)
        for (size_t j = 0; j < range_count; j++) {
            struct value_range join = range_join(&ranges[i], &ranges[j]);
            struct value_range meet = range_meet(&ranges[i], &ranges[j]);
            assert_words_in("join", &ranges[i], &ranges[j], &join, words_in[i] | words_in[j]);
            assert_words_in("meet", &ranges[i], &ranges[j], &meet, words_in[i] & words_in[j]);
            assert_true((words_of(&meet) & ~words_in[i]) == 0 || (words_of(&meet) & ~words_in[j]) == 0);
            meet_words += (uint64_t)__builtin_popcount(words_of(&meet));
            common_words += (uint64_t)__builtin_popcount(words_in[i] & words_in[j]);
        }
    /* A meet is no intersection, but near to it. */
    assert_true(meet_words < common_words * 2);
}

static void test_relations_contain_what_stands_in_them(void **state) {
    (void)state;
    make_small_ranges();
    for (size_t i = 0; i < range_count; i++)
        for (int relation = RELATION_EQ; relation <= RELATION_GE; relation++)
            for (int is_signed = 0; is_signed < 2; is_signed++) {
                struct value_range related = range_related((enum relation)relation, is_signed, &ranges[i]);
                uint32_t expected = 0;
                for (uint32_t a = 0; a < SMALL_WORDS; a++)
                    for (uint32_t b = 0; b < SMALL_WORDS; b++) {
                        int64_t x = is_signed ? as_signed(a, SMALL_BITS) : (int64_t)a;
                        int64_t y = is_signed ? as_signed(b, SMALL_BITS) : (int64_t)b;
                        const bool holds[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
                        if ((words_in[i] >> b & 1) != 0 && holds[relation]) expected |= 1u << a;
                    }
                assert_words_in("relation", &ranges[i], &ranges[i], &related, expected);
                if (relation >= RELATION_LT) assert_int_equal(words_of(&related), expected);
            }
}

static void test_integers_are_the_ends(void **state) {
    (void)state;
    make_small_ranges();
    for (size_t i = 0; i < range_count; i++)
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            struct integers integers = range_integers(&ranges[i], is_signed);
            int64_t low = INT64_MAX, high = INT64_MIN;
            for (uint32_t word = 0; word < SMALL_WORDS; word++) {
                int64_t value = is_signed ? as_signed(word, SMALL_BITS) : (int64_t)word;
                if ((words_in[i] >> word & 1) == 0) continue;
                low = value < low ? value : low;
                high = value > high ? value : high;
                if (integers.stride != 0) assert_true((value - integers.low) % integers.stride == 0);
            }
            assert_true(integers.low == low && integers.high == high);
        }
}

static void test_extension_contains_all_words(void **state) {
    (void)state;
    make_small_ranges();
    for (size_t i = 0; i < range_count; i++)
        for (uint32_t bits = 1; bits <= 8; bits++)
            for (int is_signed = 0; is_signed < 2; is_signed++) {
                struct value_range extended = range_extend(&ranges[i], bits, is_signed);
                for (uint32_t word = 0; word < SMALL_WORDS; word++) {
                    uint64_t value = is_signed ? (uint64_t)as_signed(word, SMALL_BITS) : word;
                    if ((words_in[i] >> word & 1) != 0)
                        assert_true(range_contains(&extended, value & word_mask(bits)));
                }
            }
}

/* A random range of wide words, often near their ends. */
static struct value_range random_range(struct random_state *random, uint32_t bits) {
    uint64_t mask = word_mask(bits), low = random_next(random) >> random_below(random, bits);
    if (random_below(random, 3) == 0) low = (mask >> random_below(random, 2)) + random_below(random, 9) - 4;
    uint64_t stride = random_below(random, 3) == 0 ? UINT64_C(1) << random_below(random, bits)
                                                   : random_next(random) >> random_below(random, 64);
    uint64_t span = random_next(random) >> (64 - bits + random_below(random, bits));
    low &= mask;
    if (stride == 0 || stride > span) return range_single(bits, low);
    return range_of(bits, low, (__int128)low + span, stride);
}

static uint64_t random_element(struct random_state *random, const struct value_range *range) {
    uint64_t steps = range->stride == 0 ? 0 : range->span / range->stride;
    uint64_t step = steps == UINT64_MAX ? random_next(random) : random_below(random, steps + 1);
    if (random_below(random, 4) == 0) step = random_below(random, 2) == 0 ? 0 : steps;
    return (range->low + step * range->stride) & word_mask(range->bits);
}

/* Wide words, where intermediate results could overflow. */
static void test_wide_words(void **state) {
    (void)state;
    const uint64_t seed = 20140708;
    struct random_state random = random_seeded(seed);
    for (uint32_t n = 0; n < 60000; n++) {
        uint32_t bits = n % 3 == 0 ? 64 : n % 3 == 1 ? 32 : 16;
        const struct operation_row *row = &rows[random_below(&random, ROW_COUNT)];
        bool by_amount = row->exact == op_shl || row->exact == op_shr_u || row->exact == op_shr_s;
        bool by_high = row->exact == op_mul_high_u || row->exact == op_mul_high_s;
        if (by_high && bits == 64) continue;
        struct value_range a = random_range(&random, bits), b = random_range(&random, by_amount ? 8 : bits);
        struct value_range result = row->on_ranges(&a, &b);
        for (uint32_t i = 0; i < 8; i++) {
            uint64_t x = random_element(&random, &a), y = random_element(&random, &b), word;
            bool overflows = x == UINT64_C(1) << 63 && y == UINT64_MAX; /* in the test's own arithmetic */
            if (overflows && (row->exact == op_div_s || row->exact == op_rem_s)) continue;
            if (row->exact(x, y, bits, &word) && !range_contains(&result, word))
                fail_msg("seed %d, case %u: %s of %d bits, %llx and %llx", (int)seed, n, row->name, (int)bits,
                         (unsigned long long)x, (unsigned long long)y);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations_contain_all_results),
        cmocka_unit_test(test_joins_and_meets_contain_what_they_must),
        cmocka_unit_test(test_relations_contain_what_stands_in_them),
        cmocka_unit_test(test_integers_are_the_ends),
        cmocka_unit_test(test_extension_contains_all_words),
        cmocka_unit_test(test_wide_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

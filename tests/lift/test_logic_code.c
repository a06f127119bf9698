/* Logic, shifts, bits, selection and exchange between lanes: machine instructions one at a time, against C.
 */
#include "word_lanes.h"

/* What the reference of a family of instructions depends on. */
static uint32_t table, second_table, kind;

/* ---- Truth tables -------------------------------------------------------------------------------------- */

/* LOP3 with C a register or RZ; the result to D, whether it is not 0 to P2 where `tests`. */
static struct machine_word lop3(uint32_t lut, uint32_t c, bool tests) {
    return word_of(0x212, D, A, B, c | lut << 8 | (tests ? 2u : 7u) << 17 | 7u << 23 | 1u << 26);
}

static uint32_t by_table(uint32_t lut, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t result = 0;
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t bit = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
        result |= (lut >> bit & 1) << i;
    }
    return result;
}

static void logic_of_three(struct lane *l) {
    l->d = by_table(table, l->a, l->b, l->c);
}
static void logic_of_two(struct lane *l) {
    l->d = by_table(table, l->a, l->b, 0);
    l->p2 = l->d != 0;
}

static void test_words(void **state) {
    (void)state;
    for (table = 0; table < 256; table++) {
        CHECK(ampere, "LOP3", logic_of_three, lop3(table, C, false));
        CHECK(hopper, "LOP3 of two", logic_of_two, lop3(table, RZ, true));
    }
}

/* PLOP3, or UPLOP3, of P0, !P1 or P1, and PT or !PT. */
static struct machine_word plop3(uint32_t opcode, bool inverts, bool last) {
    struct machine_word word = word_of(opcode, 0, 0, 0, (table & 7) | table >> 3 << 8);
    word = word_with(word, 16, 8, second_table);
    word = word_with(word_with(word, 81, 3, 2), 84, 3, 3);
    word = word_with(word_with(word, 87, 3, 0), 77, 4, inverts ? 9 : 1);
    return word_with(word, 68, 4, last ? 7 : 15);
}

static void predicates_of_table(struct lane *l) {
    const uint32_t bit = (uint32_t)l->p0 << 2 | (uint32_t)((kind & 1) != 0 ? !l->p1 : l->p1) << 1 | kind >> 1;
    l->p2 = (table >> bit & 1) != 0;
    l->p3 = (second_table >> bit & 1) != 0;
}

/* UP p = UR a is not 0. */
static struct machine_word uniform_not_zero(uint32_t p, uint32_t a) {
    return word_of(0x28c, 0, a, 63, 0x0bf05270 | p << 17);
}

/* 1 if UP p, else 0. */
static struct machine_word uniform_select(uint32_t d, uint32_t p) {
    return word_of(0x887, d, 63, 1, 0x0c000000 | p << 23);
}

static void first_of_table(struct lane *l) {
    predicates_of_table(l);
    l->d = l->p2;
    l->p2 = l->p3 = false;
}
static void second_of_table(struct lane *l) {
    predicates_of_table(l);
    l->d = l->p3;
    l->p2 = l->p3 = false;
}

static void test_uniform_predicates(void **state) {
    (void)state;
    for (table = 0; table < 256; table += 5) {
        second_table = (table * 37 + 11) & 255;
        kind = table & 3;
        for (uint32_t p = 2; p < 4; p++)
            CHECK(ampere, "UPLOP3", p == 2 ? first_of_table : second_of_table, word_to_uniform(10, 10),
                  word_to_uniform(11, 11), uniform_not_zero(0, 10), uniform_not_zero(1, 11),
                  plop3(0x89c, (kind & 1) != 0, kind >> 1 != 0), uniform_select(D, p),
                  word_from_uniform(D, D));
    }
}

static void test_predicates(void **state) {
    (void)state;
    for (table = 0; table < 256; table++) {
        second_table = (table * 37 + 11) & 255;
        kind = table & 3;
        CHECK(ampere, "PLOP3", predicates_of_table, plop3(0x81c, (kind & 1) != 0, kind >> 1 != 0));
    }
}

/* ---- Shifts -------------------------------------------------------------------------------------------- */

enum { SHIFT_HIGH = 1, SHIFT_RIGHT = 2, SHIFT_WRAP = 4, SHIFT_TYPE = 8 };

static void shifted(struct lane *l) {
    const bool wide = kind / SHIFT_TYPE < 2, is_signed = kind / SHIFT_TYPE % 2 == 0;
    const uint32_t width = wide ? 64 : 32;
    const uint32_t amount = (kind & SHIFT_WRAP) != 0 ? l->b % width : l->b < width ? l->b : width;
    __int128 value = (__int128)pair(l->a, l->c);
    if (is_signed) value = (int64_t)pair(l->a, l->c);
    const uint64_t result =
        (uint64_t)((kind & SHIFT_RIGHT) != 0 ? value >> amount
                                             : (__int128)((unsigned __int128)value << amount));
    l->d = (uint32_t)((kind & SHIFT_HIGH) != 0 ? result >> 32 : result);
}

static void test_shifts(void **state) {
    (void)state;
    for (kind = 0; kind < 32; kind++) {
        const uint32_t upper = C | (kind / SHIFT_TYPE) << 9 | (kind / SHIFT_WRAP & 1) << 11 |
                               (kind / SHIFT_RIGHT & 1) << 12 | (kind & 1) << 16;
        CHECK(ampere, "SHF", shifted, word_of(0x219, D, A, B, upper));
    }
}

/* ---- Bits and bytes ------------------------------------------------------------------------------------ */

static uint32_t byte_of(uint64_t bytes, uint32_t nibble) {
    const uint32_t byte = (uint32_t)(bytes >> (8 * (nibble & 7))) & 0xff;
    return (nibble & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xff : 0;
}

static void permuted(struct lane *l) {
    const uint32_t n = l->b & 3;
    uint32_t nibbles[4];
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t by_kind[] = {l->b >> (4 * i) & 15, (n + i) & 7,   (n - i) & 7,          n,
                                    i > n ? i : n,        i < n ? i : n, (n & 1) * 2 + (i & 1)};
        nibbles[i] = by_kind[kind];
    }
    l->d = 0;
    for (uint32_t i = 0; i < 4; i++)
        l->d |= byte_of(pair(l->a, l->c), nibbles[i]) << (8 * i);
}

static void extended(struct lane *l) {
    const uint32_t bits = (kind & 2) != 0 ? l->b & 31 : l->b;
    const uint64_t ones = bits >= 32 ? UINT32_MAX : (UINT64_C(1) << bits) - 1;
    l->d = l->a & (uint32_t)ones;
    if ((kind & 1) != 0 && bits != 0 && bits < 32 && (l->a >> (bits - 1) & 1) != 0) l->d |= (uint32_t)~ones;
}

static void mask_of_bits(struct lane *l) {
    const uint64_t first = kind != 0 ? l->a & 31 : l->a, count = kind != 0 ? l->b & 31 : l->b;
    l->d = 0;
    for (uint64_t i = 0; i < 32; i++)
        if (i >= first && i - first < count) l->d |= UINT32_C(1) << i;
}

static void population(struct lane *l) {
    l->d = (uint32_t)__builtin_popcount(l->b);
}
static void population_of_zeros(struct lane *l) {
    l->d = 32 - (uint32_t)__builtin_popcount(l->b);
}

static void leading(struct lane *l) {
    const uint32_t value = (kind & 1) != 0 && (int32_t)l->b < 0 ? ~l->b : l->b;
    l->d = UINT32_MAX;
    if (value != 0) l->d = 31 - (uint32_t)__builtin_clz(value);
    if (value != 0 && (kind & 2) != 0) l->d = 31 - l->d;
}

static void reversed(struct lane *l) {
    l->d = 0;
    for (uint32_t i = 0; i < 32; i++)
        l->d |= (l->b >> i & 1) << (31 - i);
}

static void test_bits(void **state) {
    (void)state;
    for (kind = 0; kind < 7; kind++)
        CHECK(ampere, "PRMT", permuted, word_of(0x216, D, A, B, C | kind << 8));
    for (kind = 0; kind < 4; kind++) {
        CHECK(ampere, "SGXT", extended, word_of(0x21a, D, A, B, (kind & 1) << 9 | kind >> 1 << 11));
        CHECK(ampere, "FLO", leading, word_of(0x300, D, 0, B, (kind & 1) << 9 | kind >> 1 << 10 | 7u << 17));
    }
    for (kind = 0; kind < 2; kind++)
        CHECK(ampere, "BMSK", mask_of_bits, word_of(0x21b, D, A, B, kind << 11));
    for (kind = 0; kind < 2; kind++)
        CHECK(ampere, "UBMSK", mask_of_bits, word_to_uniform(A, A), word_to_uniform(B, B),
              word_of(0x29b, D, A, B, UINT32_C(1) << 27 | kind << 11), word_from_uniform(D, D));
    CHECK(ampere, "POPC", population, word_of(0x309, D, 0, B, 0));
    CHECK(ampere, "POPC of the complement", population_of_zeros,
          word_with(word_of(0x309, D, 0, B, 0), 63, 1, 1));
    CHECK(hopper, "BREV", reversed, word_of(0x301, D, 0, B, 0));
}

/* ---- Selection and moves ------------------------------------------------------------------------------- */

static void selected(struct lane *l) {
    l->d = l->p0 ? l->a : l->b;
}
static void moved(struct lane *l) {
    l->d = l->b;
}
static void literal(struct lane *l) {
    l->d = 0xdeadbeef;
}
static void collected(struct lane *l) {
    const uint32_t mask = UINT32_C(3) << (8 * kind);
    l->d = (l->a & ~mask) | ((uint32_t)l->p0 | (uint32_t)l->p1 << 1) << (8 * kind);
}
static void distributed(struct lane *l) {
    l->p2 = (l->a >> (8 * kind + 2) & 1) != 0;
    l->p3 = (l->a >> (8 * kind + 3) & 1) != 0;
}

static void test_moves(void **state) {
    (void)state;
    CHECK(ampere, "SEL", selected, word_of(0x207, D, A, B, 0));
    CHECK(ampere, "MOV", moved, word_of(0x202, D, 0, B, 0xf00));
    CHECK(hopper, "MOV of a literal", literal, word_move(D, 0xdeadbeef));
    for (kind = 0; kind < 4; kind++) {
        CHECK(ampere, "P2R", collected, word_of(0x803, D, A, 3, kind << 12));
        CHECK(ampere, "R2P", distributed, word_of(0x804, 0, A, 12, kind << 12));
    }
}

/* ---- Exchange ------------------------------------------------------------------------------------------ */

/* Operand A of another lane of the warp. */
static uint32_t a_of(const struct lane *l, uint32_t lane) {
    return inputs[(l->index & ~31u) + lane][0];
}

static bool p0_of(const struct lane *l, uint32_t lane) {
    return inputs[(l->index & ~31u) + lane][6] != 0;
}

/* The pseudo-code of the PTX ISA, shfl; clamp 0x1f but of UP, segments of 8 lanes. */
static void shuffled(struct lane *l) {
    const uint32_t lane = l->index & 31, offset = l->b & 31, segment = 0x18, clamp = kind == 1 ? 0 : 0x1f;
    const uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    const uint32_t from[] = {least | (offset & ~segment), lane - offset, lane + offset, lane ^ offset};
    const uint32_t other = from[kind];
    l->p2 = kind == 1 ? (int32_t)other >= (int32_t)most : other <= most;
    l->d = l->p2 ? a_of(l, other) : l->a;
}

static void voted(struct lane *l) {
    uint32_t ballot = 0;
    for (uint32_t i = 0; i < 32; i++)
        ballot |= (uint32_t)p0_of(l, i) << i;
    l->p2 = kind == 0 ? ballot == UINT32_MAX : kind == 1 ? ballot != 0 : ballot == 0 || ballot == UINT32_MAX;
    if (kind == 0) l->d = l->p2 ? UINT32_MAX : 0;
    if (kind == 1) l->d = ballot;
}

static void matched(struct lane *l) {
    uint32_t equal = 0;
    for (uint32_t i = 0; i < 32; i++)
        equal |= (uint32_t)(a_of(l, i) == l->a) << i;
    l->d = equal;
}

static void test_exchange(void **state) {
    (void)state;
    for (kind = 0; kind < 4; kind++) {
        const uint64_t fields =
            (uint64_t)B << 32 | (uint64_t)(0x1800 | (kind == 1 ? 0 : 0x1f)) << 40 | (uint64_t)kind << 58;
        struct machine_word word = word_of(0x589, D, A, 0, 2u << 17);
        word.half[0] |= fields;
        CHECK(ampere, "SHFL", shuffled, word);
    }
    for (kind = 0; kind < 3; kind++)
        CHECK(ampere, "VOTE", voted, word_of(0x806, kind == 2 ? RZ : D, 0, 0, kind << 8 | 2u << 17));
    CHECK(ampere, "MATCH.ANY", matched, word_of(0x3a1, D, A, 0, 1u << 15 | 7u << 17));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_uniform_predicates),
        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_exchange),
    };
    make_inputs();
    const int failed = cmocka_run_group_tests_name("logic_code", tests, NULL, NULL);
    (void)unlink(input_file);
    return failed;
}

/* Sums of products that a compiler may fuse are unknown exactly where the fused result differs: every form of
 * mul with add or sub, in every order, negated or not, on each way from one to the other, against PTX that
 * says which of both it wants (.rn, and fma). */
#include "run_ptx.h"

#include "base/containers.h"

#define SAMPLES 40
#define RESULTS                                                                                              \
    8 /* 64-bit words that a lane stores: two elements of the sum, and of three that it may be               \
       */

static const struct format {
    const char *type, *flush, *sat; /* modifiers that the type has, or NULL */
    unsigned bits, count;           /* of an element; elements */
    unsigned mantissa;
} formats[] = {
    {"f32", ".ftz", ".sat", 32, 1, 23},   {"f64", NULL, NULL, 64, 1, 52}, {"f16", ".ftz", ".sat", 16, 1, 10},
    {"f16x2", ".ftz", ".sat", 16, 2, 10}, {"bf16", NULL, NULL, 16, 1, 7}, {"bf16x2", NULL, NULL, 16, 2, 7},
};

/* Sums of p = a * b with c, or with q = d * e; what is fused: `fused` is fma of them, `other` the other way.
 */
static const struct sum {
    const char *sum;      /* opcode, operands: %v5 is p, %v6 q, %v2 c */
    const char *fused[3]; /* factors and addend; %v10 .. are those with the opposite sign */
    const char *other[3]; /* or NULL */
} sums[] = {
    {"add %v5, %v2", {"%v0", "%v1", "%v2"}, {NULL}},
    {"add %v2, %v5", {"%v0", "%v1", "%v2"}, {NULL}},
    {"sub %v5, %v2", {"%v0", "%v1", "%v12"}, {NULL}},
    {"sub %v2, %v5", {"%v10", "%v1", "%v2"}, {NULL}},
    {"add %v5, %v6", {"%v0", "%v1", "%v8"}, {"%v3", "%v4", "%v7"}},
    {"sub %v5, %v6", {"%v0", "%v1", "%v18"}, {"%v13", "%v4", "%v7"}},
    {"sub %v5, %v5", {"%v0", "%v1", "%v17"}, {"%v10", "%v1", "%v7"}},
};

/* Ways of the product in %v5, and what declares what they use; of registers of `bits`, or any (0). */
static const struct way {
    const char *declarations, *text;
    unsigned bits;
} ways[] = {
    {"", "", 0},
    {"", "mov.bB %v9, %v5; mov.bB %v5, %v9;\n", 0},
    {"", "selp.bB %v5, %v5, %v2, %p1;\n", 0},
    {"", "@!%p1 mov.bB %v5, %v2;\n", 0},
    {"", ".local .align 8 .b8 own[64];\nst.local.bB [own], %v5; ld.local.bB %v5, [own];\n", 0},
    {"",
     ".shared .align 8 .b8 all[256];\nmov.u32 %r1, all; mad.lo.u32 %r1, %r0, 8, %r1; st.shared.bB [%r1], "
     "%v5; ld.shared.bB %v5, [%r1];\n",
     0},
    {"", "st.global.bB [%rd0], %v5; ld.global.bB %v5, [%rd0];\n", 0},
    {".func (.param .bB o) f(.param .bB i)\n{ .reg .bB %x; ld.param.bB %x, [i]; st.param.bB [o], %x; ret; "
     "}\n",
     "{ .param .bB i; .param .bB o; st.param.bB [i], %v5; call (o), f, (i); ld.param.bB %v5, [o]; }\n", 0},
    {"", "mov.b64 %rd1, {%v2, %v5}; mov.b64 {%v9, %v5}, %rd1;\n", 32},
    {"", "mov.b32 %r1, {%v5, %v2}; mov.b32 {%v5, %v9}, %r1;\n", 16},
    {"", "shfl.sync.bfly.b32 %v5, %v5, 0, 31, -1;\n", 32},
    {"", "prmt.b32 %v5, %v5, %v2, 0x3210; or.b32 %v5, %v5, 0;\n", 32},
};

/* The text with `B` behind a `b` as the number of bits. */
static void with_bits(struct text *to, const char *text, unsigned bits) {
    for (; *text != '\0'; text++)
        if (text[0] == 'b' && text[1] == 'B') {
            text_printf(to, "b%u", bits);
            text++;
        } else {
            text_printf(to, "%c", *text);
        }
}

/* A number of moderate size with few or many digits, now and then a special one. */
static uint64_t element_of(const struct format *format, struct random_state *random) {
    const uint64_t exponents = format->bits - 1 - format->mantissa, sign = random_below(random, 2);
    const uint64_t bias = (UINT64_C(1) << (exponents - 1)) - 1;
    uint64_t exponent = bias - 2 + random_below(random, 5), digits = random_next(random);
    if (random_below(random, 5) == 0) digits = 0; /* exact products */
    if (random_below(random, 25) == 0) exponent = random_below(random, 2) * (bias / 2 + bias % 2);
    if (random_below(random, 40) == 0) exponent = 2 * bias; /* overflow */
    digits &= (UINT64_C(1) << format->mantissa) - 1;
    return sign << (format->bits - 1) | exponent << format->mantissa | digits;
}

/* .const .. data: five operands of each lane. */
static void write_data(struct text *to, const struct format *format, uint32_t threads,
                       struct random_state *random) {
    text_string(to, ".const .align 8 .b64 data[160] = {");
    for (uint32_t i = 0; i < threads * 5; i++) {
        uint64_t bits = 0;
        for (unsigned e = 0; e < format->count; e++)
            bits |= element_of(format, random) << (e * format->bits);
        text_printf(to, "%s0x%llx", i == 0 ? "" : ", ", (unsigned long long)bits);
    }
    text_string(to, "};\n");
}

/* Stores a register as results `at` and following of the lane, an element each. */
static void write_result(struct text *to, const struct format *format, const char *from, unsigned at) {
    if (format->count == 2) {
        text_printf(to, "mov.b32 {%%rs1, %%rs2}, %s;\n", from);
        text_printf(to, "mov.b64 %%rd1, {%%rs1, 0, 0, 0}; st.global.u64 [%%rd0+%u], %%rd1;\n", 8 * at);
        text_printf(to, "mov.b64 %%rd1, {%%rs2, 0, 0, 0}; st.global.u64 [%%rd0+%u], %%rd1;\n", 8 * at + 8);
        return;
    }
    static const char *const packs[] = {"{%s, 0, 0, 0}", "{%s, 0}", "%s"};
    text_string(to, "mov.b64 %rd1, ");
    text_printf(to, packs[format->bits / 32], from);
    text_printf(to, "; st.global.u64 [%%rd0+%u], %%rd1;\n", 8 * at);
}

struct test_case {
    const struct format *format;
    const struct sum *sum;
    const struct way *way;
    const char *flush, *sat;
    bool negated; /* the product */
    bool rounded; /* mul and add say .rn */
    uint32_t threads;
};

static char *kernel_of(const struct test_case *test, struct random_state *random) {
    const struct format *format = test->format;
    const unsigned bits = format->bits * format->count;
    const char *type = format->type, *flush = test->flush, *rounding = test->rounded ? ".rn" : "";
    struct text all = {0};
    text_string(&all, PTX_HEADER);
    write_data(&all, format, test->threads, random);
    with_bits(&all, test->way->declarations, bits);
    text_string(&all, ".visible .entry k(.param .u64 out)\n{\n" BODY_REGISTERS);
    text_printf(&all, ".reg .b%u %%v<20>;\nsetp.ge.u32 %%p1, %%r0, 0;\n", bits);
    text_string(&all, "mov.u64 %rd2, data; mad.wide.u32 %rd2, %r0, 40, %rd2;\n"
                      "mad.wide.u32 %rd0, %r0, 56, %rd0;\n");
    for (unsigned i = 0; i < 5; i++)
        text_printf(&all, "ld.const.b%u %%v%u, [%%rd2+%u];\n", bits, i, 8 * i);
    text_printf(&all, "mul%s%s.%s %%v5, %%v0, %%v1;\n", rounding, flush, type);
    text_printf(&all, "mul%s%s.%s %%v6, %%v3, %%v4;\n", rounding, flush, type);
    with_bits(&all, test->way->text, bits);
    if (test->negated) text_printf(&all, "neg.%s %%v5, %%v5; neg.%s %%v0, %%v0;\n", type, type);
    text_printf(&all, "%.3s%s%s%s.%s %%v9, %s;\n", test->sum->sum, rounding, flush, test->sat, type,
                test->sum->sum + 4);
    write_result(&all, format, "%v9", 0);
    /* with .rn: %v7 is p, %v8 is q */
    text_printf(&all, "mul.rn%s.%s %%v7, %%v0, %%v1; mul.rn%s.%s %%v8, %%v3, %%v4;\n", flush, type, flush,
                type);
    for (unsigned i = 0; i < 5; i++)
        text_printf(&all, "neg.%s %%v%u, %%v%u;\n", type, 10 + i, i);
    text_printf(&all, "neg.%s %%v17, %%v7; neg.%s %%v18, %%v8;\n", type, type);
    text_printf(&all, "mov.b%u %%v5, %%v7; mov.b%u %%v6, %%v8;\n", bits, bits);
    text_printf(&all, "%.3s.rn%s%s.%s %%v9, %s;\n", test->sum->sum, flush, test->sat, type,
                test->sum->sum + 4);
    write_result(&all, format, "%v9", 2);
    const char *const *fused = test->sum->fused;
    text_printf(&all, "fma.rn%s%s.%s %%v9, %s, %s, %s;\n", flush, test->sat, type, fused[0], fused[1],
                fused[2]);
    write_result(&all, format, "%v9", 4);
    if (test->sum->other[0] != NULL) fused = test->sum->other;
    text_printf(&all, "fma.rn%s%s.%s %%v9, %s, %s, %s;\n", flush, test->sat, type, fused[0], fused[1],
                fused[2]);
    write_result(&all, format, "%v9", 6);
    text_string(&all, "ret;\n}\n");
    return text_take(&all);
}

/* How often the fused result was the same, and another one. */
struct tally {
    unsigned same, other;
};

static void check(const struct test_case *test, struct random_state *random, struct tally *tally) {
    char *ptx = kernel_of(test, random);
    struct outcome outcome = run_module(ptx, test->threads == 1 ? "1" : "32");
    if (outcome.status != WB_OK) print_error("%s\n", outcome.messages);
    assert_int_equal(outcome.status, WB_OK);
    for (uint32_t i = 0; i < test->threads * test->format->count; i++) {
        const uint32_t at = i / test->format->count * RESULTS + i % test->format->count;
        const uint64_t *values = &outcome.values[at];
        const bool *known = &outcome.known[at];
        const bool same = values[4] == values[2] && values[6] == values[2];
        assert_true(known[2] && known[4] && known[6]);
        *(same ? &tally->same : &tally->other) += 1;
        /* of several lanes one's term may be another's product by chance */
        const bool right = known[0] ? (same || test->rounded) && values[0] == values[2]
                                    : !test->rounded && (!same || test->threads != 1);
        if (right) continue;
        print_error("%s%s.%s %s by '%s': lane %u: %s %llx; rounded twice %llx, fused %llx or %llx\n",
                    test->flush, test->sat, test->format->type, test->sum->sum, test->way->text, i,
                    known[0] ? "got" : "unknown", (unsigned long long)values[0],
                    (unsigned long long)values[2], (unsigned long long)values[4],
                    (unsigned long long)values[6]);
        fail();
    }
    outcome_free(&outcome);
    free(ptx);
}

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define SEED 4711

static void sums_of_products_are_known_where_both_results_are_one(void **state) {
    (void)state;
    struct random_state random = random_seeded(SEED);
    print_message("seed %d\n", SEED);
    for (size_t f = 0; f < COUNT(formats); f++) {
        struct tally tally = {0};
        for (size_t s = 0; s < COUNT(sums) * 16; s++) {
            const struct format *format = &formats[f];
            struct test_case test = {.format = format, .sum = &sums[s / 16], .way = &ways[0]};
            test.flush = (s & 1) != 0 ? format->flush : "";
            test.sat = (s & 2) != 0 ? format->sat : "";
            test.negated = (s & 4) != 0;
            test.threads = (s & 8) != 0 ? 32 : 1;
            if (test.flush == NULL || test.sat == NULL) continue;
            for (int i = 0; i < (test.threads == 1 ? SAMPLES : 2); i++)
                check(&test, &random, &tally);
        }
        print_message("%s: %u the same, %u not\n", formats[f].type, tally.same, tally.other);
        assert_true(tally.same > 100 && tally.other > 100);
    }
}

static void a_product_is_found_again_on_every_way(void **state) {
    (void)state;
    struct random_state random = random_seeded(SEED);
    for (size_t f = 0; f < COUNT(formats); f++)
        for (size_t w = 0; w < COUNT(ways); w++) {
            const struct format *format = &formats[f];
            const unsigned bits = format->bits * format->count;
            struct tally tally = {0};
            if (ways[w].bits != 0 && ways[w].bits != bits) continue;
            for (size_t s = 0; s < COUNT(sums) - 1; s++) {
                const struct test_case test = {.format = format,
                                               .sum = &sums[s],
                                               .way = &ways[w],
                                               .flush = "",
                                               .sat = "",
                                               .threads = 32};
                check(&test, &random, &tally);
            }
            assert_true(tally.other > 10);
        }
}

static void sums_that_name_their_rounding_are_never_open(void **state) {
    (void)state;
    struct random_state random = random_seeded(SEED);
    struct tally tally = {0};
    for (size_t f = 0; f < COUNT(formats); f++)
        for (size_t s = 0; s < COUNT(sums); s++) {
            const struct test_case test = {.format = &formats[f],
                                           .sum = &sums[s],
                                           .way = &ways[0],
                                           .flush = "",
                                           .sat = "",
                                           .rounded = true,
                                           .threads = 32};
            check(&test, &random, &tally);
        }
}

/* Where more products are rounded than are remembered, any term may be one. */
static void nothing_is_forgotten_in_a_block(void **state) {
    (void)state;
    struct outcome outcome = run_body(
        "",
        "cvt.rn.f32.u32 %f1, %r0; mov.f32 %f2, 0f3F800001; mul.f32 %f3, %f2, 0f40400001;\n"
        "mov.u32 %r1, 0;\nL: add.rn.f32 %f1, %f1, 0f3DCCCCCD; mul.f32 %f4, %f1, %f2; add.u32 %r1, %r1, 1;\n"
        "setp.lt.u32 %p1, %r1, 2000; @%p1 bra L;\n"
        "add.f32 %f9, %f3, 0fC0400000; mov.b32 %r9, %f9; mov.b64 %rd9, {%r9, 0}; st.global.u64 [%rd0], %rd9;",
        "32");
    for (unsigned l = 0; l < LANES; l++)
        assert_false(outcome.known[l]);
    outcome_free(&outcome);
}

/* The last step of an approximate function may be a multiplication. */
static void approximations_may_be_fused(void **state) {
    (void)state;
    static const char *const functions[] = {
        "div.approx.f32 %f1, 0f3F800000, 0f40400000;", "div.full.f32 %f1, 0f3F800000, 0f40400000;",
        "rcp.approx.f32 %f1, 0f40400000;", "ex2.approx.f32 %f1, 0f3F8CCCCD;"};
    for (size_t i = 0; i < COUNT(functions); i++)
        for (int rounded = 0; rounded < 2; rounded++) {
            char body[400];
            (void)snprintf(body, sizeof body,
                           "%s add%s.f32 %%f9, %%f1, 0f3F800000; mov.b32 %%r9, %%f9;\n"
                           "mov.b64 %%rd9, {%%r9, 0}; st.global.u64 [%%rd0], %%rd9;",
                           functions[i], rounded != 0 ? ".rn" : "");
            struct outcome outcome = run_body("", body, "32");
            assert_int_equal(outcome.known[0], rounded);
            outcome_free(&outcome);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_products_are_known_where_both_results_are_one),
        cmocka_unit_test(a_product_is_found_again_on_every_way),
        cmocka_unit_test(sums_that_name_their_rounding_are_never_open),
        cmocka_unit_test(nothing_is_forgotten_in_a_block),
        cmocka_unit_test(approximations_may_be_fused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

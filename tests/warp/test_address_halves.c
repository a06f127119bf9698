/* Addresses in two registers of 32 bits: what 64-bit arithmetic by halves gives is known, and the same
 * wherever memory stands; what depends on that is not known. */
#include "address_sanitizer.h"
#include "base/containers.h"
#include "run_ptx.h"

/* Where the buffers stand behind one that only takes room: their addresses have small lower halves, lower
 * halves that wrap inside of the first buffer, and between its end and the second one. */
#if ADDRESS_SANITIZER
static const char *const placements[] = {"buf:u8[256]", "buf:u8[70000]"}; /* it touches all room there is */
#else
static const char *const placements[] = {"buf:u8[256]", "buf:u8[4294962944]", "buf:u8[4294959360]"};
#endif

#define PLACEMENTS (sizeof placements / sizeof *placements)

/* A kernel with pointers to two buffers in %rd1 and %rd2, the lane in %r0. */
static char *kernel_of(const char *body) {
    struct text text = {0};
    text_string(&text, PTX_HEADER
                ".visible .entry k(.param .u64 room, .param .u64 a, .param .u64 b, .param .u64 out)\n{\n"
                ".reg .pred %p<16>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<16>;\n"
                "mov.u32 %r0, %tid.x;\nld.param.u64 %rd0, [out];\nmul.wide.u32 %rd10, %r0, 8;\n"
                "add.u64 %rd0, %rd0, %rd10;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
                "setp.ne.u32 %p1, 0, 0;\nsetp.eq.u32 %p2, 0, 0;\n"
                "mov.b64 {%r1, %r2}, %rd1;\nmov.b64 {%r3, %r4}, %rd2;\n");
    text_string(&text, body);
    text_string(&text, "\nret;\n}\n");
    return text_take(&text);
}

static struct outcome run_placed(const char *ptx, size_t placement) {
    const char *const arguments[] = {placements[placement], "buf:u8[2048]=zero", "buf:u8[2048]=zero",
                                     "buf:u64[1024]=zero", NULL};
    struct outcome outcome = run_module_in(ptx, "1", "32", arguments);
    if (outcome.status != WB_OK) print_error("%s\n%s\n", ptx, outcome.messages);
    assert_int_equal(outcome.status, WB_OK);
    return outcome;
}

/* A body whose results of 64 bits, %rd9, are `expected` for lane 0 and `step` more for each other lane, or
 * not known; in every placement. */
struct row {
    const char *body;
    bool known;
    uint64_t expected, step;
};

#define PACKED "mov.b64 %rd3, {%r5, %r6}; sub.u64 %rd9, %rd3, %rd1;"
#define UNKNOWN false, 0, 0

/* clang-format off */
static const struct row rows[] = {
    /* what is split is put together */
    {"mov.b64 %rd3, {%r1, %r2}; sub.u64 %rd9, %rd3, %rd1;", true, 0, 0},
    {"machine.add3.u32 %r5|%p5, _, %r1, 4096, 0, 0, 0; machine.add3.u32 %r6, _, %r2, 0, 0, %p5, 0;" PACKED, true, 4096, 0},
    {"shl.b32 %r7, %r0, 3; machine.add3.u32 %r5|%p5, _, %r1, %r7, 16, 0, 0;"
     "machine.add3.u32 %r6, _, 0, %r2, 0, %p5, 0;" PACKED, true, 16, 8},
    {"machine.add3.u32 %r5|%p5, %p6, %r1, -8, -8, 0, 0; machine.add3.u32 %r6, _, %r2, -1, -1, %p5, %p6;" PACKED, true, UINT64_C(0) - 16, 0},
    {"add.cc.u32 %r5, %r1, 4000; addc.u32 %r6, %r2, 0;" PACKED, true, 4000, 0},
    {"sub.cc.u32 %r5, %r1, 40; subc.u32 %r6, %r2, 0;" PACKED, true, UINT64_C(0) - 40, 0},
    {"mov.b32 %r7, 5; mad.lo.cc.u32 %r5, %r7, %r0, %r1; addc.u32 %r6, %r2, 0;" PACKED, true, 0, 5},
    {"and.b32 %r7, %r1, -64; mov.b32 %r5, %r7; mov.b32 %r6, %r2;" PACKED, true, 0, 0},
    {"add.u32 %r5, %r1, 0; selp.b32 %r5, %r5, %r3, %p2; selp.b32 %r6, %r2, %r4, %p2;" PACKED, true, 0, 0},
    /* a difference by complements: IADD3 with negated sources */
    {"machine.add3.u32 %r5|%p5, _, %r1, 100, 0, 0, 0; machine.add3.u32 %r6, _, %r2, 0, 0, %p5, 0;"
     "not.b32 %r7, %r1; not.b32 %r8, %r2; machine.add3.u32 %r9|%p6, _, %r5, %r7, 0, 1, 0;"
     "machine.add3.u32 %r10, _, %r6, %r8, 0, %p6, 0; mov.b64 %rd9, {%r9, %r10};", true, 100, 0},
    {"sub.cc.u32 %r5, %r1, %r1; subc.u32 %r6, %r2, %r2; mov.b64 %rd9, {%r5, %r6};", true, 0, 0},
    {"sub.u32 %r5, %r1, %r1; cvt.u64.u32 %rd9, %r5;", true, 0, 0},
    {"not.b32 %r5, %r1; not.b32 %r6, %r2; machine.add3.u32 %r5|%p5, _, %r5, 0, 0, 1, 0;"
     "machine.add3.u32 %r6, _, %r6, 0, 0, %p5, 0; mov.b64 %rd3, {%r5, %r6}; add.u64 %rd9, %rd3, %rd1;", true, 0, 0},
    {"and.b32 %r5, %r1, 255; cvt.u64.u32 %rd9, %r5;", true, 0, 0},
    /* comparisons */
    {"machine.add3.u32 %r5|%p5, _, %r1, 2000, 0, 0, 0; machine.add3.u32 %r6, _, %r2, 0, 0, %p5, 0;"
     "setp.lt.u32 %p7, %r1, %r5; machine.setp.lt.and.u32 %p8, %r2, %r6, %p7, 1; selp.b64 %rd9, 1, 0, %p8;", true, 1, 0},
    {"setp.ne.u32 %p7, %r1, %r3; machine.setp.ne.and.u32 %p8, %r2, %r4, %p7, 1; selp.b64 %rd9, 1, 0, %p8;", true, 1, 0},
    {"setp.eq.u32 %p7, %r1, 0; machine.setp.eq.and.u32 %p8|%p9, %r2, 0, %p7, 1; selp.b64 %rd9, 1, 0, %p9;", true, 1, 0},
    {"setp.lt.u32 %p7, 5, %r0; machine.setp.lt.and.u32 %p8, 3, 3, %p7, 1; selp.b64 %rd9, 0, 0, %p8;", true, 0, 0},
    /* halves by themselves */
    {"cvt.u64.u32 %rd9, %r1;", UNKNOWN},
    {"cvt.u64.u32 %rd9, %r2;", UNKNOWN},
    {"shr.u32 %r5, %r1, 31; cvt.u64.u32 %rd9, %r5;", UNKNOWN},
    {"and.b32 %r5, %r1, 511; cvt.u64.u32 %rd9, %r5;", UNKNOWN},
    {"setp.lt.u32 %p7, %r1, 5; selp.b64 %rd9, 1, 0, %p7;", UNKNOWN},
    /* halves of different addresses */
    {"mov.b32 %r5, %r1; mov.b32 %r6, %r4;" PACKED, UNKNOWN},
    {"mov.b32 %r5, %r3; mov.b32 %r6, %r2;" PACKED, UNKNOWN},
    {"mov.b32 %r5, %r2; mov.b32 %r6, %r1;" PACKED, UNKNOWN},
    {"mov.b32 %r5, %r1; mov.b32 %r6, %r1;" PACKED, UNKNOWN},
    {"mov.b32 %r5, %r1; mov.b32 %r6, 0x79d2;" PACKED, UNKNOWN},
    {"mov.b32 %r5, 0; mov.b32 %r6, %r2;" PACKED, UNKNOWN},
    {"sub.cc.u32 %r5, %r1, %r3; subc.u32 %r6, %r2, %r4; mov.b64 %rd9, {%r5, %r6};", UNKNOWN},
    {"sub.u32 %r5, %r1, %r3; cvt.u64.u32 %rd9, %r5;", UNKNOWN},
    {"sub.u32 %r5, %r2, %r2; cvt.u64.u32 %rd9, %r5;", UNKNOWN}, /* without the borrow it is half of nothing */
    /* carries that are dropped, inverted, of other sums, counted twice */
    {"machine.add3.u32 %r5, _, %r1, 1024, 0, 0, 0; mov.b32 %r6, %r2;" PACKED, UNKNOWN},
    {"machine.add3.u32 %r5|%p5, _, %r1, 1024, 0, 0, 0; machine.add3.u32 %r6, _, %r2, 0, 0, !%p5, 0;" PACKED, UNKNOWN},
    {"machine.add3.u32 %r5|%p5, _, %r1, 1024, 0, 0, 0; machine.add3.u32 %r6, _, %r2, 0, 0, %p5, %p5;" PACKED, UNKNOWN},
    {"machine.add3.u32 %r7|%p5, _, %r1, 2048, 0, 0, 0; machine.add3.u32 %r5, _, %r1, 1024, 0, 0, 0;"
     "machine.add3.u32 %r6, _, %r2, 0, 0, %p5, 0;" PACKED, UNKNOWN},
    {"machine.add3.u32 %r5|%p5, _, %r3, 1024, 0, 0, 0; machine.add3.u32 %r6, _, %r2, 0, 0, %p5, 0;" PACKED, UNKNOWN},
    {"add.cc.u32 %r5, %r1, 1024; subc.u32 %r6, %r2, 0;" PACKED, UNKNOWN},
    {"sub.cc.u32 %r5, %r1, 1024; addc.u32 %r6, %r2, 0;" PACKED, UNKNOWN},
    {"add.cc.u32 %r5, %r1, 1024; addc.u32 %r6, 0, 0; cvt.u64.u32 %rd9, %r6;", UNKNOWN},
    /* comparisons that do not belong together */
    {"setp.lt.u32 %p7, %r1, %r3; machine.setp.lt.and.u32 %p8, %r2, %r4, %p7, 1; selp.b64 %rd9, 1, 0, %p8;", UNKNOWN},
    {"setp.le.u32 %p7, %r1, %r1; machine.setp.lt.and.u32 %p8, %r2, %r2, %p7, 1; selp.b64 %rd9, 1, 0, %p8;", UNKNOWN},
    {"setp.eq.u32 %p7, %r1, %r3; machine.setp.eq.and.u32 %p8, %r2, %r2, %p7, 1; selp.b64 %rd9, 1, 0, %p8;", UNKNOWN},
    {"setp.eq.u32 %p7, %r1, %r1; machine.setp.eq.and.u32 %p8, %r2, %r2, !%p7, 1; selp.b64 %rd9, 1, 0, %p8;", UNKNOWN},
    {"setp.ltu.f32 %p7, %r1, %r1; selp.b64 %rd9, 1, 0, %p7;", UNKNOWN},
    /* lanes that go different ways */
    {"setp.lt.u32 %p9, %r0, 16; mov.b32 %r5, %r3; mov.b32 %r6, %r4; @%p9 mov.b32 %r5, %r1; @%p9 mov.b32 %r6, %r2;"
     "mov.b64 %rd3, {%r5, %r6}; selp.b64 %rd4, %rd1, %rd2, %p9; setp.eq.u64 %p8, %rd3, %rd4;"
     "selp.b64 %rd9, 1, 0, %p8;", true, 1, 0},
    {"setp.lt.u32 %p9, %r0, 16; mov.b32 %r5, 7; mov.b32 %r6, 0; @%p9 mov.b32 %r5, %r1; @%p9 mov.b32 %r6, %r2;"
     "@!%p9 add.u32 %r6, %r5, 1; mov.u64 %rd9, 8; @!%p9 cvt.u64.u32 %rd9, %r6;", true, 8, 0},
};
/* clang-format on */

static void check_row(const struct row *row) {
    struct text body = {0};
    text_printf(&body, "%s\nst.global.u64 [%%rd0], %%rd9;", row->body);
    char *text = text_take(&body), *ptx = kernel_of(text);
    for (size_t p = 0; p < PLACEMENTS; p++) {
        struct outcome outcome = run_placed(ptx, p);
        for (uint64_t l = 0; l < LANES; l++) {
            const bool same = outcome.known[l] == row->known &&
                              (!row->known || outcome.values[l] == row->expected + row->step * l);
            if (same) continue;
            print_error("%s\nplacement %zu, lane %u: %s %llx\n", row->body, p, (unsigned)l,
                        outcome.known[l] ? "known" : "unknown", (unsigned long long)outcome.values[l]);
            fail();
        }
        outcome_free(&outcome);
    }
    free(ptx);
    free(text);
}

static void halves_make_what_the_whole_makes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
}

/* ---- Random programs ----------------------------------------------------------------------------------- */

#define WORDS 12u /* %r1 .. %r12 */
#define SEEDS (ADDRESS_SANITIZER ? 200u : 1500u)

static uint32_t pick(struct random_state *random, uint32_t count) {
    return (uint32_t)random_below(random, count);
}

/* A word: mostly a register that may hold half of an address, or a number. */
static void put_word(struct text *body, struct random_state *random) {
    static const char *const numbers[] = {"0", "1", "-1", "8", "-8", "2048", "-4096", "%r0", "0x7fffffff"};
    if (pick(random, 3) == 0)
        text_string(body, numbers[pick(random, sizeof numbers / sizeof *numbers)]);
    else
        text_printf(body, "%%r%u", 1 + pick(random, WORDS));
}

static void put_carry(struct text *body, struct random_state *random) {
    const uint32_t choice = pick(random, 12);
    if (choice < 4)
        text_string(body, "0");
    else if (choice < 5)
        text_string(body, "1");
    else
        text_printf(body, "%s%%p%u", choice == 5 ? "!" : "", 3 + pick(random, 4));
}

/* Adds a number to one of the pairs by halves; sometimes something is wrong in it. */
static void put_chain(struct text *body, struct random_state *random) {
    const uint32_t from = 1 + 2 * pick(random, WORDS / 2), to = 1 + 2 * pick(random, WORDS / 2);
    const uint32_t carry = 3 + pick(random, 4), wrong = pick(random, 4) == 0 ? pick(random, 4) : 4;
    const char *guard = pick(random, 4) == 0 ? pick(random, 2) == 0 ? "@%p15 " : "@!%p15 " : "";
    text_printf(body, "%smachine.add3.u32 %%r20|%%p%u, _, %%r%u, ", guard, carry, from);
    put_word(body, random);
    text_printf(body, ", %u, 0, 0;\n", pick(random, 2) * 4096);
    text_printf(body, "%smachine.add3.u32 %%r%u, _, %%r%u, ", guard, to + 1, wrong == 0 ? to + 1 : from + 1);
    if (wrong == 1)
        put_word(body, random);
    else
        text_string(body, "0");
    text_printf(body, ", 0, ");
    if (wrong == 2)
        put_carry(body, random);
    else
        text_printf(body, "%%p%u", carry);
    text_printf(body, ", 0;\n%smov.b32 %%r%u, %%r20;\n", guard, wrong == 3 ? to + 1 : to);
}

static void put_instruction(struct text *body, struct random_state *random) {
    static const char *const compares[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    static const char *const twos[] = {"add.u32",    "sub.u32",    "and.b32",  "or.b32",   "xor.b32",
                                       "add.cc.u32", "sub.cc.u32", "addc.u32", "subc.u32", "addc.cc.u32"};
    const char *guard = pick(random, 5) == 0 ? pick(random, 2) == 0 ? "@%p15 " : "@!%p15 " : "";
    const uint32_t to = 1 + pick(random, WORDS), pair = 1 + 2 * pick(random, WORDS / 2);
    const uint32_t first = 3 + pick(random, 2), second = first + 2, compare = pick(random, 6);
    switch (pick(random, 8)) {
    case 0: put_chain(body, random); return;
    case 1:
        text_printf(body, "%smov.b64 {%%r%u, %%r%u}, %%rd%u;\n", guard, pair, pair + 1, 1 + pick(random, 4));
        return;
    case 2: /* in all lanes: numbers among addresses in one register are taken for null */
        text_printf(body, "mov.b64 %%rd%u, {%%r%u, %%r%u};\n", 3 + pick(random, 2), pair, pair + 1);
        return;
    case 3:
        text_printf(body, "%s%s %%r%u, ", guard, twos[pick(random, sizeof twos / sizeof *twos)], to);
        put_word(body, random);
        text_string(body, ", ");
        break;
    case 4:
        text_printf(body, "%smachine.add3.u32 %%r%u|%%p%u, %%p%u, ", guard, to, first, second);
        for (int i = 0; i < 3; i++) {
            put_word(body, random);
            text_string(body, ", ");
        }
        put_carry(body, random);
        text_string(body, ", ");
        put_carry(body, random);
        text_string(body, ";\n");
        return;
    case 5:
        text_printf(body, "%ssetp.%s.u32 %%p%u|%%p%u, ", guard, compares[compare], first, second);
        put_word(body, random);
        text_string(body, ", ");
        break;
    case 6:
        text_printf(body, "setp.%s.u32 %%p3, %%r%u, %%r%u;\n", compares[compare], pair, to);
        text_printf(body, "%smachine.setp.%s.and.%s32 %%p%u|%%p%u, %%r%u, %%r%u, %%p3, 1;\n", guard,
                    compares[pick(random, 4) == 0 ? pick(random, 6) : compare], pick(random, 2) ? "u" : "s",
                    first, second, pair + 1, pick(random, 4) == 0 ? to : to % WORDS + 1);
        return;
    default:
        text_printf(body, "%sselp.b32 %%r%u, %%r%u, ", guard, to, 1 + pick(random, WORDS));
        put_word(body, random);
        text_printf(body, ", %%p%u;\n", 3 + pick(random, 4));
        return;
    }
    put_word(body, random);
    text_string(body, ";\n");
}

/* What is known of words, predicates, and of pairs as distances from a buffer, which are numbers. */
static void put_results(struct text *body) {
    uint32_t offset = 0;
    for (uint32_t i = 1; i <= WORDS; i++, offset += 256)
        text_printf(body, "cvt.u64.u32 %%rd9, %%r%u; st.global.u64 [%%rd0+%u], %%rd9;\n", i, offset);
    for (uint32_t i = 3; i <= 6; i++, offset += 256)
        text_printf(body, "selp.b64 %%rd9, 1, 0, %%p%u; st.global.u64 [%%rd0+%u], %%rd9;\n", i, offset);
    for (uint32_t i = 1; i <= WORDS; i += 2, offset += 256)
        text_printf(body,
                    "mov.b64 %%rd9, {%%r%u, %%r%u}; sub.u64 %%rd9, %%rd9, %%rd1; st.global.u64 [%%rd0+%u], "
                    "%%rd9;\n",
                    i, i + 1, offset);
}

static char *random_kernel(struct random_state *random) {
    struct text body = {0};
    text_string(&body,
                "and.b32 %r30, %r0, 1; setp.ne.u32 %p15, %r30, 0;\nmov.u64 %rd3, %rd1; mov.u64 %rd4, %rd2;\n"
                "mov.b64 {%r5, %r6}, %rd1; mov.b64 {%r7, %r8}, %rd1; mov.b64 {%r9, %r10}, %rd2;\n"
                "mov.b32 %r11, 3; mov.b32 %r12, %r0; add.cc.u32 %r20, %r0, 1;\n");
    for (uint32_t p = 3; p <= 6; p++)
        text_printf(&body, "setp.gt.u32 %%p%u, %%r0, %u;\n", p, p);
    for (uint32_t i = 0; i < 14; i++)
        put_instruction(&body, random);
    put_results(&body);
    char *text = text_take(&body), *ptx = kernel_of(text);
    free(text);
    return ptx;
}

/* Counts results that are known in a first placement, and checks that those known in another one, too, are
 * the same. */
static void compare_outcomes(const char *ptx, const struct outcome *a, const struct outcome *b,
                             size_t *known) {
    for (uint32_t i = 0; i < 22 * LANES; i++) {
        *known += a->known[i];
        if (!a->known[i] || !b->known[i] || a->values[i] == b->values[i]) continue;
        print_error("result %u of lane %u: %llx and %llx\n%.4000s\n", i / LANES, i % LANES,
                    (unsigned long long)a->values[i], (unsigned long long)b->values[i], strstr(ptx, "%r30"));
        fail();
    }
}

static void known_values_do_not_depend_on_placement(void **state) {
    (void)state;
    size_t known = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct random_state random = random_seeded(seed);
        char *ptx = random_kernel(&random);
        struct outcome outcomes[PLACEMENTS];
        for (size_t p = 0; p < PLACEMENTS; p++)
            outcomes[p] = run_placed(ptx, p);
        for (size_t p = 1; p < PLACEMENTS; p++)
            compare_outcomes(ptx, &outcomes[0], &outcomes[p], &known);
        for (size_t p = 0; p < PLACEMENTS; p++)
            outcome_free(&outcomes[p]);
        free(ptx);
    }
    print_message("known: %zu of %u results\n", known / (PLACEMENTS - 1), SEEDS * 22 * LANES);
    assert_true(known > SEEDS * 90);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_make_what_the_whole_makes),
        cmocka_unit_test(known_values_do_not_depend_on_placement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

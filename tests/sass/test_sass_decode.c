/* Instructions made of fields whose places are written here by hand, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sass/sass.h"

struct word {
    uint64_t half[2];
};

static const uint32_t architectures[] = {75, 80, 86, 87, 89, 90, 100, 120};

/* A word with the opcode, no guard, no counters, and predicates that are PT where every opcode has them so.
 */
static struct word word_of(uint32_t opcode) {
    struct word word = {{opcode | 7u << 12, 0}};
    word.half[1] |= UINT64_C(1) << (109 - 64) | UINT64_C(0x3f) << (110 - 64); /* no yield, counters 7 */
    return word;
}

static void set(struct word *word, uint32_t low, uint32_t width, uint64_t value) {
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t bit = low + i;
        word->half[bit / 64] &= ~(UINT64_C(1) << bit % 64);
        word->half[bit / 64] |= (value >> i & 1) << bit % 64;
    }
}

static bool decode_at(uint32_t sm, const struct word *word, uint32_t at, struct sass_inst *inst) {
    uint8_t bytes[SASS_BYTES];
    const char *reason = NULL;
    for (uint32_t i = 0; i < SASS_BYTES; i++)
        bytes[i] = (uint8_t)(word->half[i / 8] >> i % 8 * 8);
    const bool known = sass_decode(sm, bytes, at, inst, &reason);
    assert_int_equal(known, reason == NULL);
    assert_int_equal(known, inst->row != NULL);
    return known;
}

static bool decode(uint32_t sm, const struct word *word, struct sass_inst *inst) {
    return decode_at(sm, word, 0x100, inst);
}

static void assert_text(const struct sass_inst *inst, const char *expected) {
    struct text text = {0};
    sass_put(inst, &text);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

/* IADD3 R17, P2, P3, -R33, ~-less B, R200: all of its operands in register form. */
static struct word iadd3(uint32_t opcode) {
    struct word word = word_of(opcode);
    set(&word, 16, 8, 17);
    set(&word, 24, 8, 33);
    set(&word, 64, 8, 200);
    set(&word, 81, 3, 2);
    set(&word, 84, 3, 3);
    set(&word, 87, 4, 15);
    set(&word, 77, 4, 15);
    return word;
}

static void three_operands_in_every_form(void **state) {
    (void)state;
    struct sass_inst inst;
    struct word word = iadd3(0x210);
    set(&word, 32, 8, 99);
    set(&word, 63, 1, 1);
    assert_true(decode(75, &word, &inst));
    assert_int_equal(inst.op, SASS_OP_IADD3);
    assert_int_equal(inst.d, 17);
    assert_int_equal(inst.b.number, 99);
    assert_true(inst.b.negated);
    assert_text(&inst, "IADD3 R17, P2, P3, R33, -R99, R200");
    word = iadd3(0x810);
    set(&word, 32, 32, 0xfffffff0);
    assert_true(decode(80, &word, &inst));
    assert_text(&inst, "IADD3 R17, P2, P3, R33, -0x10, R200");
    word = iadd3(0x610); /* C is the constant, B stands at 64 */
    set(&word, 38, 16, 0x164);
    set(&word, 54, 5, 3);
    set(&word, 63, 1, 1);
    set(&word, 75, 1, 1);
    assert_true(decode(86, &word, &inst));
    assert_int_equal(inst.b.number, 200);
    assert_true(inst.b.negated);
    assert_int_equal(inst.c.kind, SASS_SOURCE_CONST);
    assert_int_equal(inst.c.value, 0x164);
    assert_text(&inst, "IADD3 R17, P2, P3, R33, -R200, -c[0x3][0x164]");
    word = iadd3(0xc10);
    set(&word, 32, 6, 63);
    assert_false(decode(90, &word, &inst)); /* a uniform register has bit 91 */
    set(&word, 91, 1, 1);
    assert_true(decode(90, &word, &inst));
    assert_int_equal(inst.b.number, SASS_URZ);
    assert_text(&inst, "IADD3 R17, P2, P3, R33, URZ, R200");
    word = iadd3(0xa10);
    set(&word, 91, 1, 1);
    set(&word, 32, 6, 4);
    set(&word, 38, 16, 0x20);
    assert_true(decode(80, &word, &inst));
    assert_text(&inst, "IADD3 R17, P2, P3, R33, cx[UR4][0x20], R200");
}

/* Bits 9 to 11 choose where the flexible operand stands. Of each operation, those forms are known that the
 * others of its kind have: vector operations of three operands have all, of two those in which B is flexible,
 * or C (register, immediate, constant, uniform register); uniform ones have registers and immediates only.
 * What else is known is coded by itself: then the operand's kind is part of the opcode. */
static void forms_of_an_operation_are_those_of_its_kind(void **state) {
    (void)state;
    static const uint32_t three[] = {0x010, 0x024, 0x025, 0x027, 0x014, 0x015, 0x026, 0x011, 0x012,
                                     0x019, 0x016, 0x023, 0x03e, 0x02b, 0x031, 0x035, 0x039, 0x043};
    static const uint32_t b[] = {0x013, 0x01a, 0x01b, 0x109, 0x100, 0x101, 0x00c, 0x007, 0x002, 0x003, 0x004,
                                 0x020, 0x009, 0x008, 0x00b, 0x00a, 0x102, 0x108, 0x107, 0x113, 0x104, 0x110,
                                 0x105, 0x111, 0x106, 0x112, 0x038, 0x028, 0x032, 0x15d, 0x017, 0x045, 0x040};
    static const uint32_t c[] = {0x021, 0x029, 0x02a, 0x030, 0x034, 0x033};
    static const uint32_t uniform3[] = {0x090, 0x0a4, 0x0a5, 0x0a7, 0x091, 0x092, 0x099, 0x096};
    static const uint32_t uniform2[] = {0x08c, 0x087, 0x09a, 0x09b, 0x0bd, 0x0be, 0x0bf};
    static const struct {
        const uint32_t *operations;
        size_t count;
        uint32_t forms; /* set */
    } kinds[] = {{three, sizeof three / sizeof *three, 0xfe},
                 {b, sizeof b / sizeof *b, 0x72},
                 {c, sizeof c / sizeof *c, 0x8e},
                 {uniform3, sizeof uniform3 / sizeof *uniform3, 0x16},
                 {uniform2, sizeof uniform2 / sizeof *uniform2, 0x12}};
    bool seen[512] = {false};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < kinds[k].count; i++)
            for (uint32_t form = 0; form < 8; form++) {
                struct sass_inst inst;
                const char *reason = NULL;
                uint8_t bytes[SASS_BYTES] = {0};
                const uint32_t opcode = kinds[k].operations[i] | form << 9;
                bytes[0] = (uint8_t)opcode;
                bytes[1] = (uint8_t)(opcode >> 8);
                seen[kinds[k].operations[i]] = true;
                const bool known =
                    sass_decode(86, bytes, 0, &inst, &reason) || strcmp(reason, "an unknown opcode") != 0;
                if (known != (kinds[k].forms >> form & 1)) fail_msg("0x%03x: %d", opcode, known);
            }
    /* Every operation of several forms is in one of the lists, but for those that are coded by themselves. */
    static const uint32_t own[] = {0x082, 0x181, 0x186, 0x180, 0x185, 0x188, 0x187, 0x18c, 0x18a,
                                   0x1aa, 0x189, 0x148, 0x11d, 0x155, 0x156, 0x144, 0x143};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        seen[own[i]] = true;
    for (uint32_t operation = 0; operation < 512; operation++) {
        uint32_t forms = 0;
        for (uint32_t form = 0; form < 8; form++) {
            struct sass_inst inst;
            const char *reason = NULL;
            const uint8_t bytes[SASS_BYTES] = {(uint8_t)operation, (uint8_t)(operation >> 8 | form << 1)};
            forms += sass_decode(86, bytes, 0, &inst, &reason) || strcmp(reason, "an unknown opcode") != 0;
        }
        if (forms > 1 && !seen[operation])
            fail_msg("0x%03x has %u forms and is of no kind", operation, forms);
    }
}

static void carries_only_with_their_modifier(void **state) {
    (void)state;
    struct sass_inst inst;
    struct word word = iadd3(0x210);
    set(&word, 87, 4, 1);
    assert_false(decode(80, &word, &inst)); /* P1 is read without .X */
    set(&word, 74, 1, 1);
    set(&word, 72, 1, 1);
    assert_true(decode(80, &word, &inst));
    assert_true(inst.from[0].present);
    assert_int_equal(inst.from[0].number, 1);
    assert_text(&inst, "IADD3.X R17, P2, P3, ~R33, R0, R200, P1, !PT");
}

static void guards_and_control(void **state) {
    (void)state;
    struct sass_inst inst;
    for (uint32_t a = 0; a < sizeof architectures / sizeof *architectures; a++)
        for (uint32_t bits = 0; bits < 1u << 17; bits += 7) {
            struct word word = word_of(0x918);
            set(&word, 105, 17, bits);
            const bool exists = (bits >> 5 & 7) != 6 && (bits >> 8 & 7) != 6;
            assert_int_equal(decode(architectures[a], &word, &inst), exists);
            assert_int_equal(inst.control.stall, bits & 15);
            assert_int_equal(inst.control.yield, !(bits >> 4 & 1));
            assert_int_equal(inst.control.write_counter, bits >> 5 & 7);
            assert_int_equal(inst.control.read_counter, bits >> 8 & 7);
            assert_int_equal(inst.control.waits, bits >> 11);
        }
    struct word word = word_of(0x918);
    set(&word, 12, 4, 11);
    assert_true(decode(80, &word, &inst));
    assert_text(&inst, "@!P3 NOP");
    word = word_of(0xfff);
    set(&word, 12, 4, 2);
    set(&word, 105, 4, 9);
    assert_false(decode(80, &word, &inst)); /* both are there even so */
    assert_int_equal(inst.guard.number, 2);
    assert_int_equal(inst.control.stall, 9);
}

static void reuse_is_counted_by_operand(void **state) {
    (void)state;
    struct sass_inst inst;
    struct word word = word_of(0x221); /* FADD: the second operand has the third's bit */
    set(&word, 124, 1, 1);
    assert_true(decode(80, &word, &inst));
    assert_true(inst.b.reuse && !inst.a.reuse);
    set(&word, 124, 1, 0);
    set(&word, 123, 1, 1);
    assert_false(decode(80, &word, &inst));
    word = word_of(0x821); /* no such form */
    assert_false(decode(80, &word, &inst));
}

static uint32_t target_of(uint32_t sm, uint32_t at, int64_t offset) {
    struct sass_inst inst;
    struct word word = word_of(0x947);
    set(&word, 87, 3, 7);
    if (sm < 90) {
        set(&word, 34, 48, (uint64_t)(offset / 4));
    } else {
        set(&word, 16, 8, (uint64_t)(offset / 4));
        set(&word, 34, 48, (uint64_t)(offset / 4) >> 8);
    }
    return decode_at(sm, &word, at, &inst) ? inst.target : UINT32_MAX;
}

static void targets_are_relative_to_the_next_instruction(void **state) {
    (void)state;
    for (uint32_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        const uint32_t sm = architectures[a];
        assert_int_equal(target_of(sm, 0x230, -16), 0x230);
        assert_int_equal(target_of(sm, 0x230, 0x1230), 0x1470);
        assert_int_equal(target_of(sm, 0x230, -0x240), 0);
        assert_int_equal(target_of(sm, 0x230, -0x250), UINT32_MAX); /* in front of the section */
        assert_int_equal(target_of(sm, 0x230, 8), UINT32_MAX);      /* within an instruction */
        assert_int_equal(target_of(sm, 0, INT64_C(1) << 40), UINT32_MAX);
    }
    struct sass_inst inst;
    struct word word = word_of(0x945);
    set(&word, 87, 3, 7);
    set(&word, 16, 4, 5);
    set(&word, 34, 30, (uint64_t)(0x40 / 4));
    assert_true(decode_at(90, &word, 0x80, &inst));
    assert_int_equal(sass_field(&inst, SASS_FIELD_BARRIER), 5);
    assert_text(&inst, "BSSY B5, L_0x00d0");
}

static void memory_operands(void **state) {
    (void)state;
    struct sass_inst inst;
    struct word word = word_of(0x981);
    set(&word, 16, 8, 8);
    set(&word, 24, 8, 2);
    set(&word, 32, 6, 4);
    set(&word, 40, 24, 0xfffff0);
    set(&word, 72, 1, 1);
    set(&word, 73, 3, 5);
    set(&word, 77, 4, 7);
    set(&word, 81, 3, 7);
    set(&word, 84, 3, 1);
    set(&word, 90, 2, 3);
    assert_true(decode(80, &word, &inst)); /* bit 76: the uniform registers are part of the address */
    assert_int_equal(inst.address.offset, -16);
    assert_false(inst.address.ureg_is_policy);
    assert_text(&inst, "LDG.E.64.STRONG.GPU R8, [R2.64+UR4-0x10]");
    set(&word, 76, 1, 1);
    assert_true(decode(80, &word, &inst));
    assert_true(inst.address.ureg_is_policy && inst.address.wide);
    assert_text(&inst, "LDG.E.64.STRONG.GPU R8, desc[UR4][R2.64-0x10]");
    assert_false(decode(75, &word, &inst)); /* no such bit there */
    set(&word, 76, 1, 0);
    set(&word, 77, 4, 3 | 1 << 2);
    set(&word, 90, 1, 0);
    assert_true(decode(75, &word, &inst));
    assert_int_equal(sass_field(&inst, SASS_FIELD_ORDER), 0);
    assert_text(&inst, "LDG.E.64.SYS R8, [R2.U32+UR4-0x10]");
    set(&word, 77, 4, 2 | 2 << 2);
    assert_true(decode(75, &word, &inst));
    assert_int_equal(sass_field(&inst, SASS_FIELD_ORDER), 7);
}

static void atomic_types_of_architectures(void **state) {
    (void)state;
    struct sass_inst inst;
    struct word word = word_of(0x9a8);
    set(&word, 64, 6, 63);
    set(&word, 70, 2, 3);
    set(&word, 72, 1, 1);
    set(&word, 81, 3, 7);
    set(&word, 84, 3, 1);
    set(&word, 87, 4, 2);
    set(&word, 91, 1, 1);
    set(&word, 73, 3, 5);
    assert_true(decode(86, &word, &inst));
    assert_int_equal(sass_field(&inst, SASS_FIELD_ATOMIC_TYPE), 5); /* S64 */
    assert_int_equal(sass_field(&inst, SASS_FIELD_ATOMIC), 2);
    assert_false(decode(90, &word, &inst)); /* 5 is none there */
    set(&word, 73, 3, 3);
    assert_true(decode(90, &word, &inst));
    assert_int_equal(sass_field(&inst, SASS_FIELD_ATOMIC_TYPE), 5);
    assert_true(decode(86, &word, &inst));
    assert_int_equal(sass_field(&inst, SASS_FIELD_ATOMIC_TYPE), 3); /* F32.FTZ.RN */
}

static void what_is_not_known_is_refused(void **state) {
    (void)state;
    struct sass_inst inst;
    struct word word = word_of(0x918);
    assert_true(decode(75, &word, &inst));
    assert_false(decode(70, &word, &inst));
    assert_false(decode(0, &word, &inst));
    for (uint32_t bit = 126; bit < 128; bit++) {
        struct word other = word;
        set(&other, bit, 1, 1);
        assert_false(decode(75, &other, &inst));
    }
    word = word_of(0x036 | 0x800); /* VIADD: from sm_90 on */
    assert_true(decode(90, &word, &inst));
    assert_false(decode(89, &word, &inst));
    word = word_of(0x308); /* MUFU */
    set(&word, 74, 6, 9);
    assert_true(decode(75, &word, &inst));
    set(&word, 74, 6, 10);
    assert_false(decode(75, &word, &inst));
    assert_text(&inst, "? 0x0000000000007308 0x000fe00000002800");
}

/* As ptxas writes mma of integers and of f64. */
static void products_of_matrices(void **state) {
    static const struct {
        uint32_t sm;
        struct word word;
        const char *text;
    } rows[] = {
        {80,
         {{0x0000001808107237, 0x0c4fe80000405404}},
         "IMMA.16816.S8.S8 R16, R8.reuse.ROW, R24.reuse.COL, R4"},
        {80, {{0x0000001808147237, 0x000fe20000585c04}}, "IMMA.16832.S4.S4 R20, R8.ROW, R24.COL, R4"},
        {80, {{0x0000001808047237, 0x000fe60000780404}}, "IMMA.16864.U4.U4 R4, R8.ROW, R24.COL, R4"},
        {75,
         {{0x0000000300067237, 0x0c0e680000040404}},
         "IMMA.8816.U8.U8.SAT R6, R0.reuse.ROW, R3.reuse.COL, R4"},
        {75, {{0x0000000300047237, 0x000ea40000385404}}, "IMMA.8832.S4.S4 R4, R0.ROW, R3.COL, R4"},
        {80, {{0x000000060404723f, 0x004e360000000008}}, "DMMA.884 R4, R4, R6, R8"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sass_inst inst;
        assert_true(decode(rows[i].sm, &rows[i].word, &inst));
        assert_text(&inst, rows[i].text);
    }
}

/* Any bytes: known or refused, and printable. */
static void any_word_can_be_printed(void **state) {
    (void)state;
    uint64_t random = 88172645463325252u;
    struct text text = {0};
    size_t known = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        struct word word;
        struct sass_inst inst;
        for (int half = 0; half < 2; half++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            word.half[half] = random;
        }
        if (i % 4 != 0) word.half[1] &= random >> 3 & random >> 11; /* sparse ones get further */
        known += decode(architectures[i % 8], &word, &inst);
        text.length = 0;
        sass_put(&inst, &text);
        sass_put_control(&inst.control, &text);
        assert_true(text.length > 0 && text.length < 400);
        assert_int_equal(strlen(text.data), text.length);
        for (int field = 0; field < SASS_FIELDS; field++)
            (void)sass_field(&inst, (enum sass_field)field);
    }
    assert_false(text.failed);
    assert_true(known > 0);
    text_free(&text);
}

static void every_opcode_has_a_name(void **state) {
    (void)state;
    for (int op = 0; op < SASS_OP_COUNT; op++)
        assert_non_null(sass_op_name((enum sass_op)op));
    assert_string_equal(sass_op_name(SASS_OP_IMAD_WIDE), "IMAD.WIDE");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_operands_in_every_form),
        cmocka_unit_test(forms_of_an_operation_are_those_of_its_kind),
        cmocka_unit_test(carries_only_with_their_modifier),
        cmocka_unit_test(guards_and_control),
        cmocka_unit_test(reuse_is_counted_by_operand),
        cmocka_unit_test(targets_are_relative_to_the_next_instruction),
        cmocka_unit_test(memory_operands),
        cmocka_unit_test(atomic_types_of_architectures),
        cmocka_unit_test(what_is_not_known_is_refused),
        cmocka_unit_test(products_of_matrices),
        cmocka_unit_test(any_word_can_be_printed),
        cmocka_unit_test(every_opcode_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Words of PTX: numbers, names, strings, comments, and where each stands. */
#include "ptx_support.h"

#include "ptx/parser.h"

/* Writes the tokens of a text as one line: kind letter, then value or text. */
static void tokens_of(const char *text, struct text *out) {
    struct source source = {"t.ptx", text, strlen(text)};
    struct lexer lexer;
    lexer_init(&lexer, &source);
    while (lexer.token.kind != TOKEN_END) {
        const struct token *token = &lexer.token;
        if (out->length > 0) text_char(out, ' ');
        switch (token->kind) {
        case TOKEN_INT:
            text_printf(out, "%llu%s", (unsigned long long)token->value, token->is_unsigned ? "U" : "");
            break;
        case TOKEN_F32: text_printf(out, "f:%08llx", (unsigned long long)token->value); break;
        case TOKEN_F64: text_printf(out, "d:%016llx", (unsigned long long)token->value); break;
        case TOKEN_BAD: text_printf(out, "bad:%s", token->problem); return;
        default: text_append(out, token->text, token->length); break;
        }
        lexer_next(&lexer);
    }
}

static void test_tokens(void **state) {
    (void)state;
    static const struct {
        const char *text, *tokens;
    } cases[] = {
        {"", ""},
        {" \t\r\n\v\f ", ""},
        {"a$_9 _ %r1 $L__BB0_2 _Z3foov", "a$_9 _ %r1 $L__BB0_2 _Z3foov"},
        {"%r1%r2 5%3 5 % 3", "%r1 %r2 5 %3 5 % 3"},
        {".reg.b32 f,C;", ".reg .b32 f , C ;"},
        {".shared::cluster .x:y", ".shared::cluster .x : y"},
        {"0 7 017 0x1F 0X1fU 0b101 0B1U 08", "0 7 15 31 31U 5 1U bad:this is not a number"},
        {"9223372036854775807 9223372036854775808 18446744073709551615",
         "9223372036854775807 9223372036854775808U 18446744073709551615U"},
        {"18446744073709551616", "bad:this number does not fit 64 bits"},
        {"0x", "bad:this is not a number"},
        {"5U5", "bad:this is not a number"},
        {"0f3F800000 0F3f800000", "f:3f800000 f:3f800000"},
        {"0d3FF0000000000000", "d:3ff0000000000000"},
        {"0f3F80000", "bad:0f takes 8 hexadecimal digits"},
        {"0d3FF", "bad:0d takes 16 hexadecimal digits"},
        {"1.5 .5 2e3 1E-2 1.", "d:3ff8000000000000 d:3fe0000000000000 d:409f400000000000 "
                               "d:3f847ae147ae147b d:3ff0000000000000"},
        {"1.5e", "bad:this is not a number"},
        {"1.5x", "bad:this is not a number"},
        {"a//b\nc/*d\n*/e/**/f", "a c e f"},
        {"a/* b", "a bad:this comment does not end"},
        {"a/*/", "a bad:this comment does not end"},
        {"# 1 \"x\"\na\n  #define\nb # c", "a b bad:this byte has no meaning in PTX"},
        {"\"s \\\" t\" \"\"", "\"s \\\" t\" \"\""},
        {"\"s\nt\"", "bad:this string does not end"},
        {"<<>>==!=<=>=&&||<>!|&", "<< >> == != <= >= && || < > ! | &"},
        {"@!%p1{[()]},;:+-*/%^~?", "@ ! %p1 { [ ( ) ] } , ; : + - * / % ^ ~ ?"},
        {"a \x80", "a bad:this byte has no meaning in PTX"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {0};
        tokens_of(cases[i].text, &out);
        assert_string_equal(out.data == NULL ? "" : out.data, cases[i].tokens);
        text_free(&out);
    }
}

static void test_zero_byte_is_bad(void **state) {
    (void)state;
    struct source source = {"t.ptx", "a\0b", 3};
    struct lexer lexer;
    lexer_init(&lexer, &source);
    lexer_next(&lexer);
    assert_int_equal(lexer.token.kind, TOKEN_BAD);
    lexer_next(&lexer);
    assert_int_equal(lexer.token.kind, TOKEN_BAD);
}

static void test_opcode_is_one_token(void **state) {
    (void)state;
    const char *text = "ld.shared::cta.L2::128B.v4.f32 {a}";
    struct source source = {"t.ptx", text, strlen(text)};
    struct lexer lexer;
    lexer_init(&lexer, &source);
    assert_int_equal(lexer.token.length, 2);
    lexer_extend_opcode(&lexer);
    assert_int_equal(lexer.token.length, strlen("ld.shared::cta.L2::128B.v4.f32"));
    lexer_next(&lexer);
    assert_int_equal(lexer.token.punct, '{');
}

static void test_suffix_is_read_only_without_space(void **state) {
    (void)state;
    const char *text = "%tid.x %tid .x %tid.5";
    struct source source = {"t.ptx", text, strlen(text)};
    struct lexer lexer;
    const char *suffix;
    size_t length;
    lexer_init(&lexer, &source);
    lexer_suffix(&lexer, &suffix, &length);
    assert_int_equal(length, 1);
    assert_int_equal(*suffix, 'x');
    lexer_next(&lexer);
    lexer_suffix(&lexer, &suffix, &length);
    assert_int_equal(length, 0);
    lexer_next(&lexer);
    assert_int_equal(lexer.token.kind, TOKEN_DIRECTIVE);
    lexer_next(&lexer);
    lexer_suffix(&lexer, &suffix, &length);
    assert_int_equal(length, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_zero_byte_is_bad),
        cmocka_unit_test(test_opcode_is_one_token),
        cmocka_unit_test(test_suffix_is_read_only_without_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

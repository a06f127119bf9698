/* The reader of YAML: every error with its line and column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/containers.h"
#include "base/files.h"
#include "messages.h"

/* A struct with a member of every kind of field. */
struct sample {
    char title[16];
    char tag[8];
    uint32_t count, depth, mode;
    double speed;
    bool on;
    uint32_t list_length;
};

static const char *const modes[] = {"slow", "fast", NULL};
static const char *const unlimited[] = {"unlimited", NULL};

static wb_status read_list(const struct ytree *document, const struct ytree_node *value, void *target) {
    WB_TRY(ytree_require(document, value, YTREE_LIST, "a list"));
    ((struct sample *)target)->list_length = value->count;
    return WB_OK;
}

static const struct field fields[] = {
    {.key = "title", .kind = FIELD_TEXT, .offset = offsetof(struct sample, title), .maximum = 16},
    {.key = "tag", .kind = FIELD_NAME, .offset = offsetof(struct sample, tag), .maximum = 8},
    {.key = "count",
     .kind = FIELD_U32,
     .required = true,
     .offset = offsetof(struct sample, count),
     .minimum = 1,
     .maximum = 64},
    {.key = "depth",
     .kind = FIELD_U32,
     .offset = offsetof(struct sample, depth),
     .maximum = 9,
     .words = unlimited},
    {.key = "mode", .kind = FIELD_WORD, .offset = offsetof(struct sample, mode), .words = modes},
    {.key = "speed", .kind = FIELD_REAL, .offset = offsetof(struct sample, speed), .maximum = 1000},
    {.key = "on", .kind = FIELD_BOOL, .offset = offsetof(struct sample, on)},
    {.key = "items", .kind = FIELD_NESTED, .what = "a list", .read = read_list},
    {0},
};

static wb_status read_sample(const char *text, size_t size, wb_diagnostics *diagnostics,
                             struct sample *sample) {
    struct ytree document;
    wb_status status = ytree_parse("s.yaml", text, size, diagnostics, &document);
    if (status == WB_OK) status = ytree_read_fields(&document, document.root, fields, sample);
    ytree_free(&document);
    return status;
}

static void test_all_kinds_are_read(void **state) {
    (void)state;
    const char *text = "title: 'a: b'\ntag: X_1\ncount: 0x10\ndepth: unlimited\nmode: fast\nspeed: 1.5\n"
                       "on: true\nitems: [1, {a: b}, [c]]\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct sample sample = {0};
    assert_int_equal(read_sample(text, strlen(text), diagnostics, &sample), WB_OK);
    assert_string_equal(wb_diagnostics_text(diagnostics), "");
    assert_string_equal(sample.title, "a: b");
    assert_string_equal(sample.tag, "X_1");
    assert_int_equal(sample.count, 16);
    assert_int_equal(sample.depth, UINT32_MAX);
    assert_int_equal(sample.mode, 1);
    assert_true(sample.speed == 1.5);
    assert_true(sample.on);
    assert_int_equal(sample.list_length, 3);
    wb_diagnostics_free(diagnostics);
}

static void test_errors_have_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "s.yaml:1:1: error: the file is empty"},
        {"# only a comment\n", "s.yaml:1:1: error: the file is empty"},
        {"count",
         "s.yaml:1:1: error: expected a mapping with the keys title, tag, count, depth, mode, speed, "
         "on, items, got 'count'"},
        {"[1]", "s.yaml:1:1: error: expected a mapping with the keys title, tag, count, depth, mode, speed, "
                "on, items, got a list"},
        {"count: 1\nconut: 2\n", "s.yaml:2:1: error: unknown key 'conut'; did you mean 'count'?"},
        {"count: 1\nxyzzyx: 2\n", "s.yaml:2:1: error: unknown key 'xyzzyx'; expected one of: title, tag, "
                                  "count, depth, mode, speed, on, items"},
        {"on: true\n", "s.yaml:1:1: error: key 'count' is missing: expected a whole number from 1 to 64"},
        {"count: 1\ncount: 2\n", "s.yaml:2:1: error: key 'count' is given twice"},
        {"count: 0\n", "s.yaml:1:8: error: count: expected a whole number from 1 to 64, got '0'"},
        {"count: 65\n", "s.yaml:1:8: error: count: expected a whole number from 1 to 64, got '65'"},
        {"count: -1\n", "s.yaml:1:8: error: count: expected a whole number from 1 to 64, got '-1'"},
        {"count: 18446744073709551617\n",
         "s.yaml:1:8: error: count: expected a whole number from 1 to 64, got '18446744073709551617'"},
        {"count:\n", "s.yaml:1:7: error: count: expected a whole number from 1 to 64, got nothing"},
        {"count: '7'\n", "s.yaml:1:8: error: count: expected a whole number from 1 to 64, got '7' in quotes"},
        {"count: [7]\n", "s.yaml:1:8: error: count: expected a whole number from 1 to 64, got a list"},
        {"count: {a: 7}\n", "s.yaml:1:8: error: count: expected a whole number from 1 to 64, got a mapping"},
        {"count: 1\ndepth: 10\n",
         "s.yaml:2:8: error: depth: expected a whole number from 0 to 9 or 'unlimited', got '10'"},
        {"count: 1\nmode: Fast\n", "s.yaml:2:7: error: mode: expected 'slow' or 'fast', got 'Fast'"},
        {"count: 1\nspeed: 0\n",
         "s.yaml:2:8: error: speed: expected a number above 0 and up to 1000, with at "
         "most 6 decimal places, got '0'"},
        {"count: 1\nspeed: 1e3\n", "s.yaml:2:8: error: speed: expected a number above 0 and up to 1000, with "
                                   "at most 6 decimal places, got '1e3'"},
        {"count: 1\nspeed: nan\n", "s.yaml:2:8: error: speed: expected a number above 0 and up to 1000, with "
                                   "at most 6 decimal places, got 'nan'"},
        {"count: 1\non: yes\n", "s.yaml:2:5: error: on: expected 'true' or 'false', got 'yes'"},
        {"count: 1\ntitle: 0123456789abcdef\n",
         "s.yaml:2:8: error: title: expected a text of 1 to 15 bytes, got '0123456789abcdef'"},
        {"count: 1\ntag: 1a\n",
         "s.yaml:2:6: error: tag: expected a name of letters, digits and '_', at most 7 long, got '1a'"},
        {"count: 1\nitems: x\n", "s.yaml:2:8: error: items: expected a list, got 'x'"},
        {"count: 1\nitems: [&a 1, *a]\n", "s.yaml:2:9: error: YAML anchors (&name) are not supported here"},
        {"count: *a\n", "s.yaml:1:8: error: YAML aliases (*name) are not supported here"},
        {"count: !!int 3\n", "s.yaml:1:8: error: YAML tags (!name) are not supported here"},
        {"[a]: 1\n", "s.yaml:1:1: error: expected a plain key"},
        {"count: 1\n---\ncount: 2\n", "s.yaml:2:1: error: expected one YAML document, found another"},
        {"count: 1\n on: 2\n", "s.yaml:2:4: error: not valid YAML: mapping values are not allowed in this "
                               "context"},
        {"items: [1, 2\n", "s.yaml:2:1: error: not valid YAML: did not find expected ',' or ']'"},
        {"title: 'ab\n", "s.yaml:2:1: error: not valid YAML: found unexpected end of stream"},
        {"\tcount: 1\n", "s.yaml:1:1: error: not valid YAML: found character that cannot start any token"},
        {"title: \"a\\0b\"\n", "s.yaml:1:8: error: a text with a control character is not supported here"},
        {"# \xc3\xa4\xc3\xb6\ntitle: \xc3\xa4  # \xe2\x82\xac\ncount: x\n",
         "s.yaml:3:8: error: count: expected a whole number from 1 to 64, got 'x'"},
        {"title: \xc3\xa4\xff\n", "s.yaml:1:10: error: not valid YAML: invalid leading UTF-8 octet"},
        {"title: \x01\n", "s.yaml:1:8: error: not valid YAML: control characters are not allowed"},
        {"\xef\xbb\xbf"
         "count: x\n",
         "s.yaml:1:11: error: count: expected a whole number from 1 to 64, got 'x'"},
        {"\xff\xfe"
         "c\0",
         "s.yaml:1:1: error: not valid YAML: invalid leading UTF-8 octet"},
        {"[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]\n", "s.yaml:1:17: error: nested too deeply"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct sample sample = {0};
        wb_status status = read_sample(cases[i].text, strlen(cases[i].text), diagnostics, &sample);
        assert_first_message(diagnostics, cases[i].message, cases[i].text);
        assert_int_equal(status, WB_ERR_INPUT);
        wb_diagnostics_free(diagnostics);
    }
}

static void test_every_error_is_reported_with_a_caret(void **state) {
    (void)state;
    const char *text = "count: x\nmode: y\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct sample sample = {0};
    assert_int_equal(read_sample(text, strlen(text), diagnostics, &sample), WB_ERR_INPUT);
    assert_string_equal(wb_diagnostics_text(diagnostics),
                        "s.yaml:1:8: error: count: expected a whole number from 1 to 64, got 'x'\n"
                        "  count: x\n"
                        "         ^\n"
                        "s.yaml:2:7: error: mode: expected 'slow' or 'fast', got 'y'\n"
                        "  mode: y\n"
                        "        ^\n");
    wb_diagnostics_free(diagnostics);
}

static void test_nul_bytes_and_large_files_are_refused(void **state) {
    (void)state;
    struct sample sample = {0};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(read_sample("count: 1\n\0\n", 11, diagnostics, &sample), WB_ERR_INPUT);
    assert_first_message(diagnostics, "s.yaml:2:1: error: not valid YAML: control characters are not allowed",
                         "NUL");
    wb_diagnostics_free(diagnostics);

    char *large = test_malloc(YTREE_SIZE_MAX + 1);
    memset(large, '#', YTREE_SIZE_MAX + 1);
    diagnostics = wb_diagnostics_new();
    assert_int_equal(read_sample(large, YTREE_SIZE_MAX + 1, diagnostics, &sample), WB_ERR_INPUT);
    assert_first_message(diagnostics, "s.yaml: error: larger than 1048576 bytes", "large");
    wb_diagnostics_free(diagnostics);
    test_free(large);
}

static void test_many_keys_are_refused(void **state) {
    (void)state;
    struct text text = {0};
    for (uint32_t i = 0; i <= YTREE_KEYS_MAX; i++)
        text_printf(&text, "k%u: 1\n", i);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct sample sample = {0};
    assert_int_equal(read_sample(text.data, text.length, diagnostics, &sample), WB_ERR_INPUT);
    assert_first_message(diagnostics, "s.yaml:1025:1: error: too many keys in one mapping", "k0..k1024");
    wb_diagnostics_free(diagnostics);
    text_free(&text);
}

/* Every prefix of a good file gives a result or an error, never anything else. */
static void test_truncated_files_end_cleanly(void **state) {
    (void)state;
    const char *text = "title: \"a\\u00e4\"\ncount: 3\nitems: [1, {a: 'b'}, [c, d]]\nspeed: 2.25\n";
    size_t good = 0;
    for (size_t size = 0; size <= strlen(text); size++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct sample sample = {0};
        wb_status status = read_sample(text, size, diagnostics, &sample);
        assert_int_equal(status == WB_OK, wb_diagnostics_errors(diagnostics) == 0);
        good += status == WB_OK;
        wb_diagnostics_free(diagnostics);
    }
    assert_true(good > 0);
}

static void assert_field_round_trip(const struct field *field, const struct sample *sample, uint64_t seed) {
    struct text printed = {0};
    text_printf(&printed, "%s: ", field->key);
    field_print(field, sample, &printed);
    struct field table[] = {*field, {0}};
    struct sample again;
    memset(&again, 0, sizeof again);
    struct ytree document;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_status status = ytree_parse("p", printed.data, printed.length, diagnostics, &document);
    if (status == WB_OK) status = ytree_read_fields(&document, document.root, table, &again);
    ytree_free(&document);
    if (status != WB_OK)
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, printed.data,
                 wb_diagnostics_text(diagnostics));
    struct sample only = {0};
    size_t size = field->kind == FIELD_TEXT ? 16 : field->kind == FIELD_REAL ? 8 : 4;
    memcpy((char *)&only + field->offset, (const char *)sample + field->offset, size);
    if (memcmp(&only, &again, sizeof only) != 0)
        fail_msg("seed %llu: '%s' reads back differently", (unsigned long long)seed, printed.data);
    wb_diagnostics_free(diagnostics);
    text_free(&printed);
}

/* What field_print writes, reads back as the same value: texts of any code points, reals down to the hertz.
 */
static void test_printed_fields_read_back(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct random_state random = random_seeded(seed);
        struct sample sample;
        memset(&sample, 0, sizeof sample);
        for (size_t i = 0; i < 15; i++)
            sample.title[i] =
                (char)(seed % 2 == 0 ? ' ' + random_below(&random, 95) : random_below(&random, 256));
        sample.title[1 + random_below(&random, 14)] = '\0';
        struct text digits = {0};
        text_printf(&digits, "%u.%0*u", (unsigned)random_below(&random, 1000), 6,
                    (unsigned)random_below(&random, 1000000));
        bool real = field_store(field_find(fields, "speed"), digits.data, &sample);
        text_free(&digits);
        if (real) assert_field_round_trip(field_find(fields, "speed"), &sample, seed);
        struct sample stored;
        if (field_store(field_find(fields, "title"), sample.title, &stored)) {
            size_t length = strlen(sample.title);
            memset(sample.title + length, 0, sizeof sample.title - length);
            assert_field_round_trip(field_find(fields, "title"), &sample, seed);
        }
        sample.depth = random_below(&random, 2) == 0 ? UINT32_MAX : (uint32_t)random_below(&random, 10);
        assert_field_round_trip(field_find(fields, "depth"), &sample, seed);
    }
}

static void test_text_of_every_code_point_kind_reads_back(void **state) {
    (void)state;
    static const char *const titles[] = {"\"\\'#: ", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"};
    static const char *const unprintable[] = {"\x01",          "a\nb",          "a\tb",      "\x7f",
                                              "\xe2\x80\xa8x", "\xe2\x80\xaex", "\xc2\x85y", "\xef\xbb\xbfz",
                                              "\xef\xbf\xbe",  "\xff"};
    for (size_t i = 0; i < sizeof unprintable / sizeof *unprintable; i++) {
        struct sample sample;
        assert_false(field_store(field_find(fields, "title"), unprintable[i], &sample));
    }
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        struct sample sample;
        memset(&sample, 0, sizeof sample);
        memcpy(sample.title, titles[i], strlen(titles[i]));
        assert_field_round_trip(field_find(fields, "title"), &sample, i);
    }
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool good;
        uint64_t value;
    } whole[] = {
        {"0", true, 0},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"0xfF", true, 255},
        {"0xffffffffffffffff", true, UINT64_MAX},
        {"0x10000000000000000", false, 0},
        {"0x", false, 0},
        {"", false, 0},
        {"-1", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1a", false, 0},
    };
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        uint64_t value = 0;
        assert_int_equal(number_u64(whole[i].text, strlen(whole[i].text), &value), whole[i].good);
        assert_true(value == whole[i].value);
    }
    struct decimal decimal = {0};
    assert_true(number_decimal("12.345", 6, &decimal) && decimal.digits == 12345 && decimal.scale == 3);
    assert_true(number_decimal("7", 1, &decimal) && decimal.digits == 7 && decimal.scale == 0);
    static const char *const bad[] = {
        "", ".", "1.", ".5", "1.2.3", "1e3", "-1", "1.0000000000000000001", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(number_decimal(bad[i], strlen(bad[i]), &decimal));
}

static void test_floating_point_numbers(void **state) {
    (void)state;
    float f32 = 0;
    double f64 = 0;
    assert_true(number_f32("0.1", 3, &f32) && f32 == 0.1f);
    assert_true(number_f32("-1e-50", 6, &f32) && f32 == 0);
    assert_true(number_f64("1e308", 5, &f64) && f64 == 1e308);
    assert_true(number_f64("inf", 3, &f64) && f64 > 1e308);
    /* 1 + 2^-24 + 2^-60: rounding to double first would round to even, to 1. */
    assert_true(number_f32("1.00000005960464477626153", 25, &f32) && f32 == 0x1.000002p0f);
    assert_false(number_f32("1e39", 4, &f32));
    assert_false(number_f64("1e309", 5, &f64));
    assert_false(number_f64("1,5", 3, &f64));
    assert_false(number_f64(" 1", 2, &f64));
    assert_false(number_f64("1x", 2, &f64));
    assert_false(number_f64("0x10", 4, &f64));
    assert_false(number_f64("", 0, &f64));
}

static void test_suggestions(void **state) {
    (void)state;
    static const char *const names[] = {"int_add", "int_mul", "load_global", "fp32"};
    assert_string_equal(wb_nearest_name("int_ad", names, 4), "int_add");
    assert_string_equal(wb_nearest_name("loadglobal", names, 4), "load_global");
    assert_string_equal(wb_nearest_name("FP32", names, 4), "fp32");
    assert_null(wb_nearest_name("texture", names, 4));
    assert_null(wb_nearest_name("", names, 4));
}

static void test_utf8(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool valid;
    } cases[] = {{"a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", true},
                 {"\xc0\x80", false},
                 {"\xe0\x80\x80", false},
                 {"\xed\xa0\x80", false},
                 {"\xf4\x90\x80\x80", false},
                 {"\xf0\x9f\x98", false},
                 {"\x80", false},
                 {"\xff", false},
                 {"\xc3(", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(utf8_valid(cases[i].text, strlen(cases[i].text)), cases[i].valid);
    uint32_t point = 0;
    assert_int_equal(utf8_decode("\xf0\x9f\x98\x80", 4, &point), 4);
    assert_int_equal(point, 0x1f600);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds_are_read),
        cmocka_unit_test(test_errors_have_their_place),
        cmocka_unit_test(test_every_error_is_reported_with_a_caret),
        cmocka_unit_test(test_nul_bytes_and_large_files_are_refused),
        cmocka_unit_test(test_many_keys_are_refused),
        cmocka_unit_test(test_truncated_files_end_cleanly),
        cmocka_unit_test(test_printed_fields_read_back),
        cmocka_unit_test(test_text_of_every_code_point_kind_reads_back),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_floating_point_numbers),
        cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

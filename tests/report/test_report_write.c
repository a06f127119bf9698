/* What reports are written with: JSON, tables, records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/write/write.h"
#include "report/write/xml.h"

static void assert_text(struct text *out, const char *expected) {
    char *text = text_take(out);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void put_members(struct json *json) {
    static const uint32_t place[3] = {1, 0, 2};
    json_open_object(json, NULL);
    json_put_text(json, "name", "a");
    json_put_counts(json, "place", place, 3);
    json_open_array(json, "none");
    json_close(json);
    json_open_object(json, "empty");
    json_close(json);
    json_put_count_if(json, "unknown", false, 7);
    json_put_count(json, "most", UINT64_MAX);
    json_put_integer(json, "least", INT64_MIN);
    json_close(json);
}

static void test_layouts(void **state) {
    (void)state;
    struct text out = {0};
    struct json json = json_begin(&out, JSON_ONE_LINE);
    put_members(&json);
    assert_text(&out, "{\"name\":\"a\",\"place\":[1,0,2],\"none\":[],\"empty\":{},\"unknown\":null,"
                      "\"most\":18446744073709551615,\"least\":-9223372036854775808}");
    json = json_begin(&out, JSON_MEMBERS);
    put_members(&json);
    assert_text(&out, "{\n  \"name\": \"a\",\n  \"place\": [1,0,2],\n  \"none\": [],\n  \"empty\": {},\n"
                      "  \"unknown\": null,\n  \"most\": 18446744073709551615,\n"
                      "  \"least\": -9223372036854775808\n}");
    json = json_begin(&out, JSON_LINES);
    put_members(&json);
    assert_text(&out, "{\n  \"name\": \"a\",\n  \"place\": [\n    1,\n    0,\n    2\n  ],\n  \"none\": [],\n"
                      "  \"empty\": {},\n  \"unknown\": null,\n  \"most\": 18446744073709551615,\n"
                      "  \"least\": -9223372036854775808\n}");
}

/* Where values stand on lines that the layout does not give them. */
static void test_breaks(void **state) {
    (void)state;
    struct text out = {0};
    struct json json = json_begin(&out, JSON_ONE_LINE);
    json_open_array(&json, NULL);
    for (uint64_t i = 0; i < 2; i++) {
        json_break(&json, 4);
        json_put_count(&json, NULL, i);
    }
    json_put_bool(&json, NULL, true);
    json_break(&json, 0);
    json_close(&json);
    assert_text(&out, "[\n    0,\n    1,true\n]");
}

/* What is not UTF-8 becomes U+FFFD; only what JSON reserves is escaped. */
static void test_texts(void **state) {
    (void)state;
    static const struct {
        const char *text, *written;
    } cases[] = {{"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
                 {"\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001F\\u007F\""},
                 {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
                 {"a\xff\xc3", "\"a\xef\xbf\xbd\xef\xbf\xbd\""},
                 {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
                 {NULL, "null"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {0};
        struct json json = json_begin(&out, JSON_LINES);
        json_put_text(&json, NULL, cases[i].text);
        json_t *read = json_loads(out.data, JSON_DECODE_ANY, NULL);
        assert_non_null(read);
        json_decref(read);
        assert_text(&out, cases[i].written);
    }
}

static void test_reals(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *written;
    } cases[] = {{0, "0.0"},         {1300, "1300.0"}, {1.5, "1.5"},       {-2, "-2.0"},      {1e20, "1e20"},
                 {1.5e-7, "1.5e-7"}, {1e300, "1e300"}, {0.1 + 0.2, "0.3"}, {1417.5, "1417.5"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {0};
        struct json json = json_begin(&out, JSON_LINES);
        json_put_real(&json, NULL, cases[i].value);
        json_t *read = json_loads(out.data, JSON_DECODE_ANY, NULL);
        assert_true(json_is_real(read));
        json_decref(read);
        assert_text(&out, cases[i].written);
    }
}

static void put_row(struct sheet *sheet, const char *name, const char *kind, uint64_t cycles) {
    sheet_text(sheet, name);
    sheet_text(sheet, kind);
    sheet_count(sheet, cycles);
    sheet_end_row(sheet);
}

static void begin_sheet(struct sheet *sheet) {
    *sheet = (struct sheet){0};
    sheet_column(sheet, SHEET_LEFT, 0, "method");
    sheet_column(sheet, SHEET_LEFT, 8, "kind");
    sheet_column(sheet, SHEET_RIGHT, 20, "cycles");
    sheet_headings(sheet);
}

/* Columns stand at their places; what is too long moves those behind it, in all rows; a text that spans does
 * not. */
static void test_sheets(void **state) {
    (void)state;
    struct text out = {0};
    struct sheet sheet;
    begin_sheet(&sheet);
    put_row(&sheet, "sib", "upper", 12);
    sheet_text(&sheet, "gub");
    sheet_span(&sheet, "declined: %s", "for want of something");
    sheet_end_row(&sheet);
    sheet_close(&sheet, &out);
    assert_text(&out,
                "method  kind  cycles\nsib     upper     12\ngub     declined: for want of something\n");
    begin_sheet(&sheet);
    put_row(&sheet, "sib", "upper", 12);
    put_row(&sheet, "reorder-chain", "upper", 123456789);
    sheet_close(&sheet, &out);
    assert_text(&out, "method         kind     cycles\nsib            upper        12\n"
                      "reorder-chain  upper 123456789\n");
}

/* A table that is printed row by row: its columns are as wide as what is expected. */
static void test_expected_width(void **state) {
    (void)state;
    struct text out = {0};
    struct sheet sheet;
    begin_sheet(&sheet);
    sheet_expect(&sheet, 0, strlen("reorder"));
    sheet_print(&sheet, &out);
    put_row(&sheet, "\xc3\xa4", "x", 1); /* one character */
    sheet_print(&sheet, &out);
    put_row(&sheet, "reorder", "", 2);
    sheet_close(&sheet, &out);
    assert_text(&out, "method  kind  cycles\n\xc3\xa4       x          1\nreorder            2\n");
}

struct counts {
    const char *name;
    uint64_t all;
    uint32_t some;
    bool is_known;
};

static struct value part_of(const void *record, const void *context) {
    const struct counts *counts = record;
    (void)context;
    if (!counts->is_known) return (struct value){0};
    return (struct value){VALUE_PERCENT, {.percent = 100.0 * counts->some / (double)counts->all}};
}

/* One table of fields makes the members in JSON and the rows of tables. */
static void test_records(void **state) {
    (void)state;
    static const struct record_field fields[] = {
        RECORD_FIELD("name", "who", 3, 0, RECORD_TEXT, struct counts, name),
        RECORD_FIELD("all", "of all", 1, 18, RECORD_U64, struct counts, all),
        RECORD_FIELD("some", NULL, 0, 0, RECORD_U32, struct counts, some),
        RECORD_FIELD_MADE("part", "in percent", 2, 0, part_of),
        RECORD_FIELD("known", NULL, 0, 0, RECORD_BOOL, struct counts, is_known),
        {0}};
    static const struct counts one = {"one", 8, 1, true}, other = {"other", 8, 1, false};
    struct text out = {0};
    struct json json = json_begin(&out, JSON_ONE_LINE);
    json_open_object(&json, NULL);
    record_json(&json, fields, &one, NULL);
    json_close(&json);
    assert_text(&out, "{\"name\":\"one\",\"all\":8,\"some\":1,\"part\":0.125,\"known\":true}");
    json = json_begin(&out, JSON_ONE_LINE);
    json_open_object(&json, NULL);
    record_json(&json, fields, &other, NULL);
    json_close(&json);
    assert_text(&out, "{\"name\":\"other\",\"all\":8,\"some\":1,\"part\":null,\"known\":false}");
    struct sheet sheet = {0};
    record_columns(&sheet, fields, 2, 0);
    sheet_headings(&sheet);
    record_row(&sheet, fields, 2, &one, NULL);
    sheet_end_row(&sheet);
    record_row(&sheet, fields, 2, &other, NULL);
    sheet_end_row(&sheet);
    sheet_close(&sheet, &out);
    assert_text(&out,
                "            who   in percent\n            one      12.50 %\n            other          -\n");
}

/* Text of any origin in XML and HTML. */
static void test_xml(void **state) {
    (void)state;
    struct text out = {0};
    xml_text(&out, "a<b>&\"c\" 'd'\n\x01\x7f\xff \xc3\xa9 \xef\xbf\xbf </script><!--");
    assert_text(&out, "a&lt;b&gt;&amp;&quot;c&quot; &#39;d&#39;\n\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
                      "\xc3\xa9 \xef\xbf\xbd &lt;/script&gt;&lt;!--");
    xml_text(&out, NULL);
    xml_text_part(&out, "<<", 1);
    assert_text(&out, "&lt;");
    xml_attribute(&out, "title", "1\n2\t\"3\"\r");
    xml_attribute(&out, "none", NULL);
    assert_text(&out, " title=\"1&#10;2&#9;&quot;3&quot;&#13;\" none=\"\"");
}

/* Paths as URIs, whatever their bytes. */
static void test_uris(void **state) {
    (void)state;
    static const struct {
        const char *path, *uri;
    } cases[] = {
        {"kernels/a-b_c.d~1.ptx", "kernels/a-b_c.d~1.ptx"},
        {"/tmp/x y.cu", "file:///tmp/x%20y.cu"},
        {"c:x", "c%3Ax"},
        {"a%b?c#d[e]", "a%25b%3Fc%23d%5Be%5D"},
        {"\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"},
        {"\xc3\xa9\xff\n", "%C3%A9%FF%0A"},
        {"-", "-"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {0};
        uri_of_path(&out, cases[i].path);
        assert_text(&out, cases[i].uri);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts), cmocka_unit_test(test_breaks), cmocka_unit_test(test_texts),
        cmocka_unit_test(test_reals),   cmocka_unit_test(test_sheets), cmocka_unit_test(test_expected_width),
        cmocka_unit_test(test_records), cmocka_unit_test(test_xml),    cmocka_unit_test(test_uris),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

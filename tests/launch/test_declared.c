/* Types that a launch declares in C, and values of them: where fields lie, in whatever order they are given,
 * and what is wrong with its place. That compilers lay structs out in the same way is in test_fields.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "launch/launch.h"
#include "messages.h"

/* A launch file with declarations and an argument. */
static wb_launch *launch_of(const char *types, const char *argument, wb_diagnostics *diagnostics) {
    struct text text = {0};
    wb_launch *launch = NULL;
    text_printf(&text, "types: |\n  %s\narguments:\n  - p: %s\n", types, argument);
    (void)launch_parse("x.yaml", text.data, text.length, NULL, diagnostics, &launch);
    text_free(&text);
    return launch;
}

/* The first argument, as "SIZE: PATH@OFFSET=TEXT PATH@...". */
static void assert_described(const wb_launch *launch, const char *expected) {
    const struct launch_argument *argument = &launch->arguments.items[0];
    struct text text = {0};
    text_printf(&text, "%llu:", (unsigned long long)launch_contents_size(&argument->contents));
    for (size_t i = 0; i < argument->field_count; i++)
        text_printf(&text, " %s@%u=%s", argument->fields[i].path, argument->fields[i].offset,
                    argument->fields[i].value.text);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

/* Declarations, a value, and what it is. */
static void test_values(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"struct s { const float *in; float *__restrict__ out; int w, h; float s[4]; float4 v;\n"
         "             struct inner { char a; short b; } i; };",
         "struct s {h: 720, w: i32:1280, i: {b: 2, a: -1}, in: buf:f32[4], out: buf:in, s: zero,\n"
         "      v: float4:{1, 2, 3, 4}}",
         "80: in@0=buf:f32[4] out@8=buf:in w@16=i32:1280 h@20=i32:720 s@24=f32[4]=zero v.x@48=f32:1 "
         "v.y@52=f32:2 v.z@56=f32:3 v.w@60=f32:4 i.a@64=b8:-1 i.b@66=i16:2"},
        {"typedef unsigned long long int word; typedef word pair[2]; // names\n"
         "  /* of types; */ struct t { pair a[2]; long unsigned b; };",
         "struct t {b: ?, a: [{1, 2}, u64[2]=iota]}",
         "40: a.0@0=u64[2]={1, 2} a.1@16=u64[2]=iota b@32=u64:?"},
        {"struct t { unsigned char m[2][3]; bool on; int8_t i[1]; half h; cudaTextureObject_t t; };",
         "struct t {m: {1, 2, 3, 4, 5, 6}, on: 1, i: ?, h: b16:0x3c00, t: 7}",
         "24: m@0=u8[6]={1, 2, 3, 4, 5, 6} on@6=u8:1 i@7=i8[1] h@8=b16:0x3c00 t@16=u64:7"},
        {"struct __align__(16) t { double x; }; struct u { char c; t t[2]; struct node *next; void **p; };",
         "struct u {next: ?, p: u64:0, c: 1, t: 2 * {x: 0.5}}",
         "64: c@0=b8:1 t.0.x@16=f64:0.5 t.1.x@32=f64:0.5 next@48=u64:? p@56=u64:0"},
        {"struct t { alignas(16) char c; __align__(8) char d; struct __attribute__((packed)) { char a; int "
         "b;\n"
         "  } p; struct { char a; alignas(4) short b; } __attribute__((aligned(8), packed)) q; };",
         "struct t {c: 1, d: 2, p: {a: 3, b: 4}, q: {a: 5, b: 6}}",
         "32: c@0=b8:1 d@8=b8:2 p.a@9=b8:3 p.b@10=i32:4 q.a@16=b8:5 q.b@20=i16:6"},
        {"struct node { node *next; float4 *v; int3 n; dim3 d; };",
         "struct node {n: ?, d: {8, 4, 1}, next: buf:f64[2], v: buf:f32[4]}",
         "40: next@0=buf:f64[2] v@8=buf:f32[4] n.x@16=i32:? n.y@20=i32:? n.z@24=i32:? d.x@28=u32:8 "
         "d.y@32=u32:4 d.z@36=u32:1"},
        {"struct t { int a; float b[2]; };", "struct {q: i8:1, t: struct t {b: {1, 2}, a: ___}}",
         "16: q@0=i8:1 t.a@4=i32:___ t.b@8=f32[2]={1, 2}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_launch *launch = launch_of(cases[i][0], cases[i][1], diagnostics);
        if (launch == NULL) fail_msg("%s", wb_diagnostics_text(diagnostics));
        assert_described(launch, cases[i][2]);
        wb_launch_free(launch);
        wb_diagnostics_free(diagnostics);
    }
}

/* One error, at its place. */
static void assert_refused(const char *types, const char *argument, const char *message) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_null(launch_of(types, argument, diagnostics));
    assert_first_message(diagnostics, message, types);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 1);
    wb_diagnostics_free(diagnostics);
}

static void test_wrong_declarations(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"struct s { union { int a; float b; } u; };",
         "x.yaml:2:14: error: union: this is not read: declare the bytes of a union, such as unsigned char "
         "u[16], and an enum as int"},
        {"struct s { int a : 3; };",
         "x.yaml:2:18: error: a: bit-fields are not read: declare the bytes that they are in, such as "
         "unsigned char flags[4]"},
        {"struct s { int a = 3; };", "x.yaml:2:18: error: a: values are not read: leave them out"},
        {"struct s { int area() const; };",
         "x.yaml:2:18: error: area: functions are not read: leave them out"},
        {"struct s { void (*f)(int); };",
         "x.yaml:2:19: error: references and pointers to functions are not read: declare void *"},
        {"struct s { int a;\n\n    vec b; };", "x.yaml:4:5: error: vec: there is no type of that name"},
        {"struct s { struct t a; };", "x.yaml:2:23: error: a: its type is not declared here"},
        {"struct s { s a; };", "x.yaml:2:16: error: a: its type is not declared here"},
        {"struct s { int a; float a; };", "x.yaml:2:27: error: a: a field before has this name"},
        {"struct s { int a[0]; };", "x.yaml:2:20: error: expected a number of elements from 1 to 32764"},
        {"struct s { int a[N]; };", "x.yaml:2:20: error: expected a number of elements"},
        {"struct s { int a[9000]; };", "x.yaml:2:25: error: an array has at most 32764 bytes"},
        {"struct s { int a[8000]; int b[8000]; };",
         "x.yaml:2:31: error: b: a struct has at most 32764 bytes"},
        {"struct s { alignas(3) int a; };", "x.yaml:2:23: error: expected a power of two as an alignment"},
        {"struct s { alignas(2) int a; };", "x.yaml:2:29: error: a: its type needs a larger alignment"},
        {"struct alignas(2) s { int a; };", "x.yaml:2:10: error: the struct needs a larger alignment"},
        {"struct s { long double a; };", "x.yaml:2:14: error: expected a type of up to 8 bytes"},
        {"struct s { int int a; };", "x.yaml:2:14: error: expected a type of up to 8 bytes"},
        {"struct s { signed unsigned a; };", "x.yaml:2:14: error: expected a type of up to 8 bytes"},
        {"struct s { long long long a; };", "x.yaml:2:14: error: expected a type of up to 8 bytes"},
        {"struct s : t { int a; };", "x.yaml:2:12: error: bases of structs are not read"},
        {"struct s { };", "x.yaml:2:14: error: expected a type"},
        {"struct s { int a };", "x.yaml:2:20: error: expected ';'"},
        {"struct s { int a; } /* */ x;", "x.yaml:2:29: error: expected ';'"},
        {"struct s { int a; }; struct s { int b; };", "x.yaml:2:31: error: s: there is a type of that name"},
        {"typedef struct { int a; } float4;", "x.yaml:2:29: error: float4: there is a type of that name"},
        {"typedef float word __attribute__((aligned(16)));",
         "x.yaml:2:22: error: attributes of a typedef are not read: give them to the struct or the field"},
        {"struct s { int a __attribute__((unused)); };", "x.yaml:2:35: error: expected aligned(N) or packed"},
        {"#include <a.h>", "x.yaml:2:3: error: expected struct NAME {...}; or typedef TYPE NAME;"},
        {"enum e { A };", "x.yaml:2:3: error: enum: this is not read: declare the bytes of a union, such as "
                          "unsigned char u[16], and an enum as int"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cases[i][0], "i32:1", cases[i][1]);
    struct text deep = {0};
    for (int i = 0; i < 17; i++)
        text_string(&deep, "struct { ");
    assert_refused(deep.data, "i32:1", "x.yaml:2:154: error: at most 16 levels of structs");
    text_free(&deep);
}

static void test_wrong_values(void **state) {
    (void)state;
    static const char types[] =
        "struct s { float *p; int w; float a[2]; struct t { int x; } t[2]; float2 v; };";
    static const char *const cases[][2] = {
        {"struct s {p: ?, w: 1, v: ?}",
         "x.yaml:4:34: error: p: a, t: these fields of struct s have no values"},
        {"struct s {p: ?, w: 1, a: ?, v: ?, t: 2 * {}}",
         "x.yaml:4:50: error: p.t.0: expected a field such as n: i32:1024, got '}}'"},
        {"struct s {p: ?, q: 1}",
         "x.yaml:4:24: error: p.q: no field of that name: struct s has p, w, a, t, v"},
        {"struct s {w: f32:1}", "x.yaml:4:21: error: p.w: expected a value of type i32, got 'f32:1}'"},
        {"struct s {w: u32:1}", "x.yaml:4:21: error: p.w: expected a value of type i32, got 'u32:1}'"},
        {"struct s {w: 1.5}",
         "x.yaml:4:21: error: p.w: 'i32:1.5': expected a whole number from -2147483648 to "
         "2147483647, or ? for an unknown value"},
        {"struct s {w: buf:i32[1]}",
         "x.yaml:4:21: error: p.w: expected a value of type i32, got 'buf:i32[1]}'"},
        {"struct s {w: 1, w: 2}",
         "x.yaml:4:24: error: p.w: expected another name: a field before has this one, "
         "got 'w: 2}'"},
        {"struct s {p: buf:f64[2]}",
         "x.yaml:4:21: error: p.p: expected an address such as buf:f32[1024], got 'buf:f64[2]}'"},
        {"struct s {a: f32[3]=zero}",
         "x.yaml:4:21: error: p.a: expected contents of f32[2], such as zero or {1, 2}, got 'f32[3]=zero}'"},
        {"struct s {a: {1}}",
         "x.yaml:4:21: error: p.a: 'f32[2]={1}': expected {VALUE, VALUE ...} with a value "
         "for each element"},
        {"struct s {t: [{x: 1}]}",
         "x.yaml:4:21: error: p.t: expected 2 elements: [VALUE, ...] or 2 * VALUE, got "
         "'[{x: 1}]}'"},
        {"struct s {t: 3 * {x: 1}}",
         "x.yaml:4:21: error: p.t: expected 2 elements: [VALUE, ...] or 2 * VALUE, "
         "got '3 * {x: 1}}'"},
        {"struct s {t: 2 * struct s {x: 1}}",
         "x.yaml:4:25: error: p.t.0: this field is declared as struct t"},
        {"struct s {v: int2:{1, 2}}", "x.yaml:4:21: error: p.v: expected a value of type float2, got "
                                      "'int2:{1, 2}}'"},
        {"struct q {w: 1}", "x.yaml:4:15: error: p: struct q is not declared under 'types', which has s, t"},
        {"packed struct s {w: 1}", "x.yaml:4:22: error: p: expected '{' behind struct, got 's {w: 1}'"},
        {"struct s", "x.yaml:4:16: error: p: expected '{' and the fields of the struct at the end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(types, cases[i][0], cases[i][1]);
}

/* Only a block of lines has declarations; in a list, later launches have those of earlier ones. */
static void test_in_files(void **state) {
    (void)state;
    static const char list[] = "- types: |-\n    struct s { int a; };\n  arguments: ['struct s {a: 1}']\n"
                               "- arguments: ['struct s {a: 2}']\n"
                               "- {types: s}\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launches *launches = NULL;
    assert_int_equal(launches_parse("x.yaml", list, strstr(list, "- {") - list, NULL, diagnostics, &launches),
                     WB_OK);
    assert_described(wb_launches_at(launches, 1), "4: a@0=i32:2");
    wb_launches_free(launches);
    assert_int_equal(launches_parse("x.yaml", list, strlen(list), NULL, diagnostics, &launches),
                     WB_ERR_INPUT);
    assert_first_message(
        diagnostics,
        "x.yaml:5:11: error: types: expected declarations of structs in lines behind '|', got "
        "'s'",
        list);
    wb_diagnostics_free(diagnostics);
}

/* Fields have other values by their names, with or without what stands in the file; so have whole structs. */
static void test_named_fields(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch =
        launch_of("struct s { int *p; int w; float a[2]; };", "struct s {w: 1, p: ?, a: zero}", diagnostics);
    assert_int_equal(wb_launch_set_argument(launch, NULL, "p.w=7", diagnostics), WB_OK);
    assert_int_equal(wb_launch_set_argument(launch, NULL, "p.p=buf:i32[4]", diagnostics), WB_OK);
    assert_described(launch, "24: p@0=buf:i32[4] w@8=i32:7 a@12=f32[2]=zero");
    assert_string_equal(launch->arguments.items[0].text, "struct s {w: i32:7, p: buf:i32[4], a: zero}");
    assert_int_equal(wb_launch_set_argument(launch, NULL, "p.a=buf:f32[2]", diagnostics), WB_ERR_INPUT);
    assert_int_equal(wb_launch_set_argument(launch, NULL, "p.w=f32:7", diagnostics), WB_ERR_INPUT);
    assert_int_equal(wb_launch_set_argument(launch, NULL, "p=struct s {a: ?, w: 2, p: ?}", diagnostics),
                     WB_OK);
    assert_described(launch, "24: p@0=u64:? w@8=i32:2 a@12=f32[2]");
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),       cmocka_unit_test(test_wrong_declarations),
        cmocka_unit_test(test_in_files),     cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_named_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

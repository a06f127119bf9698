/* Structs passed by value, by fields: their layout is that of the compiler, their values come back, and what
 * is wrong is said with its field and place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/containers.h"
#include "launch/launch.h"
#include "messages.h"
#include "random_struct.h"

static wb_launch *launch_of(const char *text, wb_diagnostics *diagnostics) {
    wb_launch *launch = NULL;
    (void)launch_parse("x.yaml", text, strlen(text), NULL, diagnostics, &launch);
    return launch;
}

/* One argument with fields, as "PATH@OFFSET=TEXT PATH@..." behind its size. */
static char *described(const struct launch_argument *argument) {
    struct text text = {0};
    text_printf(&text, "%llu:", (unsigned long long)launch_contents_size(&argument->contents));
    for (size_t i = 0; i < argument->field_count; i++)
        text_printf(&text, " %s@%u=%s", argument->fields[i].path, argument->fields[i].offset,
                    argument->fields[i].value.text);
    return text_take(&text);
}

static void assert_described(const struct launch_argument *argument, const char *expected) {
    char *text = described(argument);
    assert_string_equal(text, expected);
    free(text);
}

static void test_layouts(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"struct {a: i8:1, p: buf:f32[4], b: i16:2}", "24: a@0=i8:1 p@8=buf:f32[4] b@16=i16:2"},
        {"struct {a: i8:1, b: float3:{1, ?, 3}, c: i8:2, d: float4:?}",
         "48: a@0=i8:1 b.x@4=f32:1 b.y@8=f32:? b.z@12=f32:3 c@16=i8:2 d.x@32=f32:? d.y@36=f32:? "
         "d.z@40=f32:? d.w@44=f32:?"},
        {"struct {d: struct {w: i32:1, h: i64:2}, e: u8:3}", "24: d.w@0=i32:1 d.h@8=i64:2 e@16=u8:3"},
        {"struct { a: [i16:1, i16:2], b: 2 * struct {x: i8:7, y: i32:8}, c: f64[2]=iota }",
         "40: a.0@0=i16:1 a.1@2=i16:2 b.0.x@4=i8:7 b.0.y@8=i32:8 b.1.x@12=i8:7 b.1.y@16=i32:8 "
         "c@24=f64[2]=iota"},
        {"packed struct {a: i8:1, b: i32:2, c: struct {x: i8:3, y: i16:4}}",
         "9: a@0=i8:1 b@1=i32:2 c.x@5=i8:3 c.y@7=i16:4"},
        {"struct {a: align 16 i32:1, b: i8:2, c: align 8 struct {x: i8:3}, d: bytes[3]}",
         "32: a@0=i32:1 b@4=i8:2 c.x@8=i8:3 d@16=bytes[3]"},
        {"align 32 struct {a: i8:1}", "32: a@0=i8:1"},
        {"align 16 i32:1", "4: @0=i32:1"},
        {"dim3:{8, 4, 1}", "12: x@0=u32:8 y@4=u32:4 z@8=u32:1"},
        {"struct{a:buf:f32[8]=@tests/data/launch/five.bin,b:u8[5]=@tests/data/launch/five.bin}",
         "16: a@0=buf:f32[8]=@tests/data/launch/five.bin b@8=u8[5]=@tests/data/launch/five.bin"},
    };
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = wb_launch_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (wb_launch_add_argument(launch, cases[i][0], diagnostics) != WB_OK)
            fail_msg("%s", wb_diagnostics_text(diagnostics));
        assert_described(&launch->arguments.items[i], cases[i][1]);
    }
    assert_non_null(wb_launch_input(launch, 1)); /* both files of the last one */
    assert_null(wb_launch_input(launch, 2));
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
}

/* Without quotes, over several lines, with comments; in quotes; as a block. */
static void test_in_files(void **state) {
    (void)state;
    static const char text[] = "arguments:\n"
                               "  - p: struct {in: buf:f32[4], w: i32:1}   # one line: it's YAML\n"
                               "  - struct {\n"
                               "      in: buf:f32[4],   # what's read, \xc3\xa4 {\n"
                               "    w: i32:1 }\n"
                               "  - \"struct {in: buf:f32[4], w: i32:1}\"\n"
                               "  - q: |\n"
                               "      struct {\n"
                               "        in: buf:f32[4],  # read\n"
                               "        w: i32:1\n"
                               "      }\n"
                               "  - r: i32:1\n"
                               "  - align 16 struct {in: buf:f32[4], w: i32:1}\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = launch_of(text, diagnostics);
    if (launch == NULL) fail_msg("%s", wb_diagnostics_text(diagnostics));
    assert_int_equal(launch->arguments.count, 6);
    for (size_t i = 0; i < 6; i++)
        if (i != 4) assert_described(&launch->arguments.items[i], "16: in@0=buf:f32[4] w@8=i32:1");
    assert_string_equal(launch->arguments.items[0].name, "p");
    assert_string_equal(launch->arguments.items[1].text, "struct { in: buf:f32[4], w: i32:1 }");
    assert_string_equal(launch->arguments.items[3].name, "q");
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
}

/* Errors name the field, and stand where it does. */
static void test_wrong(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"arguments:\n  - p: struct {in: buf:f32, w: i32:1}\n",
         "x.yaml:2:20: error: p.in: 'f32': expected TYPE[COUNT] or TYPE[COUNT]=CONTENTS, such as "
         "f32[1024]=iota"},
        {"arguments:\n  - p: struct {d: struct {w: i32:1,\n        h: i8:300}}\n",
         "x.yaml:3:12: error: p.d.h: 'i8:300': expected a whole number from -128 to 127, or ? for an unknown "
         "value"},
        {"arguments:\n  - \"struct {d: [i8:1, i16:2]}\"\n",
         "x.yaml:2:24: error: d.1: expected an element of the size and alignment of the first, got "
         "'i16:2]}'"},
        {"arguments:\n  - p: struct {a: i8:1, a: i8:2}\n",
         "x.yaml:2:25: error: p.a: expected another name: a field before has this one, got 'a: i8:2}'"},
        {"arguments:\n  - p: struct {a: i8:1\n  - i32:4\n",
         "x.yaml:3:3: error: p: expected ',' or '}' behind a field, got '- i32:4'"},
        {"arguments:\n  - p: struct {a i8:1}\n",
         "x.yaml:2:18: error: p.a: expected ':' behind the name of a field, got 'i8:1}'"},
        {"arguments:\n  - p: struct {a: float4:{1, 2}}\n",
         "x.yaml:2:31: error: p.a: expected ',' and the next component, got '}}'"},
        {"arguments:\n  - p: struct {a: float4:1}\n",
         "x.yaml:2:26: error: p.a.x: expected {the components}, or ? for unknown ones, got '1}'"},
        {"arguments:\n  - p: struct {a: f32[3]={1, 2}}\n",
         "x.yaml:2:19: error: p.a: 'f32[3]={1, 2}': expected {VALUE, VALUE ...} with a value for each "
         "element"},
        {"arguments:\n  - p: struct {a: f32[2]={1, x}}\n",
         "x.yaml:2:19: error: p.a: 'f32[2]={1, x}': expected zero, iota, random(SEED), @FILE, {VALUE, ...} "
         "or a "
         "number such as -0.5 or 0f3F800000 after '='"},
        {"arguments:\n  - p: struct {a: align 3 i8:1}\n",
         "x.yaml:2:25: error: p.a: expected a power of two up to 4096 behind align, got '3 i8:1}'"},
        {"arguments:\n  - p: struct {a: align 2 i32:1}\n",
         "x.yaml:2:27: error: p.a: expected what needs no larger alignment, got 'i32:1}'"},
        {"arguments:\n  - p: struct {a: 9000 * i32:1}\n",
         "x.yaml:2:26: error: p.a: expected at most 32764 bytes in all, got 'i32:1}'"},
        {"arguments:\n  - p: struct {}\n",
         "x.yaml:2:16: error: p: expected a field such as n: i32:1024, got '}'"},
        {"arguments:\n  - p: struct {a: i8:1} b\n",
         "x.yaml:2:25: error: p: expected nothing behind the argument, got 'b'"},
        {"arguments:\n  - p: packed i32:1\n",
         "x.yaml:2:15: error: p: expected struct behind packed, got 'i32:1'"},
        {"arguments:\n  - p: struct {a: }\n",
         "x.yaml:2:19: error: p.a: expected a value such as i32:1024 or buf:f32[1024], got '}'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_null(launch_of(cases[i][0], diagnostics));
        assert_first_message(diagnostics, cases[i][1], cases[i][0]);
        wb_diagnostics_free(diagnostics);
    }
    struct text deep = {0};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (int i = 0; i < 20; i++)
        text_string(&deep, "struct {a: ");
    wb_launch *launch = wb_launch_new();
    assert_int_equal(wb_launch_add_argument(launch, deep.data, diagnostics), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "expected at most 16 levels of fields"));
    text_free(&deep);
    text_string(&deep, "struct {f0: i8:1");
    for (int i = 1; i < 1025; i++)
        text_printf(&deep, ", f%d: i8:1", i);
    assert_int_equal(wb_launch_add_argument(launch, deep.data, diagnostics), WB_ERR_INPUT);
    assert_non_null(
        strstr(wb_diagnostics_text(diagnostics), "expected at most 1024 fields, got 'f1024: i8:1'"));
    text_free(&deep);
    text_printf(&deep, "struct {n%01025d: 32764 * i8:1}", 0);
    assert_int_equal(wb_launch_add_argument(launch, deep.data, diagnostics), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "expected shorter names: 1024 bytes"));
    text_free(&deep);
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
}

/* Fields have other values by "ARGUMENT.PATH=VALUE"; the argument's text follows. */
static void test_named_fields(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"p.v=1", "there is no argument 'p.v'; there are 1 (p) with .in, .w, .v.x, .v.y, .e.0, .e.1"},
        {"p.w=i64:1", "w: a field keeps its size"},
        {"p.in=7", "argument 'p.in' is 'buf:f32[4]', and '7' has no type"},
        {"p.e.0=7", "e.0: this field is given together with others: give the whole struct"},
        {"p.w=x", "'i32:x': expected a whole number"},
        {"p=7", "argument 'p' is 'struct {in: buf:f32[8]=zero, w: i32:?, v: float2:{1, 25}, e:', and "
                "'7' has no type"},
    };
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch =
        launch_of("arguments:\n  - p: struct {in: buf:f32[___], w: i32:1, v: float2:{1, 2}, e: 2 * "
                  "i8:1}\n",
                  diagnostics);
    assert_true(launch->arguments.items[0].blank);
    assert_int_equal(wb_launch_set_argument(launch, NULL, "p.v.y=25", diagnostics), WB_OK);
    assert_true(launch->arguments.items[0].blank);
    assert_int_equal(wb_launch_set_argument(launch, NULL, "p.in=buf:f32[4]", diagnostics), WB_OK);
    assert_int_equal(wb_launch_set_argument(launch, NULL, "p.in=buf:f32[8]=zero", diagnostics), WB_OK);
    assert_int_equal(wb_launch_set_argument(launch, NULL, "1.w=?", diagnostics), WB_OK);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 0);
    const struct launch_argument *argument = &launch->arguments.items[0];
    assert_false(argument->blank);
    assert_string_equal(argument->text,
                        "struct {in: buf:f32[8]=zero, w: i32:?, v: float2:{1, 25}, e: 2 * i8:1}");
    assert_described(argument,
                     "32: in@0=buf:f32[8]=zero w@8=i32:? v.x@16=f32:1 v.y@20=f32:25 e.0@24=i8:1 e.1@25=i8:1");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wb_diagnostics *said = wb_diagnostics_new();
        if (i == 0) assert_int_equal(wb_launch_set_argument(launch, NULL, "p.in=buf:f32[4]", said), WB_OK);
        if (i == 5)
            assert_int_equal(wb_launch_set_argument(launch, NULL, "p.in=buf:f32[8]=zero", said), WB_OK);
        assert_int_equal(wb_launch_set_argument(launch, NULL, wrong[i][0], said), WB_ERR_INPUT);
        if (strstr(wb_diagnostics_text(said), wrong[i][1]) == NULL)
            fail_msg("%s: %s", wrong[i][0], wb_diagnostics_text(said));
        wb_diagnostics_free(said);
    }
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
}

/* What flow facts of a launch say of a struct follows its values, and not where its buffers are. */
static void test_of_facts(void **state) {
    (void)state;
    static const char *const texts[] = {
        "struct {p: buf:f32[4], n: i32:7}", "struct {p: buf:f32[9]=zero, n: i32:7}",
        "struct {p: buf:f32[4], n: i32:8}", "struct {p: buf:f32[4], n: i32:?}"};
    struct text said[4] = {0};
    for (size_t i = 0; i < 4; i++) {
        wb_launch *launch = wb_launch_new();
        assert_int_equal(wb_launch_add_argument(launch, texts[i], NULL), WB_OK);
        facts_put_launch(launch, &said[i]);
        wb_launch_free(launch);
    }
    assert_string_equal(said[0].data, said[1].data);
    assert_string_not_equal(said[0].data, said[2].data);
    assert_string_not_equal(said[0].data, said[3].data);
    for (size_t i = 0; i < 4; i++)
        text_free(&said[i]);
}

/* ---- Against the compiler --------------------------------------------------------------------------------
 */

#define STRUCTS 300
#define SEED 20261129

/* Holds the bytes that a launch gives to those of the compiler's struct. */
static void check_bytes(const struct launch_argument *argument, const char *hex, const char *input) {
    const uint64_t size = launch_contents_size(&argument->contents);
    if (strlen(hex) != 2 * size)
        fail_msg("%s: %zu bytes, not %llu", input, strlen(hex) / 2, (unsigned long long)size);
    for (size_t i = 0; i < argument->field_count; i++) {
        const struct launch_argument *value = &argument->fields[i].value;
        uint8_t bytes[64] = {0};
        uint64_t length = ptx_type_bytes(value->type);
        if (value->type == PTX_TYPE_NONE) {
            length = launch_contents_size(&value->contents);
            launch_contents_fill(&value->contents, bytes);
        } else {
            memcpy(bytes, &value->bits, length);
        }
        for (uint64_t b = 0; b < length; b++) {
            uint64_t byte;
            assert_true(number_hex(hex + 2 * (argument->fields[i].offset + b), 2, &byte));
            if (byte != bytes[b])
                fail_msg("seed %d: %s: %s, byte %llu is %02x, not %02x", SEED, input,
                         argument->fields[i].path, (unsigned long long)b, (unsigned)byte, bytes[b]);
        }
    }
}

/* The program that shows the bytes of all structs. */
static void write_program(const char *path, const struct random_struct *made) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(random_struct_prelude, file);
    for (int i = 0; i < STRUCTS; i++)
        (void)fprintf(file,
                      "static void f%d(void) {\n    %s s;\n    memset(&s, 0xee, sizeof s);\n    %s\n"
                      "    show(&s, sizeof s);\n}\n",
                      i, made[i].declared.data, made[i].filled.data);
    (void)fprintf(file, "int main(void) {\n");
    for (int i = 0; i < STRUCTS; i++)
        (void)fprintf(file, "    f%d();\n", i);
    (void)fprintf(file, "    return 0;\n}\n");
    assert_int_equal(fclose(file), 0);
}

/* A launch of all structs, first with their types, then as they are declared in C. */
static wb_launch *launch_of_all(const struct random_struct *made, wb_diagnostics *diagnostics) {
    struct text text = {0};
    text_string(&text, "arguments:\n");
    for (int i = 0; i < STRUCTS; i++)
        text_printf(&text, "  - %s\n", made[i].launch.data);
    for (int i = 0; i < STRUCTS; i++)
        text_printf(&text, "  - struct s%d %s\n", i, made[i].bare.data);
    text_string(&text, "types: |\n");
    for (int i = 0; i < STRUCTS; i++)
        text_printf(&text, "  typedef %s s%d;\n", made[i].declared.data, i);
    wb_launch *launch = launch_of(text.data, diagnostics);
    if (launch == NULL) fail_msg("seed %d: %s", SEED, wb_diagnostics_text(diagnostics));
    text_free(&text);
    return launch;
}

static void check_against(const char *compiler, const char *ending) {
    char folder[] = "/tmp/wb_fieldsXXXXXX", path[80], command[300];
    struct random_struct made[STRUCTS] = {0};
    struct random_state random = random_seeded(SEED);
    (void)snprintf(command, sizeof command, "%s --version > /dev/null 2>&1", compiler);
    if (system(command) != 0) skip();
    for (int i = 0; i < STRUCTS; i++) {
        made[i].random = random_seeded(random_next(&random));
        random_struct_make(&made[i], "s");
    }
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/s.%s", folder, ending);
    write_program(path, made);
    (void)snprintf(command, sizeof command, "%s -w -O0 -o %s/s %s && %s/s; rm -r %s", compiler, folder, path,
                   folder, folder);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = launch_of_all(made, diagnostics);
    char *line = NULL;
    size_t room = 0;
    for (int i = 0; i < STRUCTS; i++) {
        if (getline(&line, &room, out) < 0) fail_msg("seed %d: the compiler's program ended at %d", SEED, i);
        line[strcspn(line, "\n")] = '\0';
        check_bytes(&launch->arguments.items[i], line, made[i].launch.data);
        check_bytes(&launch->arguments.items[STRUCTS + i], line, made[i].declared.data);
        random_struct_free(&made[i]);
    }
    (void)pclose(out);
    free(line);
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
}

static void test_against_compiler(void **state) {
    (void)state;
    check_against("cc", "c");
}

static void test_against_nvcc(void **state) {
    (void)state;
    check_against("PATH=$PATH:/usr/local/cuda/bin nvcc", "cu");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),      cmocka_unit_test(test_in_files),
        cmocka_unit_test(test_wrong),        cmocka_unit_test(test_named_fields),
        cmocka_unit_test(test_of_facts),     cmocka_unit_test(test_against_compiler),
        cmocka_unit_test(test_against_nvcc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

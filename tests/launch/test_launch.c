/* Launches: arguments and contents from options and files, and what is refused with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "launch/launch.h"
#include "messages.h"

#define DATA "tests/data/launch/"

static void test_file_with_every_key(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = NULL;
    if (wb_launch_read(DATA "full.yaml", WB_FILES_BELOW, diagnostics, &launch) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    assert_string_equal(wb_launch_kernel(launch), "saxpy");
    assert_string_equal(launch->file, DATA "full.yaml");
    assert_true(launch->has_grid && launch->has_block);
    assert_int_equal(launch->grid[0], 4);
    assert_int_equal(launch->grid[1], 2);
    assert_int_equal(launch->grid[2], 1);
    assert_int_equal(launch->block[0], 128);
    assert_int_equal(launch->block[1], 1);
    assert_int_equal(launch->shared_bytes, 4096);
    assert_int_equal(launch->registers, 40);
    assert_int_equal(launch->arguments.count, 3);
    assert_string_equal(launch->arguments.items[0].text, "i32:-5");
    assert_int_equal(launch->arguments.items[0].bits, 0xfffffffb);
    uint8_t bytes[8] = {0};
    assert_int_equal(launch_contents_size(&launch->arguments.items[1].contents), 8);
    launch_contents_fill(&launch->arguments.items[1].contents, bytes);
    assert_memory_equal(bytes, "\1\2\3\4\5\0\0\0", 8);
    assert_int_equal(launch->arguments.items[2].contents.fill, LAUNCH_FILL_UNKNOWN);
    assert_int_equal(launch->variables.count, 2);
    assert_string_equal(launch->variables.items[0].name, "table");
    assert_int_equal(launch->variables.items[0].contents.fill, LAUNCH_FILL_IOTA);
    assert_string_equal(launch->variables.items[1].name, "limit");
    assert_int_equal(launch->variables.items[1].contents.value, 7);

    /* The first argument of an option drops the file's; the next is added to it. */
    assert_int_equal(wb_launch_add_argument(launch, "u8:1", diagnostics), WB_OK);
    assert_int_equal(launch->arguments.count, 1);
    assert_int_equal(wb_launch_add_argument(launch, "u8:2", diagnostics), WB_OK);
    assert_int_equal(launch->arguments.count, 2);

    /* A variable given again gets new contents; a new one joins. */
    assert_int_equal(wb_launch_set_variable(launch, "limit=i32[2]=9", diagnostics), WB_OK);
    assert_int_equal(wb_launch_set_variable(launch, "third=u8[4]", diagnostics), WB_OK);
    assert_int_equal(launch->variables.count, 3);
    assert_int_equal(launch->variables.items[1].contents.value, 9);
    assert_string_equal(launch->variables.items[2].name, "third");
    assert_int_equal(launch->variables.items[2].contents.fill, LAUNCH_FILL_UNKNOWN);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 0);
    assert_int_equal(wb_launch_set_variable(launch, "=f32[1]", diagnostics), WB_ERR_INPUT);
    assert_int_equal(wb_launch_set_variable(launch, "third=f32", diagnostics), WB_ERR_INPUT);
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
}

static void test_scalars(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum ptx_type type;
        uint64_t bits;
    } cases[] = {
        {"i32:1024", PTX_S32, 1024},
        {"s8:-128", PTX_S8, 0x80},
        {"s8:127", PTX_S8, 0x7f},
        {"u8:0xff", PTX_U8, 0xff},
        {"b8:-1", PTX_B8, 0xff},
        {"b16:65535", PTX_B16, 0xffff},
        {"i16:-0x8000", PTX_S16, 0x8000},
        {"u32:4294967295", PTX_U32, 0xffffffff},
        {"b32:-2147483648", PTX_B32, 0x80000000},
        {"i64:-9223372036854775808", PTX_S64, UINT64_C(1) << 63},
        {"s64:9223372036854775807", PTX_S64, INT64_MAX},
        {"u64:18446744073709551615", PTX_U64, UINT64_MAX},
        {"b64:-1", PTX_B64, UINT64_MAX},
        {"f32:0.5", PTX_F32, 0x3f000000},
        {"f32:0f3F800000", PTX_F32, 0x3f800000},
        {"f32:-inf", PTX_F32, 0xff800000},
        {"f32:1e-3", PTX_F32, 0x3a83126f},
        {"f64:0.5", PTX_F64, UINT64_C(0x3fe0000000000000)},
        {"f64:0d3ff0000000000000", PTX_F64, UINT64_C(0x3ff0000000000000)},
    };
    wb_launch *launch = wb_launch_new();
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (wb_launch_add_argument(launch, cases[i].text, diagnostics) != WB_OK)
            fail_msg("%s", wb_diagnostics_text(diagnostics));
        const struct launch_argument *argument = &launch->arguments.items[i];
        if (argument->is_buffer || !argument->known || argument->type != cases[i].type ||
            argument->bits != cases[i].bits)
            fail_msg("%s: type %s, bits %llx", cases[i].text, ptx_type_name(argument->type),
                     (unsigned long long)argument->bits);
    }
    assert_int_equal(wb_launch_add_argument(launch, "f16:?", diagnostics), WB_OK);
    assert_int_equal(wb_launch_add_argument(launch, "i32:?", diagnostics), WB_OK);
    const struct launch_argument *unknown = &launch->arguments.items[launch->arguments.count - 1];
    assert_false(unknown->known);
    assert_int_equal(unknown->type, PTX_S32);
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
}

/* Another value for one argument, by its name, place or the kernel's parameter. */
static void test_named_arguments(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"m=1", "there is no argument 'm'; there are 1 (out), 2, 3 (n), 4 (alpha)"},
        {"0=1", "there is no argument '0'"},
        {"5=1", "there is no argument '5'"},
        {"out=64", "argument 'out' is 'buf:f32[64]=zero', and '64' has no type"},
        {"n=1.5", "'i32:1.5': expected a whole number"},
        {"n=", "'i32:': expected a whole number"},
        {"n=buf:f32", "expected TYPE[COUNT]"},
        {"i32:5", "expected NAME=VALUE such as n=1024"},
        {"=5", "expected NAME=VALUE such as n=1024"},
    };
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = NULL;
    assert_int_equal(wb_launch_read(DATA "named.yaml", WB_FILES_BELOW, diagnostics, &launch), WB_OK);
    const struct launch_argument *arguments = launch->arguments.items;
    assert_string_equal(arguments[2].name, "n");
    assert_null(arguments[1].name);
    assert_int_equal(wb_launch_set_argument(launch, NULL, "n=2048", diagnostics), WB_OK);
    assert_string_equal(arguments[2].text, "i32:2048");
    assert_int_equal(arguments[2].bits, 2048);
    assert_string_equal(arguments[2].name, "n");
    assert_int_equal(wb_launch_set_argument(launch, NULL, "3=?", diagnostics), WB_OK);
    assert_false(arguments[2].known);
    assert_int_equal(wb_launch_set_argument(launch, NULL, "alpha=0.5", diagnostics), WB_OK);
    assert_false(arguments[3].blank);
    assert_int_equal(arguments[3].bits, 0x3f000000);
    assert_int_equal(wb_launch_set_argument(launch, NULL, "out=buf:f32[64]=zero", diagnostics), WB_OK);
    assert_int_equal(arguments[0].contents.count, 64);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wb_diagnostics *said = wb_diagnostics_new();
        assert_int_equal(wb_launch_set_argument(launch, NULL, wrong[i][0], said), WB_ERR_INPUT);
        if (strstr(wb_diagnostics_text(said), wrong[i][1]) == NULL)
            fail_msg("%s: %s", wrong[i][0], wb_diagnostics_text(said));
        wb_diagnostics_free(said);
    }
    assert_string_equal(arguments[0].text, "buf:f32[64]=zero");
    assert_true(wb_is_named_argument("n=buf:f32[4]=iota"));
    assert_false(wb_is_named_argument("buf:f32[4]=iota"));
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
}

/* "buf:NAME" is parsed without looking for NAME. */
static void test_same_buffers(void **state) {
    (void)state;
    static const struct {
        const char *text, *same_as;
        uint64_t offset;
    } cases[] = {{"buf:a", "a", 0},      {"buf:p.in+16", "p.in", 16}, {"buf:1+0x10", "1", 16},
                 {"buf:a+", NULL, 0},    {"buf:a+-1", NULL, 0},       {"buf:f32", NULL, 0},
                 {"buf:f32+1", NULL, 0}, {"buf:", NULL, 0},           {"buf:a=zero", NULL, 0},
                 {"buf:+1", NULL, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_launch *launch = wb_launch_new();
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        const bool is_parsed = wb_launch_add_argument(launch, cases[i].text, diagnostics) == WB_OK;
        if (is_parsed != (cases[i].same_as != NULL)) fail_msg("%s", cases[i].text);
        assert_int_equal(wb_diagnostics_errors(diagnostics), !is_parsed);
        if (is_parsed) {
            assert_string_equal(launch->arguments.items[0].same_as, cases[i].same_as);
            assert_int_equal(launch->arguments.items[0].offset, cases[i].offset);
        }
        wb_launch_free(launch);
        wb_diagnostics_free(diagnostics);
    }
}

static void test_structs_by_value(void **state) {
    (void)state;
    wb_launch *launch = wb_launch_new();
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(wb_launch_add_argument(launch, "bytes:0a0BfF", diagnostics), WB_OK);
    assert_int_equal(wb_launch_add_argument(launch, "bytes[56]", diagnostics), WB_OK);
    const struct launch_argument *given = &launch->arguments.items[0];
    uint8_t bytes[3] = {0};
    assert_true(given->known && !given->is_buffer);
    assert_int_equal(given->type, PTX_TYPE_NONE);
    assert_int_equal(launch_contents_size(&given->contents), 3);
    launch_contents_fill(&given->contents, bytes);
    assert_memory_equal(bytes, "\x0a\x0b\xff", 3);
    const struct launch_argument *unknown = &launch->arguments.items[1];
    assert_false(unknown->known);
    assert_int_equal(unknown->type, PTX_TYPE_NONE);
    assert_int_equal(launch_contents_size(&unknown->contents), 56);
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
}

/* Parses contents and writes them into `bytes`; their size. */
static size_t fill(const char *text, uint8_t *bytes, size_t room) {
    struct arena arena = {0};
    struct subject subject = {.where = "test"};
    struct launch_contents contents;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    memset(bytes, 0, room);
    const struct launch_folder folder = {"tests/data/launch", WB_FILES_BELOW};
    const struct launch_site site = {&arena, &subject, &folder, diagnostics, NULL, NULL};
    if (launch_contents_parse(&site, text, &contents, NULL) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    size_t size = (size_t)launch_contents_size(&contents);
    assert_true(size <= room);
    launch_contents_fill(&contents, bytes);
    wb_diagnostics_free(diagnostics);
    arena_free(&arena);
    return size;
}

static void test_contents(void **state) {
    (void)state;
    uint8_t bytes[64];
    assert_int_equal(fill("i32[3]=iota", bytes, sizeof bytes), 12);
    assert_memory_equal(bytes, "\0\0\0\0\1\0\0\0\2\0\0\0", 12);
    assert_int_equal(fill("u8[4]=7", bytes, sizeof bytes), 4);
    assert_memory_equal(bytes, "\7\7\7\7", 4);
    assert_int_equal(fill("i16[2]=-2", bytes, sizeof bytes), 4);
    assert_memory_equal(bytes, "\xfe\xff\xfe\xff", 4);
    assert_int_equal(fill("f32[3]=iota", bytes, sizeof bytes), 12);
    assert_memory_equal(bytes, "\0\0\0\0\0\0\x80\x3f\0\0\0\x40", 12);
    assert_int_equal(fill("f64[2]=1.5", bytes, sizeof bytes), 16);
    assert_memory_equal(bytes, "\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\xf8\x3f", 16);
    assert_int_equal(fill("f16[4]=zero", bytes, sizeof bytes), 8);
    assert_memory_equal(bytes, "\0\0\0\0\0\0\0\0", 8);
    assert_int_equal(fill("bf16[3]=@five.bin", bytes, sizeof bytes), 6);
    assert_memory_equal(bytes, "\1\2\3\4\5\0", 6);
    assert_int_equal(fill("f32[2]", bytes, sizeof bytes), 8);
    assert_memory_equal(bytes, "\0\0\0\0\0\0\0\0", 8);
    static uint8_t many[300];
    assert_int_equal(fill("u8[300]=iota", many, sizeof many), 300);
    assert_int_equal(many[299], 299 - 256);
}

/* The first numbers of splitmix64 from seed 0 are e220a8397b1dcdaf, 6e789e6aa1b965f4. */
static void test_random_contents(void **state) {
    (void)state;
    uint64_t words[2];
    uint32_t halves[2];
    float floats[2];
    double doubles[2];
    fill("u64[2]=random(0)", (uint8_t *)words, sizeof words);
    assert_true(words[0] == UINT64_C(0xe220a8397b1dcdaf) && words[1] == UINT64_C(0x6e789e6aa1b965f4));
    fill("i32[2]=random(0)", (uint8_t *)halves, sizeof halves);
    assert_true(halves[0] == 0x7b1dcdaf && halves[1] == 0xa1b965f4);
    fill("f32[2]=random(0)", (uint8_t *)floats, sizeof floats);
    assert_true(floats[0] == 0xe220a8 * 0x1p-24f && floats[1] == 0x6e789e * 0x1p-24f);
    fill("f64[2]=random(0)", (uint8_t *)doubles, sizeof doubles);
    assert_true(doubles[0] == (double)(UINT64_C(0xe220a8397b1dcdaf) >> 11) * 0x1p-53);
    uint8_t other[8];
    fill("u64[1]=random(18446744073709551615)", other, sizeof other);
    assert_memory_not_equal(other, words, 8);
}

#define TYPES                                                                                                \
    "i8, i16, i32, i64, s8, s16, s32, s64, u8, u16, u32, u64, b8, b16, b32, b64, f32, f64, f16 or bf16"

static void test_errors_of_arguments(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "'': expected TYPE:VALUE, buf:TYPE[COUNT], struct {...}, bytes:HEX or bytes[SIZE]"},
        {"1024", "'1024': expected its type in front, such as i32:7 or f32:0.5"},
        {"-0.25", "'-0.25': expected its type in front, such as i32:7 or f32:0.5"},
        {"int:3", "'int:3': unknown type; expected buf, bytes, " TYPES},
        {"pred:1", "'pred:1': unknown type; expected buf, bytes, " TYPES},
        {"i32:", "'i32:': expected a whole number from -2147483648 to 2147483647, or ? for an unknown value"},
        {"i32:x", "'i32:x': expected a whole number from -2147483648 to 2147483647, or ? for an unknown "
                  "value"},
        {"i32:1.5", "'i32:1.5': expected a whole number from -2147483648 to 2147483647, or ? for an unknown "
                    "value"},
        {"i32:2147483648", "'i32:2147483648': expected a whole number from -2147483648 to 2147483647, or ? "
                           "for an unknown value"},
        {"s8:-129", "'s8:-129': expected a whole number from -128 to 127, or ? for an unknown value"},
        {"u8:256", "'u8:256': expected a whole number from 0 to 255, or ? for an unknown value"},
        {"u8:-1", "'u8:-1': expected a whole number from 0 to 255, or ? for an unknown value"},
        {"b8:-129", "'b8:-129': expected a whole number from -128 to 255, or ? for an unknown value"},
        {"u64:18446744073709551616", "'u64:18446744073709551616': expected a whole number from 0 to "
                                     "18446744073709551615, or ? for an unknown value"},
        {"u32:--1", "'u32:--1': expected a whole number from 0 to 4294967295, or ? for an unknown value"},
        {"f32:1e39", "'f32:1e39': expected a number such as -0.5 or 0f3F800000, or ? for an unknown value"},
        {"f32:0f3F8", "'f32:0f3F8': expected a number such as -0.5 or 0f3F800000, or ? for an unknown "
                      "value"},
        {"f64:one", "'f64:one': expected a number such as -0.5 or 0d3FF0000000000000, or ? for an unknown "
                    "value"},
        {"f16:0.5", "'f16:0.5': expected ? for an unknown value, or the bits as b16"},
        {"buf:", "'': expected TYPE[COUNT] or TYPE[COUNT]=CONTENTS, such as f32[1024]=iota"},
        {"buf:f32", "'f32': expected TYPE[COUNT] or TYPE[COUNT]=CONTENTS, such as f32[1024]=iota"},
        {"buf:f32[4", "'f32[4': expected TYPE[COUNT] or TYPE[COUNT]=CONTENTS, such as f32[1024]=iota"},
        {"buf:f32[4]iota",
         "'f32[4]iota': expected TYPE[COUNT] or TYPE[COUNT]=CONTENTS, such as f32[1024]=iota"},
        {"buf:f33[4]", "'f33[4]': unknown element type; expected " TYPES},
        {"buf:f32[]", "'f32[]': expected a number of elements, at least 1, between '[' and ']'"},
        {"buf:f32[0]", "'f32[0]': expected a number of elements, at least 1, between '[' and ']'"},
        {"buf:f32[-1]", "'f32[-1]': expected a number of elements, at least 1, between '[' and ']'"},
        {"buf:f32[1073741825]", "'f32[1073741825]': larger than 4 GiB"},
        {"buf:f64[18446744073709551615]", "'f64[18446744073709551615]': larger than 4 GiB"},
        {"buf:i8[4]+5",
         "'i8[4]+5': expected a number of elements after '+', at most as many as the buffer has"},
        {"buf:i8[4]+-1=zero",
         "'i8[4]+-1=zero': expected a number of elements after '+', at most as many as the buffer has"},
        {"buf:i8[4]+=zero",
         "'i8[4]+=zero': expected a number of elements after '+', at most as many as the buffer has"},
        {"buf:i8[4]=", "'i8[4]=': expected zero, iota, random(SEED), @FILE, {VALUE, ...} or a whole number "
                       "from -128 to 127 after '='"},
        {"buf:i8[4]=128",
         "'i8[4]=128': expected zero, iota, random(SEED), @FILE, {VALUE, ...} or a whole number from -128 "
         "to 127 after '='"},
        {"buf:f32[4]=random()",
         "'f32[4]=random()': expected zero, iota, random(SEED), @FILE, {VALUE, ...} or a number "
         "such as -0.5 or 0f3F800000 after '='"},
        {"buf:f16[4]=iota", "'f16[4]=iota': expected zero or @FILE after '='"},
        {"buf:f16[4]=1", "'f16[4]=1': expected zero or @FILE after '='"},
        {"buf:i8[4]=@", "'i8[4]=@': expected a file name after '@'"},
        {"bytes:", "'bytes:': expected two hexadecimal digits a byte, for 1 to 32764 bytes; a struct of 100 "
                   "bytes of unknown contents is bytes[100]"},
        {"bytes:0",
         "'bytes:0': expected two hexadecimal digits a byte, for 1 to 32764 bytes; a struct of 100 "
         "bytes of unknown contents is bytes[100]"},
        {"bytes:0g", "'bytes:0g': expected hexadecimal digits"},
        {"bytes[0]", "'bytes[0]': expected bytes[SIZE] with a size from 1 to 32764"},
        {"bytes[32765]", "'bytes[32765]': expected bytes[SIZE] with a size from 1 to 32764"},
        {"bytes[5", "'bytes[5': expected bytes[SIZE] with a size from 1 to 32764"},
        {"bytes[5]x", "'bytes[5]x': expected bytes[SIZE] with a size from 1 to 32764"},
        {"bytes[", "'bytes[': expected bytes[SIZE] with a size from 1 to 32764"},
    };
    wb_launch *launch = wb_launch_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct text expected = {0};
        text_printf(&expected, "argument: error: %s", cases[i].message);
        assert_int_equal(wb_launch_add_argument(launch, cases[i].text, diagnostics), WB_ERR_INPUT);
        assert_first_message(diagnostics, expected.data, cases[i].text);
        text_free(&expected);
        wb_diagnostics_free(diagnostics);
    }
    assert_int_equal(launch->arguments.count, 0);
    wb_launch_free(launch);
}

/* Of a file that is too large, or a device without an end, no more is read than the buffer has. */
static void test_contents_that_do_not_fit_name_both_places(void **state) {
    (void)state;
    static const char *const paths[] = {DATA "five.bin", "/dev/zero"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_launch *launch = wb_launch_new();
        struct text argument = {0}, expected = {0};
        text_printf(&argument, "buf:i8[4]=@%s", paths[i]);
        text_printf(&expected,
                    "%s: error: larger than 4 bytes\nargument: note: '%s' is named here, for a "
                    "buffer of 4 bytes\n",
                    paths[i], paths[i]);
        assert_int_equal(wb_launch_add_argument(launch, argument.data, diagnostics), WB_ERR_INPUT);
        assert_string_equal(wb_diagnostics_text(diagnostics), expected.data);
        text_free(&argument);
        text_free(&expected);
        wb_launch_free(launch);
        wb_diagnostics_free(diagnostics);
    }
}

static void test_missing_file_of_contents_names_both_places(void **state) {
    (void)state;
    static const char text[] = "arguments:\n  - buf:u8[4]=@none.bin\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = NULL;
    assert_int_equal(launch_parse("l.yaml", text, strlen(text),
                                  &(struct launch_folder){"tests/data/launch", WB_FILES_BELOW}, diagnostics,
                                  &launch),
                     WB_ERR_INPUT);
    assert_string_equal(wb_diagnostics_text(diagnostics),
                        DATA "none.bin: error: cannot read: No such file or directory\n"
                             "l.yaml:2:5: note: '" DATA "none.bin' is named here, for a buffer of 4 bytes\n"
                             "    - buf:u8[4]=@none.bin\n"
                             "      ^\n");
    wb_diagnostics_free(diagnostics);
}

#define GRID                                                                                                 \
    "grid: expected one to three numbers of blocks, from 1 to 2147483647 in x and to 65535 in y and z"
#define BLOCK                                                                                                \
    "block: expected one to three numbers of threads, from 1 to 1024 in x and y and to 64 in z, at most "    \
    "1024 together"
#define SHARED "shared: expected a number of bytes from 0 to 1048576, such as 4096 or 48K"
#define REGISTERS "registers: expected a number from 1 to 255"

static void test_numbers_of_callers(void **state) {
    (void)state;
    static const uint32_t bad_grids[][3] = {{0, 1, 1},     {1, 0, 1},          {1, 1, 0},
                                            {1, 65536, 1}, {2147483648, 1, 1}, {1, 1, 65536}};
    static const uint32_t bad_blocks[][3] = {{0, 1, 1},  {1025, 1, 1},     {33, 32, 1},
                                             {1, 1, 65}, {1024, 1024, 64}, {UINT32_MAX, UINT32_MAX, 1}};
    static const uint64_t bad_shared[] = {1048577, UINT64_MAX};
    static const uint32_t bad_registers[] = {0, 256, UINT32_MAX};
    wb_launch *launch = wb_launch_new();
    for (size_t i = 0; i < sizeof bad_grids / sizeof *bad_grids; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(wb_launch_set_grid(launch, bad_grids[i], diagnostics), WB_ERR_INPUT);
        assert_string_equal(wb_diagnostics_text(diagnostics), "launch: error: " GRID "\n");
        wb_diagnostics_free(diagnostics);
    }
    for (size_t i = 0; i < sizeof bad_blocks / sizeof *bad_blocks; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(wb_launch_set_block(launch, bad_blocks[i], diagnostics), WB_ERR_INPUT);
        assert_string_equal(wb_diagnostics_text(diagnostics), "launch: error: " BLOCK "\n");
        wb_diagnostics_free(diagnostics);
    }
    for (size_t i = 0; i < sizeof bad_shared / sizeof *bad_shared; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(wb_launch_set_shared(launch, bad_shared[i], diagnostics), WB_ERR_INPUT);
        assert_string_equal(wb_diagnostics_text(diagnostics), "launch: error: " SHARED "\n");
        wb_diagnostics_free(diagnostics);
    }
    for (size_t i = 0; i < sizeof bad_registers / sizeof *bad_registers; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(wb_launch_set_registers(launch, bad_registers[i], diagnostics), WB_ERR_INPUT);
        assert_string_equal(wb_diagnostics_text(diagnostics), "launch: error: " REGISTERS "\n");
        wb_diagnostics_free(diagnostics);
    }
    assert_false(launch->has_grid || launch->has_block || launch->registers != 0);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(wb_launch_set_grid(launch, (const uint32_t[3]){2147483647, 65535, 65535}, diagnostics),
                     WB_OK);
    assert_int_equal(launch->grid[0], INT32_MAX);
    assert_int_equal(launch->grid[2], 65535);
    assert_int_equal(wb_launch_set_block(launch, (const uint32_t[3]){4, 4, 64}, diagnostics), WB_OK);
    assert_int_equal(launch->block[2], 64);
    assert_int_equal(wb_launch_set_shared(launch, 49152, diagnostics), WB_OK);
    assert_int_equal(launch->shared_bytes, 49152);
    assert_int_equal(wb_launch_set_registers(launch, 255, diagnostics), WB_OK);
    assert_int_equal(launch->registers, 255);
    wb_diagnostics_free(diagnostics);
    wb_launch_free(launch);
}

static void test_assumptions(void **state) {
    (void)state;
    static const unsigned bad[] = {0, 16, 31, 1u << 31};
    wb_launch *launch = wb_launch_new();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(wb_launch_assume(launch, bad[i], diagnostics), WB_ERR_INPUT);
        assert_non_null(strstr(wb_diagnostics_text(diagnostics), " is not a set of assumptions\n"));
        wb_diagnostics_free(diagnostics);
    }
    wb_launch_free(launch);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    launch = wb_launch_new();
    assert_int_equal(wb_launch_assume(launch, WB_TAKE_DIV_ZERO, diagnostics), WB_OK);
    assert_int_equal(launch->assumptions, 1u << LAUNCH_ASSUME_DIV_ZERO);
    assert_int_equal(wb_launch_assume(launch, WB_TAKE_APPROX | WB_TAKE_POINTER_ORDER, diagnostics), WB_OK);
    assert_int_equal(launch->assumptions, 7);
    wb_launch_free(launch);
    static const struct {
        const char *text;
        uint32_t assumptions;
    } files[] = {{"assume: approx\n", 1u << LAUNCH_ASSUME_APPROX},
                 {"assume: [approx, div-zero]\n", 1u << LAUNCH_ASSUME_APPROX | 1u << LAUNCH_ASSUME_DIV_ZERO},
                 {"assume: all\n", WB_TAKE_ALL}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(
            launch_parse("l.yaml", files[i].text, strlen(files[i].text), NULL, diagnostics, &launch), WB_OK);
        assert_int_equal(launch->assumptions, files[i].assumptions);
        wb_launch_free(launch);
    }
    wb_diagnostics_free(diagnostics);
}

static void test_errors_of_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"kernel: [a]\n", "l.yaml:1:9: error: kernel: expected the name of a kernel, got a list"},
        {"kernel:\n", "l.yaml:1:8: error: kernel: expected the name of a kernel, got nothing"},
        {"grdi: 3\n", "l.yaml:1:1: error: unknown key 'grdi'; did you mean 'grid'?"},
        {"threads: 3\n",
         "l.yaml:1:1: error: unknown key 'threads'; expected one of: code, image, kernel, stream, grid, "
         "block, "
         "shared, registers, assume, trace, types, arguments, variables, facts, ptxas_info, machine, "
         "deadline, "
         "accept, "
         "compile, "
         "resident, partition, interference"},
        {"interference: none\n", "l.yaml:1:15: error: interference: expected a budget, such as {requests: "
                                 "1000, bytes_per_us: 200}, or {of: LAUNCH.yaml}, got 'none'"},
        {"interference: {requests: 8}\n", "l.yaml:1:15: error: expected a budget, such as {requests: "
                                          "1000, bytes_per_us: 200}, or {of: LAUNCH.yaml}"},
        {"interference: {requests: 8, bytes_per_u: 1}\n",
         "l.yaml:1:29: error: unknown key 'bytes_per_u'; did you mean 'bytes_per_us'?"},
        {"interference: {of: ../k.yaml}\n", "l.yaml:1:20: error: '../k.yaml': this file is outside the "
                                            "launch file's folder: --allow-files lets launch files name any "
                                            "file"},
        {"interference: {requests: 8, bytes_per_us: 0, every: 1ms}\n",
         "l.yaml:1:15: error: expected a budget, such as {requests: 1000, bytes_per_us: 200}, or {of: "
         "LAUNCH.yaml}"},
        {"interference: {requests: -1, bytes_per_us: 0}\n",
         "l.yaml:1:26: error: requests: expected a whole number from 0 to 4294967294, got '-1'"},
        {"partition: 8\n", "l.yaml:1:12: error: partition: expected SMs and a kind, such as {sms: 8, kind: "
                           "green-context}, got '8'"},
        {"partition: {sms: 8}\n", "l.yaml:1:12: error: expected SMs and a kind, such as {sms: 8, kind: "
                                  "green-context}"},
        {"partition: {sms: 8, kind: mix}\n", "l.yaml:1:27: error: kind: expected 'green-context', 'sm-mask', "
                                             "'mps' or 'mig', got 'mix'"},
        {"resident: [code, l2]\n", "l.yaml:1:11: error: 'code,l2': expected a list of translations, data, "
                                   "data.ARGUMENT, code, code-l1, "
                                   "block-l1"},
        {"resident: [code, data.z]\narguments:\n  - x: buf:f32[4]\n",
         "l.yaml:1:18: error: 'data.z': there is no argument of that name"},
        {"resident: code,data.n\narguments:\n  - x: buf:f32[4]\n  - n: i32:4\n",
         "l.yaml:1:11: error: 'data.n': that argument is no buffer"},
        {"resident: data.p.n\narguments: [{p: 'struct {x: buf:f32[4], n: i32:4}'}]\n",
         "l.yaml:1:11: error: 'data.p.n': that argument is no buffer"},
        {"resident:\n  - data.p\narguments: [{p: 'struct {x: buf:f32[4], n: i32:4}'}]\n",
         "l.yaml:2:5: error: 'data.p': that argument is no buffer"},
        {"resident: data.2\narguments: [{x: 'buf:f32[4]'}]\n",
         "l.yaml:1:11: error: 'data.2': there is no argument of that name"},
        {"code: [a]\n",
         "l.yaml:1:7: error: code: expected the name of a PTX file, cubin or program, got a list"},
        {"code:\n",
         "l.yaml:1:6: error: code: expected the name of a PTX file, cubin or program, got nothing"},
        {"machine: ''\n", "l.yaml:1:10: error: machine: expected the name of a machine or of its file, got ''"
                          " in quotes"},
        {"deadline: soon\n", "l.yaml:1:11: error: 'soon': expected a deadline such as '4500', '4500 cycles', "
                             "'100us', '1.5ms' or '2s'"},
        {"deadline: 3min\n", "l.yaml:1:11: error: '3min': unknown unit; expected cycles, ns, us, ms or s"},
        {"grid: x\n", "l.yaml:1:7: error: " GRID},
        {"grid: '3'\n", "l.yaml:1:7: error: " GRID},
        {"grid: []\n", "l.yaml:1:7: error: " GRID},
        {"grid: [1, 2, 3, 4]\n", "l.yaml:1:7: error: " GRID},
        {"grid: [1, [2]]\n", "l.yaml:1:7: error: " GRID},
        {"kernel: k\nblock: [64, 64]\n", "l.yaml:2:8: error: " BLOCK},
        {"shared: 1.5\n", "l.yaml:1:9: error: " SHARED},
        {"shared: [1]\n", "l.yaml:1:9: error: " SHARED},
        {"registers: 0\n", "l.yaml:1:12: error: " REGISTERS},
        {"registers: '32'\n", "l.yaml:1:12: error: " REGISTERS},
        {"registers: [32]\n", "l.yaml:1:12: error: " REGISTERS},
        {"arguments: i32:1\n",
         "l.yaml:1:12: error: arguments: expected a list of arguments such as 'i32:1024', got 'i32:1'"},
        {"arguments:\n  - {n: i32:1, m: i32:2}\n",
         "l.yaml:2:5: error: expected an argument such as 'i32:1024', or one with a name: 'n: i32:1024', got "
         "a mapping"},
        {"arguments:\n  - n: i32:1\n  - n: i32:2\n", "l.yaml:3:5: error: two arguments are called 'n'"},
        {"arguments:\n  - 2: i32:1\n", "l.yaml:2:5: error: '2' is not an argument name, such as n"},
        {"arguments:\n  - i32: 1\n", "l.yaml:2:10: error: '1': expected its type in front, such as i32:7 or "
                                     "f32:0.5"},
        {"arguments:\n  - i32:1\n  - u8:300\n", "l.yaml:3:5: error: 'u8:300': expected a whole number from 0 "
                                                "to 255, or ? for an unknown value"},
        {"variables: [a]\n", "l.yaml:1:12: error: variables: expected a mapping from variables of the module "
                             "to contents such as 'f32[16]=iota', got a list"},
        {"variables:\n  a: [1]\n",
         "l.yaml:2:6: error: a: expected contents such as 'f32[16]=iota', got a list"},
        {"variables:\n  a: f32\n",
         "l.yaml:2:6: error: 'f32': expected TYPE[COUNT] or TYPE[COUNT]=CONTENTS, such as f32[1024]=iota"},
        {"variables:\n  a: u8[1]\n  a: u8[1]\n", "l.yaml:3:3: error: key 'a' is given twice"},
        {"kernel: k\nkernel: k\n", "l.yaml:2:1: error: key 'kernel' is given twice"},
        {"- kernel: k\n",
         "l.yaml:1:1: error: expected one launch, got a list of launches, which only analyze takes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_launch *launch = NULL;
        wb_status status =
            launch_parse("l.yaml", cases[i].text, strlen(cases[i].text), NULL, diagnostics, &launch);
        assert_first_message(diagnostics, cases[i].message, cases[i].text);
        assert_int_equal(status, WB_ERR_INPUT);
        assert_null(launch);
        wb_diagnostics_free(diagnostics);
    }
}

/* All that is wrong with arguments is said, not the first only. */
static void test_every_wrong_argument_is_named(void **state) {
    (void)state;
    static const char text[] = "grid: 1.5\narguments:\n  - u8:300\n  - i32:1\n  - float:1\ncolour: 3\n";
    static const char *const places[] = {"l.yaml:1:7: ", "l.yaml:3:5: ", "l.yaml:5:5: ", "l.yaml:6:1: "};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = NULL;
    assert_int_equal(launch_parse("l.yaml", text, sizeof text - 1, NULL, diagnostics, &launch), WB_ERR_INPUT);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 4);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strstr(wb_diagnostics_text(diagnostics), places[i]) == NULL)
            fail_msg("%s: not in\n%s", places[i], wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
}

/* Values to be filled in are kept with their places; what gives the value fills them in. */
static void test_blanks(void **state) {
    (void)state;
    static const char text[] = "grid: ___\nblock: ___\nshared: ___\narguments:\n  - buf:f32[___]\n"
                               "  - 'i32:___'\n  - ___\n  - buf:u8[4]=iota\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = NULL;
    if (launch_parse("l.yaml", text, sizeof text - 1, NULL, diagnostics, &launch) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    assert_false(launch->has_grid || launch->has_block);
    assert_int_equal(launch->blanks.grid, 6);
    assert_int_equal(launch->blanks.block, 17);
    assert_int_equal(launch->blanks.shared, 29);
    assert_int_equal(launch->arguments.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(launch->arguments.items[i].blank, i < 3);
    assert_int_equal(launch->arguments.items[0].at, strstr(text, "buf:") - text);
    assert_string_equal(launch->source.text, text);
    assert_int_equal(wb_launch_set_shared(launch, 64, diagnostics), WB_OK);
    assert_int_equal(launch->blanks.shared, 0);
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
}

static const char *setting_of(const char *text, wb_launch_setting setting, wb_launch_files files,
                              wb_diagnostics *diagnostics, wb_launches **launches) {
    const struct launch_folder folder = {"some/folder", files};
    *launches = NULL;
    if (launches_parse("l.yaml", text, strlen(text), &folder, diagnostics, launches) != WB_OK) return NULL;
    return wb_launches_setting(*launches, setting);
}

/* What launch files say in place of options; files as they are found from here. */
static void test_settings(void **state) {
    (void)state;
    static const struct {
        const char *text;
        wb_launch_setting setting;
        const char *expected; /* NULL: refused */
    } cases[] = {
        {"code: k.ptx\n", WB_LAUNCH_CODE, "some/folder/k.ptx"},
        {"code: ../build/k.ptx\n", WB_LAUNCH_CODE, "some/folder/../build/k.ptx"},
        {"code: /build/k.ptx\n", WB_LAUNCH_CODE, "/build/k.ptx"},
        {"code: ../secret\n", WB_LAUNCH_CODE, NULL},
        {"code: ../ptx\n", WB_LAUNCH_CODE, NULL},
        {"facts: k.facts\n", WB_LAUNCH_FACTS, "some/folder/k.facts"},
        {"facts: ../k.facts\n", WB_LAUNCH_FACTS, NULL},
        {"facts: /k.ptx\n", WB_LAUNCH_FACTS, NULL},
        {"ptxas_info: build/log\n", WB_LAUNCH_PTXAS_INFO, "some/folder/build/log"},
        {"ptxas_info: ../log\n", WB_LAUNCH_PTXAS_INFO, NULL},
        {"machine: ecrts2025-orin\n", WB_LAUNCH_MACHINE, "ecrts2025-orin"},
        {"machine: mine.yaml\n", WB_LAUNCH_MACHINE, "some/folder/mine.yaml"},
        {"machine: ../mine.yml\n", WB_LAUNCH_MACHINE, NULL},
        {"deadline: 1.5ms\n", WB_LAUNCH_DEADLINE, "1.5ms"},
        {"deadline: 4500 cycles\n", WB_LAUNCH_DEADLINE, "4500 cycles"},
        {"- kernel: a\n- {kernel: b, code: k.ptx}\n", WB_LAUNCH_CODE, "some/folder/k.ptx"},
        {"- {code: k.ptx}\n- {code: k.ptx, deadline: 1ms}\n", WB_LAUNCH_DEADLINE, "1ms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_launches *launches;
        const char *got = setting_of(cases[i].text, cases[i].setting, WB_FILES_BELOW, diagnostics, &launches);
        if ((got == NULL) != (cases[i].expected == NULL) ||
            (got != NULL && strcmp(got, cases[i].expected) != 0))
            fail_msg("%s: %s: %s", cases[i].text, got, wb_diagnostics_text(diagnostics));
        if (got == NULL) assert_non_null(strstr(wb_diagnostics_text(diagnostics), "--allow-files"));
        wb_launches_free(launches);
        if (got == NULL)
            assert_non_null(
                setting_of(cases[i].text, cases[i].setting, WB_FILES_ANY, diagnostics, &launches));
        if (got == NULL) wb_launches_free(launches);
        wb_diagnostics_free(diagnostics);
    }
}

static void test_list_of_launches(void **state) {
    (void)state;
    static const char text[] = "- {kernel: a, grid: 3, stream: s}\n"
                               "- kernel: b\n  block: 64\n  arguments: [i32:7]\n  stream: s\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launches *launches = NULL;
    if (launches_parse("l.yaml", text, sizeof text - 1, NULL, diagnostics, &launches) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    assert_true(wb_launches_is_list(launches));
    assert_int_equal(wb_launches_count(launches), 2);
    assert_string_equal(wb_launch_kernel(wb_launches_at(launches, 0)), "a");
    assert_int_equal(wb_launches_at(launches, 0)->grid[0], 3);
    assert_false(wb_launches_at(launches, 0)->has_block);
    assert_string_equal(wb_launches_at(launches, 1)->stream, "s");
    assert_null(wb_launches_at(launches, 2));
    wb_launch *taken = wb_launches_take(launches, 1);
    assert_string_equal(wb_launch_kernel(taken), "b");
    assert_int_equal(taken->arguments.count, 1);
    assert_null(wb_launches_at(launches, 1));
    wb_launches_free(launches);
    wb_launch_free(taken);

    /* A file of one launch is no list, and may name its stream. */
    assert_int_equal(launches_parse("l.yaml", "{stream: s}", 11, NULL, diagnostics, &launches), WB_OK);
    assert_false(wb_launches_is_list(launches));
    assert_int_equal(wb_launches_count(launches), 1);
    wb_launches_free(launches);
    wb_diagnostics_free(diagnostics);
}

static void test_errors_of_lists(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
        wb_status status;
    } cases[] = {
        {"[]\n", "l.yaml:1:1: error: the list has no launch", WB_ERR_INPUT},
        {"- kernel: a\n- 7\n",
         "l.yaml:2:3: error: expected a mapping with the keys code, image, kernel, stream, grid, block, "
         "shared, "
         "registers, assume, trace, types, arguments, variables, facts, ptxas_info, machine, deadline, "
         "accept, "
         "compile, resident, partition, interference, got '7'",
         WB_ERR_INPUT},
        {"- {code: a.ptx}\n- {kernel: k, code: b.ptx}\n",
         "l.yaml:2:21: error: code: differs from an earlier one: give one for the whole list", WB_ERR_INPUT},
        {"- {machine: a}\n- {machine: b}\n",
         "l.yaml:2:13: error: machine: differs from an earlier one: give one for the whole list",
         WB_ERR_INPUT},
        {"- {deadline: 1ms}\n- kernel: k\n- {deadline: 2ms}\n",
         "l.yaml:3:14: error: deadline: differs from an earlier one: give one for the whole list",
         WB_ERR_INPUT},
        {"- {facts: k.facts}\n",
         "l.yaml:1:11: error: facts: not allowed in a list of launches, whose kernels are bounded without "
         "them",
         WB_ERR_INPUT},
        {"- kernel: a\n- grid: 2\n  block: 2048\n",
         "l.yaml:3:10: error: block: expected one to three numbers of threads, from 1 to 1024 in x and y and "
         "to "
         "64 in z, at most 1024 together",
         WB_ERR_INPUT},
        {"- stream: [a]\n", "l.yaml:1:11: error: stream: expected the name of a stream, got a list",
         WB_ERR_INPUT},
        {"- stream: a\n- stream: a\n- stream: b\n",
         "l.yaml:3:11: error: stream 'b', but that of the first launch is 'a': kernels of different streams "
         "may "
         "run at the same time, which no bound covers",
         WB_ERR_DECLINED},
        {"- stream: a\n- kernel: k\n",
         "l.yaml:2:3: error: stream 'default', but that of the first launch is 'a': kernels of different "
         "streams may run at the same time, which no bound covers",
         WB_ERR_DECLINED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_launches *launches = NULL;
        wb_status status =
            launches_parse("l.yaml", cases[i].text, strlen(cases[i].text), NULL, diagnostics, &launches);
        assert_first_message(diagnostics, cases[i].message, cases[i].text);
        assert_int_equal(status, cases[i].status);
        assert_null(launches);
        wb_diagnostics_free(diagnostics);
    }
}

static void test_missing_launch_file(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = NULL;
    assert_int_equal(wb_launch_read("none.yaml", WB_FILES_BELOW, diagnostics, &launch), WB_ERR_INPUT);
    assert_first_message(diagnostics, "none.yaml: error: cannot read: No such file or directory",
                         "none.yaml");
    assert_null(launch);
    wb_diagnostics_free(diagnostics);
}

static void test_empty_launch(void **state) {
    (void)state;
    wb_launch *launch = wb_launch_new();
    assert_non_null(launch);
    assert_null(wb_launch_kernel(launch));
    assert_false(launch->has_grid || launch->has_block);
    wb_launch_free(launch);
    wb_launch_free(NULL);
}

/* A launch file names files in its own folder and below, unless it is trusted. */
static void test_files_outside_of_the_folder(void **state) {
    (void)state;
    static const struct {
        const char *file;
        bool leads_out;
    } cases[] = {
        {"five.bin", false},
        {"./five.bin", false},
        {"/dev/null", true},
        {"../launch/five.bin", true},
        {"../../../etc/x", true},
        {"none/../five.bin", true},
        {"..", true},
        {"..five.bin", false},
        {"none/..five.bin", false},
        {"./../launch/five.bin", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int any = 0; any < 2; any++) {
            const struct launch_folder folder = {"tests/data/launch", any ? WB_FILES_ANY : WB_FILES_BELOW};
            wb_diagnostics *diagnostics = wb_diagnostics_new();
            wb_launch *launch = NULL;
            char text[100];
            (void)snprintf(text, sizeof text, "arguments:\n  - buf:u8[5]=@%s\n", cases[i].file);
            (void)launch_parse("l.yaml", text, strlen(text), &folder, diagnostics, &launch);
            bool refused = strstr(wb_diagnostics_text(diagnostics), "l.yaml:2:5: error: ") != NULL &&
                           strstr(wb_diagnostics_text(diagnostics), "--allow-files") != NULL;
            if (refused != (cases[i].leads_out && !any))
                fail_msg("%s: %s", cases[i].file, wb_diagnostics_text(diagnostics));
            wb_launch_free(launch);
            wb_diagnostics_free(diagnostics);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_with_every_key),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_named_arguments),
        cmocka_unit_test(test_structs_by_value),
        cmocka_unit_test(test_same_buffers),
        cmocka_unit_test(test_contents),
        cmocka_unit_test(test_random_contents),
        cmocka_unit_test(test_errors_of_arguments),
        cmocka_unit_test(test_contents_that_do_not_fit_name_both_places),
        cmocka_unit_test(test_missing_file_of_contents_names_both_places),
        cmocka_unit_test(test_numbers_of_callers),
        cmocka_unit_test(test_assumptions),
        cmocka_unit_test(test_errors_of_files),
        cmocka_unit_test(test_every_wrong_argument_is_named),
        cmocka_unit_test(test_blanks),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_list_of_launches),
        cmocka_unit_test(test_errors_of_lists),
        cmocka_unit_test(test_missing_launch_file),
        cmocka_unit_test(test_empty_launch),
        cmocka_unit_test(test_files_outside_of_the_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

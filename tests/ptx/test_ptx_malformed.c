/* Texts that are no PTX: one clear error, in bounded memory, and never a crash. */
#include "ptx_support.h"

#include "address_sanitizer.h"
#include "base/containers.h"

#define CASES_FILE "tests/data/ptx/malformed.txt"

/* Parses text that may be anything: it is a module that prints and parses again, or there is exactly one
 * error, which is the last message. Returns the messages, and those about its kernel, malloc'd. */
static char *parse_anything(const char *text, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_status status = wb_module_parse("case", text, size, diagnostics, &module);
    assert_int_equal(wb_diagnostics_errors(diagnostics), status != WB_OK);
    assert_true((status == WB_OK) == (module != NULL));
    const wb_kernel *kernel = NULL;
    if (module != NULL) ptx_check_round_trip(module, "case");
    if (module != NULL) (void)wb_module_find_kernel(module, NULL, diagnostics, &kernel);
    wb_module_free(module);
    char *messages = strdup(wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    return messages;
}

/* Checks one case of the file: its text and the expected message without the file name. */
static void check_case(const char *name, const struct text *text, const char *expected, size_t length) {
    char *messages = parse_anything(text->data, text->length);
    struct text wanted = {0};
    text_printf(&wanted, "case:%.*s\n", (int)length, expected);
    if (strncmp(messages, wanted.data, wanted.length) != 0)
        print_error("%.60s\nexpected %sgot %s", name, wanted.data, messages);
    assert_true(strncmp(messages, wanted.data, wanted.length) == 0);
    text_free(&wanted);
    free(messages);
}

static void test_cases_of_the_file(void **state) {
    (void)state;
    char *file;
    size_t size;
    ptx_read_file(CASES_FILE, &file, &size);
    struct text text = {0};
    const char *name = NULL;
    int count = 0;
    for (char *line = file; line < file + size;) {
        size_t length = strcspn(line, "\n");
        if (line[0] == '=') {
            name = line;
            text_free(&text);
            text_string(&text, line[1] == 'k' ? PTX_KERNEL : line[1] == 'm' ? PTX_HEADER "\n" : "");
        } else if (strncmp(line, "-- ", 3) == 0) {
            if (name[1] == 'k') text_string(&text, "}\n");
            check_case(name, &text, line + 3, length - 3);
            count++;
        } else if (name != NULL) {
            text_append(&text, line, length + 1);
        }
        line += length + 1;
    }
    assert_true(count > 70);
    text_free(&text);
    free(file);
}

static void test_every_truncation(void **state) {
    (void)state;
    static const char *const files[] = {"tests/data/ptx/unusual.ptx", "tests/data/ptx/calls_sm75.ptx",
                                        "tests/data/ptx/opencl.ptx"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char *text;
        size_t size;
        ptx_read_file(files[f], &text, &size);
        for (size_t cut = 0; cut < size; cut += 1 + cut % 41)
            free(parse_anything(text, cut));
        free(text);
    }
}

/* Overwrites, deletes or repeats a few bytes. */
static size_t mutate(struct random_state *random, char *text, size_t size) {
    static const char bytes[] = "{}()[];:,.@!|+-<>\"/*#%$_0f\n\0\xff";
    for (uint64_t changes = 1 + random_below(random, 4); changes > 0; changes--) {
        size_t at = random_below(random, size);
        size_t length = random_below(random, size - at < 12 ? size - at : 12);
        size_t other = random_below(random, size - length);
        switch (random_below(random, 3)) {
        case 0: text[at] = bytes[random_below(random, sizeof bytes)]; break;
        case 1:
            memmove(text + at, text + at + length, size - at - length);
            size -= length;
            break;
        default: memmove(text + other, text + at, length); break;
        }
    }
    return size;
}

static void test_mutations(void **state) {
    (void)state;
    char *text;
    size_t size;
    ptx_read_file("tests/data/ptx/unusual.ptx", &text, &size);
    char *copy = test_malloc(size);
    for (uint64_t seed = 0; seed < 1200; seed++) {
        struct random_state random = random_seeded(seed);
        memcpy(copy, text, size);
        size_t changed = mutate(&random, copy, size);
        free(parse_anything(copy, changed));
    }
    test_free(copy);
    free(text);
}

static void test_random_bytes(void **state) {
    (void)state;
    char bytes[512];
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct random_state random = random_seeded(seed);
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)random_next(&random);
        free(parse_anything(bytes, sizeof bytes));
    }
}

/* A header, `count` times a piece, and an end. */
static struct text repeated(const char *head, const char *piece, size_t count, const char *tail) {
    struct text text = {0};
    text_string(&text, head);
    for (size_t i = 0; i < count; i++)
        text_string(&text, piece);
    text_string(&text, tail);
    assert_false(text.failed);
    return text;
}

static void check_giant(struct text *text, const char *message) {
    char *messages = parse_anything(text->data, text->length);
    if (strstr(messages, message) == NULL) print_error("%s", messages);
    assert_non_null(strstr(messages, message));
    assert_true(strlen(messages) < 2000);
    text_free(text);
    free(messages);
}

static void test_million_braces(void **state) {
    (void)state;
    struct text text = repeated(PTX_KERNEL, "{", 1000000, "");
    check_giant(&text, "error: scopes are nested more than 250 deep");
    text = repeated(PTX_HEADER ".global .u32 x[2] = ", "{", 1000000, "");
    check_giant(&text, "error: more braces than the variable has dimensions");
    text = repeated(PTX_HEADER ".global .u32 x = ", "(", 1000000, "");
    check_giant(&text, "error: this expression is nested more than 100 deep");
    text = repeated(PTX_HEADER ".global .u32 x = ", "1?", 1000000, "");
    check_giant(&text, "error: this expression is nested more than 100 deep");
    text = repeated(PTX_HEADER ".section .debug_info ", "{", 1000000, "");
    check_giant(&text, "error: expected '}', not the end of the text");
    text = repeated(PTX_KERNEL "mov.b32 %r1, ", "{", 1000000, "");
    check_giant(&text, "error: expected an operand, not '{'");
    text = repeated(PTX_HEADER ".global .u32 x", "[1]", 1000000, ";");
    check_giant(&text, "error: more than 16 dimensions");
}

static void test_long_lists(void **state) {
    (void)state;
    struct text text = repeated(PTX_KERNEL "add.u32 %r1", ", %r2", 1000000, ";}");
    check_giant(&text, "error: kernel 'k' cannot be analysed: more than 16 operands");
    text = repeated(PTX_KERNEL "mov.b32 {%r1", ", %r2", 1000000, "}, %r1;");
    check_giant(&text, "error: more than 1024 elements");
    text = repeated(PTX_KERNEL "mov.b32 {%r1", ", %r2", 200, "}, %r1;}");
    check_giant(&text, "error: kernel 'k' cannot be analysed: an instruction with 202 registers");
    text = repeated(PTX_KERNEL "tex.1d.v4.f32.f32 %r1, [%r1", ", %r2", 5, "];");
    check_giant(&text, "error: expected ']', not '%r2'");
    text = repeated(PTX_KERNEL, "\x01", 1000000, "");
    check_giant(&text, "error: this byte has no meaning in PTX");
    text = repeated(PTX_HEADER ".global .u32 ", "n", 1000000, " ?");
    check_giant(&text, "error: expected ';', not '?'");
}

/* A hundred megabytes without a line break, ten of them with sanitizers: correct, and with an error at the
 * end. */
static void test_long_line(void **state) {
    (void)state;
    const char *piece = "add.s32 %r1, %r2, %r3; ";
    size_t count = (size_t)(ADDRESS_SANITIZER ? 10000000 : 100000000) / strlen(piece);
    struct text text = repeated(PTX_HEADER ".entry k() { .reg .b32 %r<5>; ", piece, count, "oops");
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_status status = wb_module_parse("case", text.data, text.length, diagnostics, &module);
    assert_int_equal(status, WB_ERR_INPUT);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 1);
    assert_true(strlen(wb_diagnostics_text(diagnostics)) < 1000);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "not the end of the text"));
    text.length -= strlen("oops");
    text_string(&text, "}");
    status = wb_module_parse("case", text.data, text.length, diagnostics, &module);
    assert_int_equal(status, WB_OK);
    assert_int_equal(module->functions[0].inst_count, count);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    text_free(&text);
}

/* Short texts that ask for much: the limit of the module's memory ends them with one error. */
static void test_memory_is_bounded(void **state) {
    (void)state;
    static const char *const texts[] = {
        PTX_HEADER ".global .b8 x[1000000000000] = {1};",
        PTX_HEADER ".global .b8 x[][1000000000000] = {{1}, {2}};",
        PTX_HEADER ".global .b64 x[][268435456][268435456] = {{{1}}, {{2}}, {{3}}};",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *messages = parse_anything(texts[i], strlen(texts[i]));
        assert_string_equal(messages, "case: error: this module needs too much memory (more than 64 MB)\n");
        free(messages);
    }
    struct text text = repeated(PTX_HEADER, "{", 0, "");
    for (int i = 0; i < 1000; i++)
        text_printf(&text, ".func f%d(){.reg .b32 %%r<1048576>;}", i);
    check_giant(&text, "error: this module needs too much memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases_of_the_file), cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_mutations),         cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_million_braces),    cmocka_unit_test(test_long_lists),
        cmocka_unit_test(test_memory_is_bounded), cmocka_unit_test(test_long_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

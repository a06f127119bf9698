/* What all else stands on: saturating cycles, growable arrays, messages with place and caret, files that are
 * written whole or not at all, random numbers, hash tables, heaps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/containers.h"
#include "base/cycles.h"
#include "base/files.h"
#include "base/heap.h"

static void test_cycles_saturate(void **state) {
    (void)state;
    assert_int_equal(cycles_add(3, 4), 7);
    assert_true(cycles_add(CYCLES_SATURATED, 1) == CYCLES_SATURATED);
    assert_true(cycles_add(UINT64_MAX - 1, 1) == CYCLES_SATURATED);
    assert_true(cycles_mul(UINT64_C(1) << 33, UINT64_C(1) << 33) == CYCLES_SATURATED);
    assert_int_equal(cycles_sub(3, 4), 0);
}

static void test_arena_obeys_its_limit(void **state) {
    (void)state;
    struct arena arena = {.limit = 100000};
    size_t given = 0;
    while (arena_alloc(&arena, 1000) != NULL)
        given += 1000;
    assert_true(given > 50000 && given <= 100000);
    assert_true(arena.used <= 100000);
    assert_null(arena_array(&arena, SIZE_MAX / 2, 4));
    arena_free(&arena);
    assert_non_null(arena_alloc(&arena, 10));
    arena_free(&arena);
}

static void test_vec_grows(void **state) {
    (void)state;
    VEC(uint32_t) numbers = {0};
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(vec_push(&numbers, i * i), WB_OK);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(numbers.items[i], i * i);
    assert_int_equal(vec_reserve(&numbers, SIZE_MAX / 2), WB_ERR_LIMIT);
    vec_free(&numbers);
}

static void test_diagnostic_shows_place_and_caret(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const char *text = "first\n\tadd.s32 %r1, \x01;\nlast";
    struct source source = {"k.ptx", text, strlen(text)};
    diagnose_at(diagnostics, SEVERITY_ERROR, &source, 7, "unknown '%s'", "add.s32");
    assert_string_equal(wb_diagnostics_text(diagnostics),
                        "k.ptx:2:2: error: unknown 'add.s32'\n   add.s32 %r1, ?;\n   ^\n");
    assert_int_equal(wb_diagnostics_errors(diagnostics), 1);
    wb_diagnostics_free(diagnostics);
}

static void assert_message(const wb_diagnostics *diagnostics, size_t index, const wb_message *expected) {
    wb_message message;
    assert_true(wb_diagnostics_message(diagnostics, index, &message));
    assert_int_equal(message.severity, expected->severity);
    assert_string_equal(message.where, expected->where);
    assert_int_equal(message.line, expected->line);
    assert_int_equal(message.column, expected->column);
    assert_string_equal(message.text, expected->text);
    assert_int_equal(message.source_line, expected->source_line);
    assert_string_equal(message.source != NULL ? message.source : "", expected->source);
}

/* What messages consist of, also of those that were appended; the first fifty of them. */
static void test_messages_for_programs(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new(), *others = wb_diagnostics_new();
    const struct source source = {"k.ptx", "one\ntwo", 7};
    const wb_message placed = {WB_SEVERITY_WARNING, "k.ptx", 2, 3, "odd 7", "", 0};
    const wb_message made = {WB_SEVERITY_NOTE, "k.ptx", 1, 1, "made", "k.cu", 40};
    const wb_message general = {WB_SEVERITY_ERROR, "--grid", 0, 0, "two\n    lines: ?? \xc2\xb5", "", 0};
    const struct subject subject = {.source = &source, .made_of = "k.cu", .made_of_line = 40};
    wb_message message;
    assert_non_null(diagnostics);
    assert_non_null(others);
    assert_false(wb_diagnostics_message(diagnostics, 0, &message));
    diagnose_at(diagnostics, SEVERITY_WARNING, &source, 6, "odd %d", 7);
    wb_diagnostics_error(others, "--grid", "two\n    lines: \x01\n \xc2\xb5");
    wb_diagnostics_append(diagnostics, others);
    assert_message(diagnostics, 0, &placed);
    assert_message(diagnostics, 1, &general);
    assert_false(wb_diagnostics_message(diagnostics, 2, &message));
    diagnose_about(diagnostics, SEVERITY_NOTE, &subject, "made");
    wb_diagnostics_append(others, diagnostics);
    assert_message(diagnostics, 2, &made);
    assert_message(others, 3, &made);
    for (int i = 0; i < 60; i++)
        wb_diagnostics_append(diagnostics, others);
    assert_message(diagnostics, 46, &made);
    assert_message(diagnostics, 49, &general);
    assert_false(wb_diagnostics_message(diagnostics, 50, &message));
    wb_diagnostics_free(others);
    wb_diagnostics_free(diagnostics);
}

/* What is not printable is escaped where it is a name, and put out where places matter. */
static void test_printable_texts(void **state) {
    (void)state;
    static const char hostile[] = "a\x1b[2J\n\t\r\x7f|\xc2\x9b|\xe2\x80\xae|\xff|\xf3\xa0\x80\x81|\xc3\xa4";
    struct text out = {0};
    text_printable(&out, hostile, sizeof hostile - 1);
    assert_string_equal(out.data, "a\\x1b[2J\\n\\t\\r\\x7f|\\u009b|\\u202e|\\xff|\\U000e0001|\xc3\xa4");
    text_free(&out);
    char copy[sizeof hostile];
    memcpy(copy, hostile, sizeof hostile);
    text_blot(copy, sizeof hostile - 1);
    assert_string_equal(copy, "a?[2J\n\t\r?|??|???|?|????|\xc3\xa4");
}

static void test_diagnostic_of_a_long_line_is_short(void **state) {
    (void)state;
    size_t size = 1000000;
    char *text = test_malloc(size);
    memset(text, 'x', size);
    struct source source = {"k.ptx", text, size};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (int i = 0; i < 1000; i++)
        diagnose_at(diagnostics, SEVERITY_ERROR, &source, size / 2, "bad");
    assert_true(strlen(wb_diagnostics_text(diagnostics)) < 50000);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 1000);
    wb_diagnostics_free(diagnostics);
    test_free(text);
}

static void test_file_is_written_whole_or_not_at_all(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char path[] = "/tmp/warpbound_test_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(wb_file_write(path, "hello\n", diagnostics), WB_OK);
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(file_read(path, 6, diagnostics, &text, &size), WB_OK);
    assert_string_equal(text, "hello\n");
    free(text);
    assert_int_equal(wb_file_write("/nonexistent/folder/x", "hello\n", diagnostics), WB_ERR_INPUT);
    assert_int_equal(file_read("/tmp", SOURCE_SIZE_MAX, diagnostics, &text, &size), WB_ERR_INPUT);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 2);
    (void)unlink(path);
    (void)close(fd);
    wb_diagnostics_free(diagnostics);
}

/* A link stays, and the file that it leads to is replaced; it keeps its rights, and a new one gets those of
 * new files. */
static void test_links_are_written_through(void **state) {
    (void)state;
    char folder[] = "/tmp/warpbound_links_XXXXXX", file[64], link[64], dangling[64], new[64];
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct stat info;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(file, sizeof file, "%s/file", folder);
    (void)snprintf(link, sizeof link, "%s/link", folder);
    (void)snprintf(dangling, sizeof dangling, "%s/dangling", folder);
    (void)snprintf(new, sizeof new, "%s/new", folder);
    const mode_t before = umask(027);
    assert_int_equal(wb_file_write(file, "old\n", diagnostics), WB_OK);
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(chmod(file, 0604), 0);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(symlink(new, dangling), 0);
    assert_int_equal(wb_file_write(link, "new\n", diagnostics), WB_OK);
    assert_int_equal(wb_file_write(dangling, "made\n", diagnostics), WB_OK);
    (void)umask(before);
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0604);
    assert_int_equal(info.st_size, 4);
    assert_int_equal(lstat(new, &info), 0);
    assert_int_equal(info.st_size, 5);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("link", link), 0); /* one that leads to itself */
    assert_int_equal(wb_file_write(link, "new\n", diagnostics), WB_ERR_INPUT);
    assert_int_equal(unlink(link) | unlink(dangling) | unlink(file) | unlink(new) | rmdir(folder), 0);
    wb_diagnostics_free(diagnostics);
}

static void test_no_more_of_a_file_is_read_than_asked_for(void **state) {
    (void)state;
    static const char *const paths[] = {"/dev/zero", "README.md"};
    char *text = NULL;
    size_t size = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(file_read(paths[i], 100, diagnostics, &text, &size), WB_ERR_INPUT);
        assert_non_null(strstr(wb_diagnostics_text(diagnostics), ": error: larger than 100 bytes"));
        wb_diagnostics_free(diagnostics);
    }
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(file_read("/dev/null", 0, diagnostics, &text, &size), WB_OK);
    assert_int_equal(size, 0);
    free(text);
    wb_diagnostics_free(diagnostics);
}

static void test_random_is_reproducible(void **state) {
    (void)state;
    struct random_state random = random_seeded(1);
    assert_true(random_next(&random) == UINT64_C(0x910a2dec89025cc1));
    for (int i = 0; i < 1000; i++)
        assert_true(random_below(&random, 7) < 7);
}

static void test_interned_names_are_numbered(void **state) {
    (void)state;
    static char names[5000][8];
    struct intern intern = {0};
    uint32_t number;
    assert_int_equal(intern_find(&intern, "a", 1), INTERN_NONE);
    for (int i = 0; i < 5000; i++) {
        int length = snprintf(names[i], sizeof names[i], "n%d", i);
        assert_int_equal(intern_add(&intern, names[i], (size_t)length, &number), WB_OK);
        assert_int_equal(number, i);
    }
    assert_int_equal(intern_add(&intern, "n17", 3, &number), WB_OK);
    assert_int_equal(number, 17);
    assert_int_equal(intern_find(&intern, "n4999", 5), 4999);
    assert_int_equal(intern_find(&intern, "n4999", 4), 499);
    assert_int_equal(intern_find(&intern, "n5000", 5), INTERN_NONE);
    assert_int_equal(intern_find(&intern, "", 0), INTERN_NONE);
    intern_free(&intern);
}

/* ---- Tables and heaps ---------------------------------------------------------------------------------- */

static bool same_number(const struct table_slot *slot, const void *wanted) {
    return slot->value == *(const uint32_t *)wanted;
}

/* Things with one hash are told apart by the equality alone. */
static void test_equal_hashes_are_told_apart(void **state) {
    (void)state;
    struct table table = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        assert_null(table_find(&table, i % 3, same_number, &i));
        assert_int_equal(table_insert(&table, i % 3, NULL, i), WB_OK);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_non_null(table_find(&table, i % 3, same_number, &i));
        if (i % 3 > 1) assert_null(table_find(&table, 1, same_number, &i));
    }
    table_free(&table);
}

static void test_texts_are_copied(void **state) {
    (void)state;
    struct intern intern = {0};
    uint32_t number;
    bool is_new;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t key[2] = {i % 100, 7};
        assert_int_equal(intern_copy(&intern, key, sizeof key, &number, &is_new), WB_OK);
        assert_int_equal(number, i % 100);
        assert_int_equal(is_new, i < 100);
    }
    intern_free(&intern);
}

static void test_heap_gives_the_least(void **state) {
    (void)state;
    struct heap_item items[200];
    struct heap heap = {.items = items};
    struct random_state random = random_seeded(5);
    for (uint32_t i = 0; i < 200; i++)
        heap_push(&heap, random_below(&random, 50), i, i);
    for (uint32_t i = 0; i < 100; i++)
        heap_change_first(&heap, heap_first(&heap) + random_below(&random, 9));
    struct heap_item last = {0};
    while (heap.count > 0) {
        assert_int_equal(heap_first(&heap), items[0].key);
        const struct heap_item item = heap_pop(&heap);
        assert_true(item.id == item.rank && (item.key > last.key || item.rank >= last.rank));
        assert_true(item.key >= last.key);
        last = item;
    }
    assert_true(heap_first(&heap) == UINT64_MAX);
}

/* ---- The scanner --------------------------------------------------------------------------------------- */

static void check_message(wb_diagnostics *diagnostics, const char *expected) {
    assert_string_equal(wb_diagnostics_text(diagnostics), expected);
    wb_diagnostics_free(diagnostics);
}

static void test_scanner_says_where(void **state) {
    (void)state;
    const struct source source = {"f", "a # b\n  12", 10};
    const char *word;
    uint32_t number;
    struct scanner scanner = scanner_of(&source, SCAN_SPACES | SCAN_HASH_COMMENTS, wb_diagnostics_new());
    assert_int_equal(scan_word(&scanner, ascii_letter, &word), 1);
    assert_int_equal(scan_u32(&scanner, "a number", 1, 9, &number), WB_ERR_INPUT);
    check_message(scanner.diagnostics, "f:2:3: error: expected a number from 1 to 9\n    12\n    ^\n");
    assert_true(scan_at_end(&scanner));
    assert_int_equal(scan_peek(&scanner), '\0');

    scanner = (struct scanner){.text = "x 99999999999999999999)",
                               .size = 23,
                               .skips = SCAN_SPACES,
                               .topic = "program",
                               .subject = {.where = "option"},
                               .diagnostics = wb_diagnostics_new()};
    assert_false(scan_accept(&scanner, 'y'));
    assert_int_equal(scan_expect(&scanner, 'x'), WB_OK);
    assert_int_equal(scan_u32(&scanner, "a number", 0, 7, &number), WB_ERR_INPUT);
    check_message(scanner.diagnostics, "option: error: program: column 3: expected a number from 0 to 7\n");
    assert_true(scan_accept(&scanner, ')'));
    assert_false(scan_accept(&scanner, '\0'));
}

/* The chances of annealing: as a library has them, but for the last digits. */
static void test_decay(void **state) {
    (void)state;
    for (int i = 0; i < 18000; i++) {
        const double x = i * 0.0371;
        const double expected = exp(-x);
        if (!(fabs(decay(x) - expected) <= expected * 1e-11)) fail_msg("decay(%g) is %g", x, decay(x));
    }
    assert_true(decay(0) == 1);
    assert_true(decay(1e300) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decay),
        cmocka_unit_test(test_cycles_saturate),
        cmocka_unit_test(test_arena_obeys_its_limit),
        cmocka_unit_test(test_vec_grows),
        cmocka_unit_test(test_diagnostic_shows_place_and_caret),
        cmocka_unit_test(test_messages_for_programs),
        cmocka_unit_test(test_printable_texts),
        cmocka_unit_test(test_diagnostic_of_a_long_line_is_short),
        cmocka_unit_test(test_file_is_written_whole_or_not_at_all),
        cmocka_unit_test(test_links_are_written_through),
        cmocka_unit_test(test_no_more_of_a_file_is_read_than_asked_for),
        cmocka_unit_test(test_random_is_reproducible),
        cmocka_unit_test(test_interned_names_are_numbered),
        cmocka_unit_test(test_equal_hashes_are_told_apart),
        cmocka_unit_test(test_texts_are_copied),
        cmocka_unit_test(test_heap_gives_the_least),
        cmocka_unit_test(test_scanner_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

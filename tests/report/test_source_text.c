/* Where the source of code is looked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/write/source.h"

static char folder[] = "/tmp/warpbound_source_XXXXXX";

static void write_file(const char *name, const char *text) {
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *name) {
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(remove(path), 0);
}

/* The line is this one; NULL: it is not known. */
static void check_line(struct source_texts *texts, const char *file, uint32_t line, const char *expected) {
    size_t length = 0;
    const char *text = source_texts_line(texts, file, line, &length);
    if (expected == NULL) {
        assert_null(text);
        return;
    }
    assert_non_null(text);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(text, expected, length);
}

static void test_where_it_is_found(void **state) {
    (void)state;
    assert_non_null(mkdtemp(folder));
    char path[128], from_root[128];
    (void)snprintf(path, sizeof path, "%s/src", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file("src/a.cu", "one\r\n\nthree");
    write_file("b.cuh", "beside\n");
    write_file("secret", "not a source\n");
    (void)snprintf(path, sizeof path, "%s/k.ptx", folder);
    (void)snprintf(from_root, sizeof from_root, "%s/b.cuh", folder);
    const struct wb_module module = {.source = {.name = path}};
    struct source_texts texts = source_texts_open(&module);
    check_line(&texts, "src/a.cu", 1, "one");
    check_line(&texts, "src/a.cu", 2, "");
    check_line(&texts, "src/a.cu", 3, "three");
    check_line(&texts, "src/a.cu", 4, NULL);
    check_line(&texts, "src/a.cu", 0, NULL);
    assert_int_equal(source_texts_line_count(&texts, "src/a.cu"), 3);
    check_line(&texts, "/somewhere/else/b.cuh", 1, "beside");
    check_line(&texts, from_root, 1, "beside");
    check_line(&texts, "secret", 1, NULL);
    check_line(&texts, "none.cu", 1, NULL);
    assert_int_equal(source_texts_line_count(&texts, "none.cu"), 0);
    assert_false(texts.failed);
    source_texts_close(&texts);
    remove_file("src/a.cu");
    remove_file("src");
    remove_file("b.cuh");
    remove_file("secret");
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_where_it_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

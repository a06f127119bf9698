/* Files that nvcc made, in every way it packs code: which images are in them, and that they unpack to the
 * same bytes. Cut short anywhere they end with one error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files.h"
#include "fatbin/fatbin.h"
#include "messages.h"

#define FOLDER "tests/data/fatbin/"

struct file {
    char *bytes;
    size_t size;
    struct fatbin fatbin;
};

static struct file open_file(const char *name) {
    char path[200];
    struct file file = {0};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    (void)snprintf(path, sizeof path, FOLDER "%s", name);
    assert_int_equal(file_read(path, 1 << 20, diagnostics, &file.bytes, &file.size), WB_OK);
    assert_int_equal(fatbin_read(path, file.bytes, file.size, diagnostics, &file.fatbin), WB_OK);
    assert_string_equal(wb_diagnostics_text(diagnostics), "");
    wb_diagnostics_free(diagnostics);
    return file;
}

static void close_file(struct file *file) {
    fatbin_free(&file->fatbin);
    free(file->bytes);
}

/* Images as "sm_86@unit" and "-sm_86@unit" where they are not linked. */
static char *list(const struct fatbin *fatbin) {
    struct text text = {0};
    for (size_t i = 0; i < fatbin->image_count; i++)
        text_printf(&text, "%s%s%s@%s", i > 0 ? " " : "", fatbin->images[i].relocatable ? "-" : "",
                    fatbin->images[i].name, fatbin->images[i].unit);
    return text_take(&text);
}

static void test_images(void **state) {
    (void)state;
    static const struct {
        const char *file, *images;
    } cases[] = {
        {"stored.fatbin", "sm_86@ compute_86@"},
        {"zstd.o", "sm_86@add compute_86@add"},
        {"lz4.o", "sm_86@add compute_86@add"},
        {"packed.o", "sm_86@add compute_86@add"},
        {"lines.fatbin", "sm_86@add.cu compute_86@add.cu"},
        {"two.o", "sm_80@add sm_86@add"},
        {"ptx.fatbin", "compute_80@ compute_90@"},
        {"feature.fatbin", "sm_90a@ sm_90@"},
        {"units.a", "sm_86@zstd.o compute_86@zstd.o sm_86@fill.o compute_86@fill.o"},
        {"unlinked.o", "-sm_86@add -compute_86@add"},
        {"linked", "sm_86@link.stub -sm_86@add -compute_86@add -sm_86@fill -compute_86@fill"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct file file = open_file(cases[c].file);
        char *images = list(&file.fatbin);
        assert_string_equal(images, cases[c].images);
        free(images);
        close_file(&file);
    }
}

/* The bytes of an image are these, but for zeros behind them. */
static void check_image(const struct file *file, size_t index, const char *expected, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *bytes;
    size_t count;
    assert_int_equal(fatbin_unpack("k", &file->fatbin, index, diagnostics, &bytes, &count), WB_OK);
    assert_true(count >= size);
    assert_memory_equal(bytes, expected, size);
    for (size_t i = size; i <= count; i++)
        assert_int_equal(bytes[i], 0);
    free(bytes);
    wb_diagnostics_free(diagnostics);
}

/* However they are packed, the same code was compiled. */
static void test_same_bytes(void **state) {
    (void)state;
    static const char *const packed[] = {"stored.fatbin", "zstd.o", "lz4.o", "packed.o"};
    struct file stored = open_file("stored.fatbin"), cubin = open_file("add.cubin");
    const char *ptx = (const char *)stored.fatbin.packed[1].bytes;
    assert_int_equal(cubin.fatbin.image_count, 1);
    assert_string_equal(cubin.fatbin.images[0].name, "sm_86");
    for (size_t p = 0; p < sizeof packed / sizeof *packed; p++) {
        struct file file = open_file(packed[p]);
        check_image(&file, 0, cubin.bytes, cubin.size);
        check_image(&file, 1, ptx, strlen(ptx));
        close_file(&file);
    }
    close_file(&cubin);
    close_file(&stored);
}

/* Without the table of sections containers are found where they are, without names and without what the
 * sections say of linking. */
static void test_without_sections(void **state) {
    (void)state;
    struct file file = open_file("linked");
    struct fatbin fatbin;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    memset(file.bytes + 40, 0, 8);
    assert_int_equal(fatbin_read("linked", file.bytes, file.size, diagnostics, &fatbin), WB_OK);
    char *images = list(&fatbin);
    assert_string_equal(images, "sm_86@#1 sm_86@#2 compute_86@#2 sm_86@#3 compute_86@#3");
    free(images);
    fatbin_free(&fatbin);
    wb_diagnostics_free(diagnostics);
    close_file(&file);
}

/* The copy has no byte behind its end, for sanitizers. */
static void test_cut_short(void **state) {
    (void)state;
    static const char *const names[] = {"stored.fatbin", "packed.o", "units.a", "unlinked.o"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct file file = open_file(names[n]);
        size_t refused = 0;
        for (size_t size = 8; size < file.size; size += size < 512 ? 1 : 61) {
            struct fatbin fatbin;
            char *copy = malloc(size);
            assert_non_null(copy);
            memcpy(copy, file.bytes, size);
            wb_diagnostics *diagnostics = wb_diagnostics_new();
            const wb_status status = fatbin_read("cut", copy, size, diagnostics, &fatbin);
            assert_int_equal(wb_diagnostics_errors(diagnostics), status != WB_OK);
            assert_true(status == WB_OK || status == WB_ERR_INPUT);
            refused += status != WB_OK;
            if (status == WB_OK) fatbin_free(&fatbin);
            wb_diagnostics_free(diagnostics);
            free(copy);
        }
        assert_true(refused > 500);
        close_file(&file);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_images), cmocka_unit_test(test_same_bytes),
                                       cmocka_unit_test(test_without_sections),
                                       cmocka_unit_test(test_cut_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

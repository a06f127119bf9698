/* Results of units: numbers of all sizes come out as they went in, and the merge of large databases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "warpbound_sweep.h"

/* A folder with a sweep of some code, which is not looked at. */
struct folder {
    char path[64], sweep[96], results[2][96];
};

static void make_folder(struct folder *folder, const char *sweep) {
    char code[96];
    (void)strcpy(folder->path, "/tmp/wb_sweep_XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    (void)snprintf(folder->sweep, sizeof folder->sweep, "%s/s.yaml", folder->path);
    (void)snprintf(code, sizeof code, "%s/k.ptx", folder->path);
    for (size_t i = 0; i < 2; i++)
        (void)snprintf(folder->results[i], sizeof *folder->results, "%s/%zu.db", folder->path, i);
    FILE *file = fopen(code, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    file = fopen(folder->sweep, "w");
    assert_non_null(file);
    assert_true(fputs(sweep, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void remove_folder(const struct folder *folder) {
    char command[96];
    (void)snprintf(command, sizeof command, "rm -r %s", folder->path);
    assert_int_equal(system(command), 0);
}

static bool append(void *user, const char *bytes, size_t size) {
    text_append(user, bytes, size);
    return true;
}

/* The database in a format; the caller frees it. */
static char *shown(const char *path, wb_results_format format) {
    wb_results *results = NULL;
    struct text text = {0};
    const wb_writer writer = {append, &text};
    assert_int_equal(wb_results_open(path, false, NULL, &results), WB_OK);
    assert_int_equal(wb_results_report(results, format, NULL, 0, &writer, NULL), WB_OK);
    wb_results_free(results);
    return text_take(&text);
}

/* Keeps a report of every unit of the sweep, `bound` behind another in turn. */
static void keep_reports(const struct folder *folder, const char *path, const char *const *bounds,
                         size_t count) {
    wb_sweep *sweep = NULL;
    wb_results *results = NULL;
    wb_sweep_unit *unit = NULL;
    assert_int_equal(wb_sweep_read(folder->sweep, NULL, &sweep), WB_OK);
    assert_int_equal(wb_results_open(path, true, NULL, &results), WB_OK);
    for (size_t i = 0; wb_sweep_next(sweep, NULL, &unit) == WB_OK && unit != NULL; i++) {
        char report[500];
        (void)snprintf(
            report, sizeof report,
            "{\"verdict\": {\"state\": \"bounded \\\" 99999999999999999999\", \"scope\": \"kernel\", "
            "\"method\": \"k-area\", \"bound\": %s, \"slowest\": {\"cycles\": 12}},"
            "\"grid\": {\"bounds\": [{\"method\": \"k-area\", \"kind\": \"upper\", \"cycles\": %s, "
            "\"lower\":%s}]}}",
            bounds[i % count], bounds[i % count], bounds[i % count]);
        const wb_run run = {.report = report, .report_size = strlen(report), .messages = "", .seconds = 1};
        wb_outcome outcome = {0};
        assert_int_equal(wb_results_add(results, unit, &run, NULL, &outcome), WB_OK);
        assert_true(outcome.done);
        wb_sweep_unit_free(unit);
    }
    wb_results_free(results);
    wb_sweep_free(sweep);
}

static const char *const sizes[] = {"0", "9223372036854775807", "9223372036854775808",
                                    "18446744073709551614"};

/* Numbers of 64 bits: of the unit and of its methods, in all formats. */
static void test_large_numbers(void **state) {
    (void)state;
    struct folder folder;
    make_folder(&folder, "code: k.ptx\nregisters: [1, 2, 3, 4]\n");
    keep_reports(&folder, folder.results[0], sizes, 4);
    char *csv = shown(folder.results[0], WB_RESULTS_CSV), *json = shown(folder.results[0], WB_RESULTS_JSON),
         *table = shown(folder.results[0], WB_RESULTS_MARKDOWN);
    for (size_t i = 0; i < 4; i++) {
        char part[200];
        (void)snprintf(
            part, sizeof part,
            "k.ptx,%zu,done,kernel,,verdict,\"bounded \"\" 99999999999999999999\",upper,%s,12,k-area", i + 1,
            sizes[i]);
        assert_non_null(strstr(csv, part));
        (void)snprintf(part, sizeof part, "k.ptx,%zu,done,kernel,given,bound,k-area,upper,%s,%s,", i + 1,
                       sizes[i], sizes[i]);
        assert_non_null(strstr(csv, part));
        (void)snprintf(part, sizeof part, "\"bound\":%s,", sizes[i]);
        assert_non_null(strstr(json, part));
        (void)snprintf(part, sizeof part, "\"cycles\":%s", sizes[i]);
        assert_non_null(strstr(json, part));
        (void)snprintf(part, sizeof part, "| %s | k-area | 12 |", sizes[i]);
        assert_non_null(strstr(table, part));
    }
    free(csv);
    free(json);
    free(table);
    remove_folder(&folder);
}

/* A growth by one cycle is one, whatever the size. */
static void test_growth_of_large_numbers(void **state) {
    (void)state;
    struct folder folder;
    wb_results *results[2] = {NULL};
    char *text = NULL;
    bool worse = false;
    static const char *const bounds[2] = {"18446744073709551613", "18446744073709551614"};
    make_folder(&folder, "code: k.ptx\n");
    for (size_t i = 0; i < 2; i++) {
        keep_reports(&folder, folder.results[i], &bounds[i], 1);
        assert_int_equal(wb_results_open(folder.results[i], false, NULL, &results[i]), WB_OK);
    }
    assert_int_equal(wb_results_diff(results[0], results[1], 0, NULL, &text, &worse), WB_OK);
    assert_true(worse);
    assert_non_null(strstr(text, "| 18446744073709551613 | 18446744073709551614 |"));
    free(text);
    assert_int_equal(wb_results_diff(results[1], results[0], 0, NULL, &text, &worse), WB_OK);
    assert_false(worse);
    free(text);
    for (size_t i = 0; i < 2; i++)
        wb_results_free(results[i]);
    remove_folder(&folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_numbers),
        cmocka_unit_test(test_growth_of_large_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* `warpbound analyze --report` as a user runs it, and, where Chromium is installed, as a browser shows it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define SGEMM "kernels/sgemm_tiled.ptx -l kernels/sgemm_tiled.yaml "
#define QUICK "--method sib,k-area,k-bal,waves "

/* The report of a command, which must end with this status. */
static char *report_of(const char *arguments, int status) {
    char shell[2048];
    (void)snprintf(shell, sizeof shell,
                   "D=$(mktemp -d); trap 'rm -rf $D' EXIT; F=$D/r.html; \"$WB\" analyze %s --report \"$F\" "
                   ">/dev/null; s=$?; cat \"$F\"; exit $s",
                   arguments);
    struct run run = run_shell(shell);
    if (run.status != status) fail_msg("%s: status %d, %s", arguments, run.status, run.err);
    free(run.err);
    return run.out;
}

static void assert_has(const char *html, const char *part) {
    if (strstr(html, part) == NULL) fail_msg("no %s", part);
}

/* ---- Structure ---------------------------------------------------------------------------------------- */

/* Elements that have no end. */
static bool is_void(const char *name, size_t length) {
    static const char *const names[] = {"meta", "br", "!DOCTYPE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0) return true;
    return false;
}

/* Every element is closed in the order in which it was opened, attributes are quoted, and `<` and `>` stand
 * nowhere else but in style and script. */
static void check_structure(const char *html) {
    char open[64][16];
    size_t depth = 0;
    for (const char *at = html; (at = strpbrk(at, "<>")) != NULL;) {
        if (*at != '<') fail_msg("a bare > at %.60s", at);
        const bool closes = at[1] == '/';
        const char *name = at + 1 + closes;
        const size_t length = strcspn(name, " />");
        if (length == 0 || length > 15) fail_msg("no tag: %.60s", at);
        const char *end = name;
        for (bool quoted = false; *end != '>' || quoted; end++) {
            if (*end == '\0' || (*end == '<' && !quoted)) fail_msg("a tag without end: %.60s", at);
            if (*end == '"') quoted = !quoted;
        }
        at = end + 1;
        if (is_void(name, length) || end[-1] == '/') continue;
        if (closes) {
            if (depth == 0 || strlen(open[depth - 1]) != length ||
                strncmp(open[depth - 1], name, length) != 0)
                fail_msg("</%.*s> closes %s", (int)length, name, depth > 0 ? open[depth - 1] : "nothing");
            depth--;
            continue;
        }
        assert_true(depth < 64);
        (void)snprintf(open[depth], sizeof open[depth], "%.*s", (int)length, name);
        const bool is_raw = strcmp(open[depth], "style") == 0 || strcmp(open[depth], "script") == 0;
        depth++;
        if (is_raw) assert_non_null(at = strstr(at, open[depth - 1][1] == 't' ? "</style>" : "</script>"));
    }
    assert_int_equal(depth, 0);
}

static void test_a_kernel(void **state) {
    (void)state;
    char *html = report_of(SGEMM QUICK "--deadline 100us", 0);
    check_structure(html);
    static const char *const parts[] = {
        "<!DOCTYPE html>",
        "<h1>sgemm_tiled</h1>",
        "<section id=\"verdict\"",
        "<strong>Met</strong>",
        "<section id=\"bounds\"",
        "k-area",
        "class=\"bar upper best",
        "class=\"bar estimate",
        "class=\"bar simulated",
        "class=\"deadline\"",
        "<section id=\"conditions\"",
        "no cache misses and no memory interference",
        "<section id=\"origin\"",
        "prefers-color-scheme: dark",
        "@media print",
        "warpbound analyze kernels/sgemm_tiled.ptx -l kernels/sgemm_tiled.yaml",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_has(html, parts[i]);
    assert_null(strstr(html, "http://"));
    assert_null(strstr(html, "https://"));
    free(html);
}

static void test_states_of_a_deadline(void **state) {
    (void)state;
    char *html = report_of(SGEMM QUICK "--deadline 33000", 1);
    assert_has(html, "<strong>Open</strong>");
    free(html);
    html = report_of(SGEMM QUICK "--deadline 20000", 1);
    assert_has(html, "<strong>Missed</strong>");
    free(html);
    html = report_of(SGEMM QUICK, 0);
    assert_null(strstr(html, "Deadline of the"));
    free(html);
}

static void test_other_subjects(void **state) {
    (void)state;
    char *html = report_of("kernels/horner.ptx -l kernels/horner_stream.yaml " QUICK "--deadline 1s", 0);
    check_structure(html);
    assert_has(html, "<article id=\"launch-1\">");
    assert_has(html, "<section id=\"bounds-3\"");
    assert_has(html, "Deadline of the stream");
    free(html);
    html = report_of("kernels/bfs_level.ptx -l kernels/bfs_level.yaml --facts kernels/bfs_level.facts", 0);
    check_structure(html);
    assert_has(html, "simulations are of the data that the launch gives");
    free(html);
    html = report_of(SGEMM QUICK "-i 1", 0);
    check_structure(html);
    assert_has(html, "the block takes at most");
    free(html);
    html = report_of(SGEMM "-m jcse2017", 0);
    check_structure(html);
    free(html);
}

static void test_the_same_twice(void **state) {
    (void)state;
    struct run run =
        run_shell("D=$(mktemp -d); trap 'rm -rf $D' EXIT; cp kernels/saxpy.* $D; cd $D; for i in 1 2; do "
                  "\"$WB\" analyze "
                  "saxpy.ptx -l saxpy.yaml --report r.html >/dev/null; mv r.html $i; done; cmp 1 2");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    run_free(&run);
}

/* ---- What does not belong into a report ---------------------------------------------------------------- */

static void test_hostile_names(void **state) {
    (void)state;
    struct run run =
        run_shell("D=$(mktemp -d); trap 'rm -rf $D' EXIT; P=\"$D/</script><script>alert(1)<!--&\\\"'$(printf "
                  "'\\342\\200\\250\\001')\"; mkdir -p \"${P%/*}\"; cp kernels/saxpy.ptx \"$P\"; "
                  "\"$WB\" analyze \"$P\" -l kernels/saxpy.yaml --report $D/r >/dev/null; cat $D/r");
    assert_int_equal(run.status, 0);
    check_structure(run.out);
    assert_null(strstr(run.out, "<script>alert"));
    assert_null(strstr(run.out, "<!--"));
    assert_null(strchr(run.out, '\x01'));
    assert_has(run.out, "&lt;script&gt;alert(1)&lt;!--&amp;&quot;&#39;");
    run_free(&run);
}

static void test_no_half_report(void **state) {
    (void)state;
    struct run run = run_shell("D=$(mktemp -d); trap 'rm -rf $D' EXIT; \"$WB\" analyze " SGEMM
                               "--report $D/none/r.html >/dev/null; s=$?; "
                               "\"$WB\" analyze " SGEMM "--method none --report $D/r.html; ls $D; exit $s");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_kernel),       cmocka_unit_test(test_states_of_a_deadline),
        cmocka_unit_test(test_other_subjects), cmocka_unit_test(test_the_same_twice),
        cmocka_unit_test(test_hostile_names),  cmocka_unit_test(test_no_half_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

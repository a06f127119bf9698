/* `warpbound analyze --report` as a user runs it: the page as it is written, with its document; as its script
 * draws it, where Node runs it (draw_report.js); and, where Chromium is installed, as a browser shows it. */
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

/* The same as its script draws it, after actions of a reader (draw_report.js). Without Node the test is
 * skipped. */
static char *report_after(const char *arguments, const char *actions, int status) {
    char shell[2048];
    (void)snprintf(
        shell, sizeof shell,
        "command -v node >/dev/null || { echo none; exit 0; }; D=$(mktemp -d); trap 'rm -rf $D' EXIT; "
        "F=$D/r.html; \"$WB\" analyze %s --report \"$F\" >/dev/null; s=$?; "
        "node tests/cli/draw_report.js $F %s || exit 9; exit $s",
        arguments, actions);
    struct run run = run_shell(shell);
    if (strcmp(run.out, "none\n") == 0) {
        print_message("Node is not installed: the report is not drawn\n");
        run_free(&run);
        skip();
    }
    if (run.status != status) fail_msg("%s: status %d, %s", arguments, run.status, run.err);
    free(run.err);
    return run.out;
}

static char *drawn_report_of(const char *arguments, int status) {
    return report_after(arguments, "", status);
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
    char *html = drawn_report_of(
        SGEMM "--method sib,k-area,k-adversary,waves -m ecrts2025-orin --accept ptx-model --deadline 100us",
        0);
    check_structure(html);
    static const char *const parts[] = {
        "<!DOCTYPE html>",
        "<h1>sgemm_tiled</h1>",
        "<section id=\"verdict\"",
        "<strong>met:</strong>",
        "<section id=\"bounds\"",
        "k-area",
        "class=\"bar upper best",
        "class=\"bar estimate",
        "class=\"bar simulated",
        "class=\"deadline\"",
        "<section id=\"occupancy\"",
        "limited by warps, threads",
        "<section id=\"source\"",
        "class=\"pair\"",
        "sum += tile_a[y][i] * tile_b[i][x];",
        "ld.shared",
        "the slowest execution found (k-adversary)",
        "<section id=\"flow\"",
        "<svg ",
        ("\xc3\x97"
         "2048"),
        "<section id=\"timeline\"",
        "found by k-adversary (lower)",
        "What the warps do",
        "<section id=\"blocks\"",
        "block (3,1,0): cycles",
        "<section id=\"conditions\"",
        "<span class=\"id\">S1</span>\n issue is work-conserving",
        "cache misses and memory interference",
        "<section id=\"origin\"",
        "prefers-color-scheme: dark",
        "@media print",
        "warpbound analyze kernels/sgemm_tiled.ptx -l kernels/sgemm_tiled.yaml",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_has(html, parts[i]);
    assert_has(html, "SHA-256");
    assert_null(strstr(html, "http://"));
    assert_null(strstr(html, "https://"));
    free(html);
}

static void test_states_of_a_deadline(void **state) {
    (void)state;
    char *html = drawn_report_of(SGEMM QUICK "-m ecrts2025-orin --accept ptx-model --deadline 33000", 1);
    assert_has(html, "<strong>open:</strong>");
    free(html);
    html = drawn_report_of(SGEMM QUICK "-m ecrts2025-orin --accept ptx-model --deadline 20000", 1);
    assert_has(html, "slowest found");
    free(html);
    html = drawn_report_of(SGEMM QUICK, 0);
    assert_has(html, "<strong>bounded:</strong>");
    assert_null(strstr(html, "Deadline"));
    free(html);
}

static void test_other_subjects(void **state) {
    (void)state;
    char *html = drawn_report_of("kernels/horner.ptx -l kernels/horner_stream.yaml " QUICK
                                 "-m ecrts2025-orin --accept ptx-model --deadline 1s",
                                 0);
    check_structure(html);
    assert_has(html, "<article id=\"launch-1\">");
    assert_has(html, "<section id=\"bounds-3\"");
    assert_has(html, "the stream takes at most");
    free(html);
    html =
        drawn_report_of("kernels/bfs_level.ptx -l kernels/bfs_level.yaml --facts kernels/bfs_level.facts", 0);
    check_structure(html);
    assert_has(html, "simulations are of the data that the launch gives");
    assert_has(html, "<section id=\"timeline\"");
    assert_has(html, "It is of the data that the launch gives.");
    free(html);
    html = drawn_report_of("kernels/histogram.ptx -l kernels/histogram_unknown.yaml", 0);
    assert_has(html, "simulations are of zeros in the buffers whose contents are not given");
    assert_has(html, ", with zeros in the buffers whose contents are not given");
    free(html);
    html = drawn_report_of(SGEMM QUICK "-i 1", 0);
    check_structure(html);
    assert_has(html, "block (1,0,0) alone takes at most");
    free(html);
    html = drawn_report_of(SGEMM "-m jcse2017", 0);
    check_structure(html);
    free(html);
#ifdef WB_WING_GPGPUSIM
    html = drawn_report_of(SGEMM "-m gpgpusim-orin", 0);
    check_structure(html);
    free(html);
#endif
#ifdef WB_WING_ABSTRACT_CTA
    html = drawn_report_of("docs/examples/triangle-sum-slide.yaml", 0);
    check_structure(html);
    assert_has(html, "abstract warps cannot be simulated");
    free(html);
#endif
    html = drawn_report_of("kernels/transpose.ptx -l kernels/transpose.yaml " QUICK, 0);
    check_structure(html);
    assert_has(html, "What would lower it");
    free(html);
    html = drawn_report_of("docs/refutations/graham.yaml", 0);
    check_structure(html);
    assert_has(html, "<h1>graham</h1>");
    free(html);
}

/* So many blocks that they are not drawn one by one. */
static void test_a_large_grid_stays_small(void **state) {
    (void)state;
    char *html =
        drawn_report_of("kernels/saxpy.ptx -g 20000 -b 32 -a i32:640000 -a f32:2 -a 'buf:f32[640000]=iota' "
                        "-a 'buf:f32[640000]' --registers 16 " QUICK,
                        0);
    check_structure(html);
    assert_has(html, "Single blocks are not drawn");
    assert_has(html, "class=\"block shade-");
    assert_has(html, "Cut: of the");
    assert_true(strlen(html) < (size_t)2 << 20);
    free(html);
    html = drawn_report_of("kernels/saxpy.yaml -g 65535 -m ecrts2025-orin", 0);
    assert_has(html, "<p>A part: blocks (0,0,0) to (83,0,0) without the others take ");
    free(html);
}

/* A timeline of which a part is kept says where it ends, also where another SM's part was full first. */
static void test_a_cut_timeline(void **state) {
    (void)state;
    char *html = drawn_report_of("docs/examples/blur/blur.yaml --method kernel --policy lrr", 1);
    unsigned long until = 0, cycles = 0;
    const char *cut = strstr(html, "those before cycle ");
    assert_non_null(cut);
    assert_int_equal(sscanf(cut, "those before cycle %lu of %lu.", &until, &cycles), 2);
    assert_true(until < cycles);
    free(html);
}

/* Machine code that says nothing of its source is shown as its instructions. */
static void test_code_without_lines(void **state) {
    (void)state;
    char *html = drawn_report_of("tests/data/fatbin/add.cubin -k _Z5scalePff -m jetson-agx-orin -g 4 -b 64 "
                                 "-a 'buf:f32[256]=zero' -a f32:1 --method kernel --policy lrr",
                                 0);
    check_structure(html);
    assert_has(html, "class=\"pair one\"");
    assert_has(html, ">0x0000</td>");
    assert_has(html, "<code>EXIT</code>");
    assert_null(strstr(html, ".cubin:"));
    free(html);
}

/* The first two instructions of the table, after an action. */
static void check_first(const char *action, const char *first, const char *second) {
    char *html = report_after("kernels/vecadd.ptx -l kernels/vecadd.yaml " QUICK, action, 0);
    const char *body = strstr(strstr(html, "class=\"source code\""), "<tbody>");
    const char *at = body != NULL ? strstr(body, first) : NULL;
    if (at == NULL || strstr(at, second) == NULL) fail_msg("%s: no %s before %s", action, first, second);
    free(html);
}

static void test_sorted_and_searched(void **state) {
    (void)state;
    check_first("", "mov.u32", "ld.global.f32");
    check_first("'sort by Cycles'", "ld.global.f32", "mov.u32");
    check_first("'sort by PTX line' 'sort by PTX line'", "st.global.f32", "ld.param.u64");
    check_first("'sort by Instruction'", "add.f32", "st.global.f32");
    char *html = report_after("kernels/vecadd.ptx -l kernels/vecadd.yaml " QUICK, "'search st.global'", 0);
    assert_has(html, "1 of ");
    assert_has(html, "hidden=\"\"");
    free(html);
}

static void test_calls(void **state) {
    (void)state;
    char *html = drawn_report_of("kernels/mandelbrot.ptx -l kernels/mandelbrot.yaml " QUICK, 0);
    const char *calls = strstr(html, "<ul class=\"calls\"><li><code>mandelbrot</code>");
    assert_non_null(calls);
    assert_non_null(strstr(calls, "<code>escape_steps(float, float, int)</code>\n \xc3\x97"
                                  "32"));
    free(html);
}

/* All causes of a bound of machine code have a colour and a texture of their own. */
static void test_colours(void **state) {
    (void)state;
    char *html = drawn_report_of("docs/examples/blur/blur.cubin -l docs/examples/blur/blur.yaml -m "
                                 "jetson-agx-orin --method kernel --policy lrr",
                                 1);
    static const char start[] = "<i class=\"key texture-";
    unsigned count = 0;
    bool seen[4][9] = {{false}};
    for (const char *at = html; (at = strstr(at, start)) != NULL; at++) {
        unsigned texture, colour;
        assert_int_equal(sscanf(at + strlen(start), "%u\" style=\"--c:var(--c%u)", &texture, &colour), 2);
        assert_true(texture < 4 && colour < 9);
        if (strstr(at, "<summary>A block alone") == NULL) break; /* the same again, of a block */
        assert_false(seen[texture][colour]);
        seen[texture][colour] = true;
        count++;
    }
    assert_true(count > 12);
    free(html);
}

/* A search that keeps no schedule may know of longer executions than the one that is shown. */
static void test_what_cannot_be_shown(void **state) {
    (void)state;
    char *html = drawn_report_of("docs/refutations/gub-depth1.yaml --method sib,exhaustive --policy lrr", 0);
    check_structure(html);
    assert_has(html, "exhaustive knows of one that takes longer");
    free(html);
}

/* What is drawn stands in the document, and without the script there is the line of the text report. */
static void test_the_document(void **state) {
    (void)state;
    char *html = report_of(
        SGEMM "--method sib,k-area,k-adversary,waves -m ecrts2025-orin --accept ptx-model --deadline 100us",
        0);
    check_structure(html);
    static const char *const parts[] = {
        "<!DOCTYPE html>",
        "<h1>sgemm_tiled</h1>",
        "<section id=\"verdict\"",
        "<div class=\"verdict met\">",
        "<p class=\"word\"><strong>met:</strong> in the PTX model, the kernel takes at most ",
        "<noscript>",
        "The report as text:</p>\n<pre>met: in the PTX model, the kernel takes at most ",
        "{\"format\":{\"name\":\"warpbound-analyze\",\"version\":1}",
        "\"state\":\"met\"",
        "\"line\":\"met: in the PTX model, the kernel takes at most ",
        "\"method\":\"k-adversary\",\"kind\":\"lower\"",
        "\"kind\":\"estimate\"",
        "\"policy\":\"gto\"",
        "\"simulation\":\"k-adversary\"",
        "sum += tile_a[y][i] * tile_b[i][x];",
        "\"text\":\"ld.shared",
        "\"block\":2,\"executions\":2048",
        "\"by\":\"k-adversary\"",
        "\"issues\":[",
        "\"reasons\":[\"barrier\"",
        "\"residents\":{\"count\":8,",
        "\"S1\":\"",
        "issue is work-conserving",
        "cache misses and memory interference",
        "\"sha256\":\"",
        "prefers-color-scheme: dark",
        "@media print",
        "\"command\":\"warpbound analyze kernels/sgemm_tiled.ptx -l kernels/sgemm_tiled.yaml",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_has(html, parts[i]);
    assert_has(html, "SHA-256");
    char *link = strstr(html, "http://");
    assert_non_null(link); /* the name of SVG, in the script */
    assert_memory_equal(link, "http://www.w3.org/2000/svg\"", strlen("http://www.w3.org/2000/svg\""));
    assert_null(strstr(link + 1, "http://"));
    assert_null(strstr(html, "https://"));
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
    assert_has(run.out, "\\u003cscript\\u003ealert(1)\\u003c!--\\u0026\\\"'");
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

/* ---- In a browser ---------------------------------------------------------------------------------------
 */

/* Shows a report as wide as a phone inside a page that is told the width of what is in it, and prints it. The
 * page has to load from a file, and nothing may be written to the console. */
static const char in_browser[] =
    "command -v chromium >/dev/null || { echo none; exit 0; }; D=$(mktemp -d); trap 'rm -rf $D' EXIT; "
    "\"$WB\" analyze %s --report $D/r.html >/dev/null || exit 1; cd $D; "
    "SAY='<script>addEventListener(\"load\",()=>setTimeout(()=>parent.postMessage(document.documentElement."
    "scrollWidth+\" of \"+innerWidth+\", \"+document.querySelectorAll(\"canvas\").length+\" canvas, \"+"
    "document.querySelectorAll(\"section\").length+\" sections\",\"*\"),200))</script></body>'; "
    "sed \"s|</body>|$SAY|\" r.html >told.html; echo "
    "'<title>silent</title><script>onmessage=e=>document.title="
    "e.data</script><iframe src=told.html width=390 height=900></iframe>' >frame.html; "
    "C='chromium --headless --no-sandbox --disable-gpu --user-data-dir='$D/profile; "
    "$C --enable-logging=stderr --virtual-time-budget=3000 --dump-dom file://$D/frame.html 2>log >dom; "
    "grep -o '<title>[^<]*' dom; grep CONSOLE log; "
    "$C --print-to-pdf=$D/r.pdf --no-pdf-header-footer file://$D/r.html >/dev/null 2>&1; head -c 5 r.pdf";

/* What the page inside says: no wider than the phone, so many timelines and sections. */
static void check_in_browser(const char *arguments, unsigned timelines, unsigned sections) {
    char shell[3000];
    unsigned width, window, canvases, found;
    (void)snprintf(shell, sizeof shell, in_browser, arguments);
    struct run run = run_shell(shell);
    if (strcmp(run.out, "none\n") == 0) {
        print_message("Chromium is not installed: the report is not shown in a browser\n");
        run_free(&run);
        skip();
    }
    if (sscanf(run.out, "<title>%u of %u, %u canvas, %u sections", &width, &window, &canvases, &found) != 4)
        fail_msg("%s: %s%s", arguments, run.out, run.err);
    assert_int_equal(window, 390);
    assert_true(width <= window);
    assert_int_equal(canvases, timelines);
    assert_int_equal(found, sections);
    assert_null(strstr(run.out, "CONSOLE"));
    assert_has(run.out, "%PDF-");
    run_free(&run);
}

static void test_in_a_browser(void **state) {
    (void)state;
    check_in_browser(SGEMM QUICK "-m ecrts2025-orin --accept ptx-model --deadline 100us", 1, 9);
}

static void test_a_stream_in_a_browser(void **state) {
    (void)state;
    check_in_browser("kernels/horner.ptx -l kernels/horner_stream.yaml " QUICK, 3, 2 + 3 * 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_kernel),
        cmocka_unit_test(test_states_of_a_deadline),
        cmocka_unit_test(test_other_subjects),
        cmocka_unit_test(test_a_cut_timeline),
        cmocka_unit_test(test_code_without_lines),
        cmocka_unit_test(test_sorted_and_searched),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_what_cannot_be_shown),
        cmocka_unit_test(test_the_same_twice),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_no_half_report),
        cmocka_unit_test(test_the_document),
        cmocka_unit_test(test_a_large_grid_stays_small),
        cmocka_unit_test(test_in_a_browser),
        cmocka_unit_test(test_a_stream_in_a_browser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

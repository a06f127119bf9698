/* warpbound facts and --facts as a user runs them. */
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

#define BFS "kernels/bfs_level.ptx -l kernels/bfs_level.yaml "
#define NESTED "tests/data/facts/nested.ptx "

/* Runs shell text in which $F stands for a file that is gone afterwards. */
static struct run run_with_file(const char *text) {
    char command[2048];
    int length = snprintf(command, sizeof command, "F=$(mktemp); { %s\n}; s=$?; rm -f \"$F\"; exit $s", text);
    assert_true(length > 0 && (size_t)length < sizeof command);
    return run_shell(command);
}

static const struct failure_case failures[] = {
    {"facts", 2, "expected one PTX file"},
    {"facts /nonexistent.ptx", 2, "cannot read"},
    {"facts " BFS "-k nonsense", 2, "nonsense"},
    {"facts " BFS "-a i32:1", 2, "argument 1 of bfs_level is 'i32:1', which does not fit"},
    {"facts " NESTED "-g 1", 2, "the number of threads in a block is missing"},
    {"facts " BFS "--json", 2, "--json: error: not an option of facts"},
    {"facts " BFS "-i 0", 2, "-i: error: not an option of facts"},
    {"facts " BFS "-o /nonexistent/folder/out", 2, "cannot write"},
    {"analyze " BFS "--facts /nonexistent", 2, "/nonexistent: error: cannot read"},
    {"analyze " BFS "--facts kernels/bfs_level.yaml", 2,
     "kernels/bfs_level.yaml: error: expected a file of flow facts, but this is a launch file"},
    {"analyze " BFS "--facts", 2, "--facts: error: expected a value"},
    {"simulate " BFS "--facts x", 2, "--facts: error: not an option of simulate"},
    {"analyze docs/refutations/gub-lrr.yaml --facts x", 2, "a block file takes no kernel"},
    {"analyze " BFS "-m jcse2017 --scheme default --facts x", 2, "x: error: cannot read"},
    {"path " BFS "--format jcse --facts x", 2, "--facts cannot be combined with --format jcse"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

/* What helps to fill a template in: the source of a loop, and what a pass is to it. */
static const struct {
    const char *arguments, *lines;
} hints[] = {
    {"facts kernels/sparse_matvec.ptx",
     "\n// for (int i = starts[row]; i < end; i++) sum += elements[i] * x[columns[i]];\n"
     "// unrolled: a pass does 4 iterations of the source, so n iterations are at most n / 4 passes,\n"
     "// rounded up; another loop does the remainder\nloop $L__BB0_7 <= ?; // src/sparse_matvec.cu:9\n"},
    {"facts kernels/saxpy.ptx", "// unrolled: a pass does 4 iterations of the source,"},
    {"facts kernels/kmeans_distances.ptx",
     "// maybe unrolled: a pass advances a counter by 4 and makes each memory access 4 times; n"},
    {"facts kernels/bfs_level.ptx", "// int target = targets[edge];\n"
                                    "loop $L__BB0_4 <= ?;"},
};

static void test_templates_help(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        struct run run = run_command(hints[i].arguments);
        assert_int_equal(run.status, 0);
        if (strstr(run.out, hints[i].lines) == NULL) fail_msg("%s: not in\n%s", hints[i].lines, run.out);
        run_free(&run);
    }
    struct run run = run_command("analyze kernels/sparse_matvec.yaml --inputs any");
    assert_int_equal(run.status, 3);
    if (strstr(run.err, "note: unrolled: a pass does 4 iterations of the source") == NULL)
        fail_msg("%s", run.err);
    run_free(&run);
}

/* Lines of templates: what is found with the launch, without it, and not. */
static const struct {
    const char *arguments, *line;
} bounds[] = {
    {NESTED, "\nloop outer <= ?; // nested.cu:5, found: at most 2147483647\n"},
    {NESTED "-g 1 -b 32 -a 'buf:u32[32]' -a i32:7",
     "\nloop outer <= 7 found for this launch; // nested.cu:5\n"},
    {NESTED "-g 1 -b 32 -a 'buf:u32[32]' -a 'i32:?'",
     "\nloop outer <= ?; // nested.cu:5, found: at most 2147483647\n"},
    {"kernels/local_counts.ptx", "\nloop $L__BB0_1 <= 8 found; // src/local_counts.cu:12\n"},
    {"kernels/triangle_sum.ptx -l kernels/triangle_sum_128.yaml",
     "\nloop $L__BB0_2 <= 128 found for this launch; // src/triangle_sum.cu:14\n"},
    {BFS, "\nloop $L__BB0_4 <= ?; // src/bfs_level.cu:9, found: at most 4294967295\n"},
    {"kernels/components.ptx", "\nloop $L__BB0_8 <= ?; // src/components.cu:14\n"},
};

static void test_template_states_what_is_found(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        char arguments[256];
        (void)snprintf(arguments, sizeof arguments, "facts %s", bounds[i].arguments);
        struct run run = run_command(arguments);
        assert_int_equal(run.status, 0);
        if (strstr(run.out, bounds[i].line) == NULL) fail_msg("%s: not in\n%s", bounds[i].line, run.out);
        bool open = strstr(run.out, "<= ?") != NULL;
        assert_int_equal(strstr(run.out, "// To be stated by you: replace every ?") != NULL, open);
        assert_int_equal(strstr(run.out, "// There is nothing to be filled in.") == NULL, open);
        run_free(&run);
    }
}

/* The loops of the kernel and of what it calls, in order, with their source lines. */
static void test_template_lists_the_loops(void **state) {
    (void)state;
    struct run run = run_command("facts " NESTED);
    assert_int_equal(run.status, 0);
    static const char *const expected[] = {
        "kernel nested ",  "\nloop outer <= ",
        " // nested.cu:5", "\nloop inner <= ",
        " // nested.cu:6", "\nloop countdown:again <= ",
        " // PTX line 15", "\n// nested.cu:6: a cycle that can be entered at several labels"};
    const char *at = run.out;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        at = strstr(at, expected[i]);
        if (at == NULL) fail_msg("'%s' is missing or out of order in\n%s", expected[i], run.out);
    }
    assert_int_equal(count_of(run.out, "loop "), 3);
    assert_null(strstr(run.out, "unused"));
    run_free(&run);
}

static void test_template_of_a_kernel_without_loops(void **state) {
    (void)state;
    struct run run = run_with_file("\"$WB\" facts kernels/vecadd.ptx -o \"$F\" && "
                                   "\"$WB\" path kernels/vecadd.ptx -l kernels/vecadd.yaml --facts \"$F\"");
    if (run.status != 0) fail_msg("%s", run.err);
    assert_string_equal(run.err, "");
    run_free(&run);
}

static void test_open_facts_are_declined(void **state) {
    (void)state;
    static const char *const commands[] = {"analyze", "path"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "\"$WB\" facts " BFS "> \"$F\" && \"$WB\" %s " BFS "--facts \"$F\"",
                       commands[i]);
        struct run run = run_with_file(text);
        assert_int_equal(run.status, 3);
        assert_string_equal(run.out, "");
        assert_int_equal(count_of(run.err, "error:"), 1);
        assert_non_null(strstr(run.err, "loop $L__BB0_4 (src/bfs_level.cu:9) needs a bound: replace ? by"));
        run_free(&run);
    }
}

static void test_complete_facts_are_taken(void **state) {
    (void)state;
    struct run run = run_with_file("\"$WB\" facts " BFS "| sed 's/?;/16;/' > \"$F\" && "
                                   "\"$WB\" path " BFS "--facts \"$F\"");
    if (run.status != 0) fail_msg("%s", run.err);
    run_free(&run);
}

static void test_facts_of_another_kernel_are_refused(void **state) {
    (void)state;
    struct run run = run_with_file("\"$WB\" facts kernels/fir.ptx > \"$F\" && "
                                   "\"$WB\" analyze " BFS "--facts \"$F\"");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "these are facts about kernel 'fir', not about 'bfs_level'"));
    run_free(&run);
}

static void test_facts_of_another_version_are_refused(void **state) {
    (void)state;
    struct run run = run_with_file("sed 's/sub.s32 %n, %n, 1/sub.s32 %n, %n, 2/' " NESTED "| "
                                   "\"$WB\" facts /dev/stdin > \"$F\" && "
                                   "\"$WB\" path " NESTED "-g 1 -b 32 --facts \"$F\"");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "these are facts about another version of kernel 'nested'"));
    run_free(&run);
}

/* Facts of PTX are none of a cubin, and the other way round; those of the cubin are read back. */
static void test_facts_of_machine_code(void **state) {
    (void)state;
    struct run run =
        run_with_file("\"$WB\" analyze kernels/cubin/bfs_level.sm_86.cubin -l kernels/bfs_level.yaml "
                      "--facts kernels/bfs_level.facts");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err,
                           "kernels/bfs_level.facts:2:18: error: these are facts about other code of kernel "
                           "'bfs_level' (PTX, machine code for another architecture or an older "
                           "version); this machine code has the checksum "));
    run_free(&run);
    run = run_with_file(
        "\"$WB\" facts kernels/cubin/bfs_level.sm_86.cubin -l kernels/bfs_level.yaml > \"$F\" && "
        "\"$WB\" analyze " BFS "--facts \"$F\"");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "these are facts about another version of kernel 'bfs_level'"));
    run_free(&run);
    run = run_with_file(
        "\"$WB\" facts kernels/cubin/bfs_level.sm_86.cubin -l kernels/bfs_level.yaml | sed 's/?;/9;/' > "
        "\"$F\" && \"$WB\" analyze kernels/cubin/bfs_level.sm_86.cubin -l kernels/bfs_level.yaml "
        "--facts \"$F\" -m rtx-a6000 --method code-k-area");
    if (run.status != 0) fail_msg("%s", run.err);
    assert_non_null(strstr(run.out, "bounded: the kernel takes at most"));
    run_free(&run);
}

#define NEEDS "tests/data/facts/needs.ptx -g 2 -b 64 -a 'buf:u32[2]' "

/* What analyze asks for is what the template leaves open, and nothing else is asked for once that is given.
 */
static void test_all_that_is_lacking_is_asked_for_at_once(void **state) {
    (void)state;
    struct run run = run_command("analyze " NEEDS "-a i32:7");
    assert_int_equal(run.status, 3);
    assert_string_equal(run.out, "");
    static const char *const expected[] = {
        "needs.ptx:24:2: error: how often the loops of this line run depends on unknown values; "
        "flow facts must say it: loop first <= ?; loop second <= ?; (needs.cu:5)\n",
        "error: how often this loop runs depends on unknown values; flow facts must say it: "
        "loop wide <= ?;",
        "error: whether a warp waits at the barrier after this label depends on unknown values; "
        "if "
        "all warps of the block always wait there together, flow facts can say so: together meet;",
        "facts: note: to get a template: warpbound facts tests/data/facts/needs.ptx -g 2 -b 64 -a "
        "'buf:u32[2]' -a i32:7 > k.facts; fill it in, then add --facts k.facts\n"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (strstr(run.err, expected[i]) == NULL) fail_msg("'%s' is missing in\n%s", expected[i], run.err);
    assert_int_equal(count_of(run.err, "error: "), 3);
    run_free(&run);
    run = run_command("facts " NEEDS "-a i32:7");
    assert_int_equal(run.status, 0);
    assert_int_equal(count_of(run.out, "?; //"), 4);
    assert_non_null(strstr(run.out, "\nloop wide <= ?; // needs.cu:7, found: at most 1048575\n"));
    assert_non_null(strstr(run.out, "\ntogether meet ?; // needs.cu:10\n"));
    assert_non_null(strstr(run.out, "\nloop rows_loop <= 7 found for this launch; // needs.cu:3\n"));
    run_free(&run);
}

/* The template of NEEDS for 7 rows, filled in, and used with other arguments. */
static struct run run_filled_in(const char *edit, const char *command, const char *arguments) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "\"$WB\" facts " NEEDS "-a i32:7 | sed 's/<= ?;/<= 3;/; s/meet ?/meet/; %s' > \"$F\" && "
                   "\"$WB\" %s tests/data/facts/needs.ptx %s --facts \"$F\"",
                   edit, command, arguments);
    return run_with_file(text);
}

static void test_what_was_found_for_a_launch_is_refused_for_others(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *difference;
    } others[] = {
        {"-g 2 -b 64 -a 'buf:u32[2]' -a i32:8", "argument 2 was 7 and is 8"},
        {"-g 2 -b 64 -a 'buf:u32[2]' -a 'i32:?'", "argument 2 was 7 and is unknown"},
        {"-g 3 -b 64 -a 'buf:u32[2]' -a i32:7", "the grid was 2 1 1 and is 3 1 1"},
        {"-g 2 -b 32,2 -s 16 -a 'buf:u32[2]' -a i32:7",
         "the block was 64 1 1 and is 32 2 1, the dynamic shared memory was 0 and is 16"},
    };
    static const char *const commands[] = {"analyze", "path"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct run run = run_filled_in("", commands[i % 2], others[i].arguments);
        if (run.status != 2 || strstr(run.err, others[i].difference) == NULL ||
            strstr(run.err, "error: limits in this file were found for another launch: ") == NULL)
            fail_msg("%s: status %d, %s", others[i].arguments, run.status, run.err);
        run_free(&run);
    }
    /* Another buffer changes nothing that was found; without the found limits the others hold for any launch.
     */
    struct run run = run_filled_in("", "analyze", "-g 2 -b 64 -a 'buf:f32[9]' -a i32:7");
    if (run.status != 0) fail_msg("%s", run.err);
    run_free(&run);
    run = run_filled_in("/found for this/d", "analyze", "-g 3 -b 64 -a 'buf:u32[2]' -a i32:8");
    if (run.status != 0) fail_msg("%s", run.err);
    run_free(&run);
}

static void test_what_was_not_found_is_refused(void **state) {
    (void)state;
    struct run run =
        run_filled_in("s/<= 7 found/<= 6 found/", "analyze", "-g 2 -b 64 -a 'buf:u32[2]' -a i32:7");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "error: the analysis finds 7 here, not 6: write your own limits"));
    run_free(&run);
    run = run_filled_in("s/first <= 3/first <= 3 found/", "analyze", "-g 2 -b 64 -a 'buf:u32[2]' -a i32:7");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "error: the analysis finds no limit here: write your own limits"));
    run_free(&run);
}

static void test_reports_name_the_facts(void **state) {
    (void)state;
    struct run run = run_filled_in("", "analyze", "-g 2 -b 64 -a 'buf:u32[2]' -a i32:7 --explain");
    if (run.status != 0) fail_msg("%s", run.err);
    assert_true(says(run.out, "whatever the unknown values are, if the flow facts are true facts /"));
    assert_true(says(run.out, "): 4 stated by the user, 1 found by analysis"));
    run_free(&run);
    run = run_filled_in("", "analyze --json", "-g 2 -b 64 -a 'buf:u32[2]' -a i32:7");
    json_t *root = json_loads(run.out, 0, NULL);
    json_t *facts = json_object_get(root, "facts");
    assert_int_equal(strlen(json_string_value(json_object_get(facts, "checksum"))), 16);
    assert_int_equal(json_integer_value(json_object_get(facts, "stated")), 4);
    assert_int_equal(json_integer_value(json_object_get(facts, "found")), 1);
    json_decref(root);
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_say_what_is_wrong),
        cmocka_unit_test(test_templates_help),
        cmocka_unit_test(test_template_states_what_is_found),
        cmocka_unit_test(test_template_lists_the_loops),
        cmocka_unit_test(test_template_of_a_kernel_without_loops),
        cmocka_unit_test(test_open_facts_are_declined),
        cmocka_unit_test(test_complete_facts_are_taken),
        cmocka_unit_test(test_facts_of_another_kernel_are_refused),
        cmocka_unit_test(test_facts_of_another_version_are_refused),
        cmocka_unit_test(test_facts_of_machine_code),
        cmocka_unit_test(test_all_that_is_lacking_is_asked_for_at_once),
        cmocka_unit_test(test_what_was_found_for_a_launch_is_refused_for_others),
        cmocka_unit_test(test_what_was_not_found_is_refused),
        cmocka_unit_test(test_reports_name_the_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

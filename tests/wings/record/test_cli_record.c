/* `warpbound record` as a user runs it, of a client on the stand-in for the GPU's driver; and what analyses
 * make of what it leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define RECORD "\"$WB\" record --driver " WB_STAND_IN " -o $D/run -- "

/* Runs it, and then `after` in the same shell; $D/run is the folder. */
static struct run record(const char *program, const char *after) {
    char text[900];
    const int length = snprintf(text, sizeof text, RECORD "%s %s", program, after);
    assert_in_range(length, 1, sizeof text - 1);
    return run_beside_folder(text);
}

/* What the shell prints contains `out`, and its one error is `err`, if any. */
static void check(const char *program, const char *after, int status, const char *out, const char *err) {
    struct run run = record(program, after);
    const bool right = strstr(run.out, out) != NULL &&
                       (err[0] != '\0' ? says(run.err, err) && count_of(run.err, "error: ") == 1
                                       : strstr(run.err, "error: ") == NULL);
    if (run.status != status || !right) print_error("%s: %d\n%s%s", program, run.status, run.out, run.err);
    assert_int_equal(run.status, status);
    assert_true(right);
    run_free(&run);
}

/* ---- What is recorded ---------------------------------------------------------------------------------- */

static void test_launches_become_files(void **state) {
    (void)state;
    check(WB_CLIENT " named work", "", 0,
          "recorded: 4 different launches of 6, streams: 2\n"
          "launch-1.yaml    2 x saxpy, grid 2,1,1, block 256,1,1\n"
          "launch-2.yaml    1 x saxpy, grid 2,1,1, block 256,1,1\n"
          "launch-3.yaml    1 x saxpy, grid 2,1,1, block 256,1,1\n"
          "launch-4.yaml    2 x parts, grid 1,1,1, block 64,1,1\n"
          "stream-1-code-1.yaml: 4 launches in their order\n"
          "stream-2-code-2.yaml: 2 launches in their order\n"
          "next: warpbound analyze ",
          "");
}

/* Whichever way a program comes to the driver's functions, and only the front is gone afterwards. */
static void test_every_way_to_the_driver_is_seen(void **state) {
    (void)state;
    static const char *const ways[] = {WB_CLIENT " named work", WB_CLIENT " looked-up work",
                                       WB_CLIENT_LINKED " linked work"};
    char *first = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct run run = record(ways[i], ">/dev/null && cd $D/run && ls && rm record.log && cat *");
        assert_int_equal(run.status, 0);
        assert_string_equal(run.err, "");
        if (first == NULL) first = strdup(run.out);
        assert_string_equal(run.out, first);
        run_free(&run);
    }
    assert_non_null(strstr(first, "code-2.ptx\nlaunch-1.yaml\n"));
    free(first);
}

/* Work in place, a buffer that another one follows at the same place, a struct with a pointer inside. */
static void test_pointers_are_resolved(void **state) {
    (void)state;
    check(WB_CLIENT " named work", ">/dev/null && cat $D/run/launch-[234].yaml", 0,
          "code: code-1.ptx\nkernel: \"saxpy\"\ngrid: [2, 1, 1]\nblock: [256, 1, 1]\nregisters: 24 "
          "# as the driver compiled it for that GPU\n"
          "arguments:\n  - p1: \"u32:5000\"\n  - p2: \"f32:0f40200000\"\n  - p3: \"buf:b8[40000]\"\n"
          "  - p4: \"buf:p3+20000\"\n"
          "# Recorded: launched 1 times.\n"
          "code: code-1.ptx\nkernel: \"saxpy\"\ngrid: [2, 1, 1]\nblock: [256, 1, 1]\nregisters: 24 "
          "# as the driver compiled it for that GPU\n"
          "arguments:\n  - p1: \"u32:5000\"\n  - p2: \"f32:0f40200000\"\n  - p3: \"buf:b8[40000]\"\n"
          "  - p4: \"buf:b8[20000]\"\n"
          "# Recorded: launched 2 times.\n"
          "code: code-2.ptx\nkernel: \"parts\"\ngrid: [1, 1, 1]\nblock: [64, 1, 1]\nshared: 256\n"
          "registers: 24 # as the driver compiled it for that GPU\narguments:\n"
          "  - p1: \"packed struct {at0: buf:b8[1024]+256, b8: bytes:0700000000000000}\"\n"
          "variables: # the program may have written to them\n  \"scale\": b8[4]\n  \"count\": b8[4]\n",
          "");
}

/* As newer runtimes launch: the kernel's handle is a library's; one launch is in clusters. */
static void test_libraries_and_clusters(void **state) {
    (void)state;
    check(WB_CLIENT " looked-up library", "; code=$?; cat $D/run/launch-1.yaml; ls $D/run; exit $code", 3,
          "# Recorded: launched 1 times.\n"
          "code: code-1.ptx\nkernel: \"saxpy\"\ngrid: [2, 1, 1]\nblock: [256, 1, 1]\narguments:\n"
          "  - p1: \"u32:10000\"\n  - p2: \"f32:0f40200000\"\n  - p3: \"buf:b8[40000]\"\n"
          "  - p4: \"buf:b8[40000]\"\ncode-1.ptx\nlaunch-1.yaml\nrecord.log\nsweep.yaml\n",
          "1 of 2 launches have no file: their blocks are in clusters");
}

/* Kernels of graphs are launches of the stream, as often as the graphs are launched, and in their order where
 * they have one. */
static void test_graphs(void **state) {
    (void)state;
    static const char *const ways[] = {WB_CLIENT " named graphs", WB_CLIENT " looked-up graphs"};
    for (size_t i = 0; i < 2; i++)
        check(ways[i], "", 0,
              "recorded: 6 different launches of 11, streams: 3\n"
              "launch-1.yaml    3 x saxpy, grid 1,1,1, block 64,1,1\n"
              "launch-2.yaml    2 x saxpy, grid 1,1,1, block 128,1,1\n"
              "launch-3.yaml    2 x saxpy, grid 1,1,1, block 32,1,1\n"
              "launch-4.yaml    1 x saxpy, grid 2,1,1, block 256,1,1\n"
              "launch-5.yaml    2 x saxpy, grid 2,1,1, block 256,1,1\n"
              "launch-6.yaml    1 x saxpy, grid 1,1,1, block 64,1,1\n"
              "stream-1-code-1.yaml: 7 launches in their order\n"
              "stream-2-code-1.yaml: 2 launches in their order\n",
              "");
    check(ways[0], ">/dev/null && grep -o 'block: .[0-9]*' $D/run/stream-1-code-1.yaml | tr -cd '0-9 '", 0,
          " 64 128 32 256 64 128 32", "");
}

/* Handles and streams are those of each process, whose records stand in one log. */
static void test_processes_are_told_apart(void **state) {
    (void)state;
    check("sh -c '" WB_CLIENT " named work & " WB_CLIENT " looked-up work; wait'", "", 0,
          "recorded: 4 different launches of 12, streams: 4\n", "");
}

/* ---- What analyses make of it -------------------------------------------------------------------------- */

/* The same bounds and executions as of launch files by hand. */
static void test_analyses_are_those_of_launch_files(void **state) {
    (void)state;
    check(WB_CLIENT " named work",
          ">/dev/null && for pair in 1:saxpy 4:parts; do"
          " \"$WB\" analyze $D/run/launch-${pair%:*}.yaml -q >$D/a &&"
          " \"$WB\" analyze tests/wings/record/data/${pair#*:}.yaml -q >$D/b && cmp $D/a $D/b && cat $D/a ||"
          " exit 9; done",
          0, "bounded: in the PTX model, the kernel takes at most", "");
}

static void test_streams_are_lists(void **state) {
    (void)state;
    check(WB_CLIENT " named work",
          ">/dev/null && \"$WB\" analyze $D/run/stream-2-code-2.yaml -q && wc -l <$D/run/launch-4.yaml", 0,
          "bounded: in the PTX model, the stream takes at most", "");
}

static void test_a_sweep_takes_all(void **state) {
    (void)state;
    check(WB_CLIENT " named work",
          ">/dev/null && \"$WB\" sweep $D/run/sweep.yaml -o $D/run.db >/dev/null 2>&1 &&"
          " \"$WB\" sweep show $D/run.db",
          0, "| launch-4.yaml | done | bounded |", "");
}

static void test_machine_code_is_analysed(void **state) {
    (void)state;
    check(WB_CLIENT " named cubin",
          ">/dev/null && \"$WB\" analyze $D/run/launch-1.yaml -m jetson-agx-orin -q", 0,
          "bounded: the kernel takes at most", "");
}

/* ---- What goes wrong ----------------------------------------------------------------------------------- */

static void test_each_failure_has_one_message(void **state) {
    (void)state;
    check(WB_CLIENT " named nothing", "", 3, "", "called no function of the GPU's driver that is recorded");
    check(WB_CLIENT " named memory", "", 3, "", "launched no kernel in a way that is recorded");
    check(WB_CLIENT " named hidden", "", 3, "recorded: 0 different launches of 1",
          "1 of 1 launches have no file: the program has their kernels in a way that is not recorded");
    check(WB_CLIENT " named crash", "", 3, "recorded: 4 different launches of 6",
          "ended by signal 6: only what it launched before is recorded");
    check(WB_CLIENT " named fail", "", 3, "recorded: 4 different launches of 6",
          "failed with exit status 5: only what it launched before is recorded");
    check("$D/none", "", 2, "", "none: error: No such file or directory");
    check(WB_CLIENT " named work", ">/dev/null; \"$WB\" record --driver " WB_STAND_IN " -o $D/run -- true", 2,
          "", "this folder is not empty: name another one with -o");
}

/* A program that goes on and on is ended, and leaves what it launched. */
static void test_a_time_limit_ends_the_program(void **state) {
    (void)state;
    struct run run = run_beside_folder("\"$WB\" record --time-limit 2 --driver " WB_STAND_IN
                                       " -o $D/run -- sh -c '" WB_CLIENT
                                       " named work; exec sleep 600'; code=$?; ls $D/run; exit $code");
    assert_int_equal(run.status, 4);
    assert_contains(run.out, "recorded: 4 different launches of 6");
    assert_contains(run.out, "sweep.yaml\n");
    assert_null(strstr(run.out, "driver"));
    assert_true(says(run.err, "the time limit is reached"));
    assert_true(says(run.err, "the program was stopped: only what it launched before is recorded"));
    run_free(&run);
}

/* A driver that does not tell where parameters stand: values are left to be filled in. */
static void test_unknown_parameters_are_blanks(void **state) {
    (void)state;
    struct run run = run_beside_folder("export STAND_IN=error=cuFuncGetParamInfo:801; " RECORD WB_CLIENT
                                       " named work >/dev/null; cat $D/run/launch-1.yaml");
    assert_contains(run.out, "  - p1: \"u32:___\"\n  - p2: \"u32:___\"\n  - p3: \"u64:___\"\n");
    assert_true(says(run.err, "4 of 6 launches have ___ for their arguments"));
    run_free(&run);
}

static void test_without_a_driver_or_program(void **state) {
    (void)state;
    static const struct failure_case cases[] = {
        {"record --driver /nonexistent.so -- true", 3,
         "/nonexistent.so: error: the GPU's driver cannot be opened"},
        {"record", 2, "expected a program: record -o FOLDER -- PROGRAM ARGUMENTS"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_failure(&cases[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches_become_files),
        cmocka_unit_test(test_every_way_to_the_driver_is_seen),
        cmocka_unit_test(test_pointers_are_resolved),
        cmocka_unit_test(test_libraries_and_clusters),
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_processes_are_told_apart),
        cmocka_unit_test(test_analyses_are_those_of_launch_files),
        cmocka_unit_test(test_streams_are_lists),
        cmocka_unit_test(test_a_sweep_takes_all),
        cmocka_unit_test(test_machine_code_is_analysed),
        cmocka_unit_test(test_each_failure_has_one_message),
        cmocka_unit_test(test_a_time_limit_ends_the_program),
        cmocka_unit_test(test_unknown_parameters_are_blanks),
        cmocka_unit_test(test_without_a_driver_or_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

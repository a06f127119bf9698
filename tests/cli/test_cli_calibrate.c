/* warpbound machine calibrate: with ptxas where there is one, with programs that only say that they are it,
 * and of machine code that is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define CODE "--cubin tests/data/calibration/sm_86.cubin "

static const struct failure_case failures[] = {
    {"machine calibrate", 2, "expected: machine list"},
    {"machine calibrate sm_8x", 2, "expected an architecture from sm_75 on, such as sm_86"},
    {"machine calibrate sm_60", 2, "expected an architecture from sm_75 on, such as sm_86"},
    {"machine calibrate sm_999", 2, "no preset of `code: sass` is for sm_999"},
    {"machine calibrate sm_86 --ptxas /nonexistent/ptxas", 2,
     "/nonexistent/ptxas: error: is not an executable program"},
    {"machine calibrate sm_86 --ptxas tests", 2, "tests: error: is not an executable program"},
    {"machine calibrate sm_86 --cubin tests/data/calibration/sm_80.cubin", 2,
     "is a machine for sm_86, but the machine code is for sm_80"},
    {"machine calibrate sm_86 --cubin kernels/vecadd.ptx", 2, "is not machine code"},
    {"machine calibrate sm_86 --cubin kernels/cubin/none.cubin", 2, "kernels/cubin/none.cubin"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

static void test_machine_code_that_is_there(void **state) {
    (void)state;
    struct run run = run_command("machine calibrate sm_86 " CODE);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    assert_non_null(strstr(run.out, "base: rtx-a6000\n"));
    assert_non_null(strstr(run.out, "mark: measured"));
    assert_true(says(run.out, "register read by alu 4, fma 5"));
    run_free(&run);
}

/* ---- Programs -------------------------------------------------------------------------------------------
 */

/* A shell's text: writes the body of a program that is called as ptxas is, runs it, and says whether
 * something is left in the folder of temporary files. */
#define WITH_PROGRAM(body)                                                                                   \
    "d=$(mktemp -d) && mkdir $d/tmp && printf '#!/bin/sh\\n" body                                            \
    "\\n' > $d/program && chmod +x $d/program && "                                                           \
    "TMPDIR=$d/tmp \"$WB\" machine calibrate sm_86 --ptxas $d/program 2>&1; echo \"status $?\"; "            \
    "echo \"left: $(ls $d/tmp)\"; rm -r $d"

static void check_program(const char *text, const char *message) {
    struct run run = run_shell(text);
    if (strstr(run.out, message) == NULL) fail_msg("%s, expected: %s", run.out, message);
    assert_non_null(strstr(run.out, "status 2\nleft: \n"));
    run_free(&run);
}

static void test_programs_that_are_no_ptxas(void **state) {
    (void)state;
    check_program(WITH_PROGRAM("exit 3"), "fails to assemble the kernels without a message");
    check_program(WITH_PROGRAM("echo what is this; exit 1"), "what is this");
    check_program(WITH_PROGRAM("kill -9 $$"), "fails to assemble the kernels without a message");
    check_program(WITH_PROGRAM("exit 0"), "writes no machine code");
    check_program(WITH_PROGRAM("mkfifo \"$4\"; exit 0"), "writes no machine code");
    check_program(WITH_PROGRAM("ln -s /dev/zero \"$3\"; exit 0"), "writes no machine code");
    check_program(WITH_PROGRAM("[ $1 = --version ] || echo no code > \"$3\""), "machine code of ptxas");
    check_program(WITH_PROGRAM("[ $1 = --version ] || cp tests/data/calibration/sm_80.cubin \"$3\""),
                  "the machine code is for sm_80");
}

/* A run that is killed leaves its folder; the next one takes it away, but none of a run that lives. */
static void test_folders_of_killed_runs(void **state) {
    (void)state;
    struct run run = run_shell("d=$(mktemp -d) && mkdir $d/tmp && export TMPDIR=$d/tmp && printf "
                               "'#!/bin/sh\\nkill -9 $PPID\\n' > $d/kill && "
                               "printf '#!/bin/sh\\nls $TMPDIR | wc -l >> $TMPDIR/../seen; sleep 1; exit "
                               "3\\n' > $d/wait && chmod +x $d/kill "
                               "$d/wait; \"$WB\" machine calibrate sm_86 --ptxas $d/kill; ls $d/tmp | wc -l; "
                               "\"$WB\" machine calibrate sm_86 --ptxas $d/wait & sleep 0.5; \"$WB\" machine "
                               "calibrate sm_86 --ptxas "
                               "$d/wait; wait; cat $d/seen; ls $d/tmp | wc -l; rm -r $d");
    assert_string_equal(run.out, "1\n1\n2\n0\n");
    run_free(&run);
}

static void test_a_program_that_makes_code(void **state) {
    (void)state;
    struct run run = run_shell(WITH_PROGRAM("if [ $1 = --version ]; then echo tools, release 1.2, V1.2.3; "
                                            "else cp tests/data/calibration/sm_86.cubin \"$3\"; fi"));
    assert_non_null(strstr(run.out, "dependence counters of ptxas 1.2, V1.2.3\""));
    assert_non_null(strstr(run.out, "status 0\nleft: \n"));
    run_free(&run);
}

static void test_the_ptxas_of_this_machine(void **state) {
    (void)state;
    struct run run = run_command("machine calibrate sm_86");
    if (run.status == 3) {
        assert_non_null(strstr(run.err, "ptxas: error: is not found in PATH"));
        print_message("there is no ptxas: what it makes is not looked at\n");
        run_free(&run);
        skip();
    }
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "base: rtx-a6000\n"));
    assert_true(says(run.out, "register read by alu 4"));
    struct run again = run_command("machine calibrate sm_86");
    assert_string_equal(run.out, again.out);
    run_free(&again);
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_say_what_is_wrong), cmocka_unit_test(test_machine_code_that_is_there),
        cmocka_unit_test(test_programs_that_are_no_ptxas), cmocka_unit_test(test_folders_of_killed_runs),
        cmocka_unit_test(test_a_program_that_makes_code),  cmocka_unit_test(test_the_ptxas_of_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

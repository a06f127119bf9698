/* --compile: machine code that ptxas makes of PTX, with ptxas where there is one, and with a program that is
 * called as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "run_cli.h"

static const struct failure_case failures[] = {
    {"analyze kernels/vecadd.yaml --compile", 2,
     "--compile: error: needs a machine that times machine code, such as -m jetson-agx-orin (warpbound "
     "machine "
     "list)"},
    {"analyze kernels/vecadd.yaml --compile -m jetson-agx-orin --ptxas /nonexistent/ptxas", 2,
     "/nonexistent/ptxas: error: is not an executable program"},
    {"analyze kernels/cubin/vecadd.sm_80.cubin -l kernels/vecadd.yaml --compile -m jetson-agx-orin", 2,
     "there is no PTX in this file to compile"},
    {"machine calibrate sm_86 --compile", 2, "--compile: error: not an option of machine"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

/* A shell's text: with a program in $d/ptxas that is called as ptxas is, and a folder of temporary files. */
#define WITH_PROGRAM(body, command)                                                                          \
    "d=$(mktemp -d) && mkdir $d/tmp && export TMPDIR=$d/tmp && printf '#!/bin/sh\\n[ $1 = --version ] && "   \
    "echo tools, release 1.2, V1.2.3 && exit\\n" body "\\n' > $d/ptxas && chmod +x $d/ptxas && " command     \
    "; echo \"status $?\"; echo \"left: $(ls $d/tmp)\"; rm -r $d"

#define ANALYZE "\"$WB\" analyze kernels/vecadd.yaml -m rtx-a6000 --compile --ptxas $d/ptxas 2>&1"

static void check(const char *text, const char *first, const char *second) {
    struct run run = run_shell(text);
    if (strstr(run.out, first) == NULL || strstr(run.out, second) == NULL)
        fail_msg("%s\nexpected: %s\nand: %s", run.out, first, second);
    run_free(&run);
}

static void test_what_it_makes_is_bounded(void **state) {
    (void)state;
    check(WITH_PROGRAM("[ $1 = -arch=sm_86 ] && grep -q vecadd \"$4\" && cp kernels/cubin/vecadd.sm_86.cubin "
                       "\"$3\"",
                       ANALYZE),
          "kernel   vecadd (ptxas -arch=sm_86 -lineinfo kernels/vecadd.ptx)", "status 0\nleft: \n");
    check(WITH_PROGRAM("cp kernels/cubin/vecadd.sm_86.cubin \"$3\"", ANALYZE),
          "kernels/vecadd.ptx: note: compiled with ptxas 1.2, V1.2.3: its machine code is what is looked at",
          "status 0\nleft: \n");
}

/* What it says is passed on, without the folder that is gone. */
static void test_its_errors_are_passed_on(void **state) {
    (void)state;
    check(WITH_PROGRAM("echo \"$4, line 3; error: odd\"; echo aborted; exit 1", ANALYZE),
          "ptxas: error: fails to assemble kernels/vecadd.ptx: kernels.ptx, line 3; error: odd\n",
          "ptxas: note: aborted\nstatus 2\nleft: \n");
}

/* Nothing is compiled unasked, nor where there is machine code; and a launch file asks for machine code only.
 */
static void test_who_asks(void **state) {
    (void)state;
    check(WITH_PROGRAM("exit 1", "\"$WB\" analyze kernels/vecadd.yaml --ptxas $d/ptxas 2>&1 | tail -1"), "",
          "status 0\nleft: \n");
    check(WITH_PROGRAM("exit 1", "\"$WB\" analyze kernels/cubin/vecadd.sm_86.cubin -l kernels/vecadd.yaml -m "
                                 "rtx-a6000 --compile --ptxas $d/ptxas 2>&1"),
          "kernel   vecadd (kernels/cubin/vecadd.sm_86.cubin)", "status 0\n");
    check(WITH_PROGRAM("cp kernels/cubin/vecadd.sm_86.cubin \"$3\"",
                       "cp kernels/vecadd.ptx $d && sed 's/^code.*/code: vecadd.ptx\\ncompile: ptxas/' "
                       "kernels/vecadd.yaml > $d/v.yaml && \"$WB\" analyze $d/v.yaml --ptxas $d/ptxas -m "
                       "ecrts2025-orin 2>&1 && \"$WB\" facts $d/v.yaml 2>&1 && \"$WB\" analyze $d/v.yaml "
                       "--ptxas $d/ptxas -m rtx-a6000 2>&1"),
          "/vecadd.ptx)\n", "kernel   vecadd (ptxas -arch=sm_86 -lineinfo ");
}

static void test_the_ptxas_of_this_machine(void **state) {
    (void)state;
    struct run run = run_command("analyze kernels/vecadd.yaml -m jetson-agx-orin --compile");
    if (run.status == 3) {
        assert_non_null(strstr(run.err, "ptxas: error: is not found in PATH, CUDA_HOME, CUDA_PATH or "
                                        "/usr/local/cuda: name it with --ptxas, or give machine code in "
                                        "place of PTX"));
        print_message("there is no ptxas: what it makes is not looked at\n");
    } else {
        assert_int_equal(run.status, 0);
        assert_non_null(strstr(run.out, "(ptxas -arch=sm_87 -lineinfo kernels/vecadd.ptx)"));
    }
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_say_what_is_wrong), cmocka_unit_test(test_what_it_makes_is_bounded),
        cmocka_unit_test(test_its_errors_are_passed_on),   cmocka_unit_test(test_who_asks),
        cmocka_unit_test(test_the_ptxas_of_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

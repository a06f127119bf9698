/* `warpbound cfg --ssa` as a user runs it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

static const struct failure_case failures[] = {
    {"cfg kernels/reduce.ptx --ssa --why L", 2, "--ssa: error: cannot be combined with --why"},
    {"cfg kernels/reduce.ptx --abstract-warp --ssa", 2, "cannot be combined with --abstract-warp"},
    {"cfg kernels/reduce.ptx --ssa --format dot", 2, "this command cannot write"},
    {"cfg kernels/reduce.ptx --ssa -m jcse2017", 2, "need --format dot and a launch"},
    {"path kernels/reduce.ptx --ssa", 2, "not an option of path"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

static void test_what_is_printed(void **state) {
    (void)state;
    struct run run =
        run_shell("for name in gates shapes; do \"$WB\" cfg tests/data/flow/$name.ptx --ssa | diff - "
                  "tests/wings/gated_ssa/data/$name-ssa.txt; done");
    assert_string_equal(run.out, "");
    assert_string_equal(run.err, "");
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_say_what_is_wrong),
        cmocka_unit_test(test_what_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* `warpbound makespan` with what all commands share: standard streams, launch files, limits, sweeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

/* A text of the shell, run in a folder of its own with the project's folder as $OLDPWD, and what it prints.
 */
static const struct session {
    const char *text;
    int status;
    const char *out, *err; /* or NULL */
} sessions[] = {
    {"cd \"$OLDPWD\"; \"$WB\" makespan kernels/stencil5.yaml --mapping", 0, "ld.param", NULL},
    {"cd \"$OLDPWD\"; \"$WB\" makespan kernels/cubin/vecadd.sm_86.cubin -l kernels/vecadd.yaml --mapping", 0,
     "LDG.E", NULL},
    {"\"$WB\" makespan LLC -w 2 -u L=1,C=1 --method exact --witness - -o /dev/null | \"$WB\" makespan "
     "--check -",
     0, "cycles", NULL},
    {"\"$WB\" makespan LLC -w 2 -u L=1,C=1 --method exact --certificate - -o /dev/null | \"$WB\" makespan "
     "--check -",
     0, "exactly", NULL},
    {"\"$WB\" makespan - --method closed < \"$OLDPWD\"/docs/examples/ecrts2012-fig4.conf", 0, "closed", NULL},
    {"\"$WB\" makespan LC -w 2 -u L=1,C=1 --method closed -o - >/dev/null; test -z \"$(ls)\"", 0, NULL, NULL},
    {"\"$WB\" makespan LLC -w 2 -u L=1,C=1 --method exakt", 2, NULL,
     "unknown name 'exakt'; did you mean 'exact'?"},
    {"\"$WB\" makespan --check - --read-solution -", 2, NULL, "standard input can be read only once"},
    {"\"$WB\" init \"$OLDPWD\"/kernels/stencil5.ptx -o x.yaml >&2; \"$WB\" makespan x.yaml", 2, NULL,
     "x.yaml:14:5: error: argument 6 of stencil5 is"},
    {"\"$WB\" makespan L5C9L2C9 -w 48 -u L=1,C=4 --method anneal --time-limit 0.1 --iterations 100000000", 4,
     NULL, "stopped at a limit of time"},
};

static struct run run_in_folder(const char *text) {
    char command[2048];
    (void)snprintf(command, sizeof command,
                   "D=$(mktemp -d); cd \"$D\" || exit 9; { %s\n}; s=$?; rm -rf \"$D\"; exit $s", text);
    return run_shell(command);
}

static void test_sessions(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sessions / sizeof *sessions; i++) {
        const struct session *session = &sessions[i];
        struct run run = run_in_folder(session->text);
        if (run.status != session->status ||
            (session->out != NULL && strstr(run.out, session->out) == NULL) ||
            (session->err != NULL && strstr(run.err, session->err) == NULL))
            fail_msg("%s: status %d\n%s%s", session->text, run.status, run.out, run.err);
        assert_null(strstr(run.err, "out of memory"));
        run_free(&run);
    }
}

#ifdef WB_WING_SWEEP
/* Makespans of strings in a sweep, as `makespan` has them: the least upper bound, the longest schedule. */
static void test_sweep(void **state) {
    (void)state;
    struct run run = run_in_folder(
        "printf '%s\\n' 'string: [LCLC, LLLL]' 'string_warps: 2..4 step 1' 'string_units: \"L=1,C=1\"' "
        "'string_methods: [closed, exact, extrapolate]' 'time_limit: 30' > s.yaml; \"$WB\" sweep s.yaml -o "
        "s.db; "
        "\"$WB\" sweep show s.db; \"$WB\" makespan LCLC -w 3 -u L=1,C=1 --method closed,exact --json | jq -r "
        "'\"bounds \\(.bounds[0].cycles) \\(.bounds[1].cycles)\"'; \"$WB\" sweep show s.db --csv | grep "
        "'^LCLC,3,.*bound'; \"$WB\" sweep plot s.db --x string_warps | grep -c polyline");
    if (run.status != 0) fail_msg("status %d, %s", run.status, run.err);
    assert_non_null(strstr(run.out, "6 units: 6 done, 0 failed; slowest "));
    assert_non_null(strstr(
        run.out, "| LCLC | 3 | L=1,C=1 | closed,exact,extrapolate | done | bounded | 8 | exact | 8 |"));
    assert_non_null(strstr(run.out, "bounds 12 8\n"));
    assert_non_null(strstr(run.out, "done,strings,given,bound,closed,upper,12,0,\n"));
    assert_non_null(strstr(run.out, "done,strings,given,bound,exact,exact,8,8,\n"));
    assert_non_null(strstr(run.out, ",estimate,"));
    assert_non_null(strstr(run.out, "\n4\n"));
    run_free(&run);
}
#endif

/* The schema lists the methods that there are. */
static void test_schema(void **state) {
    (void)state;
    struct run run = run_in_folder("\"$WB\" help makespan | sed -n '/^methods:/,/^$/s/^  \\([a-z0-9-]\\+\\) "
                                   ".*/\\1/p' > a; echo solution "
                                   ">> a; jq -r '.\"$defs\".makespan_method.enum[]' "
                                   "\"$OLDPWD\"/docs/schema/common.schema.json > b; diff "
                                   "a b");
    if (run.status != 0) fail_msg("%s%s", run.out, run.err);
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sessions),
#ifdef WB_WING_SWEEP
        cmocka_unit_test(test_sweep),
#endif
        cmocka_unit_test(test_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* `warpbound makespan` as a user runs it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "run_cli.h"

#define VORONOI "makespan L5C9L2C9 -u L=1,C=4 "

static const struct failure_case failures[] = {
    {"makespan", 2, "no kernel instruction string is given"},
    {"makespan '' -w 4", 2, "expected at least one instruction"},
    {"makespan LXL -w 4", 2, "column 2: expected L, C, S, D or '('"},
    {"makespan '(LC' -w 4", 2, "expected ')'"},
    {"makespan LCL -u L=1,C=1", 2, "the number of warps is not given"},
    {"makespan LCL -w 0 -u L=1,C=1", 2, "expected a whole number from 1 to 1000000, got '0'"},
    {"makespan LCL -w 1000000000 -u L=1,C=1", 2, "got '1000000000'"},
    {"makespan LCL -w 4 -u L=0,C=1", 2, "got 'L=0,C=1'"},
    {"makespan LCL -w 4 -u L=1/2", 2, "the units of C are not given; for example: -u L=1/2,C=1"},
    {"makespan LCL -w 4 -u L=3,C=32 --warp-size 32", 2, "do not divide a warp of 32 lanes"},
    {"makespan LCL -w 4 -u L=2/3,C=1", 2, "2/3 is below 1"},
    {"makespan LCL -w 4 -u L=1/2,C=32 --warp-size 32", 2,
     "with a warp size, expected a whole number of units"},
    {"makespan -w 4:LCL -w 3 -u L=1,C=1", 2, "every string has its own"},
    {"makespan LCL -w 4 -u L=1,C=1 --issue 0", 2, "issue: expected"},
    {"makespan LCL -w 4 -u L=1,C=1 --memory 0", 2, "memory: expected"},
    {"makespan LCL -w 4 -u L=1,C=1 --memory-limit 0", 2, "--memory-limit 0: error: expected a number of"},
    {"makespan LCL -w 4 -u L=1,C=1 --method nonsense", 2, "unknown name 'nonsense'"},
    {"makespan LCL -w 4 -u L=1,C=1 --format svg", 2, "this command cannot write"},
    {"makespan LCL -w 4 -u L=1,C=1 --mapping", 2, "expected a PTX file"},
    {"makespan L999999999999 -w 4 -u L=1", 2, "expected a number from 1 to 1000000"},
    {"makespan L1000000 -w 1000000 -u L=1", 2, "too large"},
    {"makespan LC LC -w 4", 2, "expected one kernel instruction string or one file"},
    {"makespan /nonexistent.conf", 2, "cannot read"},
    {"makespan kernels/index.txt", 2, "kernels/index.txt:1:1: error"},
    {"makespan --check README.md", 2, "README.md:"},
    {"makespan LC --check x", 2, "--check takes no problem"},
    {"makespan --refute nonsense", 2, "expected pessimistic or extrapolate"},
};

#define MANY "makespan -w 300:LLCLLCLLC -u L=1,C=4 --method "

/* A method that says nothing is a row with its reason; by itself it is an error. */
/* What another solver has found is a lower bound; the closed form beside it shows that there is no more. */
static void test_solution_of_another_solver_is_checked(void **state) {
    (void)state;
    static const char problem[] = "makespan LC -w 2 -u L=1,C=1 --read-solution ";
    static const char *const files[] = {"cbc", "glpk", "gurobi", "scip"};
    char arguments[256];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)snprintf(arguments, sizeof arguments,
                       "%sfuzz/seeds/fuzz_makespan_solution/%s.txt --method exact --json", problem, files[i]);
        json_t *root = run_json(arguments, 0);
        json_t *solution = entry(root, "bounds", "method", "solution");
        assert_string_is(solution, "kind", "lower");
        assert_int_equal(number(solution, "cycles"), 3);
        json_decref(root);
    }
    struct run run = run_shell("echo LS_1_1_1 0.5 | \"$WB\" makespan LC -w 2 -u L=1,C=1 --read-solution -");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_non_null(strstr(run.err, "-:1:10: error: the value 0.5 is not a whole number"));
    run_free(&run);
    check_failure(&(struct failure_case){"makespan LC -w 2 -u L=1,C=1 --read-solution x --write-lp -", 2,
                                         "--read-solution cannot be combined with"});
    run = run_shell("\"$WB\" makespan LC -w 2 -u L=1,C=1 --read-solution "
                    "fuzz/seeds/fuzz_makespan_solution/cbc.txt --witness - -o /dev/null | "
                    "\"$WB\" makespan --check -");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "-: a schedule of 2 warps that takes 3 cycles\n");
    run_free(&run);
}

static void test_declined_method_costs_the_others_nothing(void **state) {
    (void)state;
    json_t *root = run_json(MANY "brute,closed --json", 0);
    assert_true(number(entry(root, "bounds", "method", "closed"), "cycles") > 0);
    json_t *declined = entry(root, "declined", "method", "brute");
    assert_string_is(declined, "status", "limit");
    assert_string_is(declined, "reason", "too many warps or instructions to enumerate");
    json_decref(root);
    struct failure_case alone = {MANY "brute", 4, "brute: error: too many warps or instructions"};
    check_failure(&alone);
}

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

/* Whether the method was declined because the command was built without its solver. */
static bool lacks_solver(json_t *root, const char *method) {
    size_t index;
    json_t *declined;
    json_array_foreach(json_object_get(root, "declined"), index,
                       declined) if (strcmp(json_string_value(json_object_get(declined, "method")), method) ==
                                     0) return strstr(json_string_value(json_object_get(declined, "reason")),
                                                      "built without") != NULL;
    return false;
}

/* The bound of a method in what the command prints. */
static void check_bound(json_t *root, const char *method, const char *kind, json_int_t cycles) {
    json_t *bound = entry(root, "bounds", "method", method);
    assert_string_is(bound, "kind", kind);
    assert_int_equal(number(bound, "cycles"), cycles);
}

static void test_all_methods_on_the_refutation(void **state) {
    (void)state;
    json_t *root = run_json("makespan LCL -w 4 -u L=1,C=1 --method all --json", 0);
    const char *const exact[] = {"ilp-short", "ilp-long", "ilp-cumulative", "exact", "brute"};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (!lacks_solver(root, exact[i])) check_bound(root, exact[i], "exact", 9);
    check_bound(root, "pessimistic", "upper", 12);
    check_bound(root, "closed", "upper", 12);
    check_bound(root, "extrapolate", "estimate", 8);
    assert_non_null(
        strstr(json_string_value(json_object_get(entry(root, "bounds", "method", "extrapolate"), "reason")),
               "here it is too low: a schedule takes 9 cycles"));
    check_bound(root, "anneal", "lower", 9);
    assert_int_equal(number(json_object_get(root, "certified"), "lower"), 9);
    assert_int_equal(number(json_object_get(root, "certified"), "upper"), 9);
    json_decref(root);
}

static void test_pessimistic_is_too_low(void **state) {
    (void)state;
    json_t *root = run_json("makespan CCCC -w 16 -u C=4 --method all --json", 0);
    check_bound(root, "exact", "exact", 19);
    check_bound(root, "pessimistic", "estimate", 16);
    json_decref(root);
}

static void test_voronoi(void **state) {
    (void)state;
    json_t *root = run_json(VORONOI "-w 8 --method exact --json", 0);
    check_bound(root, "exact", "exact", 86);
    json_decref(root);
    root = run_json(VORONOI "-w 8 --issue 4 --method exact --json", 0);
    check_bound(root, "exact", "exact", 98);
    json_decref(root);
}

/* The configuration file of ECRTS'12, Fig. 4, and the same problem with options. */
static void test_configuration_file(void **state) {
    (void)state;
    struct run file = run_command("makespan docs/examples/ecrts2012-fig4.conf --method closed,brute");
    struct run options = run_command("makespan lcl -w 8 -u L=16,C=32 --warp-size 32 --method closed,brute");
    assert_int_equal(file.status, 0);
    assert_string_equal(file.out, options.out);
    assert_non_null(strstr(file.out, "8 x L2CL2 (5 instructions)"));
    assert_non_null(strstr(file.out, "each L is 2 letters"));
    assert_non_null(strstr(file.out, "worst case: 33 cycles"));
    run_free(&file);
    run_free(&options);
}

/* Fig. 2 of ECRTS'12: the only schedule of LLC on single units, up to the order of the warps. */
static void test_schedule_as_in_the_paper(void **state) {
    (void)state;
    struct run run = run_command("makespan LLC -w 4 -u L=1,C=1 --method brute --schedule");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "cycle       1  2  3  4  5  6  7  8  9\n"
                                 "warp 1      L  L  C\n"
                                 "warp 2            L  L  C\n"
                                 "warp 3                  L  L  C\n"
                                 "warp 4                        L  L  C\n");
    run_free(&run);
}

/* A witness file passes the check; one with another makespan does not. */
static void test_witness_file(void **state) {
    (void)state;
    struct run run =
        run_shell("f=$(mktemp) && \"$WB\" makespan LCL -w 4 -u L=1,C=1 --method brute --witness $f "
                  ">/dev/null && \"$WB\" makespan --check $f && "
                  "sed -i 's/makespan: 9/makespan: 10/' $f && ! \"$WB\" makespan --check $f; "
                  "s=$?; rm $f; exit $s");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "a schedule of 4 warps that takes 9 cycles"));
    assert_non_null(strstr(run.err, "nothing executes in cycle 10"));
    run_free(&run);
}

/* A certificate proves the value; one byte changed, and it proves nothing. */
static void test_certificate(void **state) {
    (void)state;
    struct run run = run_shell("f=$(mktemp) && \"$WB\" makespan L5C9L2C9 -u L=1,C=4 -w 6 --method exact "
                               "--certificate $f >/dev/null && \"$WB\" makespan --check $f && "
                               "printf x >> $f && ! \"$WB\" makespan --check $f; s=$?; rm $f; exit $s");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "67"));
    assert_int_equal(count_of(run.err, "error:"), 1);
    run_free(&run);
}

/* Every improvement of every instance, the initial solutions first. */
static void test_convergence_table(void **state) {
    (void)state;
    struct run run =
        run_shell("f=$(mktemp) && \"$WB\" makespan LCL -w 4 -u L=1,C=1 --method anneal --instances 2 "
                  "--iterations 1000 --convergence $f && cat $f; s=$?; rm $f; exit $s");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "worst case: at least 9 cycles"));
    assert_non_null(strstr(run.out, "instance,start,iteration,seconds,makespan\n1,round-robin,0,"));
    assert_non_null(strstr(run.out, "\n2,fixed-priority,1000,"));
    run_free(&run);
}

static void test_smallest_refutations(void **state) {
    (void)state;
    struct run run = run_command("makespan --refute pessimistic --method pessimistic,brute");
    assert_non_null(strstr(run.out, "4 x L2 (2 instructions)"));
    assert_non_null(strstr(run.out, "a schedule takes 5 cycles"));
    run_free(&run);
    run = run_command("makespan --refute extrapolate --method extrapolate,brute");
    assert_non_null(strstr(run.out, "a schedule takes"));
    run_free(&run);
}

/* An extrapolation from fewer warps than were asked for, as time ran out, is cut by a limit. */
static void test_extrapolation_that_is_cut(void **state) {
    (void)state;
    struct run run = run_command("makespan LLLLLCLLLLCLLCCLCLCLC -w 60 -u L=1,C=1 -x 40 --method extrapolate "
                                 "--time-limit 0.3");
    assert_int_equal(run.status, 4);
    run_free(&run);
}

/* The Voronoi kernel's string and how it differs from the one that ETFA'13 made by hand. */
static void test_voronoi_kernel(void **state) {
    (void)state;
    struct run run = run_command("makespan kernels/voronoi.ptx -l kernels/voronoi.yaml --branchless-prefix "
                                 "--mapping --compare L5C9L2C9");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "string: L5C20LCLC11"));
    assert_non_null(strstr(run.out, "compared with L5C9L2C9: 39 letters against 25"));
    run_free(&run);
}

/* Strings have no barriers: results for a path that waits at one assume that it does not (I4). */
static void test_path_that_waits(void **state) {
    (void)state;
    static const char *const kernels[] = {"voronoi.ptx -l kernels/voronoi.yaml",
                                          "reduce.ptx -l kernels/reduce.yaml"};
    for (int waits = 0; waits < 2; waits++) {
        char command[128];
        (void)snprintf(command, sizeof command, "makespan kernels/%s -u L=1,C=4 --method closed",
                       kernels[waits]);
        struct run run = run_command(command);
        assert_int_equal(run.status, 0);
        assert_int_equal(strstr(run.out, " I3 I4\n") != NULL, waits);
        assert_int_equal(strstr(run.err, "the path waits 9 times") != NULL, waits);
        run_free(&run);
    }
}

#define CASE_STUDY "kernels/voronoi_case_study"
#define CASE_STUDY_COMMAND                                                                                   \
    "makespan " CASE_STUDY ".ptx -l " CASE_STUDY ".yaml --branchless-prefix -u L=1,C=4 --instances 1 "       \
    "--json "

/* The case study of ETFA'13 from PTX, in one command: the paper's string, its 16 warps and its 160 cycles.
 * With sanitizers the exact method takes long. */
static void test_case_study(void **state) {
    (void)state;
    json_t *root = ADDRESS_SANITIZER ? run_json(CASE_STUDY_COMMAND "--method anneal", 0)
                                     : run_json(CASE_STUDY_COMMAND "--method exact,anneal", 0);
    json_t *group = json_array_get(json_object_get(json_object_get(root, "problem"), "groups"), 0);
    assert_string_is(group, "string", "L5C9L2C9");
    assert_int_equal(number(group, "warps"), 16);
    check_bound(root, "anneal", "lower", 160);
    if (!ADDRESS_SANITIZER) check_bound(root, "exact", "exact", 160);
    json_decref(root);
}

/* A kernel alone: what to add, in examples that work, and the launch file beside it. */
static void test_kernel_without_launch(void **state) {
    (void)state;
    struct run run = run_command("makespan " CASE_STUDY ".ptx");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "launch: error: the grid and the block of"));
    assert_non_null(strstr(run.err, "if it is the launch file, add -l " CASE_STUDY ".yaml"));
    run_free(&run);
    run = run_shell("d=$(mktemp -d) && cp " CASE_STUDY ".ptx $d/k.ptx || exit 9; "
                    "try() { eval \"\\\"$WB\\\" makespan $d/k.ptx $1\"; }; "
                    "example() { sed -n 's/.*for example: //p'; }; "
                    "launch=$(try '' 2>&1 | example); units=$(try \"$launch\" 2>&1 | example); "
                    "try ''; try \"$launch $units --method closed\"; s=$?; rm -r $d; exit $s");
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.err, "note:"));
    assert_non_null(strstr(run.out, "1 x L5C9L2C11LC3LC4L"));
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solution_of_another_solver_is_checked),
        cmocka_unit_test(test_declined_method_costs_the_others_nothing),
        cmocka_unit_test(test_failures_say_what_is_wrong),
        cmocka_unit_test(test_all_methods_on_the_refutation),
        cmocka_unit_test(test_pessimistic_is_too_low),
        cmocka_unit_test(test_voronoi),
        cmocka_unit_test(test_configuration_file),
        cmocka_unit_test(test_schedule_as_in_the_paper),
        cmocka_unit_test(test_witness_file),
        cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_convergence_table),
        cmocka_unit_test(test_smallest_refutations),
        cmocka_unit_test(test_extrapolation_that_is_cut),
        cmocka_unit_test(test_voronoi_kernel),
        cmocka_unit_test(test_path_that_waits),
        cmocka_unit_test(test_case_study),
        cmocka_unit_test(test_kernel_without_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

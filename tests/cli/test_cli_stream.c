/* Lists of launches as a user analyses them: kernels that run one after another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define HORNER "kernels/horner.ptx -l kernels/horner_stream.yaml "

/* Without the searches, which take most of the time of an analysis. */
#define QUICK "--method sib,k-area,k-bal,k-sm "

/* A list of two launches in $F, as a shell's text. */
#define TWO_LAUNCHES(first, second)                                                                          \
    "F=$(mktemp); printf -- '- {kernel: hornerIf, grid: 1, block: 32, " first                                \
    "}\n- {kernel: hornerId, grid: 1, block: "                                                               \
    "32, " second "}\n' > $F; "

static const struct failure_case failures[] = {
    {"analyze " HORNER "-g 3", 2, "launch options cannot be combined with a list of launches"},
    {"analyze " HORNER "-b 64", 2, "launch options cannot be combined with a list of launches"},
    {"analyze " HORNER "-a i32:1", 2, "launch options cannot be combined with a list of launches"},
    {"analyze " HORNER "--registers 32", 2, "launch options cannot be combined with a list of launches"},
    {"analyze " HORNER "-k f32", 2, "launch options cannot be combined with a list of launches"},
    {"analyze " HORNER "-i 1", 2, "are for one block, not for a list of launches"},
    {"analyze " HORNER "--phases", 2, "are for one block, not for a list of launches"},
    {"analyze " HORNER "--facts kernels/bfs_level.facts", 2, "--facts is for one kernel"},
    {"analyze " HORNER "--scheme default", 2, "--scheme is for one launch"},
    {"analyze " HORNER "--method none", 2, "none"},
    {"analyze " HORNER "--set launch_overhead=x", 2, "launch_overhead: expected"},
    {"analyze " HORNER "--format dot", 2,
     "--format dot: error: expected text, json, junit, sarif, trace or svg"},
    {"simulate " HORNER, 2, "horner_stream.yaml: error: expected one launch, got a list of launches"},
    {"path " HORNER, 2, "horner_stream.yaml: error: expected one launch, got a list of launches"},
    {"facts " HORNER, 2, "horner_stream.yaml: error: expected one launch, got a list of launches"},
    {"cache " HORNER, 2, "horner_stream.yaml: error: expected one launch, got a list of launches"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

/* Runs a shell's text, which must end with this status and leave the message. */
static void check_shell(const char *text, int status, const char *message) {
    struct run run = run_shell(text);
    if (run.status != status || strstr(run.err, message) == NULL || run.out[0] != '\0')
        fail_msg("%s: status %d, stdout '%s', stderr '%s'", text, run.status, run.out, run.err);
    run_free(&run);
}

static void test_failures_name_the_launch(void **state) {
    (void)state;
    static const char analyze[] = "$WB analyze kernels/horner.ptx -l $F; s=$?; rm -f $F; exit $s";
    char text[1024];
    (void)snprintf(text, sizeof text, "%s%s", TWO_LAUNCHES("stream: a", "stream: b"), analyze);
    check_shell(text, 3, ":2:50: error: stream 'b', but that of the first launch is 'a'");
    (void)snprintf(text, sizeof text, "%s%s", TWO_LAUNCHES("stream: a", "stream: a, size: 3"), analyze);
    check_shell(text, 2, ":2:53: error: unknown key 'size'");
    (void)snprintf(text, sizeof text, "%s%s",
                   TWO_LAUNCHES("arguments: [\"buf:f32[8]\", \"buf:f32[64]\", \"buf:f32[64]\", i32:64]",
                                "arguments: [i32:1]"),
                   analyze);
    check_shell(text, 2, "launch 2 of the list cannot be analysed");
}

/* The least proven bound of one launch of the list, launched by itself. */
static json_int_t bound_alone(const char *launch) {
    char arguments[256];
    (void)snprintf(arguments, sizeof arguments, "analyze kernels/horner.ptx %s --set sms=2 " QUICK "--json",
                   launch);
    json_t *root = run_json(arguments, 0);
    json_int_t bound = number(json_object_get(root, "grid"), "best_upper");
    json_decref(root);
    return bound;
}

/* The results of the whole kernel of a launch. */
static json_t *grid_of(json_t *root, size_t launch) {
    return json_object_get(json_array_get(json_object_get(root, "launches"), launch), "grid");
}

static void test_bounds_and_overheads_add_up(void **state) {
    (void)state;
    json_t *root = run_json("analyze " HORNER "--set sms=2 --set launch_overhead=500 " QUICK "--json", 0);
    assert_int_equal(json_array_size(json_object_get(root, "launches")), 3);
    assert_int_equal(number(grid_of(root, 0), "best_upper"), bound_alone("-l kernels/horner_f32.yaml"));
    assert_int_equal(number(grid_of(root, 1), "best_upper"), bound_alone("-l kernels/horner_f64.yaml"));
    json_int_t sum = 0, longest = 0, simulated = 0;
    for (size_t i = 0; i < 3; i++) {
        json_t *launch = grid_of(root, i);
        const json_int_t best = number(launch, "best_upper");
        sum += best + 500;
        if (best > longest) longest = best;
        assert_int_equal(number(launch, "best_upper_with_launch"), best + 500);
        simulated += number(entry(launch, "simulations", "policy", "gto"), "cycles") + 500;
    }
    assert_int_equal(number(root, "best_upper"), sum);
    assert_int_equal(number(root, "overhead"), 1500);
    assert_int_equal(number(grid_of(root, (size_t)number(root, "dominated_by") - 1), "best_upper"), longest);
    assert_int_equal(number(entry(root, "simulations", "policy", "gto"), "cycles"), simulated);
    assert_true(simulated <= sum);
    assert_null(json_object_get(root, "deadline"));
    json_decref(root);
}

static void test_a_deadline_is_judged_by_the_sum(void **state) {
    (void)state;
    json_t *root = run_json("analyze " HORNER "--policy lrr " QUICK "--json", 0);
    json_int_t sum = number(root, "best_upper");
    json_decref(root);
    for (int late = 0; late < 2; late++) {
        char arguments[256];
        (void)snprintf(arguments, sizeof arguments,
                       "analyze " HORNER "-m ecrts2025-orin --accept ptx-model --deadline %lld " QUICK
                       "--json",
                       (long long)sum - late);
        root = run_json(arguments, late);
        assert_int_equal(json_is_true(json_object_get(json_object_get(root, "deadline"), "met")), !late);
        json_decref(root);
    }
    check_failure(
        &(struct failure_case){"analyze " HORNER "-m ecrts2025-orin --deadline x", 2, "expected a deadline"});
}

#define LEAVE "tests/data/stream/leave_and_read.ptx "
#define SMALL_CACHES                                                                                         \
    "-m jcse2017 --set sms=1 --set l1_size=1024 --set l1_ways=4 --set l2_size=4096 --set l2_ways=4 --set "   \
    "l2_partitions=1 --set dram_service=300 --set dram_latency=1 --set noc_latency=1 "

/* 32 lines that the first kernel leaves are written back while the second runs, each in 300 cycles. */
static void test_what_is_left_in_the_second_level_counts(void **state) {
    (void)state;
    json_t *both =
        run_json("analyze " LEAVE
                 "-k both -g 1 -b 32 -a 'buf:u32[2048]=zero' --method segment-sum " SMALL_CACHES "--json",
                 0);
    json_t *list =
        run_json("analyze " LEAVE
                 "-l tests/data/stream/leave_and_read.yaml --method segment-sum " SMALL_CACHES "--json",
                 0);
    const json_int_t slowest = number(entry(both, "simulations", "policy", "gto"), "cycles");
    assert_int_equal(number(list, "carried"), 9600);
    assert_true(number(list, "best_upper") >= slowest);
    assert_true(number(list, "best_upper") - 9600 < slowest);
    json_decref(both);
    json_decref(list);
    struct run run =
        run_command("analyze " LEAVE "-l tests/data/stream/leave_and_read.yaml --all " SMALL_CACHES);
    assert_true(says(run.out, "carried 9600"));
    assert_true(
        says(run.out, "at the start the first levels are empty and the second level holds no dirty line"));
    run_free(&run);
    json_t *without = run_json("analyze " HORNER QUICK "--json", 0);
    assert_int_equal(number(without, "carried"), 0);
    json_decref(without);
}

/* The least proven bound of the second kernel of a list, or of one alone; 0 where the status is not 0. */
static json_int_t bound_of_variable(const char *code, const char *list, const char *alone) {
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        "F=$(mktemp); printf -- '%s' > $F; $WB analyze tests/data/stream/%s %s -m %s --json; s=$?; "
        "rm -f $F; exit $s",
        list, code, alone == NULL ? "-l $F" : alone,
        strstr(code, "cubin") != NULL ? "rtx-a6000" : "ampere-sm80");
    struct run run = run_shell(text);
    json_int_t bound = 0;
    if (run.status == 0) {
        json_t *root = json_loads(run.out, 0, NULL);
        bound = number(alone == NULL ? grid_of(root, 1) : json_object_get(root, "grid"), "best_upper");
        json_decref(root);
    } else if (run.status != 3 ||
               strstr(run.err, "note: an earlier launch stores to this variable") == NULL) {
        fail_msg("%s\nstatus %d: %s", text, run.status, run.err);
    }
    run_free(&run);
    return bound;
}

/* A variable of the module that an earlier launch stores to, or perhaps does, is not known; one that none
 * stores to, or whose contents the launch gives, is. Of machine code, too. */
static void test_variables_are_changed_by_earlier_launches(void **state) {
    (void)state;
#define ONE(kernel, more) "- {kernel: " kernel ", grid: 1, block: 32" more "}\\n"
#define READ "-k read -g 1 -b 32 "
    static const struct {
        const char *list, *alone;
        bool known;
    } cases[] = {
        {ONE("set", "") ONE("read", ""), READ "-c count=u32[1]=100", false},
        {ONE("add", "") ONE("read", ""), READ "-c count=u32[1]=100", false},
        {ONE("scatter", ", arguments: [\"buf:u64[1]\"]") ONE("read", ""), READ "-c count=u32[1]=100", false},
        {ONE("read", "") ONE("read", ""), READ, true},
        {ONE("read", "") ONE("read_fixed", ""), "-k read_fixed -g 1 -b 32", true},
        {ONE("set", "") ONE("read_fixed", ""), "-k read_fixed -g 1 -b 32", true},
        {ONE("set", "") ONE("read", ", variables: {count: \"u32[1]=5\"}"), READ "-c count=u32[1]=5", true},
    };
    static const char *const codes[] = {"variable.ptx", "variable.sm_86.cubin"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases * 2; i++) {
        const char *code = codes[i % 2], *list = cases[i / 2].list;
        const json_int_t listed = bound_of_variable(code, list, NULL),
                         alone = bound_of_variable(code, "", cases[i / 2].alone);
        const bool refused = i % 2 != 0 && listed == 0; /* its loop has no bound without the value */
        if (cases[i / 2].known ? listed != alone : listed < alone && !refused)
            fail_msg("%s, %s: %lld, alone %lld", code, list, (long long)listed, (long long)alone);
    }
}

/* The premise of one launch, or the first, is printed. */
static void test_contents_of_variables_are_assumed(void **state) {
    (void)state;
    static const struct {
        const char *options;
        bool assumed;
    } cases[] = {{"-k read", true},
                 {"-k read_fixed", true},
                 {"-k read_fixed --inputs any", false},
                 {"-k read -c count=u32[1]=5 -c result=u32[1]=0", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "analyze tests/data/stream/variable.ptx -g 1 -b 32 -m ampere-sm80 %s",
                       cases[i].options);
        struct run run = run_command(text);
        if (run.status != 0 || (strstr(run.out, "E28") != NULL) != cases[i].assumed)
            fail_msg("%s: status %d\n%s%s", text, run.status, run.out, run.err);
        run_free(&run);
    }
}

/* The launch overhead of a kernel that is launched alone is no part of its bounds, but of what a deadline is
 * held against. */
static void test_a_kernel_alone_has_its_overhead_beside_it(void **state) {
    (void)state;
    static const char alone[] = "analyze kernels/horner.ptx -l kernels/horner_f32.yaml " QUICK;
    char arguments[256];
    (void)snprintf(arguments, sizeof arguments, "%s--json", alone);
    json_t *without = run_json(arguments, 0);
    json_int_t best = number(json_object_get(without, "grid"), "best_upper");
    json_decref(without);
    for (int late = 0; late < 2; late++) {
        (void)snprintf(
            arguments, sizeof arguments,
            "%s-m ecrts2025-orin --accept ptx-model --set launch_overhead=70 --deadline %lld --json", alone,
            (long long)best + 70 - late);
        json_t *with = run_json(arguments, late);
        json_t *grid = json_object_get(with, "grid");
        assert_int_equal(number(grid, "best_upper"), best);
        assert_int_equal(number(grid, "best_upper_with_launch"), best + 70);
        json_t *verdict = json_object_get(with, "verdict");
        assert_int_equal(number(verdict, "bound"), best);
        assert_int_equal(number(verdict, "launch_overhead"), 70);
        assert_int_equal(number(verdict, "margin"), -late);
        assert_string_is(verdict, "launch_source", "given");
        json_decref(with);
    }
}

static void test_without_a_proven_bound_there_is_no_sum(void **state) {
    (void)state;
    struct run run = run_command("analyze " HORNER "--method waves");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "no bound of the stream"));
    assert_int_equal(count_of(run.out, "no bound is proven"), 3);
    assert_null(strstr(run.out, "above sim."));
    run_free(&run);
    run = run_command("analyze " HORNER "-m ecrts2025-orin --method waves --deadline 1s");
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.out, "unproven: in the PTX model, no bound of the stream is proven"));
    run_free(&run);
    json_t *root = run_json("analyze " HORNER "--method waves --json", 0);
    assert_true(json_is_null(json_object_get(root, "best_upper")));
    assert_true(json_is_null(json_object_get(root, "dominated_by")));
    json_decref(root);
}

static void test_text_has_a_row_a_launch(void **state) {
    (void)state;
    struct run run = run_command("analyze " HORNER "--set launch_overhead=500 " QUICK "--policy lrr,rr");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "stream   3 kernels, one after another (kernels/horner.ptx)"));
    assert_int_equal(count_of(run.out, "horner<float"), 2);
    assert_int_equal(count_of(run.out, "horner<double"), 1);
    assert_true(says(run.out, "overhead 1500"));
    assert_non_null(strstr(run.out, " above sim.\n"));
    assert_non_null(strstr(run.out, "dominates"));
    assert_non_null(strstr(run.out, "not work-conserving"));
    assert_true(says(run.out, "launches L1"));
    run_free(&run);
}

/* Launches that are all searched completely: a list has no analysis of its own that could be asked. */
static void test_exact_worst_cases_are_added(void **state) {
    (void)state;
    struct run run = run_shell(
        "D=$(mktemp -d); printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
        ".reg .b32 %%r<2>;\nmov.u32 %%r1, 1;\nret;\n}\n' > $D/k.ptx; "
        "printf -- '- {kernel: k, grid: 3, block: 32}\n- {kernel: k, grid: 3, block: 32}\n' > $D/l.yaml; "
        "\"$WB\" analyze $D/k.ptx -l $D/l.yaml -m ecrts2025-orin --method k-area,k-exhaustive; "
        "E=$?; rm -r $D; exit $E");
    if (run.status != 0 || !says(run.out, "exactly as stated and blocks in any order, D3 (k-exhaustive)"))
        fail_msg("%d\n%s%s", run.status, run.out, run.err);
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_say_what_is_wrong),
        cmocka_unit_test(test_failures_name_the_launch),
        cmocka_unit_test(test_bounds_and_overheads_add_up),
        cmocka_unit_test(test_what_is_left_in_the_second_level_counts),
        cmocka_unit_test(test_a_deadline_is_judged_by_the_sum),
        cmocka_unit_test(test_variables_are_changed_by_earlier_launches),
        cmocka_unit_test(test_contents_of_variables_are_assumed),
        cmocka_unit_test(test_a_kernel_alone_has_its_overhead_beside_it),
        cmocka_unit_test(test_without_a_proven_bound_there_is_no_sum),
        cmocka_unit_test(test_text_has_a_row_a_launch),
        cmocka_unit_test(test_exact_worst_cases_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

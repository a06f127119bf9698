/* Abstract warps and abstract CTA simulation as a user runs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define LAUNCH "-l kernels/triangle_sum.yaml -m hirvisalo "
#define SLIDE_PTX "kernels/triangle_sum_slide.ptx "
#define SLIDE_FILE "docs/examples/triangle-sum-slide.yaml "

static const struct {
    const char *arguments;
    json_int_t cycles;
    const char *kind;
} estimates[] = {
    {"analyze " SLIDE_PTX LAUNCH "--method abstract-cta --json", 804, "estimate"},
    {"analyze " SLIDE_FILE "--method abstract-cta --json", 804, "estimate"},
    {"analyze kernels/triangle_sum.ptx " LAUNCH "--method abstract-cta --json", 940, "estimate"},
    {"analyze " SLIDE_PTX LAUNCH "--set abstract_cta.header=n --set abstract_cta.memory_latency=9 "
     "--set abstract_cta.stall_warps=all --method abstract-cta --json",
     804, "estimate"},
    {"analyze " SLIDE_PTX LAUNCH "--set abstract_cta.header=n --set abstract_cta.memory_latency=10 "
     "--set abstract_cta.barrier_slots=0 --method abstract-cta --json",
     804, "estimate"},
    {"analyze " SLIDE_PTX LAUNCH "--set abstract_cta.header=n --set abstract_cta.memory_latency=16 "
     "--set abstract_cta.stall_warps=all --set abstract_cta.barrier_slots=0 --set "
     "abstract_cta.barrier_cycles=1 "
     "--set abstract_cta.uniform_branch=executed --set abstract_cta.shift=added "
     "--set abstract_cta.stores_stall=true --method abstract-cta --json",
     804, "estimate"},
};

static void test_estimates(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof estimates / sizeof *estimates; i++) {
        json_t *root = run_json(estimates[i].arguments, 0);
        json_t *bound = entry(root, "bounds", "method", "abstract-cta");
        assert_int_equal(number(bound, "cycles"), estimates[i].cycles);
        assert_string_is(bound, "kind", estimates[i].kind);
        json_decref(root);
    }
}

/* Of every method the windows, as JSON and as a table: their cycles add up to the bound's. */
static void test_windows(void **state) {
    (void)state;
    static const char *const methods[] = {"abstract-cta", "abstract-cta-rr", "abstract-cta-safe"};
    json_t *root = run_json("analyze " SLIDE_PTX LAUNCH "--json", 0);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        json_t *bound = entry(root, "bounds", "method", methods[m]);
        json_t *windows = json_object_get(bound, "windows");
        json_int_t count = 0, sum = 0;
        for (size_t i = 0; i < json_array_size(windows); i++) {
            json_t *window = json_array_get(windows, i);
            count += number(window, "count");
            sum += number(window, "count") * number(window, "cycles");
            assert_int_equal(number(window, "cycles"),
                             number(window, "instructions") + number(window, "barrier") +
                                 number(window, "stalls") + number(window, "shifts"));
            assert_int_equal(number(window, "apart"), number(window, "arriving") > 0 ? 1 : 0);
        }
        assert_int_equal(count, 17);
        assert_int_equal(sum, number(bound, "cycles"));
        assert_int_equal(number(bound, "windows_left_out"), 0);
    }
    json_decref(root);
    struct run run = run_command("analyze " SLIDE_PTX LAUNCH "--method abstract-cta,abstract-cta-rr");
    assert_int_equal(count_of(run.out, ", window by window:\n"), 2);
    assert_int_equal(count_of(run.out, "\n  2-4          4      64       4      3     0      71     1"), 2);
    run_free(&run);
}

static void test_simulation_of_the_slide(void **state) {
    (void)state;
    json_t *root = run_json("simulate " SLIDE_PTX LAUNCH "--policy oldest --json", 0);
    assert_int_equal(number(entry(root, "simulations", "policy", "oldest"), "cycles"), 688);
    json_decref(root);
}

/* "all" has both methods on a machine that states conventions; on others only who names them gets them. */
static void test_all_methods(void **state) {
    (void)state;
    json_t *root = run_json("analyze " SLIDE_PTX LAUNCH "--json", 0);
    json_t *safe = entry(root, "bounds", "method", "abstract-cta-safe");
    assert_int_equal(number(safe, "cycles"), 860);
    assert_string_is(safe, "kind", "upper");
    json_decref(root);
    struct run run = run_command("analyze kernels/triangle_sum.ptx -l kernels/triangle_sum_128.yaml --json");
    assert_int_equal(run.status, 0);
    assert_int_equal(count_of(run.out, "abstract-cta"), 0);
    run_free(&run);
    run = run_command("analyze " SLIDE_FILE);
    assert_int_equal(run.status, 0);
    assert_non_null(
        strstr(run.out, "abstract triangle_sum_slide: 4 warps\nmachine  hirvisalo at 1000 MHz\n"));
    run_free(&run);
}

/* A file's bound can be held against a deadline. */
static void test_deadline(void **state) {
    (void)state;
    json_decref(run_json("analyze " SLIDE_FILE "--deadline 860 --json", 0));
    json_decref(run_json("analyze " SLIDE_FILE "--deadline 859 --json", 1));
}

/* The graph has the nodes of slide 12. */
static void test_graph(void **state) {
    (void)state;
    static const char *const nodes[] = {
        "T_instr = 7\\nT_shift = 0", "T_instr = 2\\nT_shift = 0", "T_instr = 7\\nT_shift = 1",
        "T_instr = 3\\nT_shift = 0", "label=\"memory\"",          "label=\"barrier\"",
    };
    struct run run = run_command("cfg " SLIDE_PTX "--abstract-warp");
    assert_int_equal(run.status, 0);
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        assert_int_equal(count_of(run.out, nodes[i]), 1);
    assert_int_equal(count_of(run.out, "T_instr = 4\\nT_shift = 0"), 2);
    assert_int_equal(count_of(run.out, "{"), 1);
    assert_int_equal(count_of(run.out, "}"), 1);
    run_free(&run);
}

static const struct failure_case failures[] = {
    {"cfg kernels/mandelbrot.ptx --abstract-warp", 3, "abstract warps do not follow calls"},
    {"cfg " SLIDE_PTX "--abstract-warp --why L", 2, "cannot be combined"},
    {"simulate " SLIDE_FILE, 3, "abstract warps cannot be simulated"},
    {"simulate " SLIDE_FILE "--schedule", 3, "abstract warps cannot be simulated"},
    {"analyze " SLIDE_FILE "--method sib --policy lrr", 3, "needs the instructions of a block"},
    {"analyze " SLIDE_FILE "--method sib", 3, "needs the instructions of a block"},
    {"analyze " SLIDE_FILE "-m hirvisalo", 2, "takes no kernel"},
    {"analyze docs/refutations/gub-lrr.yaml --method abstract-cta", 3, "is for kernels and abstract warps"},
    {"analyze " SLIDE_PTX "-l kernels/triangle_sum.yaml --method abstract-cta-safe", 3,
     "is for machines that issue one instruction a cycle"},
    {"analyze " SLIDE_PTX "-l kernels/triangle_sum.yaml -m jcse2017 --method abstract-cta", 3,
     "needs known latencies"},
    {"analyze " SLIDE_PTX LAUNCH "--inputs any --method abstract-cta "
     "--set abstract_cta.uniform_branch=executed",
     3, "has no effect on covering paths"},
    {"analyze " SLIDE_PTX LAUNCH "--inputs any --set abstract_cta.uniform_branch=executed", 2,
     "abstract_cta.uniform_branch=executed: error: has no effect"},
    {"analyze " SLIDE_PTX LAUNCH "--method sib --set abstract_cta.header=n", 2, "has no effect"},
    {"analyze " SLIDE_PTX LAUNCH "--method abstract-cta-safe --set abstract_cta.header=n", 2,
     "has no effect"},
    {"analyze kernels/mandelbrot.ptx -l kernels/mandelbrot.yaml --set abstract_cta.barrier_slots=0", 2,
     "has no effect"},
    {"simulate " SLIDE_PTX LAUNCH "--set abstract_cta.header=n", 2, "has no effect here"},
    {"analyze " SLIDE_PTX LAUNCH "--method abstract-cta-rr --set abstract_cta.stall_warps=all", 3,
     "abstract_cta.stall_warps=all has no effect here"},
    {"analyze " SLIDE_PTX LAUNCH "--method abstract-cta-rr --set abstract_cta.shift=added", 3,
     "abstract_cta.shift=added has no effect here"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

/* Files that are wrong: the text behind a good beginning, and the message. */
static const struct {
    const char *text, *message;
} files[] = {
    {"program: \"4\"\n", "warps"},
    {"warps: 4\n", "program"},
    {"warps: 0\nprogram: \"4\"\n", "warps: expected a whole number from 1 to 1024"},
    {"warps: 2\nprogram: \"4 x\"\n", "column 3: expected a number"},
    {"warps: 2\nprogram: \"L(4)\"\n", "the iterations of loop 'L' are missing"},
    {"warps: 2\nprogram: \"L(4)\"\nloops: {L: 3, M: 4}\n", "no loop of the program has one of these names"},
    {"warps: 2\nprogram: \"L(4)\"\nloops: {L: [3]}\n", "as many numbers of iterations as there are warps"},
    {"warps: 2\nprogram: \"L(4)\"\nloops: {L: -1}\n", "a number of iterations"},
    {"warps: 2\nprogram: \"4\"\nset: [nonsense=1]\n", "unknown key"},
    {"warps: 2\nprogram: \"4\"\nmachine: nonsense\n", "no such file and no preset of that name"},
    {"warps: 2\nprogram: \"4\"\nset: [abstract_cta.header=2]\n", "header: expected"},
    {"warps: 2\nprogram: \"{4}\"\nset: [abstract_cta.uniform_branch=executed]\n",
     "nothing says which side of a branch {...} is executed"},
};

static void test_wrong_files(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char command[1024];
        int length = snprintf(command, sizeof command,
                              "F=$(mktemp --suffix=.yaml); printf '%%s' 'abstract_warp: \"x\"\n%s' >\"$F\"; "
                              "$WB analyze \"$F\"; s=$?; rm -f \"$F\"; exit $s",
                              files[i].text);
        assert_true(length > 0 && (size_t)length < sizeof command);
        struct run run = run_shell(command);
        if (run.status != 2 || strstr(run.err, files[i].message) == NULL)
            fail_msg("%s: status %d, %s", files[i].text, run.status, run.err);
        run_free(&run);
    }
}

/* Loops around each other with nothing in them, or with patterns, are not gone through 10^12 times. */
static void test_long_loops_take_no_time(void **state) {
    (void)state;
    static const char *const programs[] = {"A(B())", "A({4}@01 B({2 m}@011))"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char command[512];
        (void)snprintf(command, sizeof command,
                       "F=$(mktemp --suffix=.yaml); printf 'abstract_warp: \"x\"\nwarps: 1\nprogram: \"%s\"\n"
                       "set: [abstract_cta.uniform_branch=executed]\n"
                       "loops: {A: 1000000, B: 1000000}\n' >$F; "
                       "timeout 20 $WB analyze $F; s=$?; rm -f $F; exit $s",
                       programs[i]);
        struct run run = run_shell(command);
        if (run.status != 0 || strstr(run.out, "\nabstract-cta ") == NULL)
            fail_msg("%s: status %d, %s%s", programs[i], run.status, run.out, run.err);
        run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_simulation_of_the_slide),
        cmocka_unit_test(test_all_methods),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_failures_say_what_is_wrong),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_long_loops_take_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

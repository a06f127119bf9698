/* Bounds for all inputs as a user asks for them: --inputs, --facts, and launches that leave something open.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define BFS "kernels/bfs_level.ptx -l kernels/bfs_level.yaml "
#define HISTOGRAM "kernels/histogram.ptx -l kernels/histogram.yaml "

static const struct failure_case failures[] = {
    {"analyze " BFS "--inputs any", 3, "flow facts must say it: loop $L__BB0_4 <= ?;"},
    {"path " BFS "--inputs any", 3, "flow facts must say it: loop $L__BB0_4 <= ?;"},
    {"analyze " BFS "--inputs some", 2, "expected given or any"},
    {"simulate " BFS "--inputs any", 2, "--inputs: error: not an option of simulate"},
    {"analyze kernels/components.ptx -l kernels/components.yaml --inputs any", 3, "loop $L__BB0_8 <= ?;"},
    {"analyze kernels/vecadd.ptx -l kernels/vecadd.yaml --inputs any --method fifo", 3,
     "needs the path that a warp really executes"},
    {"analyze " BFS "--facts kernels/components.facts", 2, "kernels/components.facts"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

/* A policy that was asked for in vain costs the bounds nothing. */
static void test_covering_paths_have_no_simulation(void **state) {
    (void)state;
    json_t *root =
        run_json("analyze kernels/vecadd.ptx -l kernels/vecadd.yaml -a 4=? --policy lrr --json", 0);
    assert_true(json_array_size(json_object_get(root, "bounds")) > 0);
    assert_int_equal(json_array_size(json_object_get(root, "simulations")), 0);
    json_t *declined = entry(root, "declined", "method", "lrr");
    assert_string_is(declined, "status", "declined");
    assert_string_is(declined, "reason", "covering paths cannot be simulated: no warp executes all of them");
    json_decref(root);
}

/* The bounds of all inputs are no less than those of the given ones, and each method is there twice. */
static void check_costs(json_t *root) {
    json_t *bounds = json_object_get(root, "bounds"), *given = json_object_get(root, "given");
    assert_true(json_array_size(bounds) >= 4);
    assert_int_equal(json_array_size(json_object_get(given, "bounds")), json_array_size(bounds));
    for (size_t i = 0; i < json_array_size(bounds); i++) {
        json_t *bound = json_array_get(bounds, i);
        json_t *known = json_array_get(json_object_get(given, "bounds"), i);
        assert_string_is(bound, "kind", "upper");
        assert_true(number(bound, "cycles") >= number(known, "cycles"));
    }
    assert_true(json_array_size(json_object_get(given, "simulations")) == 2);
    assert_int_equal(json_array_size(json_object_get(root, "simulations")), 0);
    assert_true(json_is_true(json_object_get(json_object_get(root, "launch"), "covering")));
}

static void test_all_inputs_stand_beside_the_given_ones(void **state) {
    (void)state;
    json_t *root = run_json("analyze " HISTOGRAM "--inputs any --json", 0);
    check_costs(root);
    json_t *unknown = json_object_get(root, "unknown");
    assert_true(json_array_size(unknown) > 0);
    json_t *first = json_array_get(unknown, 0);
    assert_string_is(first, "need", "address");
    assert_string_is(json_object_get(first, "from"), "source_file", "src/histogram.cu");
    json_decref(root);
    root = run_json("analyze " HISTOGRAM "--inputs any -m jcse2017 --json", 0);
    check_costs(root);
    json_decref(root);
    root = run_json("analyze " BFS "--facts kernels/bfs_level.facts --json", 0);
    check_costs(root);
    json_decref(root);
}

/* What no lane executes can take longer on a machine with caches than what makes requests. */
static void test_loads_without_lanes_are_bounded(void **state) {
    (void)state;
    json_t *root = run_json("analyze tests/data/covering/switched_off.ptx -g 1 -b 32 -a 'buf:u32[32]=zero' "
                            "--inputs any -m jcse2017 --json",
                            0);
    check_costs(root);
    json_decref(root);
}

#define LEFT_OPEN "tests/data/covering/left_open.ptx -g 1 -b 32 -a 'buf:u32[32]=zero' -a 'buf:u32[32]=zero' "

/* Whether the assumptions of a bound, or of simulations, have one with this text. */
static bool assumes(json_t *assumptions, const char *text) {
    for (size_t i = 0; i < json_array_size(assumptions); i++)
        if (strstr(json_string_value(json_array_get(assumptions, i)), text) != NULL) return true;
    return false;
}

/* A kernel whose loop depends on what the PTX ISA leaves open: bounded for all that it may be with
 * `--inputs any`, unless that is assumed, as it is with given data. */
static void check_left_open(const char *kernel, const char *assumption, const char *from, const char *text) {
    char arguments[300];
    (void)snprintf(arguments, sizeof arguments, "analyze -k %s " LEFT_OPEN "--inputs any --json", kernel);
    json_t *root = run_json(arguments, 0);
    assert_true(number(root, "best_upper") > 2000);
    json_t *unknown = json_array_get(json_object_get(root, "unknown"), 0);
    assert_string_is(json_object_get(unknown, "from"), "opcode", from);
    assert_false(assumes(json_object_get(entry(root, "bounds", "method", "sib"), "assumptions"), text));
    json_decref(root);
    (void)snprintf(arguments, sizeof arguments, "analyze -k %s " LEFT_OPEN "--inputs any --assume %s --json",
                   kernel, assumption);
    root = run_json(arguments, 0);
    assert_true(number(root, "best_upper") < 500);
    assert_true(assumes(json_object_get(entry(root, "bounds", "method", "sib"), "assumptions"), text));
    json_decref(root);
    (void)snprintf(arguments, sizeof arguments, "analyze -k %s " LEFT_OPEN "--json", kernel);
    root = run_json(arguments, 0);
    assert_true(number(root, "best_upper") < 500);
    assert_true(assumes(json_object_get(entry(root, "bounds", "method", "sib"), "assumptions"), text));
    json_decref(root);
    (void)snprintf(arguments, sizeof arguments, "simulate -k %s " LEFT_OPEN "--json", kernel);
    root = run_json(arguments, 0);
    assert_true(assumes(json_object_get(entry(root, "simulations", "policy", "gto"), "assumptions"), text));
    json_decref(root);
}

static void test_what_the_isa_leaves_open_is_unknown(void **state) {
    (void)state;
    check_left_open("approximate", "approx", "rcp.approx.ftz.f32", "approximate functions");
    check_left_open("divided", "div-zero", "rem.u32", "division by zero");
    check_left_open("ordered", "pointer-order", "setp.gt.u64", "buffers and variables lie");
    check_left_open("fused", "no-contraction", "sub.f32", "the compiler fuses no");
    check_left_open("fused_double", "no-contraction", "add.f64", "the compiler fuses no");
    check_left_open("fused_pair", "no-contraction", "sub.f16x2", "the compiler fuses no");
    /* nothing depends on what this one leaves open */
    json_t *root =
        run_json("analyze kernels/special_functions.ptx -l kernels/special_functions.yaml --json", 0);
    assert_false(assumes(json_object_get(entry(root, "bounds", "method", "sib"), "assumptions"),
                         "approximate functions"));
    json_decref(root);
}

static void test_given_inputs_are_used_unless_all_are_asked_for(void **state) {
    (void)state;
    json_t *root =
        run_json("analyze " BFS "--facts kernels/bfs_level.facts --inputs given --method sib --json", 0);
    assert_false(json_is_true(json_object_get(json_object_get(root, "launch"), "covering")));
    assert_null(json_object_get(root, "unknown"));
    json_decref(root);
}

#define UNKNOWN "kernels/histogram.ptx -l kernels/histogram_unknown.yaml "

/* Where the launch leaves contents open, analyze covers what depends on them, and executes it with zeros,
 * which proves nothing: with =zero in the launch the same takes as long. */
static void test_what_is_left_open_is_covered(void **state) {
    (void)state;
    json_t *root = run_json("analyze " UNKNOWN "--json", 0);
    json_t *zeros = json_object_get(json_object_get(root, "grid"), "given");
    assert_true(json_is_true(json_object_get(zeros, "zeros")));
    assert_int_equal(json_array_size(json_object_get(zeros, "bounds")), 0);
    assert_true(json_is_integer(json_object_get(root, "best_upper")));
    json_t *given = run_json("analyze " UNKNOWN "-a '1=buf:u8[10000]=zero' --json", 0);
    json_t *found = json_object_get(json_object_get(root, "verdict"), "slowest");
    assert_true(json_is_true(json_object_get(found, "with_zeros")));
    assert_int_equal(number(found, "cycles"),
                     number(entry(json_object_get(given, "grid"), "simulations", "policy", "lrr"), "cycles"));
    json_decref(root);
    json_decref(given);
    root = run_json("analyze kernels/cubin/histogram.sm_87.cubin -l kernels/histogram_unknown.yaml "
                    "-m jetson-agx-orin --deadline 100 --json",
                    1);
    assert_string_is(json_object_get(root, "verdict"), "state", "open");
    assert_true(number(json_object_get(json_object_get(root, "verdict"), "slowest"), "cycles") > 1000);
    assert_true(json_is_null(json_object_get(json_object_get(root, "verdict"), "sure")));
    json_decref(root);
    struct run run = run_command("path " UNKNOWN "--accesses");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "covering paths"));
    assert_non_null(strstr(run.out, "addresses that are not known"));
    run_free(&run);
}

/* Zeros that contradict flow facts, take long, or step out of a buffer are no execution. */
static void test_zeros_that_are_no_input(void **state) {
    (void)state;
    static const struct {
        const char *kernel, *limit;
        bool is_found;
    } cases[] = {
        {"counts", "100", true}, {"counts", "99", false}, {"waits", "9", false}, {"steps_out", "", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[400];
        (void)snprintf(command, sizeof command,
                       "K='tests/data/covering/zeros.ptx -k %s -g 1 -b 32 -a buf:u32[4]'; "
                       "$WB facts $K | sed 's/<= ?/<= %s/' > $D/f; $WB analyze $K --facts $D/f",
                       cases[i].kernel, cases[i].limit);
        struct run run = run_beside_folder(command);
        assert_int_equal(run.status, 0);
        assert_int_equal(strstr(run.out, "slowest found") != NULL, cases[i].is_found);
        assert_int_equal(strstr(run.out, "  slowest   none: values that") != NULL, !cases[i].is_found);
        run_free(&run);
    }
}

/* The kernel is bounded as its block is, with the given data beside it. */
static void check_kernel(json_t *root, bool has_given) {
    json_t *grid = json_object_get(root, "grid"), *given = json_object_get(grid, "given");
    assert_true(json_is_object(grid));
    assert_int_equal(json_array_size(json_object_get(grid, "simulations")), 0);
    assert_int_equal(json_is_object(given), has_given);
    json_int_t best = number(grid, "best_upper");
    if (!has_given) return;
    assert_true(best >= number(entry(given, "simulations", "policy", "gto"), "cycles"));
    for (size_t i = 0; i < json_array_size(json_object_get(given, "bounds")); i++) {
        json_t *known = json_array_get(json_object_get(given, "bounds"), i);
        json_t *bound = json_array_get(json_object_get(grid, "bounds"), i);
        assert_string_is(known, "method", json_string_value(json_object_get(bound, "method")));
        assert_true(number(bound, "cycles") >= number(known, "cycles"));
    }
}

static void test_kernels_are_covered(void **state) {
    (void)state;
    json_t *root = run_json("analyze " HISTOGRAM "--inputs any --set sms=2 --json", 0);
    check_costs(root);
    check_kernel(root, true);
    json_decref(root);
    root = run_json("analyze " BFS "--facts kernels/bfs_level.facts --set sms=2 --json", 0);
    check_kernel(root, true);
    json_decref(root);
    root = run_json("analyze kernels/vecadd.ptx -l kernels/vecadd.yaml -a 4=? --json", 0);
    check_kernel(root, false);
    json_decref(root);
    struct run run = run_command("analyze " HISTOGRAM
                                 "--inputs any -m ecrts2025-orin --deadline 4000 --method k-bal --explain");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.out, "paths    covering: of every execution"));
    assert_true(says(run.out, "kernel K7"));
    assert_non_null(strstr(run.out, "with the data that the launch gives:"));
    assert_non_null(strstr(run.out, "unknown values (assumed arbitrary), at"));
    run_free(&run);
}

/* On a machine with caches, too, the kernel is bounded for all inputs, beside the given ones. */
static void test_kernels_are_bounded_on_machines_with_caches(void **state) {
    (void)state;
    json_t *root = run_json("analyze " HISTOGRAM "--inputs any -m jcse2017 --json", 0);
    assert_string_equal(json_string_value(json_object_get(root, "scope")), "kernel");
    const double any =
        number(entry(json_object_get(root, "grid"), "bounds", "method", "segment-sum"), "cycles");
    assert_true(any >= number(entry(json_object_get(json_object_get(root, "grid"), "given"), "bounds",
                                    "method", "segment-sum"),
                              "cycles"));
    json_decref(root);
    check_failure(
        &(struct failure_case){"analyze " HISTOGRAM "--inputs any -m jcse2017 --method k-bal", 3,
                               "error: this method is for whole kernels, on machines without caches"});
}

/* A list of launches is bounded for all inputs, too. */
static void test_streams_are_covered(void **state) {
    (void)state;
    json_t *root =
        run_json("analyze kernels/horner.ptx -l kernels/horner_stream.yaml --inputs any --json", 0);
    json_t *given = run_json("analyze kernels/horner.ptx -l kernels/horner_stream.yaml --json", 0);
    assert_true(number(root, "best_upper") >= number(given, "best_upper"));
    assert_int_equal(number(entry(root, "simulations", "policy", "gto"), "cycles"),
                     number(entry(given, "simulations", "policy", "gto"), "cycles"));
    json_decref(root);
    json_decref(given);
}

/* A result says what it holds for: the inputs, and the registers of a thread. */
static void test_reports_name_inputs_and_registers(void **state) {
    (void)state;
    json_t *root = run_json("analyze " BFS "--method k-sm --registers 40 --json", 0);
    json_t *launch = json_object_get(root, "launch"), *arguments = json_object_get(launch, "arguments");
    assert_string_is(launch, "inputs", "given");
    assert_string_is(launch, "launch_file", "kernels/bfs_level.yaml");
    assert_int_equal(json_array_size(arguments), 6);
    assert_string_equal(json_string_value(json_array_get(arguments, 4)), "i32:2048");
    assert_int_equal(number(json_object_get(launch, "registers"), "most"), 40);
    assert_string_is(json_object_get(launch, "registers"), "source", "given");
    json_decref(root);
    root =
        run_json("analyze " HISTOGRAM "-i 0 --inputs any --method sib -a 'buf:u8[4096]' -a 'buf:u32[256]' -a "
                 "i32:4096 --json",
                 0);
    launch = json_object_get(root, "launch");
    assert_string_is(launch, "inputs", "any");
    assert_true(json_is_null(json_object_get(launch, "launch_file")));
    assert_int_equal(json_array_size(json_object_get(launch, "arguments")), 3);
    json_decref(root);
    struct run run =
        run_command("analyze " BFS "--facts kernels/bfs_level.facts --method sib,k-sm --explain");
    assert_true(says(run.out, "inputs any: contents of buffers and variables are not used; given by "
                              "kernels/bfs_level.yaml: buf:i32[2049]=@data/graph_starts.bin, "));
    assert_non_null(strstr(run.out, "\nregisters 1 to 255 a thread: not given, at most"));
    assert_non_null(strstr(run.out, "\nfacts    kernels/bfs_level.facts (checksum "));
    run_free(&run);
    root = run_json("analyze " BFS "-m jcse2017 --scheme default --registers 32 --json", 0);
    launch = json_object_get(root, "launch");
    assert_string_is(launch, "inputs", "given");
    assert_int_equal(number(json_object_get(launch, "registers"), "least"), 32);
    json_decref(root);
}

/* Nothing simulates covering paths. */
static void test_only_simulated_bounds_have_a_column_above_it(void **state) {
    (void)state;
    static const struct {
        const char *options;
        bool has_column;
    } cases[] = {
        {"-l kernels/histogram_unknown.yaml --scheme default --method segment-sum", false},
        {"-l kernels/histogram_unknown.yaml --method sib --explain", true}, /* with zeros beside it */
        {"-l kernels/histogram.yaml --scheme default --method segment-sum", true},
        {"-l kernels/histogram.yaml --method sib --explain", true},
        {"-l kernels/histogram.yaml --inputs any --method sib --explain",
         true}, /* with the given data beside it */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[256];
        (void)snprintf(command, sizeof command, "analyze kernels/histogram.ptx %s", cases[i].options);
        struct run run = run_command(command);
        assert_int_equal(run.status, 0);
        assert_non_null(strstr(run.out, " upper "));
        if ((strstr(run.out, "above sim.") != NULL) != cases[i].has_column)
            fail_msg("%s: %s", command, run.out);
        run_free(&run);
    }
}

static void test_wrong_facts_are_found_out_by_the_given_data(void **state) {
    (void)state;
    struct run run = run_shell("F=$(mktemp); sed 's/<= 8/<= 3/' kernels/bfs_level.facts > $F; "
                               "$WB analyze " BFS "--facts $F; s=$?; rm -f $F; exit $s");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "although a flow fact says that the loop is left before"));
    assert_string_equal(run.out, "");
    run_free(&run);
}

static void test_a_deadline_is_judged_for_all_inputs(void **state) {
    (void)state;
    struct run met = run_command(
        "analyze " BFS "--inputs given -m ecrts2025-orin --accept ptx-model --deadline 7000 --method sib");
    struct run missed = run_command(
        "analyze " BFS
        "--facts kernels/bfs_level.facts -m ecrts2025-orin --accept ptx-model --deadline 7000 --method sib");
    assert_int_equal(met.status, 0);
    assert_int_equal(missed.status, 1);
    run_free(&met);
    run_free(&missed);
}

/* Slow paths of mathematical functions: the proven bound of all arguments, without facts, over the slowest
 * simulation with a huge one. */
static void test_bounds_are_near_the_slowest_arguments(void **state) {
    (void)state;
    static const char *const kernels[] = {"sin_f64", "tan_f64", "j0_f64", "cos_f32", "j0_f32"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char command[512];
        const char *type = strstr(kernels[i], "f64") != NULL ? "f64" : "f32";
        (void)snprintf(command, sizeof command,
                       "analyze tests/data/library/library_math.ptx -k %s -g 1 -b 128 -a buf:%s[128]=1e30 -a "
                       "buf:%s[128] -a buf:%s[128] "
                       "-a i32:128 -i 0 --inputs any --assume approx --json",
                       kernels[i], type, type, type);
        json_t *root = run_json(command, 0);
        json_int_t upper = json_integer_value(json_object_get(root, "best_upper")), slowest = 0;
        json_t *simulations = json_object_get(json_object_get(root, "given"), "simulations"), *simulation;
        size_t index;
        json_array_foreach(simulations, index, simulation) {
            json_int_t cycles = json_integer_value(json_object_get(simulation, "cycles"));
            if (cycles > slowest) slowest = cycles;
        }
        if (slowest == 0 || upper < slowest || upper > 3 * slowest)
            fail_msg("%s: bound %lld, slowest simulation %lld", kernels[i], (long long)upper,
                     (long long)slowest);
        json_decref(root);
    }
}

#define RUNTIME(kernel) "analyze tests/data/ptx/runtime_calls.ptx -k " kernel " -g 1 -b 32 --method sib "
#define VPRINTF "--set class.vprintf.unit=INT --set class.vprintf.latency="

/* What SIB proves of a run. */
static json_int_t sib(const char *arguments) {
    json_t *root = run_json(arguments, 0);
    json_int_t cycles = number(entry(root, "bounds", "method", "sib"), "cycles");
    json_decref(root);
    return cycles;
}

/* Calls of the run-time system: one that ends the execution costs nothing, one that returns what the user
 * states, and without that the kernel is declined. */
static void test_calls_of_the_run_time_system(void **state) {
    (void)state;
    static const struct failure_case declined[] = {
        {RUNTIME("printing") "-a 'buf:i32[32]' -a i32:3", 3,
         "the time of a call of vprintf is unknown: machine 'ecrts2025-orin' gives no times for class "
         "'vprintf'. "
         "State them in the machine file or by --set class.vprintf.unit=UNIT"},
        {RUNTIME("allocating") "-a 'buf:i32[32]'", 3, "the time of a call of malloc is unknown"},
        {RUNTIME("asserting") "-a 'buf:i32[32]=-1'", 2, "lane 0 of warp 0 fails an assertion"},
    };
    for (size_t i = 0; i < sizeof declined / sizeof *declined; i++)
        check_failure(&declined[i]);
    json_int_t quick = sib(RUNTIME("printing") "-a 'buf:i32[32]' -a i32:3 --json " VPRINTF "1000");
    json_int_t slow = sib(RUNTIME("printing") "-a 'buf:i32[32]' -a i32:3 --json " VPRINTF "1500");
    assert_int_equal(slow - quick, 500); /* the warp waits for all of it, though it reads no result */
    assert_true(sib(RUNTIME("printing") "-a 'buf:i32[32]=5' -a i32:3 --json") < quick);
    assert_true(sib(RUNTIME("allocating") "-a 'buf:i32[32]' --json --set class.malloc.unit=INT "
                                          "--set class.malloc.latency=700 --set class.free.unit=INT") > 700);
    struct run run = run_command(RUNTIME("asserting") "-a 'buf:i32[32]' --all");
    assert_int_equal(run.status, 0);
    assert_true(says(run.out, "an execution whose assertion fails ends there"));
    run_free(&run);
}

#define ROWS                                                                                                 \
    "analyze tests/data/covering/rows_of_its_own.ptx -g 1 -b 32 -a 'buf:f32[262144]' -a 'buf:f32[512]' "     \
    "-a i32:512 -a i32:512 --method k-area --policy lrr --json "

/* An execution that does not fit the memory is covered, with a warning, in loops whose iterations are joined.
 */
static void test_what_is_too_long_to_execute_is_covered(void **state) {
    (void)state;
    json_t *known = run_json(ROWS, 0), *covered = run_json(ROWS "--memory-limit 4M 2> /dev/null", 0);
    json_int_t exact = json_integer_value(json_object_get(json_object_get(known, "grid"), "best_upper"));
    json_int_t upper = json_integer_value(json_object_get(json_object_get(covered, "grid"), "best_upper"));
    assert_true(exact > 0);
    if (upper < exact || upper > exact + exact / 4)
        fail_msg("covered %lld, executed %lld", (long long)upper, (long long)exact);
    assert_true(json_is_false(json_object_get(json_object_get(known, "launch"), "covering")));
    assert_true(json_is_true(json_object_get(json_object_get(covered, "launch"), "covering")));
    json_decref(known);
    json_decref(covered);
    struct run run = run_command(ROWS "--memory-limit 4M");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "analyze: warning: too long to execute step by step: covering"));
    run_free(&run);
}

/* A certificate has the blocks that the kernel was bounded by, which the real ones execute parts of. */
static void test_certificates_of_covering_kernels(void **state) {
    (void)state;
    struct run run =
        run_shell("\"$WB\" analyze kernels/bfs_level.ptx -l kernels/bfs_level.yaml --inputs any --facts "
                  "kernels/bfs_level.facts --quiet --certificate /tmp/warpbound_covering_certificate && "
                  "cat /tmp/warpbound_covering_certificate; rm -f /tmp/warpbound_covering_certificate");
    assert_int_equal(run.status, 0);
    assert_true(says(run.out, "\nparts\n"));
    assert_true(says(run.out, "\nclaim k-area "));
    assert_false(says(run.out, "\nclaim k-wave"));
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_are_near_the_slowest_arguments),
        cmocka_unit_test(test_what_is_too_long_to_execute_is_covered),
        cmocka_unit_test(test_failures_say_what_is_wrong),
        cmocka_unit_test(test_covering_paths_have_no_simulation),
        cmocka_unit_test(test_all_inputs_stand_beside_the_given_ones),
        cmocka_unit_test(test_loads_without_lanes_are_bounded),
        cmocka_unit_test(test_what_the_isa_leaves_open_is_unknown),
        cmocka_unit_test(test_given_inputs_are_used_unless_all_are_asked_for),
        cmocka_unit_test(test_what_is_left_open_is_covered),
        cmocka_unit_test(test_zeros_that_are_no_input),
        cmocka_unit_test(test_kernels_are_covered),
        cmocka_unit_test(test_kernels_are_bounded_on_machines_with_caches),
        cmocka_unit_test(test_streams_are_covered),
        cmocka_unit_test(test_reports_name_inputs_and_registers),
        cmocka_unit_test(test_only_simulated_bounds_have_a_column_above_it),
        cmocka_unit_test(test_wrong_facts_are_found_out_by_the_given_data),
        cmocka_unit_test(test_a_deadline_is_judged_for_all_inputs),
        cmocka_unit_test(test_calls_of_the_run_time_system),
        cmocka_unit_test(test_certificates_of_covering_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

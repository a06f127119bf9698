/* `warpbound measure` as a user runs it, on a stand-in for the GPU's driver that tells the truth, and lies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"
#include "wings/device/driver.h"

#define PARTS "tests/wings/device/data/parts.yaml"
#define SAXPY                                                                                                \
    "kernels/cubin/saxpy.sm_87.cubin -l kernels/saxpy.yaml -m jetson-agx-orin -a 1=i32:32 -b 32 -g 1"

/* Runs it with STAND_IN set; freed with run_free. */
static struct run measure(const char *stand_in, const char *arguments) {
    char text[600];
    (void)snprintf(text, sizeof text, "STAND_IN='%s' \"$WB\" measure %s --driver %s", stand_in, arguments,
                   WB_STAND_IN);
    return run_shell(text);
}

static json_t *measure_json(const char *stand_in, const char *arguments, int status) {
    char words[400];
    (void)snprintf(words, sizeof words, "%s --json", arguments);
    struct run run = measure(stand_in, words);
    if (run.status != status) print_error("%s", run.err);
    assert_int_equal(run.status, status);
    json_t *document = json_loads(run.out, 0, NULL);
    assert_non_null(document);
    run_free(&run);
    return document;
}

/* ---- What is measured ---------------------------------------------------------------------------------- */

static void test_a_report_has_runs_and_a_verdict(void **state) {
    (void)state;
    struct run run = measure("slow=9", "kernels/fir.yaml -n 7");
    assert_int_equal(run.status, 0);
    assert_memory_equal(run.out, "measured: fir took ", 19);
    assert_true(says(run.out, " on this stand-in in 14 runs: no bound"));
    assert_true(
        says(run.out, "measured on stand-in (sm_87, 16 SMs, memory at 3199 MHz), driver 570.0, CUDA 12.8"));
    assert_true(says(run.out, "runs discarded least median p99 largest MHz"));
    assert_true(says(run.out, "cold: the module was loaded anew, and 8 MiB of other memory written"));
    run_free(&run);
}

/* Cold runs are longer here, and the largest of all is what is judged. */
static void test_states_are_measured_apart(void **state) {
    (void)state;
    json_t *both = measure_json("slow=9", "kernels/fir.yaml -n 20", 0);
    json_t *cold = json_object_get(both, "cold"), *warm = json_object_get(both, "warm");
    assert_int_equal(json_array_size(json_object_get(cold, "runs")), 20);
    assert_true(number(cold, "least_ns") > number(warm, "largest_ns"));
    assert_true(number(cold, "least_ns") <= number(cold, "median_ns"));
    assert_true(number(cold, "median_ns") <= number(cold, "p99_ns"));
    assert_int_equal(number(both, "largest_ns"), number(cold, "largest_ns"));
    assert_int_equal(number(both, "largest_cycles"), number(cold, "largest_ns")); /* at 1 GHz */
    assert_string_is(cold, "kind", "measured");
    json_decref(both);
    json_t *only = measure_json("slow=9", "kernels/fir.yaml -n 5 --warm", 0);
    assert_true(json_is_null(json_object_get(only, "cold")));
    assert_int_equal(number(only, "swept_bytes"), 0);
    json_decref(only);
}

/* PTX and machine code, atomics, shuffles, data that steers: the interpreter leaves the same in memory. */
static void test_results_are_those_of_the_interpreter(void **state) {
    (void)state;
    static const char *const launches[] = {
        "kernels/sgemm_tiled.yaml -g 1",
        "kernels/histogram.yaml",
        "kernels/fir.yaml",
        "kernels/bfs_level.yaml",
        "kernels/cubin/histogram.sm_87.cubin -l kernels/histogram.yaml",
        "kernels/cubin/reduce.sm_90.cubin -l kernels/reduce.yaml",
        PARTS,
    };
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        char words[200];
        (void)snprintf(words, sizeof words, "%s -n 1 --warm --results", launches[i]);
        json_t *document = measure_json("", words, 0), *results = json_object_get(document, "results");
        json_int_t compared = 0;
        for (size_t r = 0; r < json_array_size(results); r++) {
            json_t *object = json_array_get(results, r);
            assert_int_equal(number(object, "different"), 0);
            compared += number(object, "bytes") - number(object, "unknown");
        }
        assert_true(compared > 0);
        json_decref(document);
    }
}

/* A buffer in a struct and a variable are there; contents that are left open are zeros. */
static void test_all_memory_is_compared(void **state) {
    (void)state;
    json_t *document = measure_json("", PARTS " -n 2 --results", 0);
    json_t *results = json_object_get(document, "results");
    assert_int_equal(json_array_size(results), 3);
    assert_int_equal(number(json_array_get(results, 0), "bytes"), 256);
    assert_string_is(json_array_get(results, 1), "name", "scale");
    assert_string_is(json_array_get(results, 2), "name", "count");
    assert_true(json_is_true(json_object_get(document, "with_zeros")));
    json_decref(document);
}

/* Each launch of a list is measured by itself, and all of them together: the largest kernel takes longer
 * than the others, and all longer than that. */
static void test_lists(void **state) {
    (void)state;
    json_t *document = measure_json("slow=9", "kernels/horner_stream.yaml -n 5", 0);
    json_t *launches = json_object_get(document, "launches"), *last = json_array_get(launches, 2);
    assert_int_equal(json_array_size(launches), 3);
    assert_string_is(document, "kernel", "the list of 3 launches");
    assert_int_equal(json_array_size(json_object_get(json_object_get(last, "warm"), "runs")), 5);
    const json_int_t longest = number(last, "largest_ns");
    assert_true(longest > number(json_array_get(launches, 0), "largest_ns"));
    assert_true(number(document, "largest_ns") > longest);
    json_decref(document);
    struct run run = measure("slow=900", "kernels/horner_stream.yaml -n 2 --deadline 1us");
    assert_int_equal(run.status, 1);
    assert_memory_equal(run.out, "missed: the list of 3 launches took ", 36);
    assert_true(says(run.out, "launch 2, _Z6hornerIdLi5EEvPKT_S2_PS0_i, by itself:"));
    assert_true(says(run.out, "all launches, one after another:"));
    run_free(&run);
    run = run_beside_folder("printf -- '- code: saxpy.ptx\n  kernel: saxpy\n  variables: {a: "
                            "\"i32[1]=zero\"}\n' > $D/l.yaml; cp kernels/saxpy.ptx $D; \"$WB\" measure "
                            "$D/l.yaml --driver " WB_STAND_IN " 2>&1");
    assert_int_equal(run.status, 3);
    assert_contains(run.out, "launch 1 of the list gives a variable, which all launches share");
    run_free(&run);
}

/* Beside another kernel it takes longer; that misses a deadline, but refutes no bound, which is of the kernel
 * alone. */
static void test_beside(void **state) {
    (void)state;
    json_t *alone = measure_json("slow=9", "kernels/fir.yaml -n 5", 0);
    json_t *beside = measure_json("slow=9", "kernels/fir.yaml -n 5 --beside bandwidth", 0);
    assert_true(number(beside, "largest_ns") > number(alone, "largest_ns"));
    assert_true(json_is_true(json_object_get(beside, "beside")));
    assert_true(json_is_false(json_object_get(alone, "beside")));
    json_decref(alone);
    json_decref(beside);
    beside = measure_json("mhz=306,slow=3000", SAXPY " -n 3 --beside bandwidth", 0);
    assert_string_is(beside, "state", "bounded");
    assert_string_is(beside, "unmeasured", "others ran beside the kernel, and bounds are of a kernel alone");
    json_decref(beside);
    struct run run = measure("mhz=306,slow=300", SAXPY " -n 3 --beside bandwidth --deadline 20us");
    assert_int_equal(run.status, 1);
    assert_true(says(run.out, "on stand-in beside a kernel that reads and writes memory"));
    assert_true(says(run.out, "such times refute no bound"));
    run_free(&run);
}

/* ---- What it is held against --------------------------------------------------------------------------- */

static void test_bounds_stand_beside_it(void **state) {
    (void)state;
    json_t *document = measure_json("mhz=306,slow=60", SAXPY " -n 3", 0);
    json_t *analysis = json_object_get(document, "analysis"), *verdict = json_object_get(analysis, "verdict");
    assert_string_is(document, "state", "bounded");
    assert_true(json_is_null(json_object_get(document, "unmeasured")));
    assert_true(number(verdict, "bound") > number(document, "largest_cycles"));
    json_decref(document);
}

/* What was measured is not lost where nothing can be bounded. */
static void test_times_without_bounds(void **state) {
    (void)state;
    struct run run = measure("slow=9", "kernels/fir.yaml -n 1 -m jetson-agx-orin");
    assert_int_equal(run.status, 2);
    assert_contains(run.out, "measured: fir took ");
    assert_contains(run.err, "error: ");
    run_free(&run);
}

struct judged_case {
    const char *stand_in, *arguments;
    int status;
    const char *state; /* the report's first word */
    const char *said;  /* in it, wherever lines are broken */
};

static const struct judged_case judged[] = {
    /* With nothing proven: */
    {"slow=9", "kernels/saxpy.yaml --deadline 1", 1, "missed", "on this stand-in"},
    {"slow=900", "kernels/saxpy.yaml --deadline 5us", 1, "missed", "more than 5.00 us on this stand-in"},
    {"slow=900", "kernels/saxpy.yaml --deadline 5ms", 3, "within",
     "of 5.00 ms on this stand-in in 6 runs: no bound"},
    /* Beside a bound of 14127 cycles, which are 46 us: */
    {"mhz=306,slow=80", SAXPY " --deadline 10000", 1, "missed", "cycles on stand-in, "},
    {"mhz=306,slow=80", SAXPY " --deadline 2ms", 0, "met", "the kernel takes at most"},
    {"mhz=306,slow=80", SAXPY " --deadline 42us", 1, "open", "the kernel takes at most"},
    {"mhz=306,slow=3000", SAXPY " --deadline 2ms", 4, "contradiction", "stand-in took"},
    /* A faster clock is compared by time, a slower one by cycles. */
    {"mhz=612,slow=160", SAXPY, 0, "bounded", "slowest"},
    {"mhz=153,slow=80", SAXPY, 0, "bounded", "slowest"},
    {"mhz=612,slow=3000", SAXPY, 4, "contradiction", "stand-in took"},
    /* A GPU that is not the machine refutes none of its bounds. */
    {"mhz=306,slow=3000,sm=90", SAXPY, 0, "bounded", "the machine is of sm_87, the GPU of sm_90"},
    {"mhz=306,slow=3000,sms=8", SAXPY, 0, "bounded", "the machine has 16 SMs, the GPU 8"},
    {"mhz=306,slow=3000,memory-mhz=2133", SAXPY, 0, "bounded",
     "the memory of the machine runs at 3199 MHz, that of the GPU at 2133"},
    {"mhz=306,slow=3000,no-nvml", SAXPY " --deadline 200us", 1, "missed", "libnvidia-ml.so.1 is not there"},
};

static void test_verdicts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
        const struct judged_case *wanted = &judged[i];
        char words[300];
        (void)snprintf(words, sizeof words, "%s -n 3", wanted->arguments);
        struct run run = measure(wanted->stand_in, words);
        const bool ended = run.status == wanted->status && says(run.out, wanted->said) &&
                           strncmp(run.out, wanted->state, strlen(wanted->state)) == 0;
        if (!ended) print_error("%s, %s: %d\n%s%s", wanted->stand_in, words, run.status, run.out, run.err);
        assert_true(ended);
        run_free(&run);
    }
}

static void test_a_contradiction_names_both_numbers(void **state) {
    (void)state;
    struct run run = measure("mhz=306,slow=3000", SAXPY " -n 2");
    assert_contains(run.err, "contradiction: stand-in took ");
    assert_contains(run.err, "more than the 14127 cycles that kernel proves with the figures of "
                             "jetson-agx-orin: some of these are too small for this GPU");
    assert_memory_equal(run.out, "contradiction: ", 15);
    assert_true(says(run.out, "Bounds of this code rest on these figures of the machine"));
    assert_true(says(run.out, "assumed class.alu"));
    run_free(&run);
    run = measure("mhz=306,slow=3000", SAXPY " -n 2 --format junit");
    assert_int_equal(run.status, 4);
    assert_contains(run.out, "<error ");
    assert_contains(run.out, "value=\"contradiction\"");
    run_free(&run);
}

/* The picture has all runs, and stands in the page, too. */
static void test_the_distribution_is_drawn(void **state) {
    (void)state;
    struct run run = measure("slow=9", "kernels/fir.yaml -n 30 --format svg");
    assert_int_equal(run.status, 0);
    assert_memory_equal(run.out, "<svg ", 5);
    assert_contains(run.out, "cold");
    assert_contains(run.out, "warm");
    run_free(&run);
    run = run_beside_folder("STAND_IN=mhz=306,slow=3000 \"$WB\" measure " SAXPY
                            " -n 30 -q --report \"$D/r.html\" --driver " WB_STAND_IN
                            " 2>&1; cat \"$D/r.html\"");
    assert_contains(run.out, "<figure><svg ");
    assert_contains(run.out, "The machine is not the GPU that was measured.");
    run_free(&run);
}

/* ---- Lies ---------------------------------------------------------------------------------------------- */

struct lie {
    const char *stand_in;
    int status;
    const char *message;
};

static const struct lie lies[] = {
    {"no-device", 3, "the driver has no GPU"},
    {"moving-clock=1", 3,
     "stand-in: error: in all of 8 cold runs the clock moved or was throttled, or the host "
     "was late: no time is known"},
    {"throttle", 3, "in all of 8 cold runs the clock moved or was throttled"},
    {"late-host", 3, "in all of 8 cold runs the clock moved or was throttled, or the host was late"},
    {"hang=cuInit", 3,
     "driver: error: a call did not return within 0.5 seconds: the process that made it was ended"},
    {"hang=cuEventSynchronize", 3, "did not return within 0.5 seconds"},
    {"crash=cuModuleLoadData", 3, "driver: error: the process that calls it died of signal"},
    {"crash=cuLaunchKernel", 3, "driver: error: the process that calls it died of signal"},
    {"exit=cuInit", 3, "driver: error: a call ended the process that made it, with status 0"},
    {"exit=cuLaunchKernel:7", 3, "driver: error: a call ended the process that made it, with status 7"},
    {"wrong-result", 4,
     "--results: error: the GPU left other results in memory than the interpreter does: 1 bytes "
     "differ"},
};

static void check_lie(const char *stand_in, int status, const char *message) {
    struct run run = measure(stand_in, PARTS " -n 2 --results --patience 0.5");
    if (run.status != status || strstr(run.err, message) == NULL)
        print_error("%s: %d\n%s%s", stand_in, run.status, run.out, run.err);
    assert_int_equal(run.status, status);
    assert_contains(run.err, message);
    if (status == 3) assert_string_equal(run.out, "");
    run_free(&run);
}

static void test_lies_are_noticed(void **state) {
    (void)state;
    struct run run = measure("never-beside", PARTS " -n 2 --warm --beside bandwidth");
    assert_int_equal(run.status, 3);
    assert_contains(run.err, "or the host was late, or nothing ran beside it: no time is known");
    run_free(&run);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
        check_lie(lies[i].stand_in, lies[i].status, lies[i].message);
}

/* Each call that fails is named; without the bus of the GPU only its clocks are not known. */
static void test_each_failing_call_is_named(void **state) {
    (void)state;
#define CALL(name, suffix, parameters) {#name, suffix},
    static const struct { const char *name, *suffix; } calls[] = {DRIVER_FUNCTIONS(CALL)};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char lie[80], message[120];
        const char *name = calls[i].name;
        if (strcmp(name, "cuGetErrorName") == 0 || strcmp(name, "cuDeviceGetPCIBusId") == 0) continue;
        (void)snprintf(lie, sizeof lie, "error=%s%s:999", name, calls[i].suffix);
        (void)snprintf(message, sizeof message, "libcuda.so.1: error: %s failed: CUDA_ERROR_UNKNOWN (999)",
                       name);
        check_lie(lie, 3, message);
    }
    struct run run = measure("error=cuDeviceGetPCIBusId:1", "kernels/saxpy.yaml -n 1");
    assert_true(says(run.out, "clocks are not known"));
    run_free(&run);
}

/* Runs whose clock moved are discarded and counted; others are made in their place. */
static void test_runs_are_discarded(void **state) {
    (void)state;
    json_t *document = measure_json("moving-clock=3", "kernels/saxpy.yaml -n 6 --warm", 0);
    json_t *warm = json_object_get(document, "warm");
    assert_int_equal(number(warm, "count"), 6);
    assert_int_equal(number(warm, "discarded"), 3); /* the 2nd, 5th, 8th pair of reads */
    json_decref(document);
}

/* --time-limit ends the child, too. */
static void test_a_limit_ends_it(void **state) {
    (void)state;
    struct run run = measure("hang=cuEventSynchronize", PARTS " --time-limit 0.3");
    assert_int_equal(run.status, 4);
    assert_contains(run.err, "driver: error: measuring was stopped");
    run_free(&run);
}

static void test_a_wrong_result_is_shown(void **state) {
    (void)state;
    struct run run = measure("wrong-result", "kernels/saxpy.yaml -n 1 --results");
    assert_int_equal(run.status, 4);
    assert_true(says(run.out, "results differ: 1 byte of "));
    assert_true(says(run.out, "the first is byte 0, "));
    run_free(&run);
}

/* ---- Without a GPU ------------------------------------------------------------------------------------- */

static const struct failure_case failures[] = {
    {"measure kernels/saxpy.yaml --driver no-such-driver.so.1", 3,
     "no-such-driver.so.1: error: the GPU's driver cannot be opened, without which nothing is measured"},
    {"measure kernels/saxpy.yaml --driver libm.so.6", 3,
     "libm.so.6: error: this library is no driver that is new enough: it lacks cuInit, cuDriverGetVersion, "},
    {"measure kernels/saxpy.yaml -i 0", 2, "--block-index is for one block: a GPU runs all of them"},
    {"measure kernels/saxpy.yaml -n 0", 2, "a number from 1 to 1000000"},
    {"measure kernels/saxpy.yaml -a 1=i32:?", 3, "a GPU takes no argument that is not known"},
    {"measure kernels/horner_stream.yaml -m jetson-agx-orin", 2, "are for one launch, not for a list"},
    {"measure kernels/horner_stream.yaml --results", 2, "are for one launch, not for a list"},
    {"measure kernels/saxpy.yaml --beside noise", 2, "--beside: expected bandwidth"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
    struct run run = run_command("measure kernels/saxpy.yaml --format junit");
    assert_int_equal(run.status, 2);
    assert_contains(run.err, "--format junit and --report need a machine");
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_report_has_runs_and_a_verdict),
        cmocka_unit_test(test_states_are_measured_apart),
        cmocka_unit_test(test_results_are_those_of_the_interpreter),
        cmocka_unit_test(test_all_memory_is_compared),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_bounds_stand_beside_it),
        cmocka_unit_test(test_times_without_bounds),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_a_contradiction_names_both_numbers),
        cmocka_unit_test(test_the_distribution_is_drawn),
        cmocka_unit_test(test_lies_are_noticed),
        cmocka_unit_test(test_each_failing_call_is_named),
        cmocka_unit_test(test_runs_are_discarded),
        cmocka_unit_test(test_a_limit_ends_it),
        cmocka_unit_test(test_a_wrong_result_is_shown),
        cmocka_unit_test(test_failures_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

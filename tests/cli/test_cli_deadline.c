/* Deadlines as a gate of a build: exit status 0 only where what the deadline is of is proven to meet it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define STENCIL "analyze kernels/stencil5.ptx -l kernels/stencil5.yaml "
#define HISTOGRAM "analyze kernels/histogram.ptx -l kernels/histogram.yaml "
#define HORNER "analyze kernels/horner.ptx -l kernels/horner_stream.yaml -m ecrts2025-orin " MODEL

/* The deadlines below are of the PTX model. */
#define MODEL "--accept ptx-model "

/* The grid takes longer than 100 us, each of its blocks less than 20. */
#define MANY STENCIL "-g 16,16 -m ecrts2025-orin " MODEL

/* Machine code: with no latency longer than the shortest one stated it takes some 600 cycles, else 6000. */
#define CHASE "analyze tests/data/cli/chase.sm_87.cubin -l tests/data/cli/chase.yaml -m jetson-agx-orin "
#define BITONIC "analyze kernels/cubin/bitonic.sm_80.cubin -l kernels/bitonic.yaml -m a100 "
#define CODE "analyze kernels/cubin/vecadd.sm_80.cubin -l kernels/vecadd.yaml -m a100 "

/* A gate, what the report begins with and what goes to stderr; NULL: nothing. */
struct gate {
    const char *arguments;
    int status;
    const char *verdict, *message;
};

static const struct gate gates[] = {
    {MANY "--method sib --deadline 1s", 0,
     "met: in the PTX model, the kernel takes at most 54.18 us of 1 s, margin ", NULL},
    {MANY "--method sib --deadline 20us", 1,
     "open: in the PTX model, the kernel takes at most 54.18 us, 34.18 us more than 20 us (170.9 ", NULL},
    {MANY "--method sib --deadline 10us", 1,
     "open: in the PTX model, the kernel takes at most 54.18 us, 44.18 us more than 10 us (441.8 %); slowest "
     "found 15.66 us",
     NULL},
    {MANY "--method sib --deadline 10us --scope kernel", 1,
     "open: in the PTX model, the kernel takes at most ", NULL},
    {MANY "--method sib --deadline 20us --scope block", 0,
     "met: in the PTX model, block (0,0,0) alone takes at most ", NULL},
    {MANY "--method sib,k-sm --deadline 20us --scope block", 0,
     "met: in the PTX model, every block alone takes at most ", NULL},
    {MANY "--method sib,k-sm --deadline 1us --scope block", 1,
     "open: in the PTX model, every block alone takes at most ", NULL},
    {MANY "--method sib --deadline 20us -i 2,1 --scope block", 0,
     "met: in the PTX model, block (2,1,0) alone takes", NULL},
    {MANY "--method sib --deadline 1us -i 2,1 --scope block", 1,
     "open: in the PTX model, block (2,1,0) alone takes at most ", NULL},
    {MANY "--method sib --deadline 20us -i 2,1", 1,
     "block-only: nothing is proven of the kernel, deadline 20 us; in the PTX model, block (2,1,0) alone "
     "takes at most ",
     "omit it, or judge the isolated block with --scope block"},
    {MANY "--method sib --deadline 1s -i 2,1", 1, "block-only: nothing is proven of the kernel",
     "--scope block"},
    {MANY "--method waves --deadline 1s", 3,
     "unproven: in the PTX model, no bound of the kernel is proven, deadline 1 s,", "choose a method"},
    {MANY "--method waves --deadline 10us", 1,
     "open: in the PTX model, no bound of the kernel is proven, deadline 10 us; slowest found 15.66 us",
     NULL},
    {MANY "--method waves", 0, "unproven: in the PTX model, no bound of the kernel is proven\n", NULL},
    {STENCIL "-m ecrts2025-orin --method sib --deadline 1s", 1,
     "model-only: in the PTX model, the kernel takes at most ", NULL},
    {"analyze kernels/cubin/vecadd.sm_80.cubin -l kernels/vecadd.yaml -m kepler-sm35 --set mem_latency=60000 "
     "--deadline 1s",
     1, "model-only: in a PTX model of its machine code, the kernel takes at most ", NULL},
    {"analyze kernels/cubin/vecadd.sm_80.cubin -l kernels/vecadd.yaml -m a100 --deadline 1s", 0,
     "met: the kernel takes at most ", NULL},
    {CODE "--deadline 200ns", 1, "missed: the kernel can take ", NULL},
    {CODE "--deadline 200ns --scope block", 1, "missed: block (0,0,0) alone can take ", NULL},
    {CODE "--deadline 1us", 1, "open: the kernel takes at most ", NULL},
    /* 1000 loads, one behind the other, that the first level serves in 20 to 39 cycles each. */
    {CHASE "--deadline 20000", 1, "missed: the kernel can take ", NULL},
    {CHASE "--deadline 60000", 1, "open: the kernel takes at most ", NULL},
    /* Who waits for its turn may take longer than GPUs do. */
    {BITONIC "--deadline 6000 --policy rr", 1, "open: the kernel takes at most ", NULL},
    {BITONIC "--deadline 6000 --policy lrr", 1, "missed: the kernel can take ", NULL},
    {CODE "--deadline 6us", 1, "open: the kernel takes at most ", NULL},
    {MANY "--method k-area", 0, "bounded: in the PTX model, the kernel takes at most ", NULL},
    {STENCIL MODEL "-m jcse2017 --method sib --deadline 1s", 0,
     "met: in the PTX model, the kernel takes at most ", NULL},
#ifdef WB_WING_JCSE2017
    {STENCIL MODEL "-m jcse2017 --scheme reorder --deadline 1ms", 0,
     "met: in the PTX model, the kernel takes at most ", NULL},
    {STENCIL MODEL "-m jcse2017 --scheme reorder --deadline 1us", 1,
     "open: in the PTX model, the kernel takes at most ", NULL},
    {STENCIL MODEL "-m jcse2017 --scheme reorder -i 1 --deadline 1ms", 1,
     "block-only: nothing is proven of the kernel, deadline 1 ms; in the PTX model, block (1,0,0) alone "
     "takes at most ",
     "--scope block"},
    {STENCIL MODEL "-m jcse2017 --scheme reorder -i 1 --deadline 1ms --scope block", 0,
     "met: in the PTX model, block (1,0,0) alone takes at most ", NULL},
#endif
    {HISTOGRAM MODEL "-m jcse2017 --inputs any --deadline 1s", 0,
     "met: in the PTX model, the kernel takes at most ", NULL},
    {HISTOGRAM MODEL "-m jcse2017 --inputs any --method sib --deadline 1s --scope block", 0,
     "met: in the PTX model, block (0,0,0) alone takes at most ", NULL},
    {HORNER "--method sib --deadline 1s", 0, "met: in the PTX model, the stream takes at most ", NULL},
    {HORNER "--method sib --deadline 21us", 1, "open: in the PTX model, the stream takes at most ", NULL},
    {HORNER "--method sib --deadline 1us", 1, "open: in the PTX model, the stream takes at most ", NULL},
    {HORNER, 0, "bounded: in the PTX model, the stream takes at most ", NULL},
    {"analyze docs/refutations/gub-depth0.yaml --deadline 1s", 0, "met: the block takes at most ", NULL},
    {"analyze docs/refutations/gub-depth0.yaml --deadline 1", 1, "missed: the block can take ", NULL},
    {"analyze docs/refutations/waves.yaml --deadline 1s", 0, "met: the kernel takes at most ", NULL},
    {"analyze docs/refutations/waves.yaml --method exhaustive --deadline 1", 1, "missed: ", NULL},
};

static void test_the_exit_status_is_of_what_the_deadline_is_of(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        const struct gate *gate = &gates[i];
        struct run run = run_command(gate->arguments);
        if (run.status != gate->status || !says(run.out, gate->verdict) || run.out[0] != gate->verdict[0])
            fail_msg("%s: status %d\n%s%s", gate->arguments, run.status, run.out, run.err);
        if (gate->message == NULL ? strstr(run.err, "error") != NULL : strstr(run.err, gate->message) == NULL)
            fail_msg("%s: %s", gate->arguments, run.err);
        run_free(&run);
    }
}

/* Checks the keys of a verdict; `met` is NULL where that is null. */
static void check_verdict(const char *arguments, int status, const char *scope, const bool *met) {
    json_t *root = run_json(arguments, status), *deadline = json_object_get(root, "deadline");
    json_t *best = json_object_get(root, "best_upper");
    assert_string_is(root, "scope", scope);
    assert_string_is(deadline, "of", scope);
    if (met == NULL) {
        assert_true(json_is_null(json_object_get(deadline, "met")));
        assert_true(json_is_null(json_object_get(deadline, "bound")));
        assert_true(json_is_null(best));
    } else {
        assert_int_equal(json_is_true(json_object_get(deadline, "met")), *met);
        assert_int_equal(number(deadline, "bound"), json_integer_value(best));
        assert_int_equal(number(deadline, "bound") <= number(deadline, "cycles"), *met);
        assert_true(json_is_string(json_object_get(deadline, "method")));
    }
    json_decref(root);
}

/* No number of a block stands where one of the kernel is meant. */
static void test_json_says_what_the_verdict_is_about(void **state) {
    (void)state;
    const bool yes = true, no = false;
    check_verdict(MANY "--method sib --deadline 20us --json", 1, "kernel", &no);
    check_verdict(MANY "--method sib,k-bal --deadline 1s --json", 0, "kernel", &yes);
    check_verdict(MANY "--method sib,k-bal --deadline 20us --scope block --json", 0, "block", &yes);
    check_verdict(MANY "--method sib --deadline 20us -i 1 --scope block --json", 0, "block", &yes);
    check_verdict(MANY "--method sib --deadline 20us -i 1 --json", 1, "kernel", NULL);
    json_t *root = run_json(MANY "--method sib --deadline 20us -i 1 --json", 1);
    assert_true(json_is_true(json_object_get(json_object_get(root, "deadline"), "block_met")));
    json_decref(root);
    root = run_json(MANY "--method sib,k-area --json", 0);
    assert_string_is(root, "scope", "kernel");
    assert_int_equal(number(root, "best_upper"), number(json_object_get(root, "grid"), "best_upper"));
    json_decref(root);
}

/* Checks the verdict that JSON begins with. */
static void check_state(const char *arguments, int status, const char *scope, const char *state) {
    json_t *root = run_json(arguments, status), *verdict = json_object_get(root, "verdict");
    json_t *bound = json_object_get(verdict, "bound"), *sure = json_object_get(verdict, "sure");
    assert_string_is(verdict, "scope", scope);
    assert_string_is(verdict, "state", state);
    const bool has_deadline = json_is_integer(json_object_get(verdict, "deadline"));
    if (has_deadline && json_is_integer(bound))
        assert_int_equal(number(verdict, "margin"), number(verdict, "deadline") - number(verdict, "bound"));
    else
        assert_true(json_is_null(json_object_get(verdict, "margin")));
    if (strcmp(state, "missed") == 0)
        assert_true(number(sure, "cycles") > number(verdict, "deadline"));
    else if (has_deadline && json_is_object(sure))
        assert_true(number(sure, "cycles") <= number(verdict, "deadline"));
    if (json_is_integer(bound)) {
        assert_string_is(verdict, "kind", "upper");
        assert_string_is(root, "scope", scope);
    }
    json_decref(root);
}

static void test_json_has_every_state(void **state) {
    (void)state;
    check_state(MANY "--method sib --deadline 1s --json", 0, "kernel", "met");
    check_state(MANY "--method sib --deadline 20us --json", 1, "kernel", "open");
    check_state(MANY "--method sib --deadline 10us --json", 1, "kernel", "open");
    check_state(CODE "--deadline 200ns --json", 1, "kernel", "missed");
    check_state(CODE "--deadline 6us --json", 1, "kernel", "open");
    check_state(MANY "--method sib --deadline 20us -i 1 --json", 1, "kernel", "block-only");
    check_state(MANY "--method waves --deadline 1s --json", 3, "kernel", "unproven");
    check_state(MANY "--method waves --json", 0, "kernel", "unproven");
    check_state(MANY "--json", 0, "kernel", "bounded");
    check_state(MANY "--json -i 1", 0, "block", "bounded");
    check_state(MANY "--json --scope block", 0, "block", "bounded");
    check_state(HORNER "--json", 0, "stream", "bounded");
    check_state(HORNER "--json --deadline 1us", 1, "stream", "open");
    check_state("analyze docs/refutations/gub-depth0.yaml --json --deadline 1s", 0, "block", "met");
}

static const struct failure_case failures[] = {
    {STENCIL "--deadline 1s", 2, "a deadline needs a machine: name one with -m"},
    {"analyze kernels/cubin/vecadd.sm_86.cubin -l kernels/vecadd.yaml --deadline 1s", 2,
     "such as -m rtx-a6000"},
    {STENCIL "-m ecrts2025-orin --deadline 100 us", 2,
     "'us' is a separate word: write a deadline and its unit as one"},
    {STENCIL "-m ecrts2025-orin --format trace", 2, "expected text or json, or add --schedule"},
    {STENCIL "-m ecrts2025-orin --accept mode", 2, "unknown name 'mode'"},
    {STENCIL "-m jcse2017 --deadline 1s --scope grid", 2, "--scope grid: error: expected kernel or block"},
    {STENCIL MODEL "-m jcse2017 --scheme default --scope block --deadline 1s", 2,
     "--scope block: with --scheme"},
    {HORNER "--scope block --deadline 1s", 2, "--scope is for one launch"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_exit_status_is_of_what_the_deadline_is_of),
        cmocka_unit_test(test_json_says_what_the_verdict_is_about),
        cmocka_unit_test(test_json_has_every_state),
        cmocka_unit_test(test_failures_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

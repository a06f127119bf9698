/* warpbound task: the example, its deadline, and what its kernels need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run_cli.h"

#define EXAMPLE "task docs/examples/task/task.yaml --method kernel "

static void test_cases(void **state) {
    static const struct {
        const char *arguments;
        int status;
        const char *said;
    } cases[] = {
        {EXAMPLE, 0, "met: the task takes at most"},
        {EXAMPLE "--deadline 1ms", 1, "open: the task takes at most"},
        {"task docs/examples/task/streams.yaml --deadline 11ms", 0, "margin"},
        {"task docs/examples/task/streams.yaml --deadline 11ms", 0, "kernels without an order share SMs"},
        {"analyze docs/examples/task/task.yaml --deadline 10ms -q", 0, "met: the task takes at most"},
        {"analyze docs/examples/task/task.yaml --phases", 2, "not an option of task"},
        {EXAMPLE "-m nonsense", 2, "nonsense"},
        {EXAMPLE "-m rtx-a6000 --deadline 1s", 2, "sm_87"},
        {EXAMPLE "--set memory.sms=15", 2, "the partitions have more SMs than jetson-agx-orin"},
        {EXAMPLE "--set partition=2,mig", 2, "is for a launch"},
        {EXAMPLE "--set interference=2,2", 2, "is for bounds of a launch"},
        {"task", 2, "expected one task file"},
        {"task docs/examples/task/smooth.yaml", 2, "smooth.yaml:1:1: error: not a task file"},
        {"task nosuch.yaml", 2, "cannot read"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run = run_command(cases[i].arguments);
        if (run.status != cases[i].status || !(says(run.out, cases[i].said) || says(run.err, cases[i].said)))
            fail_msg("%s: %d: %s%s", cases[i].arguments, run.status, run.out, run.err);
        run_free(&run);
    }
}

/* Nodes are neighbours only of each other. */
static void test_launches_without_neighbours(void **state) {
    (void)state;
    struct run run = run_shell("folder=$(mktemp -d); cp docs/examples/task/* $folder; echo 'interference: "
                               "{requests: 1, bytes_per_us: 0}' >>$folder/grey.yaml; $WB task "
                               "$folder/task.yaml; status=$?; rm -r $folder; exit $status");
    assert_int_equal(run.status, 2);
    assert_true(says(run.err, "task.yaml:10:3: error: grey: a task has no neighbours"));
    run_free(&run);
}

/* Each kernel takes what analyze says of it on its partition; the last node ends when the task does. */
static void test_kernels(void **state) {
    (void)state;
    json_t *task = run_json(EXAMPLE "--json", 0), *nodes = json_object_get(task, "nodes");
    json_t *alone = run_json("analyze docs/examples/task/smooth.yaml -m jetson-agx-orin --set "
                             "partition=8,green-context --set sass.l2_keeps=0 --method kernel --json",
                             0);
    assert_int_equal(number(entry(task, "nodes", "name", "smooth"), "cycles"),
                     number(json_object_get(alone, "grid"), "best_upper"));
    assert_int_equal(number(json_array_get(nodes, json_array_size(nodes) - 1), "end"),
                     number(task, "cycles"));
    assert_true(number(task, "slowest") <= number(task, "cycles"));
    json_decref(alone);
    json_decref(task);
}

/* Of kernels that share SMs `shared` is the bound, whatever is asked for, and no execution was found. */
static void test_streams(void **state) {
    (void)state;
    json_t *task = run_json("task docs/examples/task/streams.yaml --method kernel --json", 1);
    json_t *census = entry(task, "nodes", "name", "census"), *edges = entry(task, "nodes", "name", "edges"),
           *smooth = entry(task, "nodes", "name", "smooth"), *next = entry(task, "nodes", "name", "next");
    assert_string_equal(json_string_value(json_object_get(census, "method")), "shared");
    assert_string_equal(json_string_value(json_object_get(entry(task, "nodes", "name", "mark"), "method")),
                        "kernel");
    assert_true(json_is_null(json_object_get(census, "slowest")) &&
                json_is_null(json_object_get(task, "slowest")));
    assert_true(number(census, "beside") >= number(edges, "cycles") + number(smooth, "cycles"));
    assert_true(number(next, "beside") == 0);
    json_decref(task);
}

/* The page has the picture of all nodes, and the same document as --json. */
static void test_page(void **state) {
    static const char *const parts[] = {"<svg", ">census</text>", ">deadline</text>", "K3  nothing else",
                                        "\"name\": \"warpbound-task\""};
    char path[] = "/tmp/warpbound_task_XXXXXX";
    char arguments[256];
    (void)state;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    (void)snprintf(arguments, sizeof arguments, EXAMPLE "--report %s", path);
    struct run run = run_command(arguments);
    assert_int_equal(run.status, 0);
    run_free(&run);
    char *page = read_file(path);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(page, parts[i]) == NULL) fail_msg("no %s", parts[i]);
    free(page);
    (void)unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),   cmocka_unit_test(test_launches_without_neighbours),
        cmocka_unit_test(test_kernels), cmocka_unit_test(test_streams),
        cmocka_unit_test(test_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

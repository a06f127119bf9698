/* Whole kernels as a user asks for them: a launch is a grid, unless one block or a method of blocks is named.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "run_cli.h"

#define STENCIL "kernels/stencil5.ptx -l kernels/stencil5.yaml "
#define MANY STENCIL "-g 4,40 -m ecrts2025-orin "
#define SGEMM "kernels/sgemm_tiled.ptx -l docs/examples/sgemm-256.yaml -m ecrts2025-orin "
#define READING "docs/reading-a-bound.md"

/* The cycles of the simulation that took longest. */
static json_int_t slowest(json_t *grid) {
    json_int_t most = 0;
    size_t i;
    json_t *simulation;
    json_array_foreach(json_object_get(grid, "simulations"), i, simulation) {
        json_int_t cycles = number(simulation, "cycles");
        most = cycles > most ? cycles : most;
    }
    return most;
}

/* Proven bounds hold for what was simulated, and say what they are made of. */
static void check_bounds(json_t *grid) {
    size_t i, p, proven = 0;
    json_t *bound, *part;
    json_array_foreach(json_object_get(grid, "bounds"), i, bound) {
        if (strcmp(json_string_value(json_object_get(bound, "kind")), "upper") != 0) continue;
        proven += json_array_size(json_object_get(bound, "forms"));
        assert_true(number(bound, "cycles") >= slowest(grid));
        json_int_t sum = 0;
        json_array_foreach(json_object_get(bound, "parts"), p, part) sum += number(part, "cycles");
        assert_int_equal(sum, number(bound, "cycles"));
    }
    assert_true(proven >= 3);
}

static void test_a_grid_has_block_and_kernel_bounds(void **state) {
    (void)state;
    json_t *root = run_json("analyze " STENCIL "-g 64,64 -m ecrts2025-orin --json", 0);
    json_t *grid = json_object_get(root, "grid");
    assert_int_equal(number(grid, "blocks"), 4096);
    assert_int_equal(number(grid, "kind_count"), 4);
    assert_int_equal(number(grid, "sms"), 14);
    check_bounds(grid);
    assert_true(slowest(grid) > number(entry(root, "bounds", "method", "sib"), "cycles"));
    double microseconds = json_real_value(json_object_get(grid, "best_upper_microseconds"));
    double expected = (double)number(grid, "best_upper") / 930;
    assert_true(microseconds > expected - 0.001 && microseconds < expected + 0.001);
    assert_non_null(json_string_value(json_object_get(grid, "dominated_by")));
    assert_non_null(entry(root, "bounds", "method", "sib"));
    json_decref(root);
}

/* Whether the report of a run is of a whole grid. */
static bool is_of_grid(const char *arguments) {
    json_t *root = run_json(arguments, 0);
    bool grid = json_object_get(root, "grid") != NULL;
    json_decref(root);
    return grid;
}

static void test_when_the_grid_is_analysed(void **state) {
    (void)state;
    assert_true(is_of_grid("analyze " STENCIL "--json"));
    assert_true(is_of_grid("analyze " STENCIL "--method sib,k-area --json"));
    assert_true(is_of_grid("analyze " STENCIL "-m jcse2017 --json"));
    assert_false(is_of_grid("analyze " STENCIL "--method sib,elb --json"));
    assert_false(is_of_grid("analyze " STENCIL "-i 1 --json"));
}

/* Grids of at most 14 blocks, one for each SM. */
static const char *const small_grids[] = {"bfs_level", "bitonic",           "components", "histogram",
                                          "reduce",    "special_functions", "stencil5",   "transpose"};

/* Where every block has an SM of its own, no bound of the kernel is above that of the block. */
static void test_a_block_on_each_sm_bounds_the_kernel(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof small_grids / sizeof *small_grids; k++) {
        char arguments[256];
        (void)snprintf(
            arguments, sizeof arguments,
            "analyze kernels/%s.ptx -l kernels/%s.yaml --method sib,aln,fifo,elb,k-area,k-bal,k-sm "
            "--policy lrr --json",
            small_grids[k], small_grids[k]);
        json_t *root = run_json(arguments, 0), *grid = json_object_get(root, "grid"), *bound;
        json_int_t block = number(entry(root, "bounds", "method", "elb"), "cycles");
        size_t i;
        assert_true(number(grid, "blocks") <= number(grid, "sms"));
        json_array_foreach(json_object_get(root, "bounds"), i, bound) if (number(bound, "cycles") < block)
            block = number(bound, "cycles");
        json_array_foreach(json_object_get(grid, "bounds"), i, bound) if (number(bound, "cycles") > block)
            fail_msg("%s: above %lld", arguments, (long long)block);
        json_decref(root);
    }
}

/* Fewer things known never make a bound smaller. */
static void test_unknown_registers_cost_something(void **state) {
    (void)state;
    json_t *known = run_json("analyze " MANY "--registers 40 --method k-area,k-bal --policy lrr --json", 0);
    json_t *unknown = run_json("analyze " MANY "--method k-area,k-bal --policy lrr --json", 0);
    json_t *few = json_object_get(known, "grid"), *many = json_object_get(unknown, "grid");
    assert_true(number(few, "best_upper") < number(many, "best_upper"));
    assert_int_equal(number(json_object_get(few, "resident_blocks"), "least"), 6);
    assert_int_equal(number(json_object_get(many, "resident_blocks"), "least"), 1);
    assert_int_equal(number(json_object_get(many, "resident_blocks"), "most"), 6);
    json_decref(known);
    json_decref(unknown);
}

/* The page that explains a report shows what is printed. */
static void test_the_page_shows_what_is_printed(void **state) {
    (void)state;
    if (ADDRESS_SANITIZER) skip(); /* four million instructions, ten times slower */
    char *page = read_file(READING);
    struct run run = run_command("analyze " SGEMM "--registers 40 --explain");
    assert_int_equal(run.status, 0);
    for (char *line = strtok(run.out, "\n"); line != NULL; line = strtok(NULL, "\n"))
        if (strstr(page, line) == NULL) fail_msg("not in " READING ": %s", line);
    run_free(&run);
    free(page);
}

/* The rows of the page's last table. */
struct row {
    const char *arguments, *what;
};

static void test_the_page_measured_what_it_says(void **state) {
    (void)state;
    static const struct row rows[] = {
        {SGEMM, "`--registers` left out"},
        {SGEMM "--registers 64", "`--registers 64`"},
        {SGEMM "--registers 40 --set mem_latency=100", "`--set mem_latency=100`"},
        {SGEMM "--registers 40 --memory ideal", "`--memory ideal`"},
        {"kernels/sgemm_double_buffered.ptx -k sgemm_double_buffered -l docs/examples/sgemm-256.yaml -m "
         "ecrts2025-orin "
         "--registers 40",
         "`kernels/sgemm_double_buffered.ptx`"},
    };
    if (ADDRESS_SANITIZER) skip();
    char *page = read_file(READING), command[512], line[256];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        (void)snprintf(command, sizeof command, "analyze %s --method sib,k-area,k-bal --policy lrr --json",
                       rows[r].arguments);
        json_t *root = run_json(command, 0);
        (void)snprintf(line, sizeof line, "| %s | %" JSON_INTEGER_FORMAT " |", rows[r].what,
                       number(json_object_get(root, "grid"), "best_upper"));
        if (strstr(page, line) == NULL) fail_msg("not in " READING ": %s", line);
        json_decref(root);
    }
    free(page);
}

static const struct failure_case failures[] = {
    {"analyze " STENCIL "--method k-area -i 0", 3, "is for whole kernels"},
    {"analyze " STENCIL "--method k-area --set dispatch=static", 3, "not dispatch: static"},
    {"analyze " STENCIL "--method k-everything", 2, "unknown name 'k-everything'"},
    {"analyze " STENCIL "--set limits.warps=4", 2, "room"},
    {"analyze " STENCIL "--set sms=0", 2, "sms"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_grid_has_block_and_kernel_bounds),
        cmocka_unit_test(test_when_the_grid_is_analysed),
        cmocka_unit_test(test_a_block_on_each_sm_bounds_the_kernel),
        cmocka_unit_test(test_unknown_registers_cost_something),
        cmocka_unit_test(test_the_page_shows_what_is_printed),
        cmocka_unit_test(test_the_page_measured_what_it_says),
        cmocka_unit_test(test_failures_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Launches of the kernels of tests/data/gpgpusim/basic.ptx, against what GPGPU-Sim 4 took for them:
 * cycles.csv has the totals of every launch, issues/ the cycle, warp and instruction of every issue of some
 * of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "sim/gpu/gpu.h"
#include "warp/path/path.h"
#include "warp/timed/timed.h"

#define DATA "tests/data/gpgpusim/"
#define NAME_LENGTH 64
#define ARGUMENTS_MAX 4

/* One line of cycles.csv. */
struct row {
    char launch[NAME_LENGTH], kernel[NAME_LENGTH], policy[NAME_LENGTH];
    unsigned threads, elements, latency;
    unsigned long cycles, last_issue, last_commit, instructions;
};

/* Arguments of each kernel's launches; %u is the number of elements. */
static const struct {
    const char *kernel;
    const char *arguments[ARGUMENTS_MAX];
} launches[] = {
    {"vecadd", {"buf:i32[%u]=iota", "buf:i32[%u]=7", "buf:i32[%u]=0", "i32:%u"}},
    {"saxpy_loop", {"i32:%u", "f32:2.0", "buf:f32[%u]=iota", "buf:f32[%u]=1.0"}},
    {"reduce_smem", {"buf:f32[%u]=1.0", "buf:f32[16]=zero", "i32:%u"}},
    {"diverge", {"buf:i32[1024]=iota", "buf:i32[4096]=zero", "i32:5"}},
    {"diverge_loop", {"buf:i32[1024]=iota", "buf:i32[4096]=zero", "i32:5"}},
};

/* The module, and the block of the launch looked at last. */
struct suite {
    wb_diagnostics *diagnostics;
    wb_module *module;
    char launch[NAME_LENGTH];
    wb_block *block;
};

static void expect_ok(const struct suite *suite, wb_status status) {
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(suite->diagnostics));
}

static wb_launch *make_launch(const struct suite *suite, const struct row *row) {
    wb_launch *launch = wb_launch_new();
    char text[NAME_LENGTH];
    assert_non_null(launch);
    expect_ok(suite, wb_launch_set_grid(launch, (const uint32_t[3]){1, 1, 1}, suite->diagnostics));
    expect_ok(suite,
              wb_launch_set_block(launch, (const uint32_t[3]){row->threads, 1, 1}, suite->diagnostics));
    size_t kernel = 0;
    while (strcmp(launches[kernel].kernel, row->kernel) != 0)
        assert_true(++kernel < sizeof launches / sizeof *launches);
    for (size_t i = 0; i < ARGUMENTS_MAX && launches[kernel].arguments[i] != NULL; i++) {
        const char *argument = launches[kernel].arguments[i];
        const char *number = strstr(argument, "%u");
        int before = number == NULL ? (int)strlen(argument) : (int)(number - argument);
        (void)snprintf(text, sizeof text, "%.*s", before, argument);
        if (number != NULL)
            (void)snprintf(text + before, sizeof text - (size_t)before, "%u%s", row->elements, number + 2);
        expect_ok(suite, wb_launch_add_argument(launch, text, suite->diagnostics));
    }
    return launch;
}

/* Traces the row's launch unless it is the one at hand. */
static void trace(struct suite *suite, const struct row *row) {
    if (strcmp(suite->launch, row->launch) == 0) return;
    wb_launch *launch = make_launch(suite, row);
    const wb_trace_options options = {.size = sizeof options, .record_accesses = true};
    const wb_kernel *kernel;
    wb_block_free(suite->block);
    suite->block = NULL;
    expect_ok(suite, wb_module_find_kernel(suite->module, row->kernel, suite->diagnostics, &kernel));
    expect_ok(suite, wb_block_trace(kernel, launch, &options, suite->diagnostics, &suite->block));
    memcpy(suite->launch, row->launch, sizeof suite->launch);
    wb_launch_free(launch);
}

static wb_simulation simulate_row(struct suite *suite, const struct row *row, const struct sim_sink *sink) {
    trace(suite, row);
    wb_machine *machine;
    struct timed_block timed;
    wb_simulation result;
    char latency[NAME_LENGTH];
    const char *preset = row->latency == 5 ? "gpgpusim-orin-5l" : "gpgpusim-orin";
    (void)snprintf(latency, sizeof latency, "mem_latency=%u", row->latency);
    expect_ok(suite, wb_machine_load(preset, suite->diagnostics, &machine));
    expect_ok(suite, wb_machine_set(machine, latency, suite->diagnostics));
    expect_ok(suite, timed_block_from(suite->block, machine, NULL, suite->diagnostics, &timed));
    const struct sim_policy *policy = policy_at(choose_index(row->policy, wb_policy_name));
    expect_ok(suite, simulate(&timed, policy, sink, NULL, suite->diagnostics, &result));
    timed_block_free(&timed);
    wb_machine_free(machine);
    return result;
}

static bool read_row(FILE *file, struct row *row) {
    return fscanf(file, "%63[^,],%63[^,],%u,%u,%u,%63[^,],%lu,%lu,%lu,%lu\n", row->launch, row->kernel,
                  &row->threads, &row->elements, &row->latency, row->policy, &row->cycles, &row->last_issue,
                  &row->last_commit, &row->instructions) == 10;
}

/* cycles.csv behind its heading. */
static FILE *open_rows(void) {
    FILE *file = fopen(DATA "cycles.csv", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*[^\n]\n"), 0);
    return file;
}

static int suite_open(void **state) {
    struct suite *suite = calloc(1, sizeof *suite);
    if (suite == NULL) return -1;
    suite->diagnostics = wb_diagnostics_new();
    *state = suite;
    return (int)wb_module_read(DATA "basic.ptx", suite->diagnostics, &suite->module);
}

static int suite_close(void **state) {
    struct suite *suite = *state;
    wb_block_free(suite->block);
    wb_module_free(suite->module);
    wb_diagnostics_free(suite->diagnostics);
    free(suite);
    return 0;
}

/* Every launch ends in the cycle in which it does in GPGPU-Sim. */
static void test_totals(void **state) {
    FILE *file = open_rows();
    struct row row;
    unsigned rows = 0;
    unsigned wrong = 0;
    for (; read_row(file, &row); rows++) {
        wb_simulation result = simulate_row(*state, &row, NULL);
        /* GPGPU-Sim counts `ret`, of which every warp executes one. */
        uint64_t instructions = result.warp_instructions + row.threads / WARP_LANES;
        if (result.cycles == row.cycles && result.last_issue == row.last_issue &&
            result.last_commit == row.last_commit && instructions == row.instructions)
            continue;
        wrong++;
        print_error("%s, latency %u, %s: cycles %lu (%lu), last issue %lu (%lu), last commit %lu (%lu)\n",
                    row.launch, row.latency, row.policy, (unsigned long)result.cycles, row.cycles,
                    (unsigned long)result.last_issue, row.last_issue, (unsigned long)result.last_commit,
                    row.last_commit);
    }
    (void)fclose(file);
    assert_int_equal(rows, 144);
    assert_int_equal(wrong, 0);
}

/* The issues of one launch as the file has them, compared one by one. */
struct comparison {
    FILE *file;
    uint32_t first; /* the kernel's first instruction */
    const char *name;
    unsigned issues, wrong;
};

static wb_status compare_issue(void *user, const struct sim_event *event) {
    struct comparison *comparison = user;
    unsigned long cycle;
    unsigned warp;
    unsigned instruction;
    assert_int_equal(fscanf(comparison->file, "%lu %u %u\n", &cycle, &warp, &instruction), 3);
    comparison->issues++;
    if (cycle == event->issue && warp == event->warp && instruction == event->instruction - comparison->first)
        return WB_OK;
    if (comparison->wrong++ == 0)
        print_error("%s: warp %u issues instruction %u in cycle %lu, not warp %u instruction %u in %lu\n",
                    comparison->name, event->warp, event->instruction - comparison->first,
                    (unsigned long)event->issue, warp, instruction, cycle);
    return WB_OK;
}

/* Every instruction of every warp issues in the same cycle as in GPGPU-Sim. */
static void test_issues(void **state) {
    struct suite *suite = *state;
    FILE *rows = open_rows();
    struct row row;
    unsigned files = 0;
    unsigned wrong = 0;
    while (read_row(rows, &row)) {
        char path[4 * NAME_LENGTH];
        (void)snprintf(path, sizeof path, DATA "issues/%s__%u_%s.txt", row.launch, row.latency, row.policy);
        struct comparison comparison = {.file = fopen(path, "r"), .name = path};
        if (comparison.file == NULL) continue;
        trace(suite, &row);
        comparison.first = suite->block->code_first[suite->block->kernel->function];
        const struct sim_sink sink = {.event = compare_issue, .user = &comparison};
        (void)simulate_row(suite, &row, &sink);
        assert_int_equal(comparison.issues, row.instructions);
        (void)fclose(comparison.file);
        wrong += comparison.wrong;
        files++;
    }
    (void)fclose(rows);
    assert_int_equal(files, 36);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_issues),
    };
    return cmocka_run_group_tests(tests, suite_open, suite_close);
}

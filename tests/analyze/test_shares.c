/* Kernels on some of their machine's SMs: each analysis is the one of a machine of so many SMs, number by
 * number, of all kernels and their machine code; what they ask memory for is no less than their accesses do,
 * one by one; and what is no list of numbers, or no partition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <inttypes.h>

#include "bound/analysis/analysis.h"
#include "kernel_suite.h"

#define LIST "1..3, 6"

static unsigned compared, requested;

static wb_machine *load_machine(const char *name, uint32_t sms, wb_diagnostics *diagnostics) {
    wb_machine *machine;
    char setting[40];
    kernel_expect_ok(wb_machine_load(name, diagnostics, &machine), name, diagnostics);
    (void)snprintf(setting, sizeof setting, "memory.sms=%u", sms);
    kernel_expect_ok(wb_machine_set(machine, setting, diagnostics), name, diagnostics);
    return machine;
}

static void expect_same(const wb_analysis *share, const wb_analysis *alone, const char *path, uint32_t sms) {
    size_t count, alone_count;
    const uint64_t deadline = 20000;
    const wb_bound *bounds = wb_analysis_bounds(share, &count), *others;
    const wb_verdict verdict = wb_analysis_judge(share, WB_SCOPE_KERNEL, &deadline),
                     other = wb_analysis_judge(alone, WB_SCOPE_KERNEL, &deadline);
    others = wb_analysis_bounds(alone, &alone_count);
    if (count != alone_count) fail_msg("%s, %u SMs: %zu bounds, %zu alone", path, sms, count, alone_count);
    for (size_t b = 0; b < count; b++)
        if (bounds[b].cycles != others[b].cycles || strcmp(bounds[b].method, others[b].method) != 0)
            fail_msg("%s, %u SMs: %s %lu, alone %s %lu", path, sms, bounds[b].method,
                     (unsigned long)bounds[b].cycles, others[b].method, (unsigned long)others[b].cycles);
    if (verdict.state != other.state || verdict.slowest.cycles != other.slowest.cycles ||
        verdict.sure.cycles != other.sure.cycles)
        fail_msg("%s, %u SMs: %s, slowest %lu; alone %s, %lu", path, sms, wb_state_name(verdict.state),
                 (unsigned long)verdict.slowest.cycles, wb_state_name(other.state),
                 (unsigned long)other.slowest.cycles);
    compared++;
}

/* Of each access, and what is written back; of vecadd a line of each access has 6 page tables. */
static void check_requests(const struct wb_analysis *analysis, const char *path) {
    const struct traffic *traffic = &analysis->grid_times.traffic;
    uint64_t asked = 0;
    if (analysis->kind != SUBJECT_KERNEL || traffic->grid == NULL) return;
    const uint64_t most = grid_work_requests(&analysis->work);
    for (uint32_t b = 0; b < traffic->grid->blocks.count; b++)
        for (uint32_t w = 0; w < traffic->grid->warp_count; w++) {
            const struct traffic_pattern *pattern = traffic_pattern_of(traffic, b, w);
            for (uint32_t a = 0; a < pattern->access_count; a++)
                asked += (uint64_t)pattern->accesses[a].request_count *
                         (traffic_is_write(pattern->accesses[a].kind) ? 2 : 1) *
                         grid_blocks_alike(traffic->grid, b);
        }
    if (machine_isa(analysis->machine) == ISA_SASS && most < asked)
        fail_msg("%s: %" PRIu64 " requests, at most %" PRIu64, path, asked, most);
    if (strcmp(path, "kernels/cubin/vecadd.sm_87.cubin") == 0)
        assert_int_equal(most, 62 * (3 * (4 + 6) + 4) + 3 * (2 + 6) + 2);
    requested += asked > 0;
}

static void check(const char *path, const char *launch, const char *machine_name) {
    struct loaded_kernel loaded = kernel_load(path, launch);
    wb_machine *machine = load_machine(machine_name, 8, loaded.diagnostics);
    wb_analyze_options options = {
        .size = sizeof options, .methods = "kernel,fib", .has_deadline = true, .sms = LIST};
    wb_analysis *whole = NULL;
    uint32_t sms;
    wb_status status =
        wb_analyze(loaded.kernel, loaded.launch, machine, &options, loaded.diagnostics, &whole);
    if (status != WB_ERR_DECLINED) kernel_expect_ok(status, path, loaded.diagnostics);
    options.sms = NULL;
    if (status == WB_OK) check_requests(whole, path);
    for (size_t s = 0; status == WB_OK && wb_analysis_share(whole, s, &sms) != NULL; s++) {
        wb_machine *alone_machine = load_machine(machine_name, sms, loaded.diagnostics);
        wb_analysis *alone;
        kernel_expect_ok(
            wb_analyze(loaded.kernel, loaded.launch, alone_machine, &options, loaded.diagnostics, &alone),
            path, loaded.diagnostics);
        expect_same(wb_analysis_share(whole, s, &sms), alone, path, sms);
        wb_analysis_free(alone);
        wb_machine_free(alone_machine);
    }
    if (status == WB_OK) assert_int_equal(wb_analysis_share_count(whole), 4);
    wb_analysis_free(whole);
    wb_machine_free(machine);
    kernel_unload(&loaded);
}

static void check_code(const struct kernel_case *entry, const char *path, void *user) {
    (void)user;
    if (strstr(path, "sm_87") != NULL && strstr(path, "/o1/") == NULL)
        check(path, entry->launch, "jetson-agx-orin");
}

static void test_kernel(void **state) {
    const struct kernel_case *entry = *state;
    check(entry->ptx, entry->launch, "ampere-sm80");
    kernel_each_code(entry, check_code, NULL);
}

static void test_compared_some(void **state) {
    (void)state;
    printf("%u analyses compared\n", compared);
    assert_true(compared > 50);
    assert_true(requested > 20);
}

/* What launch files cannot have made. */
static void test_neighbours(void **state) {
    static const char *const texts[] = {
        "", "1", "1,", ",", "x,1", "1,2,3", "1,x,,k.yaml", "1,2,,", "1,2,1us,none.yaml"};
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_machine *machine = load_machine("rtx-a6000", 8, diagnostics);
        const wb_status status = wb_machine_set_neighbours(machine, texts[t], WB_FILES_BELOW, diagnostics);
        if (status != (strcmp(texts[t], "1,2,3") == 0 ? WB_OK : WB_ERR_INPUT))
            fail_msg("'%s': %d %s", texts[t], (int)status, wb_diagnostics_text(diagnostics));
        wb_machine_free(machine);
        wb_diagnostics_free(diagnostics);
    }
}

/* ---- What is refused ----------------------------------------------------------------------------------- */

static void test_lists(void **state) {
    static const struct {
        const char *list, *message;
    } rows[] = {{"", "expected number of SMs"}, {"9", "from 1 to 8"},     {"0..2", "from 1 to 8"},
                {"3..2", "have to rise"},       {"2,2", "have to rise"},  {"1.2", "expected '.'"},
                {"1..8x", "expected ','"},      {"1,", "expected number"}};
    (void)state;
    struct loaded_kernel loaded = kernel_load("kernels/vecadd.ptx", "kernels/vecadd.yaml");
    wb_machine *machine = load_machine("ampere-sm80", 8, loaded.diagnostics);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const wb_analyze_options options = {.size = sizeof options, .sms = rows[r].list};
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_analysis *analysis = NULL;
        assert_int_equal(wb_analyze(loaded.kernel, loaded.launch, machine, &options, diagnostics, &analysis),
                         WB_ERR_INPUT);
        assert_null(analysis);
        assert_non_null(strstr(wb_diagnostics_text(diagnostics), rows[r].message));
        wb_diagnostics_free(diagnostics);
    }
    wb_machine_free(machine);
    kernel_unload(&loaded);
}

static void test_partitions(void **state) {
    static const struct {
        const char *setting, *message; /* NULL: it is taken */
    } rows[] = {{"partition=8,green-context", NULL},     {"partition=1,mig", NULL},
                {"partition=2,sm-mask", NULL},           {"partition=2,mps", NULL},
                {"partition=9,mig", "fewer SMs"},        {"partition=0,mig", "expected a number"},
                {"partition=2", "expected a number"},    {"partition=2,mik", "mig"},
                {"partition=x,mig", "expected a number"}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_machine *machine = load_machine("ampere-sm80", 8, diagnostics);
        const wb_status status = wb_machine_set(machine, rows[r].setting, diagnostics);
        assert_int_equal(status, rows[r].message == NULL ? WB_OK : WB_ERR_INPUT);
        if (rows[r].message != NULL)
            assert_non_null(strstr(wb_diagnostics_text(diagnostics), rows[r].message));
        else
            assert_int_equal(wb_machine_set(machine, rows[r].setting, diagnostics), WB_ERR_INPUT); /* twice */
        if (rows[r].message == NULL) /* nor by another way */
            assert_int_equal(wb_machine_set(machine, "memory.sms=4", diagnostics), WB_ERR_INPUT);
        wb_machine_free(machine);
        wb_diagnostics_free(diagnostics);
    }
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_compared_some), cmocka_unit_test(test_lists),
                                        cmocka_unit_test(test_neighbours), cmocka_unit_test(test_partitions)};
    return kernel_suite_run("shares", test_kernel, others, sizeof others / sizeof *others);
}

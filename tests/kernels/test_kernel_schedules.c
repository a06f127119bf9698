/* Every kernel of kernels/index.txt as a schedule, on machines whose SMs wait for all that there is to wait
 * for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_suite.h"
#include "recorded_schedule_check.h"

static const struct {
    const char *machine, *settings[3];
    const char *scheme, *policy;
} cases[] = {
    {"ecrts2025-orin", {"dispatch_depth=0"}, "default", "gto"},
    {"ecrts2025-orin", {"issue_per_warp=2", "barrier_release=9", "dispatch=round_robin"}, "default", "rr"},
    {"ecrts2025-orin", {"fetch.size=512", "fetch.miss_latency=30", "fetch.misses=2"}, "default", "lrr"},
    {"ecrts2025-orin", {"requests=volta", "service=2"}, "default", "lrr"},
    {"jcse2017", {"l1_mshrs=4"}, "default", "oldest"},
    {"jcse2017", {"channel_depth=1"}, "reorder", "lrr"},
    {"jcse2017", {"l1_mshrs=32"}, "pure-rr", NULL},
};

static void record(const struct loaded_kernel *loaded, const wb_grid *grid, size_t which) {
    wb_diagnostics *diagnostics = loaded->diagnostics;
    wb_machine *machine = NULL;
    wb_gpu *gpu = NULL;
    wb_schedule *schedule = NULL;
    kernel_expect_ok(wb_machine_load(cases[which].machine, diagnostics, &machine), "machine", diagnostics);
    for (size_t s = 0; s < 3 && cases[which].settings[s] != NULL; s++)
        kernel_expect_ok(wb_machine_set(machine, cases[which].settings[s], diagnostics), "setting",
                         diagnostics);
    kernel_expect_ok(wb_gpu_new(grid, machine, diagnostics, &gpu), "gpu", diagnostics);
    kernel_expect_ok(
        wb_schedule_of_gpu(gpu, cases[which].scheme, cases[which].policy, NULL, diagnostics, &schedule),
        cases[which].scheme, diagnostics);
    recorded_schedule_check(schedule, cases[which].machine);
    wb_schedule_free(schedule);
    wb_gpu_free(gpu);
    wb_machine_free(machine);
}

static void test_kernel(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    wb_grid *grid = NULL;
    kernel_expect_ok(wb_grid_trace(loaded.kernel, loaded.launch, NULL, loaded.diagnostics, &grid), "grid",
                     loaded.diagnostics);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        record(&loaded, grid, c);
    wb_grid_free(grid);
    kernel_unload(&loaded);
}

int main(void) {
    return kernel_suite_run("schedules of kernels", test_kernel, NULL, 0);
}

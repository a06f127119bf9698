/* No simulation of a whole kernel takes longer than a bound that claims to hold: every kernel of
 * kernels/index.txt with 1 to 64 blocks, on one to four SMs with little and with much room, under every
 * dispatcher and every work-conserving policy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <inttypes.h>

#include "address_sanitizer.h"
#include "base/containers.h"
#include "bound/analysis/analysis.h"
#include "bound/analysis/registry.h"
#include "kernel_suite.h"
#include "launch_text.h"

/* The second has four sub-cores. */
static const char *const machines[] = {"ecrts2025-orin", "ampere-sm80"};

/* Blocks of a grid; where the kernel's data do not have so many, the grid is left out. */
static const uint32_t block_counts[] = {1, 2, 3, 7, 16, 64};

/* Blocks that an SM holds at a time, if nothing else keeps them out. */
static const uint32_t rooms[] = {1, 2, 3, 32};

/* Between two blocks, and for each block. */
static const uint32_t dispatch_times[][2] = {{0, 0}, {30, 0}, {7, 3}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Grids that were analysed, and simulations of them. */
static uint64_t grids_seen, simulations_seen;

/* What is analysed, for messages. */
struct kernel_grid {
    const struct kernel_case *entry;
    const wb_grid *grid;
    const char *dimensions;
    wb_diagnostics *diagnostics;
};

static void check_simulations(const struct kernel_grid *kernel, const wb_machine *machine,
                              const wb_analysis *analysis) {
    size_t bound_count, simulation_count, proven = 0;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &bound_count);
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &simulation_count);
    assert_int_equal(simulation_count, 3);
    for (size_t b = 0; b < bound_count; b++) {
        if (bounds[b].kind != WB_UPPER) continue;
        proven++;
        for (size_t s = 0; s < simulation_count; s++) {
            if (simulations[s].cycles <= bounds[b].cycles) continue;
            fail_msg(
                "%s, grid %s, on %s (%u SMs, %u blocks each, dispatch %u, latency %u, service %u): %s is "
                "%" PRIu64 ", but %s takes %" PRIu64,
                kernel->entry->name, kernel->dimensions, machine->name, machine->memory.sms,
                machine->limits.blocks, machine->memory.dispatch, machine->memory.dispatch_latency,
                machine->memory.dispatch_service, bounds[b].method, bounds[b].cycles, simulations[s].policy,
                simulations[s].cycles);
        }
    }
    assert_true(proven > 0);
    simulations_seen += simulation_count;
}

/* All methods that bound kernels by formulas, whichever there are and are for this machine. */
static void compute_bounds(const struct kernel_grid *kernel, wb_analysis *analysis) {
    for (size_t i = 0; bound_method_at(i) != NULL; i++) {
        const struct bound_method *method = bound_method_at(i);
        if ((method->needs & NEED_KERNEL) == 0 || method->searches) continue;
        wb_status status = wb_analysis_bound(analysis, method->name, NULL, kernel->diagnostics);
        if (status != WB_ERR_DECLINED) kernel_expect_ok(status, method->name, kernel->diagnostics);
    }
}

static void check_machine(const struct kernel_grid *kernel, const wb_machine *machine) {
    wb_analysis *analysis = NULL;
    wb_status status = analysis_new_kernel(kernel->grid, machine, NULL, NULL, kernel->diagnostics, &analysis);
    if (status == WB_OK) status = wb_analysis_simulate(analysis, "lrr,gto,oldest", NULL, kernel->diagnostics);
    kernel_expect_ok(status, kernel->entry->name, kernel->diagnostics);
    compute_bounds(kernel, analysis);
    check_simulations(kernel, machine, analysis);
    wb_analysis_free(analysis);
}

/* Every dispatcher on one of the machines, by turns, with SMs, rooms and times of the dispatcher by chance.
 */
static void check_grid(const struct kernel_grid *kernel) {
    struct random_state random = random_seeded(grids_seen);
    for (size_t m = 0; m < COUNT(machines); m++) {
        wb_machine *machine = NULL;
        kernel_expect_ok(wb_machine_load(machines[m], kernel->diagnostics, &machine), machines[m],
                         kernel->diagnostics);
        for (uint32_t dispatch = DISPATCH_STATIC; dispatch <= DISPATCH_MOST_FREE; dispatch++) {
            if ((grids_seen + dispatch + m) % COUNT(machines) != 0) continue;
            const uint32_t *times = dispatch_times[random_below(&random, COUNT(dispatch_times))];
            machine->memory.dispatch = dispatch;
            machine->memory.sms = 1 + (uint32_t)random_below(&random, 4);
            machine->limits.blocks = rooms[random_below(&random, COUNT(rooms))];
            machine->memory.dispatch_latency = times[0];
            machine->memory.dispatch_service = times[1];
            check_machine(kernel, machine);
        }
        wb_machine_free(machine);
    }
    grids_seen++;
}

/* A grid of these dimensions, NULL: the launch's own; false when the kernel's data do not have so many
 * blocks.
 */
static bool check_dimensions(const struct kernel_case *entry, const char *dimensions) {
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    wb_diagnostics *quiet = wb_diagnostics_new();
    wb_grid *grid = NULL;
    assert_non_null(quiet);
    if (dimensions != NULL)
        kernel_expect_ok(launch_grid_text(loaded.launch, dimensions, quiet), dimensions, quiet);
    wb_status status = wb_grid_trace(loaded.kernel, loaded.launch, NULL, quiet, &grid);
    if (dimensions == NULL) kernel_expect_ok(status, entry->name, quiet);
    const struct kernel_grid kernel = {entry, grid, dimensions == NULL ? "its own" : dimensions, quiet};
    if (status == WB_OK) check_grid(&kernel);
    wb_grid_free(grid);
    wb_diagnostics_free(quiet);
    kernel_unload(&loaded);
    return status == WB_OK;
}

static void test_kernel(void **state) {
    const struct kernel_case *entry = *state;
    size_t most = ADDRESS_SANITIZER ? 3 : COUNT(block_counts);
    check_dimensions(entry, NULL);
    for (size_t c = 0; c < most; c++) {
        char dimensions[16];
        (void)snprintf(dimensions, sizeof dimensions, "%" PRIu32, block_counts[c]);
        assert_true(check_dimensions(entry, dimensions) || c > 0);
    }
}

/* Most kernels guard their blocks, or have data for many: the grids above were not left out. */
static void test_most_grids_were_seen(void **state) {
    (void)state;
    assert_true(grids_seen >= (ADDRESS_SANITIZER ? 160 : 240) / kernel_suite_step());
    assert_true(simulations_seen >= grids_seen * 12);
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_most_grids_were_seen)};
    return kernel_suite_run("bounds of whole kernels", test_kernel, others, 1);
}

#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "sim/gpu/gpu.h"
#include "warp/trace/trace.h"

/* Executions are looked for in grids up to this size, in instructions of all warps. */
#define SEARCHED_INSTRUCTIONS_MAX 1000000u

/* What a case is made of. */
struct specimen {
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *kernel;
    wb_launch *launch;
    wb_machine *machine;
};

static wb_status specimen_open(const struct sweep_case *one, struct specimen *specimen) {
    char path[160];
    (void)snprintf(path, sizeof path, "kernels/%s", one->kernel->ptx);
    WB_TRY(wb_module_read(path, specimen->diagnostics, &specimen->module));
    (void)snprintf(path, sizeof path, "kernels/%s", one->kernel->launch);
    WB_TRY(wb_launch_read(path, WB_FILES_BELOW, specimen->diagnostics, &specimen->launch));
    WB_TRY(wb_module_find_kernel(specimen->module, wb_launch_kernel(specimen->launch), specimen->diagnostics,
                                 &specimen->kernel));
    WB_TRY(wb_machine_load(one->machine->preset, specimen->diagnostics, &specimen->machine));
    if (one->machine->setting != NULL)
        WB_TRY(wb_machine_set(specimen->machine, one->machine->setting, specimen->diagnostics));
    if (strcmp(one->sms, "max") == 0) return WB_OK;
    (void)snprintf(path, sizeof path, "sms=%s", one->sms);
    return wb_machine_set(specimen->machine, path, specimen->diagnostics);
}

static void specimen_close(struct specimen *specimen) {
    wb_machine_free(specimen->machine);
    wb_launch_free(specimen->launch);
    wb_module_free(specimen->module);
    wb_diagnostics_free(specimen->diagnostics);
}

/* Sets a grid of about so many blocks: the launch's own, cut off or repeated in z, which no kernel reads. So
 * every block finds its data, and blocks at a border come as often as they do in the launch. */
static wb_status set_blocks(struct specimen *specimen, uint64_t blocks) {
    const wb_launch *launch = specimen->launch;
    const uint64_t row = launch->grid[0], plane = row * launch->grid[1];
    uint32_t grid[3] = {launch->grid[0], launch->grid[1], launch->grid[2]};
    if (blocks < row) {
        grid[0] = (uint32_t)blocks;
        grid[1] = grid[2] = 1;
    } else if (blocks < plane) {
        grid[1] = (uint32_t)(blocks / row);
        grid[2] = 1;
    } else {
        grid[2] = (uint32_t)(blocks / plane);
    }
    return wb_launch_set_grid(specimen->launch, grid, specimen->diagnostics);
}

/* The kernel with all that is proven of it, and its grid, which it refers to. */
static wb_status prove(const struct specimen *specimen, wb_grid **grid, wb_analysis **analysis) {
    WB_TRY(wb_grid_trace(specimen->kernel, specimen->launch, NULL, specimen->diagnostics, grid));
    WB_TRY(analysis_new_kernel(*grid, specimen->machine, NULL, NULL, specimen->diagnostics, analysis));
    return analysis_bound_kernel(*analysis, NULL, specimen->diagnostics);
}

static struct timed_by proven_of(const wb_analysis *analysis) {
    const wb_bound *best = wb_analysis_best(analysis);
    if (best == NULL) return (struct timed_by){0};
    return (struct timed_by){best->cycles, best->form != NULL ? best->form : best->method};
}

static void take_larger(struct timed_by *slowest, uint64_t found, const char *name) {
    if (slowest->name == NULL || found > slowest->cycles) *slowest = (struct timed_by){found, name};
}

/* Executions of all work-conserving policies, and of the search for slow ones. */
static wb_status find_slow(wb_analysis *analysis, bool searches, wb_diagnostics *diagnostics,
                           struct measurement *measurement) {
    size_t count;
    WB_TRY(wb_analysis_simulate(analysis, "all", NULL, diagnostics));
    if (searches) WB_TRY(wb_analysis_bound(analysis, "k-adversary,k-adversary-short", NULL, diagnostics));
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t s = 0; s < count; s++)
        if (simulations[s].work_conserving)
            take_larger(&measurement->simulated, simulations[s].cycles, simulations[s].policy);
    measurement->witness = measurement->simulated;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t b = 0; b < count; b++)
        if (bounds[b].kind == WB_LOWER)
            take_larger(&measurement->witness, bounds[b].cycles, bounds[b].method);
    return WB_OK;
}

/* With registers that are known: the bound, what it is made of, and executions. */
static wb_status measure_known(const struct specimen *specimen, bool searches,
                               struct measurement *measurement) {
    wb_grid *grid = NULL;
    wb_analysis *analysis = NULL;
    wb_status status = prove(specimen, &grid, &analysis);
    if (status == WB_OK) {
        const wb_bound *best = wb_analysis_best(analysis);
        measurement->proven = proven_of(analysis);
        for (size_t p = 0; best != NULL && p < best->part_count; p++)
            measurement->parts[best->parts[p].what] += best->parts[p].cycles;
        measurement->blocks = (uint32_t)grid->blocks.count;
        measurement->instructions = gpu_instructions(grid);
        if (measurement->instructions <= SEARCHED_INSTRUCTIONS_MAX)
            status = find_slow(analysis, searches, specimen->diagnostics, measurement);
    }
    wb_analysis_free(analysis);
    wb_grid_free(grid);
    return status;
}

/* With registers that are not known: the bound alone, since what executes is among what did before. */
static wb_status measure_unknown(const struct specimen *specimen, struct measurement *measurement) {
    wb_grid *grid = NULL;
    wb_analysis *analysis = NULL;
    wb_status status = prove(specimen, &grid, &analysis);
    if (status == WB_OK) measurement->proven_unknown = proven_of(analysis);
    wb_analysis_free(analysis);
    wb_grid_free(grid);
    return status;
}

static wb_status measure_specimen(const struct sweep_case *one, struct specimen *specimen,
                                  struct measurement *measurement) {
    wb_occupancy occupancy;
    WB_TRY(specimen_open(one, specimen));
    const uint32_t stated = specimen->launch->registers;
    WB_TRY(wb_launch_set_registers(specimen->launch, KNOWN_REGISTERS, specimen->diagnostics));
    WB_TRY(wb_occupancy_find(specimen->kernel, specimen->launch, specimen->machine, specimen->diagnostics,
                             &occupancy));
    measurement->rooms = occupancy.blocks_most;
    const uint64_t rooms = (uint64_t)specimen->machine->memory.sms * measurement->rooms;
    WB_TRY(set_blocks(specimen, rooms * one->size->halves / 2));
    WB_TRY(measure_known(specimen, one->searches, measurement));
    specimen->launch->registers = stated;
    return measure_unknown(specimen, measurement);
}

void measure(const struct sweep_case *one, struct measurement *measurement) {
    struct specimen specimen = {.diagnostics = wb_diagnostics_new()};
    const double start = clock_of_thread();
    *measurement = (struct measurement){0};
    measurement->failed =
        specimen.diagnostics == NULL || measure_specimen(one, &specimen, measurement) != WB_OK;
    if (measurement->failed && specimen.diagnostics != NULL)
        measurement->why = strdup(wb_diagnostics_text(specimen.diagnostics));
    measurement->seconds = clock_of_thread() - start;
    specimen_close(&specimen);
}

double measurement_ratio(const struct timed_by *numerator, const struct timed_by *denominator) {
    if (numerator->name == NULL || denominator->name == NULL || denominator->cycles == 0) return 0;
    return (double)numerator->cycles / (double)denominator->cycles;
}

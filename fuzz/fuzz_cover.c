/* Any bytes as PTX whose first kernel is executed by one warp, and covered, as a grid, too, for all contents
 * of its buffers: what was executed is a part of the covering path, and no simulation of it takes longer than
 * a bound of that; never a crash, a hang or unbounded memory. */
#include <stdint.h>
#include <stdlib.h>

#include "bound/analysis/analysis.h"
#include "covering_check.h"
#include "fuzz_kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bounds of the covering paths against simulations of the given data. */
static void check_bounds(const wb_block *covering, const wb_block *given, wb_diagnostics *diagnostics) {
    wb_machine *machine = NULL;
    wb_analysis *all = NULL, *one = NULL;
    if (wb_machine_load("ecrts2025-orin", diagnostics, &machine) != WB_OK) abort();
    if (wb_analysis_new(covering, machine, diagnostics, &all) == WB_OK &&
        wb_analysis_new(given, machine, diagnostics, &one) == WB_OK) {
        if (wb_analysis_bound(all, "sib,fib,elb", NULL, diagnostics) != WB_OK ||
            wb_analysis_simulate(one, "lrr,gto", NULL, diagnostics) != WB_OK)
            abort();
        size_t count;
        const wb_bound *best = wb_analysis_best(all);
        const wb_simulation *simulations = wb_analysis_simulations(one, &count);
        for (size_t i = 0; i < count; i++)
            if (best == NULL || best->cycles < simulations[i].cycles) abort();
    }
    wb_analysis_free(all);
    wb_analysis_free(one);
    wb_machine_free(machine);
}

static void check(const struct fuzz_kernel *fuzz, wb_diagnostics *diagnostics) {
    wb_trace_options options = {
        .size = sizeof options, .instruction_limit = FUZZ_INSTRUCTIONS_MAX, .record_accesses = true};
    wb_block *given = NULL, *covering = NULL;
    wb_status known = wb_block_trace(fuzz->kernel, fuzz->launch, &options, diagnostics, &given);
    size_t errors = wb_diagnostics_errors(diagnostics);
    options.cover = options.unknown_contents = true;
    wb_status covered = wb_block_trace(fuzz->kernel, fuzz->launch, &options, diagnostics, &covering);
    if ((covered == WB_OK) != (wb_diagnostics_errors(diagnostics) == errors)) abort();
    if (known == WB_OK && covered == WB_OK) {
        uint64_t step;
        if (!path_is_covered(&covering->paths.items[0], &given->paths.items[0], &step)) abort();
        check_bounds(covering, given, diagnostics);
    }
    wb_block_free(given);
    wb_block_free(covering);
}

/* The same for the two blocks of the grid. */
static void check_grid(const struct fuzz_kernel *fuzz, wb_diagnostics *diagnostics) {
    const wb_grid_options options = {.size = sizeof options,
                                     .cover = true,
                                     .unknown_contents = true,
                                     .record_accesses = true,
                                     .instruction_limit = FUZZ_INSTRUCTIONS_MAX};
    wb_machine *machine = NULL;
    wb_grid *covering = NULL;
    wb_analysis *analysis = NULL;
    if (wb_machine_load("ecrts2025-orin", diagnostics, &machine) != WB_OK) abort();
    size_t errors = wb_diagnostics_errors(diagnostics);
    wb_status covered = wb_grid_trace(fuzz->kernel, fuzz->launch, &options, diagnostics, &covering);
    if ((covered == WB_OK) != (wb_diagnostics_errors(diagnostics) == errors)) abort();
    if (covered == WB_OK &&
        analysis_new_kernel(covering, machine, NULL, NULL, diagnostics, &analysis) == WB_OK &&
        (wb_analysis_bound(analysis, "k-sm", NULL, diagnostics) != WB_OK ||
         wb_analysis_best(analysis) == NULL))
        abort();
    wb_analysis_free(analysis);
    wb_grid_free(covering);
    wb_machine_free(machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct fuzz_kernel fuzz = fuzz_kernel_open(data, size, diagnostics);
    /* one warp: what several race for is not covered */
    if (fuzz.launch != NULL &&
        wb_launch_set_block(fuzz.launch, (const uint32_t[3]){32, 1, 1}, diagnostics) == WB_OK) {
        check(&fuzz, diagnostics);
        check_grid(&fuzz, diagnostics);
    }
    fuzz_kernel_close(&fuzz);
    wb_diagnostics_free(diagnostics);
    return 0;
}

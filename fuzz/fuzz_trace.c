/* Any bytes as PTX whose first kernel is executed and bounded: an error with a message, or bounds that hold
 * for what is simulated; never a crash, a hang or unbounded memory. */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz_bounds.h"
#include "fuzz_kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_bounds(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics) {
    wb_analysis *analysis = NULL;
    if (wb_analysis_new(block, machine, diagnostics, &analysis) != WB_OK) return;
    require_bounds(analysis, "sib,elb", "lrr,gto", diagnostics);
    wb_analysis_free(analysis);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    wb_block *block = NULL;
    if (wb_machine_load("ecrts2025-orin", diagnostics, &machine) != WB_OK) abort();
    struct fuzz_kernel fuzz = fuzz_kernel_open(data, size, diagnostics);
    const wb_trace_options options = {
        .size = sizeof options, .instruction_limit = FUZZ_INSTRUCTIONS_MAX, .record_accesses = true};
    size_t errors = wb_diagnostics_errors(diagnostics);
    if (fuzz.launch != NULL) {
        wb_status status = wb_block_trace(fuzz.kernel, fuzz.launch, &options, diagnostics, &block);
        if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == errors)) abort();
        if (status == WB_OK) check_bounds(block, machine, diagnostics);
    }
    wb_block_free(block);
    fuzz_kernel_close(&fuzz);
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
    return 0;
}

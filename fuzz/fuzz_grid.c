/* Any bytes as PTX whose first kernel is executed as a grid, reported, and run on GPUs with and without
 * caches: an error with a message, or bounds that hold for what is simulated; never a crash, a hang or
 * unbounded memory.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "fuzz_bounds.h"
#include "fuzz_kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Machines that are short of everything. */
static const char *const settings[][5] = {
    {"sms=2", "l1_size=1024", "l1_mshrs=2", "channel_depth=1", "l2_size=4096"},
    {"sms=1", "requests=volta", "l1_sector=32", "l2_sector=32", "l1_victim=stall"},
};

static bool count_bytes(void *user, const char *bytes, size_t size) {
    (void)bytes;
    *(size_t *)user += size;
    return true;
}

/* Everything that can be said of a grid on a machine. */
static void check_machine(const wb_grid *grid, const wb_machine *machine, wb_diagnostics *diagnostics) {
    wb_gpu *gpu = NULL;
    char *text = NULL;
    if (wb_gpu_new(grid, machine, diagnostics, &gpu) != WB_OK) return;
    wb_status status =
        wb_cache_report(gpu, WB_REPORT_JSON, NULL, diagnostics, &text); /* no room for a block? */
    for (size_t s = 0; status == WB_OK && wb_scheme_name(s) != NULL; s++) {
        wb_analysis *analysis = NULL;
        bool in_turns = strcmp(wb_scheme_name(s), "pure-rr") == 0;
        if (analysis_new_grid(grid, machine, wb_scheme_name(s), diagnostics, &analysis) != WB_OK) abort();
        require_bounds(analysis, "all", in_turns ? "rr" : "lrr,gto", diagnostics);
        wb_analysis_free(analysis);
    }
    free(text);
    wb_gpu_free(gpu);
}

/* The whole kernel on few SMs without caches. */
static void check_kernel(const wb_grid *grid, wb_diagnostics *diagnostics) {
    wb_machine *machine = NULL;
    wb_analysis *analysis = NULL;
    if (wb_machine_load("ecrts2025-orin", diagnostics, &machine) != WB_OK) abort();
    if (wb_machine_set(machine, "sms=2", diagnostics) != WB_OK) abort();
    if (analysis_new_kernel(grid, machine, NULL, NULL, diagnostics, &analysis) ==
        WB_OK) /* room for a block? */
        require_bounds(analysis, "k-area,k-bal,k-sm", "lrr,gto", diagnostics);
    wb_analysis_free(analysis);
    wb_machine_free(machine);
}

static void check_grid(const wb_grid *grid, wb_diagnostics *diagnostics) {
    size_t written = 0;
    const wb_writer writer = {count_bytes, &written};
    if (wb_grid_report(grid, WB_REPORT_TEXT, &writer, diagnostics) != WB_OK || written == 0) abort();
    if (wb_grid_report(grid, WB_REPORT_JSON, &writer, diagnostics) != WB_OK) abort();
    for (size_t m = 0; m < sizeof settings / sizeof *settings; m++) {
        wb_machine *machine = NULL;
        if (wb_machine_load("jcse2017", diagnostics, &machine) != WB_OK) abort();
        for (size_t i = 0; i < sizeof settings[m] / sizeof *settings[m]; i++)
            if (wb_machine_set(machine, settings[m][i], diagnostics) != WB_OK) abort();
        if (wb_machine_check(machine, diagnostics) != WB_OK) abort();
        check_machine(grid, machine, diagnostics);
        wb_machine_free(machine);
    }
    check_kernel(grid, diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_grid *grid = NULL;
    struct fuzz_kernel fuzz = fuzz_kernel_open(data, size, diagnostics);
    const wb_grid_options options = {
        .size = sizeof options, .instruction_limit = FUZZ_INSTRUCTIONS_MAX, .allow_unmapped = size % 2 == 0};
    size_t errors = wb_diagnostics_errors(diagnostics);
    if (fuzz.launch != NULL) {
        wb_status status = wb_grid_trace(fuzz.kernel, fuzz.launch, &options, diagnostics, &grid);
        if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == errors)) abort();
        if (status == WB_OK) check_grid(grid, diagnostics);
    }
    wb_grid_free(grid);
    fuzz_kernel_close(&fuzz);
    wb_diagnostics_free(diagnostics);
    return 0;
}

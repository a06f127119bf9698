/* Any bytes as machine code: one error, or a file all of which can be looked at, and a module. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cubin_sum.h"
#include "warpbound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_agree(wb_status status, const wb_diagnostics *diagnostics, size_t before) {
    if (wb_diagnostics_errors(diagnostics) - before == (status != WB_OK)) return;
    (void)fprintf(stderr, "status %d, but: %s\n", (int)status, wb_diagnostics_text(diagnostics));
    abort();
}

static void read_container(const uint8_t *data, size_t size, wb_diagnostics *diagnostics) {
    struct cubin cubin;
    const size_t before = wb_diagnostics_errors(diagnostics);
    const wb_status status = cubin_read("fuzz.cubin", data, size, diagnostics, &cubin);
    must_agree(status, diagnostics, before);
    if (status == WB_OK && cubin_sum(&cubin) == 0) abort();
    cubin_free(&cubin);
}

/* As a module: its instructions decoded and lifted. */
static void read_module(const uint8_t *data, size_t size, wb_diagnostics *diagnostics) {
    wb_module *module = NULL;
    const wb_kernel *kernel = NULL;
    const size_t before = wb_diagnostics_errors(diagnostics);
    const wb_status status = wb_module_parse("fuzz.cubin", (const char *)data, size, diagnostics, &module);
    must_agree(status, diagnostics, before);
    if (status == WB_OK) (void)wb_module_find_kernel(module, NULL, diagnostics, &kernel);
    wb_module_free(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    read_container(data, size, diagnostics);
    read_module(data, size, diagnostics);
    wb_diagnostics_free(diagnostics);
    return 0;
}

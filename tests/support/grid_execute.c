#include "grid_execute.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "warp/interpret/execute.h"
#include "warp/path/path.h"

/* Copies a buffer and its bitmap of known bytes. */
static wb_status copy_buffer(const struct run *run, size_t argument, uint8_t **bytes, uint8_t **known,
                             size_t *size) {
    const struct region *region = image_buffer(run, argument);
    if (region == NULL) {
        diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel), "argument %zu is no buffer",
                 argument + 1);
        return WB_ERR_INPUT;
    }
    size_t bitmap = region->size / 8 + 1;
    uint8_t *contents = malloc(region->size + 1), *bits = malloc(bitmap);
    if (contents == NULL || bits == NULL) {
        free(contents);
        free(bits);
        return run_no_memory(run);
    }
    memcpy(contents, region->bytes, region->size);
    if (region->known == NULL)
        memset(bits, 0xff, bitmap);
    else
        memcpy(bits, region->known, bitmap);
    *bytes = contents;
    *known = bits;
    *size = region->size;
    return WB_OK;
}

/* Executes all blocks, x first. */
static wb_status execute_blocks(struct run *run, struct arena *arena) {
    uint32_t *code_first = NULL;
    WB_TRY(code_number(run->kernel->module, arena, &code_first));
    WB_TRY(run_begin(run, arena, code_first));
    do {
        WB_TRY(run_block(run, NULL));
    } while (run_next_block(run));
    return WB_OK;
}

wb_status grid_execute(const wb_kernel *kernel, const wb_launch *launch, size_t argument,
                       wb_diagnostics *diagnostics, uint8_t **bytes, uint8_t **known, size_t *size) {
    struct run run = {.kernel = kernel,
                      .launch = launch,
                      .diagnostics = diagnostics,
                      .assumptions = 1u << OPEN_ATOMIC_ORDER,
                      .instruction_limit = UINT64_MAX};
    struct arena arena = {0};
    size_t errors = wb_diagnostics_errors(diagnostics);
    wb_status status = execute_blocks(&run, &arena);
    if (status == WB_OK) status = copy_buffer(&run, argument, bytes, known, size);
    run_end(&run);
    arena_free(&arena);
    if (status != WB_OK && wb_diagnostics_errors(diagnostics) == errors)
        (void)diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
    return status;
}

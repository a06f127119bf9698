/* The registers of a kernel as ptxas assembled it, and what else it says that the PTX does not. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/files.h"
#include "warp/interpret/warp.h"

/* Bytes of the kernel's static shared memory, as it is laid out here. */
static wb_status find_static_shared(const struct wb_kernel *kernel, wb_diagnostics *diagnostics,
                                    uint64_t *bytes) {
    static const struct wb_launch without_dynamic = {0};
    struct arena arena = {0};
    struct program program = {0};
    uint32_t *code_first;
    wb_status status = code_number(kernel->module, &arena, &code_first);
    if (status == WB_OK) status = program_scan(&program, kernel, &arena, code_first, diagnostics);
    if (status == WB_OK) *bytes = program_shared_bytes(&program, &without_dynamic);
    program_free(&program);
    arena_free(&arena);
    return status;
}

/* Warns of what is in the machine code and not in the PTX. */
static wb_status hold_to_code(const char *path, const struct ptxas_entry *entry,
                              const struct wb_kernel *kernel, wb_diagnostics *diagnostics) {
    uint64_t shared = 0;
    WB_TRY(find_static_shared(kernel, diagnostics, &shared));
    if (entry->shared != shared)
        diagnose(diagnostics, SEVERITY_WARNING, path,
                 "kernel %s has %" PRIu64 " bytes of static shared memory there, and %" PRIu64
                 " in the PTX: it may be other code",
                 entry->name, entry->shared, shared);
    if (entry->spill_stores != 0 || entry->spill_loads != 0)
        diagnose(diagnostics, SEVERITY_WARNING, path,
                 "ptxas keeps registers of %s in memory (%" PRIu64 " bytes are stored, %" PRIu64
                 " loaded): the PTX does not have these instructions, and no bound has their time; more "
                 "registers a thread (-maxrregcount, __launch_bounds__) leave none",
                 entry->name, entry->spill_stores, entry->spill_loads);
    return WB_OK;
}

/* Takes from the text of a file what it says of the kernel. */
static wb_status take_text(wb_launch *launch, const char *path, const char *text, size_t size,
                           const struct wb_kernel *kernel, wb_diagnostics *diagnostics) {
    const struct subject subject = {.where = path};
    const struct ptxas_entry *entry = NULL;
    struct ptxas_info info;
    wb_status status = ptxas_info_parse(text, size, &info);
    if (status != WB_OK) status = diagnose_out_of_memory(diagnostics, path);
    if (status == WB_OK) status = ptxas_info_find(&info, path, kernel, diagnostics, &entry);
    if (status == WB_OK) status = launch_registers_store(entry->registers, &subject, diagnostics, launch);
    if (status == WB_OK) status = hold_to_code(path, entry, kernel, diagnostics);
    ptxas_info_free(&info);
    return status;
}

wb_status wb_launch_read_ptxas_info(wb_launch *launch, const char *path, const wb_kernel *kernel,
                                    wb_diagnostics *diagnostics) {
    char *text = NULL;
    size_t size = 0;
    if (wb_kernel_registers(kernel) != 0) {
        diagnose(diagnostics, SEVERITY_ERROR, path,
                 "this is of PTX: machine code says itself that kernel %s has %" PRIu32
                 " registers a thread; leave the file out",
                 wb_kernel_name(kernel), wb_kernel_registers(kernel));
        return WB_ERR_INPUT;
    }
    WB_TRY(file_read(path, PTXAS_INFO_SIZE_MAX, diagnostics, &text, &size));
    wb_status status = take_text(launch, path, text, size, kernel, diagnostics);
    const wb_input input = input_of(WB_INPUT_PTXAS, path, text, size);
    if (status == WB_OK && input_copy(&input, &launch->arena, &launch->ptxas_info) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, path);
    free(text);
    return status;
}

/* Code as a module, whatever it is: PTX or machine code, which its first bytes tell. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "lift/lift.h"

/* Largest file of code. */
#define CODE_SIZE_MAX ((size_t)256 << 20)

/* Makes a module of bytes that it takes over. */
static wb_status module_of(const char *name, char *bytes, size_t size, wb_diagnostics *diagnostics,
                           wb_module **module) {
    if (content_of(bytes, size) != CONTENT_CUBIN)
        return ptx_module_of_text(name, bytes, size, diagnostics, module);
    const wb_status status = lift_module(name, bytes, size, diagnostics, module);
    free(bytes);
    return status;
}

wb_status wb_module_read(const char *path, wb_diagnostics *diagnostics, wb_module **module) {
    char *bytes;
    size_t size;
    WB_TRY(file_read(path, CODE_SIZE_MAX, diagnostics, &bytes, &size));
    return module_of(path, bytes, size, diagnostics, module);
}

wb_status wb_module_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                          wb_module **module) {
    if (size > CODE_SIZE_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "larger than %zu bytes", CODE_SIZE_MAX);
        return WB_ERR_INPUT;
    }
    char *copy = malloc(size + 1);
    if (copy == NULL) {
        (void)diagnose_out_of_memory(diagnostics, name);
        return WB_ERR_LIMIT;
    }
    if (size > 0) memcpy(copy, text, size);
    copy[size] = '\0';
    return module_of(name, copy, size, diagnostics, module);
}

uint32_t wb_module_architecture(const wb_module *module) {
    return module->code == NULL ? 0 : module->code->sm;
}

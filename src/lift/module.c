#include "lift/module.h"

#include <stdlib.h>

#include "base/diagnostics.h"
#include "cubin/cubin.h"

wb_status lift_module(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                      wb_module **module) {
    struct cubin cubin;
    *module = NULL;
    WB_TRY(cubin_read(name, bytes, size, diagnostics, &cubin));
    cubin_free(&cubin);
    diagnose(diagnostics, SEVERITY_ERROR, name, "machine code cannot be executed yet");
    return WB_ERR_INPUT;
}

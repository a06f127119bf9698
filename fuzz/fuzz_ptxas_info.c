/* Any bytes as what ptxas printed: entries with names that are asked for again, each found or with a message.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"
#include "warpbound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A kernel of the name that the text begins with, where that can be one. */
static wb_module *module_named(const char *name, wb_diagnostics *diagnostics) {
    char text[400];
    wb_module *module = NULL;
    const int length =
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry %s() { ret; }\n", name);
    if (length >= (int)sizeof text) return NULL;
    return wb_module_parse("k.ptx", text, (size_t)length, diagnostics, &module) == WB_OK ? module : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ptxas_info info;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (ptxas_info_parse((const char *)data, size, &info) != WB_OK) abort();
    for (size_t i = 0; i < info.entries.count; i++) {
        const struct ptxas_entry *entry = &info.entries.items[i];
        if (entry->name == NULL || entry->target == NULL || entry->line == 0) abort();
    }
    wb_module *module = info.entries.count > 0 ? module_named(info.entries.items[0].name, diagnostics) : NULL;
    const wb_kernel *kernel = module != NULL ? wb_module_kernel(module, 0) : NULL;
    if (kernel != NULL) {
        const size_t errors = wb_diagnostics_errors(diagnostics);
        const struct ptxas_entry *entry = NULL;
        const wb_status status = ptxas_info_find(&info, "log", kernel, diagnostics, &entry);
        if ((status == WB_OK) != (entry != NULL && entry->complete)) abort();
        if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == errors)) abort();
    }
    wb_module_free(module);
    ptxas_info_free(&info);
    wb_diagnostics_free(diagnostics);
    return 0;
}

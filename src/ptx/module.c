/* Modules: reading, freeing, what kernels they have. */
#include <string.h>

#include "ptx/parser.h"
#include "ptx/ptx.h"

/* A module of `size` bytes of text may take this much memory. Real modules take about 5 bytes a byte; the
 * rest is for short texts that declare much. */
#define MEMORY_PER_BYTE ((size_t)64)
#define MEMORY_BASE ((size_t)64 << 20)

wb_status ptx_module_of_text(const char *name, char *text, size_t size, wb_diagnostics *diagnostics,
                             wb_module **out) {
    if (content_expect(CONTENT_PTX, name, text, size, diagnostics) != WB_OK) {
        free(text);
        return WB_ERR_INPUT;
    }
    wb_module *module = calloc(1, sizeof *module);
    if (module == NULL) {
        free(text);
        (void)diagnose_out_of_memory(diagnostics, name);
        return WB_ERR_LIMIT;
    }
    const size_t given = size;
    /* Compilers that hand out strings count the zero byte behind them. */
    while (size > 0 && text[size - 1] == '\0')
        size--;
    module->arena.limit = size * MEMORY_PER_BYTE + MEMORY_BASE;
    module->text = text;
    module->source = (struct source){name, text, size};
    const wb_input input = input_of(WB_INPUT_PTX, name, text, given);
    wb_status status = input_copy(&input, &module->arena, &module->input);
    module->source.name = arena_printable(&module->arena, name, strlen(name));
    if (module->source.name == NULL) status = WB_ERR_LIMIT;
    if (status == WB_OK) status = parse_module(module, diagnostics);
    if (status == WB_ERR_LIMIT)
        diagnose(diagnostics, SEVERITY_ERROR, name, "this module needs too much memory (more than %zu MB)",
                 module->arena.limit >> 20);
    if (status == WB_OK) {
        *out = module;
    } else {
        wb_module_free(module);
    }
    return status;
}

void wb_module_free(wb_module *module) {
    if (module == NULL) return;
    for (uint32_t i = 0; i < module->unit_count; i++)
        wb_module_free(module->units[i]);
    free(module->text);
    arena_free(&module->arena);
    free(module);
}

const wb_input *wb_module_input(const wb_module *module) {
    return &module->input;
}

const char *wb_module_origin(const wb_module *module) {
    return ptx_unit(module, 0)->origin.text;
}

size_t wb_module_kernel_count(const wb_module *module) {
    return module->kernel_count;
}

const wb_kernel *wb_module_kernel(const wb_module *module, size_t index) {
    return index < module->kernel_count ? &module->kernels[index] : NULL;
}

const char *wb_kernel_name(const wb_kernel *kernel) {
    return kernel_function(kernel)->name;
}

uint32_t wb_kernel_registers(const wb_kernel *kernel) {
    return kernel_function(kernel)->registers;
}

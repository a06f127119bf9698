/* Any bytes as PTX, with a launch for its first kernel: for targets that execute it. */
#ifndef WB_FUZZ_KERNEL_H
#define WB_FUZZ_KERNEL_H

#include "ptx/ptx.h"
#include "warpbound.h"

/* Warp instructions after which execution ends. */
#define FUZZ_INSTRUCTIONS_MAX 20000u

struct fuzz_kernel {
    wb_module *module;
    wb_launch *launch; /* NULL: there is no kernel */
    const wb_kernel *kernel;
};

/* A buffer for every parameter of eight bytes, a small number for every other. */
static inline wb_launch *fuzz_launch_of(const wb_kernel *kernel, wb_diagnostics *diagnostics) {
    wb_launch *launch = wb_launch_new();
    const struct ptx_function *function = kernel_function(kernel);
    (void)wb_launch_set_grid(launch, (const uint32_t[3]){2, 1, 1}, diagnostics);
    (void)wb_launch_set_block(launch, (const uint32_t[3]){48, 1, 1}, diagnostics);
    for (uint32_t p = 0; p < function->param_count; p++) {
        const struct ptx_variable *parameter = &kernel->module->variables[function->params[p]];
        const char *argument = parameter->size == 8 ? "buf:u32[256]=iota" : "i32:4";
        (void)wb_launch_add_argument(launch, argument, diagnostics);
    }
    return launch;
}

/* Closed with fuzz_kernel_close in any case. */
static inline struct fuzz_kernel fuzz_kernel_open(const uint8_t *data, size_t size,
                                                  wb_diagnostics *diagnostics) {
    struct fuzz_kernel fuzz = {0};
    if (wb_module_parse("fuzz.ptx", (const char *)data, size, diagnostics, &fuzz.module) != WB_OK ||
        wb_module_kernel_count(fuzz.module) == 0)
        return fuzz;
    const char *name = wb_kernel_name(wb_module_kernel(fuzz.module, 0));
    if (wb_module_find_kernel(fuzz.module, name, diagnostics, &fuzz.kernel) == WB_OK)
        fuzz.launch = fuzz_launch_of(fuzz.kernel, diagnostics);
    return fuzz;
}

static inline void fuzz_kernel_close(struct fuzz_kernel *fuzz) {
    wb_launch_free(fuzz->launch);
    wb_module_free(fuzz->module);
}

#endif

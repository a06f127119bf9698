#include "wings/device/driver.h"

#include <dlfcn.h>
#include <string.h>

/* A function to be looked up: its symbol, and where the pointer to it goes. */
struct symbol {
    const char *name;
    size_t offset;
};

#define DRIVER_SYMBOL(name, suffix, parameters) {#name suffix, offsetof(struct driver, name)},
#define NVML_SYMBOL(name, suffix, parameters) {#name suffix, offsetof(struct nvml, name)},
#define LINKER_SYMBOL(name, suffix, parameters) {#name suffix, offsetof(struct linker, name)},

static const struct symbol driver_symbols[] = {DRIVER_FUNCTIONS(DRIVER_SYMBOL)};
static const struct symbol nvml_symbols[] = {NVML_FUNCTIONS(NVML_SYMBOL)};
static const struct symbol linker_symbols[] = {LINKER_FUNCTIONS(LINKER_SYMBOL)};

/* Looks up all of them in `library` and stores them in the struct at `table`; appends the names of those that
 * are missing. */
static void look_up(void *library, const struct symbol *symbols, size_t count, void *table,
                    struct text *missing) {
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (found == NULL) text_printf(missing, "%s%s", missing->length > 0 ? ", " : "", symbols[i].name);
        memcpy((char *)table + symbols[i].offset, &found, sizeof found);
    }
}

static wb_status initialise(const struct driver *driver, wb_diagnostics *diagnostics) {
    int count = 0;
    DRIVER_CALL(driver, diagnostics, cuInit, 0);
    DRIVER_CALL(driver, diagnostics, cuDeviceGetCount, &count);
    if (count > 0) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, driver->name, "the driver has no GPU");
    return WB_ERR_DECLINED;
}

wb_status driver_open(const char *file, wb_diagnostics *diagnostics, struct driver *driver) {
    struct text missing = {0};
    *driver = (struct driver){.name = file != NULL ? file : DRIVER_LIBRARY};
    driver->library = dlopen(driver->name, RTLD_NOW | RTLD_LOCAL);
    if (driver->library == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, driver->name,
                 "the GPU's driver cannot be opened, without which nothing is measured: %s", dlerror());
        return WB_ERR_DECLINED;
    }
    look_up(driver->library, driver_symbols, sizeof driver_symbols / sizeof *driver_symbols, driver,
            &missing);
    if (missing.length > 0)
        diagnose(diagnostics, SEVERITY_ERROR, driver->name,
                 "this library is no driver that is new enough: it lacks %s",
                 missing.failed ? OUT_OF_MEMORY : missing.data);
    const bool complete = missing.length == 0 && !missing.failed;
    text_free(&missing);
    return complete ? initialise(driver, diagnostics) : WB_ERR_DECLINED;
}

bool nvml_open(const char *file, struct nvml *nvml) {
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    struct text path = {0}, missing = {0};
    *nvml = (struct nvml){0};
    if (slash != NULL) text_append(&path, file, (size_t)(slash - file) + 1);
    text_string(&path, NVML_LIBRARY);
    if (!path.failed) nvml->library = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    text_free(&path);
    if (nvml->library == NULL) return false;
    look_up(nvml->library, nvml_symbols, sizeof nvml_symbols / sizeof *nvml_symbols, nvml, &missing);
    const bool complete = missing.length == 0 && !missing.failed && nvml->nvmlInit() == 0;
    text_free(&missing);
    return complete;
}

bool linker_open(const struct driver *driver, struct linker *linker) {
    struct text missing = {0};
    look_up(driver->library, linker_symbols, sizeof linker_symbols / sizeof *linker_symbols, linker,
            &missing);
    const bool complete = missing.length == 0 && !missing.failed;
    text_free(&missing);
    return complete;
}

wb_status driver_result(const struct driver *driver, const char *call, int result,
                        wb_diagnostics *diagnostics) {
    const char *name = NULL;
    if (result == CUDA_SUCCESS) return WB_OK;
    if (driver->cuGetErrorName(result, &name) != CUDA_SUCCESS || name == NULL) name = "an unknown error";
    diagnose(diagnostics, SEVERITY_ERROR, driver->name, "%s failed: %s (%d)", call, name, result);
    return WB_ERR_DECLINED;
}

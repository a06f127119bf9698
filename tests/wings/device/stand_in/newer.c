/* What newer programs call in place of what driver.c has, with the same effects. A library is its module, and
 * a kernel one of its functions. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "stand_in.h"
#include "wings/device/driver.h"

enum { INVALID_VALUE = 1, NOT_FOUND = 500 };

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

int cuModuleLoadData(CUmodule *module, const void *image);
int cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);
int cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **params,
                   void **extra);

EXPORT int cuModuleLoadFatBinary(CUmodule *module, const void *image) {
    return cuModuleLoadData(module, image);
}

EXPORT int cuLibraryLoadData(CUmodule *library, const void *image, void *names, void **values, unsigned count,
                             void *own_names, void **own_values, unsigned own_count) {
    (void)names, (void)values, (void)count, (void)own_names, (void)own_values, (void)own_count;
    return cuModuleLoadData(library, image);
}

EXPORT int cuLibraryGetKernel(CUfunction *kernel, CUmodule library, const char *name) {
    return cuModuleGetFunction(kernel, library, name);
}

EXPORT int cuKernelGetFunction(CUfunction *function, CUfunction kernel) {
    return cuModuleGetFunction(function, (CUmodule)(void *)kernel->module, wb_kernel_name(kernel->kernel));
}

EXPORT int cuFuncGetParamInfo(CUfunction function, size_t index, size_t *at, size_t *size) {
    STAND_IN_BEGIN();
    if (index >= stand_in_param_count(function->kernel)) return INVALID_VALUE;
    *at = stand_in_param_at(function->kernel, (uint32_t)index, size);
    return CUDA_SUCCESS;
}

EXPORT int cuKernelGetParamInfo(CUfunction kernel, size_t index, size_t *at, size_t *size) {
    return cuFuncGetParamInfo(kernel, index, at, size);
}

EXPORT int cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
    STAND_IN_BEGIN();
    (void)function;
    *value = 24;
    return attribute == 4 ? CUDA_SUCCESS : INVALID_VALUE; /* registers */
}

EXPORT int cuMemAllocAsync(uint64_t *address, size_t bytes, CUstream stream) {
    (void)stream;
    return cuMemAlloc_v2(address, bytes);
}

EXPORT int cuMemFreeAsync(uint64_t address, CUstream stream) {
    (void)stream;
    return cuMemFree_v2(address);
}

EXPORT int cuLaunchKernelEx(const void *config, CUfunction function, void **params, void **extra) {
    unsigned shape[7];
    CUstream stream;
    memcpy(shape, config, sizeof shape);
    memcpy(&stream, (const char *)config + 32, sizeof stream);
    return cuLaunchKernel(function, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], shape[6],
                          stream, params, extra);
}

/* By the names without versions. */
EXPORT int cuGetProcAddress_v2(const char *name, void **found, int version, uint64_t flags, int *status) {
    STAND_IN_BEGIN();
    Dl_info here;
    char newest[80];
    (void)version, (void)flags;
    if (dladdr((void *)(uintptr_t)cuModuleLoadFatBinary, &here) == 0) return NOT_FOUND;
    void *library = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) return NOT_FOUND;
    (void)snprintf(newest, sizeof newest, "%s_v2", name);
    *found = dlsym(library, newest);
    if (*found == NULL) *found = dlsym(library, name);
    if (status != NULL) *status = *found == NULL;
    return *found != NULL ? CUDA_SUCCESS : NOT_FOUND;
}

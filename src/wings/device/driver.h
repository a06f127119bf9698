/* The driver of a GPU as this process has it: CUDA's driver API (libcuda.so.1), and NVML for clocks, both
 * opened by name at run time. What is needed of them is declared here, so that nothing of CUDA is needed to
 * build. */
#ifndef WB_WINGS_DEVICE_DRIVER_H
#define WB_WINGS_DEVICE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

#define DRIVER_LIBRARY "libcuda.so.1"
#define NVML_LIBRARY "libnvidia-ml.so.1"

/* The types of the driver's interface (ABI): CUdevice is int, CUdeviceptr uint64_t, CUresult int. */
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUlinkState_st *CUlinkState;
typedef struct nvmlDevice_st *nvmlDevice_t;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_NOT_SUPPORTED = 801
};

/* CUdevice_attribute, CUfunction_attribute */
enum {
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};

/* Members of `extra` of cuLaunchKernel: all parameters as one buffer. */
#define CU_LAUNCH_PARAM_END ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)

enum { CU_STREAM_NON_BLOCKING = 1 };

/* Clocks of NVML, and reasons why a clock is lower than it was asked to be: power, heat, hardware. */
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };
#define NVML_THROTTLED (0x04u | 0x08u | 0x20u | 0x40u | 0x80u)

/* X(name, suffix of the symbol, parameters): what every command that runs something calls. */
#define DRIVER_FUNCTIONS(X)                                                                                  \
    X(cuInit, "", (unsigned flags))                                                                          \
    X(cuDriverGetVersion, "", (int *version))                                                                \
    X(cuGetErrorName, "", (int result, const char **name))                                                   \
    X(cuDeviceGetCount, "", (int *count))                                                                    \
    X(cuDeviceGet, "", (int *device, int ordinal))                                                           \
    X(cuDeviceGetName, "", (char *name, int size, int device))                                               \
    X(cuDeviceGetAttribute, "", (int *value, int attribute, int device))                                     \
    X(cuDeviceGetPCIBusId, "", (char *id, int size, int device))                                             \
    X(cuDevicePrimaryCtxRetain, "", (CUcontext * context, int device))                                       \
    X(cuCtxSetCurrent, "", (CUcontext context))                                                              \
    X(cuCtxSynchronize, "", (void))                                                                          \
    X(cuModuleLoadData, "", (CUmodule * module, const void *image))                                          \
    X(cuModuleUnload, "", (CUmodule module))                                                                 \
    X(cuModuleGetFunction, "", (CUfunction * function, CUmodule module, const char *name))                   \
    X(cuModuleGetGlobal, "_v2", (uint64_t * address, size_t * bytes, CUmodule module, const char *name))     \
    X(cuFuncSetAttribute, "", (CUfunction function, int attribute, int value))                               \
    X(cuMemAlloc, "_v2", (uint64_t * address, size_t bytes))                                                 \
    X(cuMemcpyHtoD, "_v2", (uint64_t to, const void *from, size_t bytes))                                    \
    X(cuMemcpyDtoH, "_v2", (void *to, uint64_t from, size_t bytes))                                          \
    X(cuMemsetD8, "_v2", (uint64_t to, unsigned char byte, size_t bytes))                                    \
    X(cuLaunchKernel, "",                                                                                    \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,             \
       unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **params, void **extra))   \
    X(cuStreamCreate, "", (CUstream * stream, unsigned flags))                                               \
    X(cuStreamSynchronize, "", (CUstream stream))                                                            \
    X(cuEventCreate, "", (CUevent * event, unsigned flags))                                                  \
    X(cuEventRecord, "", (CUevent event, CUstream stream))                                                   \
    X(cuEventQuery, "", (CUevent event))                                                                     \
    X(cuEventSynchronize, "", (CUevent event))                                                               \
    X(cuEventElapsedTime, "", (float *milliseconds, CUevent from, CUevent to))

#define NVML_FUNCTIONS(X)                                                                                    \
    X(nvmlInit, "_v2", (void))                                                                               \
    X(nvmlDeviceGetHandleByPciBusId, "_v2", (const char *id, nvmlDevice_t *device))                          \
    X(nvmlDeviceGetClockInfo, "", (nvmlDevice_t device, int clock, unsigned *mhz))                           \
    X(nvmlDeviceGetCurrentClocksThrottleReasons, "", (nvmlDevice_t device, unsigned long long *reasons))     \
    X(nvmlSystemGetDriverVersion, "", (char *version, unsigned size))

/* The driver's compiler: PTX becomes machine code. */
enum { CU_JIT_INPUT_PTX = 1 };
#define LINKER_FUNCTIONS(X)                                                                                  \
    X(cuLinkCreate, "_v2", (unsigned count, int *options, void **values, CUlinkState *state))                \
    X(cuLinkAddData, "_v2",                                                                                  \
      (CUlinkState state, int type, void *data, size_t bytes, const char *name, unsigned count,              \
       int *options, void **values))                                                                         \
    X(cuLinkComplete, "", (CUlinkState state, void **code, size_t *bytes))

#define DRIVER_MEMBER(name, suffix, parameters) int(*name) parameters;

struct driver {
    void *library;
    const char *name; /* of the library, as it was given */
    DRIVER_FUNCTIONS(DRIVER_MEMBER)
};

struct nvml {
    void *library; /* NULL: there is none */
    NVML_FUNCTIONS(DRIVER_MEMBER)
};

struct linker {
    LINKER_FUNCTIONS(DRIVER_MEMBER)
};

/* Opens the library `file`, or NULL: DRIVER_LIBRARY, and initialises the driver. WB_ERR_DECLINED with a
 * message that names the library, and every function that it lacks. */
wb_status driver_open(const char *file, wb_diagnostics *diagnostics, struct driver *driver);

/* Opens NVML: beside the driver's `file` where that is a path, else by its name. False: there is none that
 * has all functions. */
bool nvml_open(const char *file, struct nvml *nvml);

/* False: the driver gives nobody the machine code that it makes. */
bool linker_open(const struct driver *driver, struct linker *linker);

/* The result of a call of the driver: WB_OK, or WB_ERR_DECLINED with a message that names both. */
wb_status driver_result(const struct driver *driver, const char *call, int result,
                        wb_diagnostics *diagnostics);

/* Calls a function of the driver; returns from the enclosing function unless it succeeds. */
#define DRIVER_CALL(driver, diagnostics, name, ...)                                                          \
    WB_TRY(driver_result(driver, #name, (driver)->name(__VA_ARGS__), diagnostics))

#endif

/* The driver's functions. There is one GPU, one context, and whatever is asked for is done at once; time
 * passes only while kernels run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ptx/ptx.h"
#include "stand_in.h"
#include "wings/device/driver.h"

enum {
    INVALID_VALUE = 1,
    OUT_OF_GPU_MEMORY = 2,
    INVALID_IMAGE = 200,
    NOT_FOUND = 500,
    LAUNCH_FAILED = 719,
    NOT_SUPPORTED = 801
};

#define ALLOCATION_MAX ((size_t)8 << 20) /* so that sweeps take no time */
#define PARAM_BYTES_MAX 32768u
#define STAND_IN_LAUNCH_NS 2000u /* what a launch takes beside its kernel */

struct allocation *stand_in_memory;

static uint64_t next_address = UINT64_C(0x7f0000000000);
static uint64_t now_ns;       /* the GPU's clock */
static bool is_cold = true;   /* nothing that the next kernel uses is in a cache */
static uint32_t launch_count; /* by which launches differ */
static CUstream beside;       /* in which another kernel runs; NULL: none */

struct CUevent_st {
    uint64_t ns;
};

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

EXPORT int cuInit(unsigned flags) {
    STAND_IN_BEGIN();
    return flags == 0 ? CUDA_SUCCESS : INVALID_VALUE;
}

EXPORT int cuDriverGetVersion(int *version) {
    STAND_IN_BEGIN();
    *version = 12080;
    return CUDA_SUCCESS;
}

EXPORT int cuGetErrorName(int result, const char **name) {
    static const struct {
        int result;
        const char *name;
    } names[] = {{INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
                 {OUT_OF_GPU_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
                 {100, "CUDA_ERROR_NO_DEVICE"},
                 {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
                 {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
                 {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
                 {999, "CUDA_ERROR_UNKNOWN"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].result != result) continue;
        *name = names[i].name;
        return CUDA_SUCCESS;
    }
    return INVALID_VALUE;
}

EXPORT int cuDeviceGetCount(int *count) {
    STAND_IN_BEGIN();
    *count = stand_in_flag("no-device") ? 0 : 1;
    return CUDA_SUCCESS;
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
    STAND_IN_BEGIN();
    *device = ordinal;
    return ordinal == 0 ? CUDA_SUCCESS : INVALID_VALUE;
}

EXPORT int cuDeviceGetName(char *name, int size, int device) {
    STAND_IN_BEGIN();
    char called[64];
    (void)device;
    (void)snprintf(name, (size_t)size, "%s",
                   stand_in_text("called", called, sizeof called) != NULL ? called : "stand-in");
    return CUDA_SUCCESS;
}

EXPORT int cuDeviceGetPCIBusId(char *id, int size, int device) {
    STAND_IN_BEGIN();
    (void)device;
    (void)snprintf(id, (size_t)size, "0000:00:00.0");
    return CUDA_SUCCESS;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
    STAND_IN_BEGIN();
    const int sm = (int)stand_in_number("sm", 87);
    (void)device;
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = (int)stand_in_number("sms", 16); break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = (int)stand_in_number("l2-bytes", 4 << 20); break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = sm / 10; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = sm % 10; break;
    default: return INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

EXPORT int cuDevicePrimaryCtxRetain(CUcontext *context, int device) {
    STAND_IN_BEGIN();
    *context = NULL;
    return device == 0 ? CUDA_SUCCESS : INVALID_VALUE;
}

EXPORT int cuCtxSetCurrent(CUcontext context) {
    STAND_IN_BEGIN();
    (void)context;
    return CUDA_SUCCESS;
}

EXPORT int cuCtxSynchronize(void) {
    STAND_IN_BEGIN();
    return CUDA_SUCCESS;
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

static struct allocation *allocate(size_t size) {
    struct allocation *made = calloc(1, sizeof *made);
    if (made == NULL || (made->bytes = calloc(size + 1, 1)) == NULL) abort();
    made->size = size;
    made->address = next_address;
    next_address += (size / 512 + 2) * 512;
    made->next = stand_in_memory;
    stand_in_memory = made;
    return made;
}

static int release(const struct allocation *gone) {
    for (struct allocation **at = &stand_in_memory; *at != NULL; at = &(*at)->next) {
        struct allocation *here = *at;
        if (here != gone) continue;
        *at = here->next;
        free(here->bytes);
        free(here);
        return CUDA_SUCCESS;
    }
    return INVALID_VALUE;
}

/* The allocation that has all of these bytes, or NULL. */
static struct allocation *allocation_of(uint64_t address, size_t bytes) {
    for (struct allocation *at = stand_in_memory; at != NULL; at = at->next)
        if (address >= at->address && address - at->address <= at->size &&
            bytes <= at->size - (address - at->address))
            return at;
    return NULL;
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    STAND_IN_BEGIN();
    if (bytes == 0) return INVALID_VALUE;
    if (bytes > stand_in_number("memory-bytes", ALLOCATION_MAX)) return OUT_OF_GPU_MEMORY;
    *address = allocate(bytes)->address;
    return CUDA_SUCCESS;
}

EXPORT int cuMemFree_v2(uint64_t address) {
    STAND_IN_BEGIN();
    return release(allocation_of(address, 0));
}

EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
    STAND_IN_BEGIN();
    struct allocation *at = allocation_of(to, bytes);
    if (at == NULL) return INVALID_VALUE;
    memcpy(at->bytes + (to - at->address), from, bytes);
    at->changed = true;
    return CUDA_SUCCESS;
}

EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
    STAND_IN_BEGIN();
    const struct allocation *at = allocation_of(from, bytes);
    if (at == NULL) return INVALID_VALUE;
    memcpy(to, at->bytes + (from - at->address), bytes);
    return CUDA_SUCCESS;
}

EXPORT int cuMemsetD8_v2(uint64_t to, unsigned char byte, size_t bytes) {
    STAND_IN_BEGIN();
    struct allocation *at = allocation_of(to, bytes);
    if (at == NULL) return INVALID_VALUE;
    memset(at->bytes + (to - at->address), byte, bytes);
    at->changed = true;
    stand_in_sweep(bytes);
    is_cold = true;
    return CUDA_SUCCESS;
}

/* ---- Modules ------------------------------------------------------------------------------------------- */

/* Bytes of an image: PTX ends with a zero byte, a cubin with its last table. */
static size_t image_size(const unsigned char *image) {
    uint64_t sections, programs;
    uint16_t counts[4];
    if (memcmp(image, "\177ELF", 4) != 0) return strlen((const char *)image);
    memcpy(&programs, image + 32, sizeof programs);
    memcpy(&sections, image + 40, sizeof sections);
    memcpy(counts, image + 54, sizeof counts); /* size and number of program headers, of sections */
    const size_t first = (size_t)programs + (size_t)counts[0] * counts[1];
    const size_t last = (size_t)sections + (size_t)counts[2] * counts[3];
    return first > last ? first : last;
}

static void take_variables(struct stand_in_module *module) {
    const struct wb_module *code = module->code;
    module->variables = calloc(code->variable_count + 1, sizeof *module->variables);
    if (module->variables == NULL) abort();
    for (uint32_t i = 0; i < code->variable_count; i++) {
        const struct ptx_variable *variable = &code->variables[i];
        if (variable->space != PTX_SPACE_GLOBAL && variable->space != PTX_SPACE_CONST) continue;
        module->variables[i] = allocate(variable->size);
        if (variable->init != NULL) memcpy(module->variables[i]->bytes, variable->init, variable->size);
    }
}

EXPORT int cuModuleLoadData(CUmodule *module, const void *image) {
    STAND_IN_BEGIN();
    struct stand_in_module *made = calloc(1, sizeof *made);
    wb_diagnostics *messages = wb_diagnostics_new();
    if (made == NULL || messages == NULL) abort();
    const wb_status status = wb_module_parse("image", image, image_size(image), messages, &made->code);
    if (status != WB_OK) (void)fputs(wb_diagnostics_text(messages), stderr);
    wb_diagnostics_free(messages);
    if (status != WB_OK) {
        free(made);
        return INVALID_IMAGE;
    }
    take_variables(made);
    is_cold = true;
    *module = (CUmodule)(void *)made;
    return CUDA_SUCCESS;
}

EXPORT int cuModuleUnload(CUmodule module) {
    STAND_IN_BEGIN();
    struct stand_in_module *gone = (void *)module;
    for (uint32_t i = 0; i < gone->code->variable_count; i++)
        if (gone->variables[i] != NULL) (void)release(gone->variables[i]);
    free(gone->variables);
    wb_module_free(gone->code);
    free(gone);
    return CUDA_SUCCESS;
}

/* Functions are never freed, as the driver has no call for that. */
EXPORT int cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    STAND_IN_BEGIN();
    struct stand_in_module *of = (void *)module;
    for (size_t i = 0; i < wb_module_kernel_count(of->code); i++) {
        const wb_kernel *kernel = wb_module_kernel(of->code, i);
        if (strcmp(wb_kernel_name(kernel), name) != 0) continue;
        struct CUfunc_st *made = malloc(sizeof *made);
        if (made == NULL) abort();
        *made = (struct CUfunc_st){of, kernel};
        *function = made;
        return CUDA_SUCCESS;
    }
    return NOT_FOUND;
}

EXPORT int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, CUmodule module, const char *name) {
    STAND_IN_BEGIN();
    const struct stand_in_module *of = (void *)module;
    for (uint32_t i = 0; i < of->code->variable_count; i++) {
        if (of->variables[i] == NULL || strcmp(of->code->variables[i].name, name) != 0) continue;
        *address = of->variables[i]->address;
        *bytes = of->variables[i]->size;
        return CUDA_SUCCESS;
    }
    return NOT_FOUND;
}

EXPORT int cuFuncSetAttribute(CUfunction function, int attribute, int value) {
    STAND_IN_BEGIN();
    (void)function;
    return attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0 ? CUDA_SUCCESS
                                                                                      : INVALID_VALUE;
}

/* ---- The compiler ---------------------------------------------------------------------------------------
 */

EXPORT int cuLinkCreate_v2(unsigned count, int *options, void **values, CUlinkState *state) {
    STAND_IN_BEGIN();
    char file[256];
    (void)count, (void)options, (void)values;
    *state = NULL;
    const bool can = !stand_in_flag("no-cubin") && stand_in_text("cubin", file, sizeof file) != NULL;
    return can ? CUDA_SUCCESS : NOT_SUPPORTED;
}

EXPORT int cuLinkAddData_v2(CUlinkState state, int type, void *data, size_t bytes, const char *name,
                            unsigned count, int *options, void **values) {
    STAND_IN_BEGIN();
    char file[256];
    (void)state, (void)name, (void)count, (void)options, (void)values;
    if (type != CU_JIT_INPUT_PTX || bytes == 0) return INVALID_VALUE;
    if (stand_in_text("keep-ptx", file, sizeof file) == NULL) return CUDA_SUCCESS;
    FILE *kept = fopen(file, "w");
    if (kept == NULL || fwrite(data, 1, bytes - 1, kept) != bytes - 1) return INVALID_VALUE;
    return fclose(kept) == 0 ? CUDA_SUCCESS : INVALID_VALUE;
}

EXPORT int cuLinkComplete(CUlinkState state, void **code, size_t *bytes) {
    STAND_IN_BEGIN();
    char file[256];
    static char read[1 << 20];
    (void)state;
    FILE *stream = fopen(stand_in_text("cubin", file, sizeof file), "r");
    if (stream == NULL) return INVALID_IMAGE;
    *bytes = fread(read, 1, sizeof read, stream);
    (void)fclose(stream);
    *code = read;
    return CUDA_SUCCESS;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

/* The clock goes on: by what a launch takes, twice as much of the kernel when it is cold, and a little that
 * differs from launch to launch. */
static void pass_time(uint64_t instructions) {
    const uint64_t clock = stand_in_number("mhz", 1000), sms = stand_in_number("sms", 16);
    const uint64_t spent = (instructions / (4 * sms) + instructions % 97) * (is_cold ? 2 : 1);
    const uint64_t jitter = ++launch_count * UINT32_C(2654435761) % 41;
    const uint64_t slow =
        stand_in_number("slow", 1) * (beside != NULL ? stand_in_number("slow-beside", 2) : 1);
    now_ns += STAND_IN_LAUNCH_NS + jitter + spent * slow * 1000 / clock;
    is_cold = false;
}

/* The parameters as one buffer, which the caller frees, from either way of giving them. */
static uint8_t *gather_params(const wb_kernel *kernel, void **params, void **extra, size_t *bytes) {
    uint8_t *gathered = calloc(PARAM_BYTES_MAX, 1);
    const void *buffer = NULL;
    if (gathered == NULL) abort();
    *bytes = PARAM_BYTES_MAX;
    for (void **at = extra; at != NULL && at[0] != CU_LAUNCH_PARAM_END; at += 2) {
        if (at[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = at[1];
        if (at[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) memcpy(bytes, at[1], sizeof *bytes);
    }
    if (buffer != NULL && *bytes <= PARAM_BYTES_MAX) memcpy(gathered, buffer, *bytes);
    for (uint32_t i = 0; params != NULL && i < stand_in_param_count(kernel); i++) {
        size_t size;
        const size_t at = stand_in_param_at(kernel, i, &size);
        if (at + size <= PARAM_BYTES_MAX) memcpy(gathered + at, params[i], size);
    }
    return gathered;
}

/* The kernel beside others is not executed: it is there until its stream is waited for, and has done
 * something, unless it is not asked to be. */
static int begin_beside(CUstream stream, uint8_t *params) {
    uint64_t control;
    memcpy(&control, params + 16, sizeof control);
    free(params);
    struct allocation *memory = allocation_of(control, 8);
    if (memory == NULL) return INVALID_VALUE;
    if (stand_in_flag("never-beside")) return CUDA_SUCCESS;
    memory->bytes[control - memory->address + 4] = 1;
    beside = stream;
    return CUDA_SUCCESS;
}

EXPORT int cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                          CUstream stream, void **params, void **extra) {
    STAND_IN_BEGIN();
    struct stand_in_launch launch = {.module = function->module,
                                     .kernel = function->kernel,
                                     .grid = {grid_x, grid_y, grid_z},
                                     .block = {block_x, block_y, block_z},
                                     .shared = shared};
    const unsigned shape[] = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared};
    uint64_t instructions = 0;
    int result;
    if (stand_in_capture(function, shape, stream, params, &result)) return result;
    if (strcmp(wb_kernel_name(function->kernel), "warpbound_wait") == 0) return CUDA_SUCCESS;
    uint8_t *gathered = gather_params(function->kernel, params, extra, &launch.param_bytes);
    if (strcmp(wb_kernel_name(function->kernel), "warpbound_beside") == 0)
        return begin_beside(stream, gathered);
    launch.params = gathered;
    const bool done = stand_in_execute(&launch, &instructions);
    free(gathered);
    pass_time(instructions);
    return done ? CUDA_SUCCESS : LAUNCH_FAILED;
}

EXPORT int cuStreamCreate(CUstream *stream, unsigned flags) {
    STAND_IN_BEGIN();
    static char streams[16]; /* one is as good as another, but for its handle */
    static size_t made;
    (void)flags;
    *stream = (CUstream)(void *)&streams[made++ % sizeof streams];
    return CUDA_SUCCESS;
}

EXPORT int cuStreamSynchronize(CUstream stream) {
    STAND_IN_BEGIN();
    if (stream == beside) beside = NULL;
    return CUDA_SUCCESS;
}

EXPORT int cuEventCreate(CUevent *event, unsigned flags) {
    STAND_IN_BEGIN();
    (void)flags;
    *event = calloc(1, sizeof **event);
    return *event != NULL ? CUDA_SUCCESS : OUT_OF_GPU_MEMORY;
}

EXPORT int cuEventRecord(CUevent event, CUstream stream) {
    STAND_IN_BEGIN();
    (void)stream;
    event->ns = now_ns;
    return CUDA_SUCCESS;
}

EXPORT int cuEventQuery(CUevent event) {
    STAND_IN_BEGIN();
    (void)event;
    return stand_in_flag("late-host") ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

EXPORT int cuEventSynchronize(CUevent event) {
    STAND_IN_BEGIN();
    (void)event;
    return CUDA_SUCCESS;
}

EXPORT int cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
    STAND_IN_BEGIN();
    *milliseconds = (float)((double)(to->ns - from->ns) / 1e6);
    return CUDA_SUCCESS;
}

/* ---- NVML ---------------------------------------------------------------------------------------------- */

EXPORT int nvmlInit_v2(void) {
    STAND_IN_BEGIN();
    return stand_in_flag("no-nvml") ? 9 : 0; /* NVML_ERROR_DRIVER_NOT_LOADED */
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device) {
    STAND_IN_BEGIN();
    (void)id;
    *device = NULL;
    return 0;
}

EXPORT int nvmlDeviceGetClockInfo(nvmlDevice_t device, int clock, unsigned *mhz) {
    STAND_IN_BEGIN();
    static unsigned reads;
    (void)device;
    *mhz = (unsigned)(clock == NVML_CLOCK_MEM ? stand_in_number("memory-mhz", 3199)
                                              : stand_in_number("mhz", 1000));
    const uint64_t every = stand_in_number("moving-clock", 0);
    if (clock == NVML_CLOCK_SM && every > 0) *mhz -= (unsigned)(reads++ / every % 8);
    return 0;
}

EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons) {
    STAND_IN_BEGIN();
    (void)device;
    *reasons = stand_in_flag("throttle") ? 0x20 : 0;
    return 0;
}

EXPORT int nvmlSystemGetDriverVersion(char *version, unsigned size) {
    STAND_IN_BEGIN();
    (void)snprintf(version, size, "570.0");
    return 0;
}

#include "wings/device/device.h"

/* Memory that is written to sweep the caches: the most; the least, and that in second levels. */
#define SWEEP_MOST ((uint64_t)1 << 30)
#define SWEEP_LEAST ((uint64_t)1 << 20)
#define SWEEP_LEVELS 2u

static wb_status read_attribute(struct device *device, int number, int attribute, uint32_t *value) {
    int read = 0;
    DEVICE_CALL(device, cuDeviceGetAttribute, &read, attribute, number);
    *value = (uint32_t)read;
    return WB_OK;
}

/* Clocks are not needed: without NVML they are not known. */
static void open_nvml(const char *file, int number, struct device *device, struct device_facts *facts) {
    struct nvml *nvml = &device->nvml;
    char bus[32];
    if (device->driver.cuDeviceGetPCIBusId(bus, sizeof bus, number) != CUDA_SUCCESS) return;
    if (!nvml_open(file, nvml) || nvml->nvmlDeviceGetHandleByPciBusId(bus, &device->nvml_device) != 0) {
        nvml->library = NULL;
        return;
    }
    (void)nvml->nvmlSystemGetDriverVersion(facts->driver, sizeof facts->driver);
    if (nvml->nvmlDeviceGetClockInfo(device->nvml_device, NVML_CLOCK_MEM, &facts->memory_clock) != 0)
        facts->memory_clock = 0;
}

wb_status device_open(const char *file, struct child_state *state, wb_diagnostics *diagnostics,
                      struct device *device, struct device_facts *facts) {
    int number = 0, version = 0;
    uint32_t major, minor, l2;
    CUcontext context;
    *device = (struct device){.state = state, .diagnostics = diagnostics};
    WB_TRY(driver_open(file, diagnostics, &device->driver));
    DEVICE_CALL(device, cuDriverGetVersion, &version);
    DEVICE_CALL(device, cuDeviceGet, &number, 0);
    DEVICE_CALL(device, cuDeviceGetName, facts->gpu, sizeof facts->gpu, number);
    WB_TRY(read_attribute(device, number, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
    WB_TRY(read_attribute(device, number, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor));
    WB_TRY(read_attribute(device, number, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &facts->sms));
    WB_TRY(read_attribute(device, number, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2));
    facts->sm = major * 10 + minor;
    facts->cuda = (uint32_t)version;
    facts->l2_bytes = l2;
    DEVICE_CALL(device, cuDevicePrimaryCtxRetain, &context, number);
    DEVICE_CALL(device, cuCtxSetCurrent, context);
    DEVICE_CALL(device, cuStreamCreate, &device->stream, CU_STREAM_NON_BLOCKING);
    open_nvml(file, number, device, facts);
    return WB_OK;
}

wb_status device_sweep_memory(struct device *device, uint64_t l2_bytes, uint64_t *address, uint64_t *bytes) {
    const uint64_t levels = SWEEP_LEVELS * l2_bytes;
    const uint64_t least = levels > SWEEP_LEAST ? levels : SWEEP_LEAST;
    *bytes = SWEEP_MOST;
    *address = 0;
    while (*bytes / 2 >= least && device->driver.cuMemAlloc(address, *bytes) != CUDA_SUCCESS)
        *bytes /= 2;
    if (*address == 0) DEVICE_CALL(device, cuMemAlloc, address, *bytes);
    return WB_OK;
}

uint32_t device_clock(const struct device *device, bool *throttled) {
    const struct nvml *nvml = &device->nvml;
    unsigned clock = 0;
    unsigned long long reasons = 0;
    if (nvml->library == NULL ||
        nvml->nvmlDeviceGetClockInfo(device->nvml_device, NVML_CLOCK_SM, &clock) != 0)
        return 0;
    if (nvml->nvmlDeviceGetCurrentClocksThrottleReasons(device->nvml_device, &reasons) == 0)
        *throttled |= (reasons & NVML_THROTTLED) != 0;
    return clock;
}

void device_date(time_t time, bool is_moment, char date[static DATE_MAX]) {
    struct tm when;
    date[0] = '\0';
    if (gmtime_r(&time, &when) == NULL) return;
    const int length =
        text_format(date, DATE_MAX, "%04d-%02d-%02d", when.tm_year + 1900, when.tm_mon + 1, when.tm_mday);
    if (is_moment)
        (void)text_format(date + length, DATE_MAX - (size_t)length, "T%02d:%02d:%02dZ", when.tm_hour,
                          when.tm_min, when.tm_sec);
}
